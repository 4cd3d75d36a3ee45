/**
 * Recognizes other services' API keys by their prefix, so that the error can name the mistake. Longer prefixes come
 * first. The key itself is never stored or echoed.
 */

const forms: readonly (readonly [form: RegExp, provider: string])[] = [
  [/^sk-ant-/, 'Anthropic'],
  [/^sk-or-/, 'OpenRouter'],
  [/^sk-(?:proj|svcacct|service|admin|None)-/, 'OpenAI'],
  [/^sk-[A-Za-z0-9_-]{16,200}T3BlbkFJ/, 'OpenAI'],
  [/^sess-[A-Za-z0-9]{20}/, 'OpenAI'],
  [/^AIza[A-Za-z0-9_-]{30}/, 'Google'],
  [/^AQ\.[A-Za-z0-9_-]{20}/, 'Google'],
  [/^ya29\./, 'Google'],
  [/^gsk_/, 'Groq'],
  [/^xai-/, 'xAI'],
  [/^pplx-/, 'Perplexity'],
  [/^hf_/, 'Hugging Face'],
  [/^r8_/, 'Replicate'],
  [/^csk-/, 'Cerebras'],
  [/^fw_/, 'Fireworks AI'],
  [/^tgp_v1_/, 'Together AI'],
  [/^nvapi-/, 'NVIDIA'],
  [/^vck_/, 'Vercel AI Gateway'],
  [/^sk-lm-/, 'LM Studio'],
  [/^(?:AKIA|ASIA)[A-Z0-9]{16}$/, 'Amazon Web Services'],
  [/^ABSK[A-Za-z0-9+/]{20}/, 'Amazon Bedrock'],
  [/^(?:ghp|gho|ghu|ghs)_|^github_pat_/, 'GitHub'],
]

/** The service whose key this looks like, if any. */
export function foreignProvider(credential: string): string | undefined {
  return forms.find(([form]) => form.test(credential))?.[1]
}
