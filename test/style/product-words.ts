/**
 * Words that the dictionary of American English lacks: names of products and the vocabulary of the field. A word is added
 * only if a reader who knows the field expects it; abbreviations and code belong in backticks. Pure data.
 */

export const productNames =
  'Agno Aider Alibaba Anthropic Baseten Biome Brotli Cerebras Citus Ctrl Entra Genkit Grafana Groq Kubernetes Kysely Mastra Nebius Novita Ollama Patroni PgBouncer Portkey Pydantic Qwen Radix Redoc Scaleway Vercel Vite Xeon'

export const productWords = [
  'anonymized authenticator balancer keepalive breakpoint cooldown codecs changelog decrypted durations embeddings failover failpoint',
  'fallbacks hostname idempotency invariants latencies liveness loopback mistyped monospace orchestrator parsers',
  'passthrough pipelined pooler poolers quartile quartiles prefilled preflight realtime redemptions refetch resumable schemas scrollbar signup subcommand',
  'backpressure bundler decrypt deduplicates dialogs interruptible linter lookups quantile refetches reimplemented',
  'revalidated uncached unstyled validators',
  'textarea tokenized tokenizer tooltip unowned unpriced upstreams webhook webhooks whitespace',
]

/** Names that are written in lower case, and code that is quoted in messages without backticks. */
export const codeWords =
  'aiohttp api args async bigint chmod configs const cspell cyber diarization eu gc gemini github gzip html http https httpx json logprob logprobs mx namespace nano nginx nodemailer npm nspell oauth oidc ok openai opencode openssl os param pdf pdfs prewarm protobuf smolagents stderr stdout svg systemd tfs ttl typeof ul undici unnest unrestrict uri url uuid vite wav wget xhigh zod'
