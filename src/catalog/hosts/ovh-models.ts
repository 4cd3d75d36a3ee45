/** Models of the host ovh with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
gpt-oss-120b|gpt-oss-120b|2025-08-28|131072|131072|rt|0.09,0.47,,,,
gpt-oss-20b|gpt-oss-20b|2025-08-28|131072|131072|rt|0.05,0.18,,,,
meta-llama-3_3-70b-instruct|Meta-Llama-3_3-70B-Instruct|2025-04-01|131072|131072|t|0.74,0.74,,,,
mistral-7b-instruct-v0.3|Mistral-7B-Instruct-v0.3|2025-04-01|65536|65536|t|0.11,0.11,,,,
mistral-nemo-instruct-2407|Mistral-Nemo-Instruct-2407|2024-11-20|65536|65536|t|0.14,0.14,,,,
mistral-small-3.2-24b-instruct-2506|Mistral-Small-3.2-24B-Instruct-2506|2025-07-16|131072|131072|it|0.1,0.31,,,,
qwen2.5-vl-72b-instruct|Qwen2.5-VL-72B-Instruct|2025-03-31|32768|32768|i|1.01,1.01,,,,
qwen3-32b|Qwen3-32B|2025-07-16|32768|32768|rt|0.09,0.25,,,,
qwen3-coder-30b-a3b-instruct|Qwen3-Coder-30B-A3B-Instruct|2025-10-28|262144|262144|t|0.07,0.26,,,,
qwen3.5-397b-a17b|Qwen3.5-397B-A17B|2026-05-18|262144|262144|irt|0.71,4.25,,,,
qwen3.5-9b|Qwen3.5-9B|2026-04-22|262144|262144|irt|0.12,0.18,,,,
qwen3.6-27b|Qwen3.6-27B|2026-06-01|262144|262144|irt|0.47,3.19,,,,
`
