/** Models of the host nvidia with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
abacusai/dracarys-llama-3_1-70b-instruct|dracarys-llama-3.1-70b-instruct|2024-09-11|128000|8192|t|
baai/bge-m3|BGE M3|2024-01-30|8192|1024||
bytedance/seed-oss-36b-instruct|ByteDance-Seed/Seed-OSS-36B-Instruct|2025-09-04|262000|262000|t|
deepseek-ai/deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1048576|393216|rt|0.14,0.28,0.0028,,,
deepseek-ai/deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1048576|393216|rt|0.435,0.87,0.003625,,,
google/gemma-2-2b-it|Gemma 2 2b It|2024-07-16|128000|4096|t|
google/gemma-3n-e2b-it|Gemma 3n E2b It|2025-06-12|128000|4096|it|
google/gemma-3n-e4b-it|Gemma 3n E4b It|2025-06-03|128000|4096|it|
google/gemma-4-31b-it|Gemma-4-31B-IT|2026-04-02|256000|16384|ivrt|
google/google-paligemma|paligemma|2024-05-14|128000|8192|i|
meta/esm2-650m|esm2-650m|2024-08-29|128000|8192||
meta/esmfold|esmfold|2024-03-15|128000|8192||
meta/llama-3.1-70b-instruct|Llama 3.1 70b Instruct|2024-07-16|128000|4096|t|
meta/llama-3.1-8b-instruct|Llama 3.1 8B Instruct|2025-01-01|16000|4096|t|
meta/llama-3.2-11b-vision-instruct|Llama 3.2 11b Vision Instruct|2024-09-18|128000|4096|it|
meta/llama-3.2-1b-instruct|Llama 3.2 1b Instruct|2024-09-18|128000|4096|t|
meta/llama-3.2-3b-instruct|Llama 3.2 3B Instruct|2024-09-18|32768|32000||
meta/llama-3.2-90b-vision-instruct|Llama-3.2-90B-Vision-Instruct|2024-09-25|128000|8192|it|
meta/llama-3.3-70b-instruct|Llama 3.3 70b Instruct|2024-11-26|128000|4096|t|
meta/llama-4-maverick-17b-128e-instruct|Llama 4 Maverick 17b 128e Instruct|2025-04-01|128000|4096|it|
meta/llama-guard-4-12b|Llama Guard 4 12B|2025-04-05|128000|16384|i|
microsoft/phi-4-mini-instruct|Phi-4-Mini|2024-12-01|131072|8192|t|
microsoft/phi-4-multimodal-instruct|Phi 4 Multimodal|2025-07-26|128000|16384||
minimaxai/minimax-m2.7|MiniMax-M2.7|2026-03-18|204800|131072|rt|
minimaxai/minimax-m3|MiniMax-M3|2026-06-01|1000000|16384|ivrt|
mistralai/magistral-small-2506|Magistral Small 2506|2025-09-25|32768|32768||
mistralai/mistral-7b-instruct-v03|Mistral-7B-Instruct-v0.3|2025-04-01|65536|65536|t|
mistralai/mistral-large-3-675b-instruct-2512|Mistral Large 3 675B Instruct 2512|2025-12-02|262144|262144|it|
mistralai/mistral-medium-3-instruct|Mistral Medium 3|2025-09-25|131072|32768|i|
mistralai/mistral-nemotron|mistral-nemotron|2025-06-11|128000|8192|t|
mistralai/mistral-small-4-119b-2603|mistral-small-4-119b-2603|2026-03-16|128000|8192|irt|
mistralai/mixtral-8x22b-instruct|Mistral: Mixtral 8x22B Instruct|2024-04-17|65536|13108|t|
mistralai/mixtral-8x7b-instruct|Mistral: Mixtral 8x7B Instruct|2023-12-10|32768|16384|t|
moonshotai/kimi-k2-instruct-0905|Kimi K2 0905|2025-09-05|262144|262144|t|
moonshotai/kimi-k2.6|Kimi K2.6|2026-04-21|262144|262144|ivrt|
nvidia/bevformer|bevformer|2025-03-18|128000|8192|v|
nvidia/gliner-pii|gliner-pii|2026-03-03|128000|4096||
nvidia/llama-3_1-nemotron-safety-guard-8b-v3|llama-3.1-nemotron-safety-guard-8b-v3|2025-10-28|128000|4096||
nvidia/llama-3_2-nemoretriever-300m-embed-v1|llama-3_2-nemoretriever-300m-embed-v1|2025-07-24|32768|2048||
nvidia/llama-nemotron-embed-vl-1b-v2|llama-nemotron-embed-vl-1b-v2|2026-02-10|32768|2048|i|
nvidia/llama-nemotron-rerank-vl-1b-v2|llama-nemotron-rerank-vl-1b-v2|2026-03-31|128000|4096|i|
nvidia/nemotron-3-content-safety|nemotron-3-content-safety|2026-04-16|128000|4096||
nvidia/nemotron-3-nano-30b-a3b|nemotron-3-nano-30b-a3b|2024-12|131072|131072|rt|
nvidia/nemotron-3-nano-omni-30b-a3b-reasoning|Nemotron 3 Nano Omni|2026-04-28|256000|65536|iavrt|
nvidia/nemotron-3-super-120b-a12b|Nemotron 3 Super|2026-03-11|262144|262144|rt|0.2,0.8,,,,
nvidia/nemotron-3-ultra-550b-a55b|Nemotron 3 Ultra 550B A55B|2026-06-04|1000000|65536|rt|0.5,2.5,0.15,,,
nvidia/nemotron-content-safety-reasoning-4b|nemotron-content-safety-reasoning-4b|2026-01-22|128000|4096|r|
nvidia/nemotron-mini-4b-instruct|nemotron-mini-4b-instruct|2024-08-21|128000|8192|t|
nvidia/nemotron-voicechat|nemotron-voicechat|2026-03-16|128000|8192|at|
nvidia/nv-embed-v1|nv-embed-v1|2024-06-07|32768|2048||
nvidia/nv-embedcode-7b-v1|nv-embedcode-7b-v1|2025-03-17|32768|2048||
nvidia/nvidia-nemotron-nano-9b-v2|nvidia-nemotron-nano-9b-v2|2025-08-18|131072|131072|rt|
nvidia/rerank-qa-mistral-4b|rerank-qa-mistral-4b|2024-03-17|128000|4096||
nvidia/riva-translate-4b-instruct-v1_1|riva-translate-4b-instruct-v1_1|2025-12-12|128000|4096||
nvidia/sparsedrive|sparsedrive|2025-03-18|128000|8192|v|
nvidia/streampetr|streampetr|2025-11-13|128000|8192|v|
nvidia/studiovoice|studiovoice|2024-10-03|128000|8192||
nvidia/usdcode|usdcode|2026-01-01|128000|4096||
openai/gpt-oss-120b|GPT-OSS-120B|2025-08-04|128000|8192|rt|
openai/gpt-oss-20b|GPT OSS 20B|2025-08-05|131072|32768|rt|
qwen/qwen2.5-coder-32b-instruct|Qwen2.5 Coder 32b Instruct|2024-11-06|128000|4096|t|
qwen/qwen3-coder-480b-a35b-instruct|Qwen3 Coder 480B A35B Instruct|2025-07-23|262144|66536|t|
qwen/qwen3-next-80b-a3b-instruct|Qwen3-Next-80B-A3B-Instruct|2024-12-01|262144|16384|t|
qwen/qwen3.5-122b-a10b|Qwen3.5 122B-A10B|2026-02-23|262144|65536|iavrt|
qwen/qwen3.5-397b-a17b|Qwen3.5-397B-A17B|2026-02-16|262144|8192|irt|
sarvamai/sarvam-m|sarvam-m|2025-07-25|128000|8192|t|
stepfun-ai/step-3.5-flash|Step 3.5 Flash|2026-02-02|256000|16384|rt|
stepfun-ai/step-3.7-flash|Step 3.7 Flash|2026-05-28|256000|16384|irt|
upstage/solar-10_7b-instruct|solar-10.7b-instruct|2024-06-05|128000|8192|t|
z-ai/glm-5.1|GLM-5.1|2026-03-27|131072|131072|rt|
`
