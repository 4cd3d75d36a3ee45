/** Models of the host groq with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
llama-3.1-8b-instant|Llama 3.1 8B|2024-07-23|131072|131072|t|0.05,0.08,,,,
llama-3.3-70b-versatile|Llama 3.3 70B|2024-12-06|131072|32768|t|0.59,0.79,,,,
meta-llama/llama-4-scout-17b-16e-instruct|Llama 4 Scout 17B 16E|2025-04-05|131072|8192|it|0.11,0.34,,,,
meta-llama/llama-prompt-guard-2-22m|Llama Prompt Guard 2 22M|2025-05-29|512|512||0.03,0.03,,,,
meta-llama/llama-prompt-guard-2-86m|Prompt Guard 2 86M|2025-05-29|512|512||0.04,0.04,,,,
openai/gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|65536|rt|0.15,0.6,0.075,,,
openai/gpt-oss-20b|GPT OSS 20B|2025-08-05|131072|65536|rt|0.075,0.3,0.0375,,,
openai/gpt-oss-safeguard-20b|Safety GPT OSS 20B|2025-10-29|131072|65536|rt|0.075,0.3,,,,
qwen/qwen3-32b|Qwen3-32B|2025-06-11|131072|40960|rt|0.29,0.59,,,,
`
