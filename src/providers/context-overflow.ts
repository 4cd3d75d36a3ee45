/**
 * Error messages for an input that exceeds a model's context, in one table: agents shorten their context at this error, and the
 * gateway tries a fallback with a larger one. Many hosts serve a model, and a proxy repeats the message of the host behind it, so the
 * phrases apply to every host.
 */
import type { UpstreamProblem } from '../wire/format.ts'

/** Codes and types. */
const words: readonly (readonly [host: string, word: string])[] = [
  ['OpenAI', 'context_length_exceeded'],
  ['llama.cpp', 'exceed_context_size_error'],
  ['LiteLLM', 'ContextWindowExceededError'],
  ['Azure', 'tokens_limit_reached'],
  ['GitHub', 'model_max_prompt_tokens_exceeded'],
  ['Z.AI', '1261'],
]

/**
 * Phrases in error messages, in lower case. From the hosts' own pages and the collection in earendil-works/pi,
 * packages/ai/src/utils/overflow.ts, 2026-11.
 */
const phrases: readonly (readonly [host: string, phrase: string])[] = [
  ['Anthropic', 'prompt is too long'],
  ['Anthropic', '`max_tokens` exceed context limit'],
  ['OpenAI', 'exceeds the context window'],
  ['OpenAI, DeepSeek, vLLM, OpenRouter', 'maximum context length'],
  ['Google', 'input token count'],
  ['Google', 'the input context is too long'],
  ['Amazon Bedrock', 'input is too long'],
  ['Mistral', 'too large for model with'],
  ['xAI', 'maximum prompt length is'],
  ['Groq, Cerebras', 'reduce the length of the messages'],
  ['Alibaba', 'range of input length'],
  ['Moonshot', 'exceeded model token limit'],
  ['MiniMax', 'context window exceeds limit'],
  ['Cohere', 'too many tokens'],
  ['Together AI', "is longer than the model's context length"],
  ['Together AI, Hugging Face', '`inputs` tokens + `max_new_tokens`'],
  ['Hugging Face', '`inputs` must have less than'],
  ['SiliconFlow', 'must be less than max_seq_len'],
  ['Z.AI', 'prompt exceeds max length'],
  ['GitHub', 'prompt token count of'],
  ['vLLM', "the model's context length is only"],
  ['vLLM', 'is longer than the maximum model length'],
  ['SGLang', "exceeds the model's maximum context length"],
  ['SGLang', 'exceeds the maximum allowed input length'],
  ['Ollama', 'exceeded max context length'],
  ['Ollama', 'exceeds the context length'],
  ['llama.cpp', 'exceeds the available context size'],
  ['LM Studio', 'greater than the context length'],
  ['LM Studio', 'loaded with context length of only'],
  ['LM Studio', 'context size has been exceeded'],
  ['proxies', 'context length exceeded'],
  ['proxies', 'context window exceeded'],
]

/** Tokens in a minute are no context. */
const otherLimits = ['rate limit', 'too many requests', 'per minute', 'per min', 'throttl']

/** Some hosts report it as a server error, and an error inside a stream has the status of its format. */
const statuses: readonly number[] = [400, 413, 422, 500]
/** Longer sentences may repeat what the caller wrote. */
const charactersMax = 400

export function isContextOverflow(status: number, problem: UpstreamProblem): boolean {
  if (!statuses.includes(status)) return false
  const { type, code, message } = problem
  if (words.some(([, word]) => word === code || word === type)) return true
  const sentence = message.slice(0, charactersMax).toLowerCase()
  return (
    phrases.some(([, phrase]) => sentence.includes(phrase)) &&
    !otherLimits.some((limit) => sentence.includes(limit))
  )
}
