/** Models of the host huggingface with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
MiniMaxAI/MiniMax-M2.1|MiniMax-M2.1|2025-12-23|204800|131072|rt|
MiniMaxAI/MiniMax-M2.5|MiniMax-M2.5|2026-02-12|204800|131072|rt|
MiniMaxAI/MiniMax-M2.7|MiniMax-M2.7|2026-03-18|204800|131072|rt|
MiniMaxAI/MiniMax-M2|MiniMax-M2|2025-10-27|204800|128000|rt|
MiniMaxAI/MiniMax-M3|MiniMax-M3|2026-06-01|524288|128000|irt|
Qwen/Qwen3-235B-A22B-Thinking-2507|Qwen3-235B-A22B-Thinking-2507|2025-07-25|262144|131072|rt|
Qwen/Qwen3-235B-A22B|Qwen3 235B-A22B|2025-04|40960|16384|rt|
Qwen/Qwen3-32B|Qwen3 32B|2025-04|131072|16384|rt|
Qwen/Qwen3-Coder-30B-A3B-Instruct|Qwen3-Coder 30B-A3B Instruct|2025-04|262144|65536|t|
Qwen/Qwen3-Coder-480B-A35B-Instruct|Qwen3-Coder-480B-A35B-Instruct|2025-07-23|262144|66536|t|
Qwen/Qwen3-Coder-Next|Qwen3-Coder-Next|2026-02-03|262144|65536|t|
Qwen/Qwen3-Embedding-4B|Qwen 3 Embedding 4B|2025-01-01|32000|2048||
Qwen/Qwen3-Embedding-8B|Qwen 3 Embedding 8B|2025-01-01|32000|4096||
Qwen/Qwen3-Next-80B-A3B-Instruct|Qwen3-Next-80B-A3B-Instruct|2025-09-11|262144|66536|t|
Qwen/Qwen3-Next-80B-A3B-Thinking|Qwen3-Next-80B-A3B-Thinking|2025-09-11|262144|131072|t|
Qwen/Qwen3.5-122B-A10B|Qwen3.5 122B-A10B|2026-02-23|262144|65536|irt|
Qwen/Qwen3.5-27B|Qwen3.5 27B|2026-02-23|262144|65536|irt|
Qwen/Qwen3.5-35B-A3B|Qwen3.5 35B-A3B|2026-02-23|262144|65536|irt|
Qwen/Qwen3.5-397B-A17B|Qwen3.5-397B-A17B|2026-02-01|262144|32768|irt|
Qwen/Qwen3.5-9B|Qwen3.5 9B|2026-02-23|262144|65536|irt|
Qwen/Qwen3.6-27B|Qwen3.6 27B|2026-04-22|262144|65536|irt|
Qwen/Qwen3.6-35B-A3B|Qwen3.6 35B-A3B|2026-04-17|262144|65536|irt|
XiaomiMiMo/MiMo-V2-Flash|MiMo-V2-Flash|2025-12-16|262144|4096|rt|
XiaomiMiMo/MiMo-V2.5-Pro|MiMo-V2.5-Pro|2026-04-22|1048576|131072|rt|
deepseek-ai/DeepSeek-R1-0528|DeepSeek-R1-0528|2025-05-28|163840|163840|rt|
deepseek-ai/DeepSeek-R1|DeepSeek-R1|2025-01-20|64000|32768|rt|
deepseek-ai/DeepSeek-V3.2|DeepSeek-V3.2|2025-12-01|163840|65536|rt|
deepseek-ai/DeepSeek-V4-Flash|DeepSeek V4 Flash|2026-04-24|1048576|384000|rt|
deepseek-ai/DeepSeek-V4-Pro|DeepSeek V4 Pro|2026-04-24|1048576|393216|rt|
google/gemma-4-26B-A4B-it|Gemma 4 26B A4B IT|2026-04-02|262144|32768|irt|
google/gemma-4-31B-it|Gemma 4 31B IT|2026-04-02|262144|32768|irt|
meta-llama/Llama-3.3-70B-Instruct|Llama-3.3-70B-Instruct|2024-12-06|131072|4096|t|
moonshotai/Kimi-K2-Instruct-0905|Kimi-K2-Instruct-0905|2025-09-04|262144|16384|t|
moonshotai/Kimi-K2-Instruct|Kimi-K2-Instruct|2025-07-14|131072|16384|t|
moonshotai/Kimi-K2-Thinking|Kimi-K2-Thinking|2025-11-06|262144|262144|rt|
moonshotai/Kimi-K2.5|Kimi-K2.5|2026-01-01|262144|262144|ivrt|
moonshotai/Kimi-K2.6|Kimi-K2.6|2026-04-20|262144|262144|ivrt|
moonshotai/Kimi-K2.7-Code|Kimi K2.7 Code|2026-06-12|262144|262144|irt|
openai/gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|32768|rt|
stepfun-ai/Step-3.5-Flash|Step 3.5 Flash|2026-01-29|262144|256000|rt|
stepfun-ai/Step-3.7-Flash|Step 3.7 Flash|2026-05-29|262144|256000|irt|
zai-org/GLM-4.5-Air|GLM-4.5-Air|2025-07-28|131072|98304|rt|
zai-org/GLM-4.5V|GLM-4.5V|2025-08-11|65536|16384|irt|
zai-org/GLM-4.5|GLM-4.5|2025-07-28|131072|98304|rt|
zai-org/GLM-4.6|GLM-4.6|2025-09-30|204800|131072|rt|
zai-org/GLM-4.7-Flash|GLM-4.7-Flash|2025-08-08|200000|128000|rt|
zai-org/GLM-4.7|GLM-4.7|2025-12-22|204800|131072|rt|
zai-org/GLM-5.1|GLM-5.1|2026-04-03|202752|131072|rt|
zai-org/GLM-5.2|GLM-5.2|2026-06-13|262144|131072|rt|
zai-org/GLM-5|GLM-5|2026-02-11|202752|131072|rt|
`
