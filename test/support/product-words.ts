/**
 * Words that the dictionary of American English lacks: names of products and the vocabulary of the field. A word is added
 * only if a reader who knows the field expects it; abbreviations and code belong in backticks. Pure data.
 */

export const productNames =
  'Agno Aider Alibaba Anthropic Baseten Biome Cerebras Ctrl Genkit Groq Mastra Nebius Novita Ollama Pydantic Qwen Scaleway Vercel Xeon'

export const productWords = [
  'anonymized authenticator breakpoint cooldown codecs changelog decrypted durations embeddings failover failpoint',
  'fallbacks hostname idempotency invariants latencies liveness loopback mistyped monospace orchestrator parsers',
  'passthrough pipelined prefilled preflight realtime redemptions refetch resumable schemas scrollbar signup subcommand',
  'textarea tokenized tokenizer tooltip unowned unpriced upstreams webhook webhooks whitespace',
]

/** Names that are written in lower case, and code that is quoted in messages without backticks. */
export const codeWords =
  'api chmod const gc gemini github html http https json mx nano nginx npm oidc ok openai opencode openssl os pdf smolagents stderr stdout svg ul uri url uuid wav unrestrict xhigh zod undici typeof'
