/** Models of the host scaleway with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
bge-multilingual-gemma2|BGE Multilingual Gemma2|2024-07-26|8191|3072||0.1,0,,,,
gemma-3-27b-it|Gemma-3-27B-IT|2024-12-01|40000|8192|irt|0.25,0.5,,,,
gemma-4-26b-a4b-it|Gemma 4 26B A4B IT|2026-04-01|256000|16384|irt|0.25,0.5,,,,
glm-5.2|GLM-5.2|2026-06-13|256000|16384|rt|1.8,5.5,,,,
gpt-oss-120b|GPT-OSS 120B|2024-01-01|128000|32768|rt|0.15,0.6,,,,
llama-3.3-70b-instruct|Llama-3.3-70B-Instruct|2024-12-06|100000|16384|t|0.9,0.9,,,,
mistral-medium-3.5-128b|Mistral Medium 3.5 128B|2026-04-29|256000|16384|irt|1.5,7.5,,,,
mistral-small-3.2-24b-instruct-2506|Mistral Small 3.2 24B Instruct (2506)|2025-06-20|128000|32768|it|0.15,0.35,,,,
pixtral-12b-2409|Pixtral 12B 2409|2024-09-25|128000|4096|it|0.2,0.2,,,,
qwen3-235b-a22b-instruct-2507|Qwen3 235B A22B Instruct 2507|2025-07-01|260000|16384|rt|0.75,8.4,,,,
qwen3-coder-30b-a3b-instruct|Qwen3-Coder 30B-A3B Instruct|2025-04|128000|32768|t|0.2,0.8,,,,
qwen3-embedding-8b|Qwen3 Embedding 8B|2025-25-11|32768|4096||0.1,0,,,,
qwen3.5-397b-a17b|Qwen3.5 397B A17B|2026-03-17|256000|16384|ivrt|0.6,3.6,,,,
qwen3.6-35b-a3b|Qwen3.6 35B A3B|2026-05-01|128000|16384|irt|0.25,1.5,,,,
voxtral-small-24b-2507|Voxtral Small 24B 2507|2025-07-01|32000|16384|at|0.15,0.35,,,,
`
