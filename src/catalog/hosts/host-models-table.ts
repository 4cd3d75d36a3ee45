/**
 * Models of hosts with their list prices, in rows of `model-rows.ts` below the source of the prices; written by
 * scripts/host-models.js. Perplexity has none: it charges per request in addition to tokens.
 */
export const hostModelRows: Readonly<Record<string, string>> = {
  alibaba: `
models.dev, list price of 2026-07-02
qvq-max|QVQ Max|2025-03-25|131072|8192|irt|1.2,4.8
qwen-flash|Qwen Flash|2025-07-28|1000000|32768|rt|0.05,0.4
qwen-max|Qwen Max|2024-04-03|32768|8192|t|1.6,6.4
qwen-mt-plus|Qwen-MT Plus|2025-01|16384|8192||2.46,7.37
qwen-mt-turbo|Qwen-MT Turbo|2025-01|16384|8192||0.16,0.49
qwen-plus-character-ja|Qwen Plus Character (Japanese)|2024-01|8192|512|t|0.5,1.4
qwen-plus|Qwen Plus|2024-01-25|1000000|32768|rt|0.4,4
qwen-turbo|Qwen Turbo|2024-11-01|1000000|16384|rt|0.05,0.5
qwen-vl-max|Qwen-VL Max|2024-04-08|131072|8192|it|0.8,3.2
qwen-vl-ocr|Qwen-VL OCR|2024-10-28|34096|4096|i|0.72,0.72
qwen-vl-plus|Qwen-VL Plus|2024-01-25|131072|8192|it|0.21,0.63
qwen2-5-14b-instruct|Qwen2.5 14B Instruct|2024-09|131072|8192|t|0.35,1.4
qwen2-5-32b-instruct|Qwen2.5 32B Instruct|2024-09|131072|8192|t|0.7,2.8
qwen2-5-72b-instruct|Qwen2.5 72B Instruct|2024-09|131072|8192|t|1.4,5.6
qwen2-5-7b-instruct|Qwen2.5 7B Instruct|2024-09|131072|8192|t|0.175,0.7
qwen2-5-vl-72b-instruct|Qwen2.5-VL 72B Instruct|2024-09|131072|8192|it|2.8,8.4
qwen2-5-vl-7b-instruct|Qwen2.5-VL 7B Instruct|2024-09|131072|8192|it|0.35,1.05
qwen3-14b|Qwen3 14B|2025-04|131072|8192|rt|0.35,4.2
qwen3-235b-a22b|Qwen3 235B-A22B|2025-04|131072|16384|rt|0.7,8.4
qwen3-32b|Qwen3 32B|2025-04|131072|16384|rt|0.7,8.4
qwen3-8b|Qwen3 8B|2025-04|131072|8192|rt|0.18,2.1
qwen3-asr-flash|Qwen3-ASR Flash|2025-09-08|53248|4096|a|0.035,0.035
qwen3-coder-30b-a3b-instruct|Qwen3-Coder 30B-A3B Instruct|2025-04|262144|65536|t|0.45,2.25
qwen3-coder-480b-a35b-instruct|Qwen3-Coder 480B-A35B Instruct|2025-04|262144|65536|t|1.5,7.5
qwen3-coder-flash|Qwen3 Coder Flash|2025-07-28|1000000|65536|t|0.3,1.5
qwen3-coder-plus|Qwen3 Coder Plus|2025-07-23|1048576|65536|t|1,5
qwen3-max|Qwen3 Max|2025-09-23|262144|65536|t|1.2,6
qwen3-next-80b-a3b-instruct|Qwen3-Next 80B-A3B Instruct|2025-09|131072|32768|t|0.5,2
qwen3-next-80b-a3b-thinking|Qwen3-Next 80B-A3B (Thinking)|2025-09|131072|32768|rt|0.5,6
qwen3-vl-235b-a22b|Qwen3-VL 235B-A22B|2025-04|131072|32768|irt|0.7,8.4
qwen3-vl-30b-a3b|Qwen3-VL 30B-A3B|2025-04|131072|32768|irt|0.2,2.4
qwen3-vl-plus|Qwen3-VL Plus|2025-09-23|262144|32768|irt|0.2,4.8
qwen3.5-122b-a10b|Qwen3.5 122B-A10B|2026-02-23|262144|65536|iavrt|0.4,3.2
qwen3.5-27b|Qwen3.5 27B|2026-02-23|262144|65536|iavrt|0.3,2.4
qwen3.5-35b-a3b|Qwen3.5 35B-A3B|2026-02-23|262144|65536|iavrt|0.25,2
qwen3.5-397b-a17b|Qwen3.5 397B-A17B|2026-02-15|262144|65536|iavrt|0.6,3.6
qwen3.5-plus|Qwen3.5 Plus|2026-02-16|1000000|65536|ivrt|0.4,2.4
qwen3.6-27b|Qwen3.6 27B|2026-04-22|262144|65536|iavrt|0.6,3.6
qwen3.6-35b-a3b|Qwen3.6 35B-A3B|2026-04-17|262144|65536|iavrt|0.248,1.485
qwen3.6-flash|Qwen3.6 Flash|2026-04-27|1000000|65536|ivrt|0.1875,1.125,,0.234375
qwen3.6-max-preview|Qwen3.6 Max Preview|2026-04-20|262144|65536|rt|1.3,7.8,0.13,1.625
qwen3.6-plus|Qwen3.6 Plus|2026-04-02|1000000|65536|ivrt|0.5,3,0.05,0.625;256000:2,6,0.2,2.5
qwen3.7-max|Qwen3.7 Max|2026-05-21|1000000|65536|rt|2.5,7.5,0.5,3.125
qwen3.7-plus|Qwen3.7 Plus|2026-06-02|1000000|65536|ivrt|0.5,3,0.05,0.625;256000:2,6,0.2,2.5
qwq-plus|QwQ Plus|2025-03-05|131072|8192|rt|0.8,2.4
`,
  azure: `
models.dev, list price of 2026-07-02
claude-fable-5|Claude Fable 5|2026-06-09|1000000|128000|iprt|10,50,1,12.5,20
claude-haiku-4-5|Claude Haiku 4.5|2025-11-18|200000|64000|iprt|1,5,0.1,1.25,2
claude-opus-4-1|Claude Opus 4.1|2025-11-18|200000|32000|iprt|15,75,1.5,18.75,30
claude-opus-4-5|Claude Opus 4.5|2025-11-24|200000|64000|iprt|5,25,0.5,6.25,10
claude-opus-4-6|Claude Opus 4.6|2026-02-05|200000|128000|iprt|5,25,0.5,6.25,10;200000:10,37.5,1,12.5,20
claude-opus-4-8|Claude Opus 4.8|2026-05-28|200000|128000|iprt|5,25,0.5,6.25,10;200000:10,37.5,1,12.5,20
claude-sonnet-4-5|Claude Sonnet 4.5|2025-11-18|200000|64000|iprt|3,15,0.3,3.75,6
claude-sonnet-4-6|Claude Sonnet 4.6|2026-02-17|1000000|64000|iprt|3,15,0.3,3.75,6
claude-sonnet-5|Claude Sonnet 5|2026-06-30|1000000|128000|iprt|2,10,0.2,2.5,4
codestral-2501|Codestral 25.01|2025-01-01|256000|256000|t|0.3,0.9
codex-mini|Codex Mini|2025-05-16|200000|100000|rt|1.5,6,0.375
cohere-command-a|Command A|2025-03-13|256000|8000|rt|2.5,10
cohere-command-r-08-2024|Command R|2024-08-30|128000|4000|t|0.15,0.6
cohere-command-r-plus-08-2024|Command R+|2024-08-30|128000|4000|t|2.5,10
deepseek-r1-0528|DeepSeek-R1-0528|2025-05-28|163840|163840|rt|1.35,5.4
deepseek-r1|DeepSeek-R1|2025-01-20|163840|163840|r|1.35,5.4
deepseek-v3-0324|DeepSeek-V3-0324|2025-03-24|131072|131072|t|1.14,4.56
deepseek-v3.1|DeepSeek-V3.1|2025-08-21|131072|131072|rt|0.56,1.68
deepseek-v3.2-speciale|DeepSeek-V3.2-Speciale|2025-12-01|128000|128000|r|0.58,1.68
deepseek-v3.2|DeepSeek-V3.2|2025-12-01|128000|128000|rt|0.58,1.68
deepseek-v4-flash|DeepSeek-V4-Flash|2026-04-24|1000000|384000|r|0.19,0.51
deepseek-v4-pro|DeepSeek-V4-Pro|2026-04-24|1000000|384000|r|1.74,3.48
gpt-4.1-mini|GPT-4.1 mini|2025-04-14|1047576|32768|it|0.4,1.6,0.1
gpt-4.1-nano|GPT-4.1 nano|2025-04-14|1047576|32768|it|0.1,0.4,0.025
gpt-4.1|GPT-4.1|2025-04-14|1047576|32768|it|2,8,0.5
gpt-4o-mini|GPT-4o mini|2024-07-18|128000|16384|it|0.15,0.6,0.075
gpt-4o|GPT-4o|2024-05-13|128000|16384|it|2.5,10,1.25
gpt-5-chat|GPT-5 Chat|2025-08-07|128000|16384|ir|1.25,10,0.13
gpt-5-codex|GPT-5-Codex|2025-09-15|400000|128000|irt|1.25,10,0.13
gpt-5-mini|GPT-5 Mini|2025-08-07|272000|128000|irt|0.25,2,0.03
gpt-5-nano|GPT-5 Nano|2025-08-07|272000|128000|irt|0.05,0.4,0.01
gpt-5-pro|GPT-5 Pro|2025-10-06|400000|272000|irt|15,120
gpt-5.1-codex-max|GPT-5.1 Codex Max|2025-11-13|400000|128000|irt|1.25,10,0.125
gpt-5.1-codex-mini|GPT-5.1 Codex Mini|2025-11-14|400000|128000|irt|0.25,2,0.025
gpt-5.2-chat|GPT-5.2 Chat|2025-12-11|128000|16384|irt|1.75,14,0.175
gpt-5.2-codex|GPT-5.2 Codex|2026-01-14|400000|128000|irt|1.75,14,0.175
gpt-5.2|GPT-5.2|2025-12-11|400000|128000|irt|1.75,14,0.125
gpt-5.3-chat|GPT-5.3 Chat|2026-03-03|128000|16384|irt|1.75,14,0.175
gpt-5.3-codex|GPT-5.3 Codex|2026-02-24|400000|128000|irt|1.75,14,0.175
gpt-5.4-mini|GPT-5.4 Mini|2026-03-17|400000|128000|iprt|0.75,4.5,0.075
gpt-5.4-nano|GPT-5.4 Nano|2026-03-17|400000|128000|iprt|0.2,1.25,0.02
gpt-5.4-pro|GPT-5.4 Pro|2026-03-05|1050000|128000|irt|30,180;272000:60,270
gpt-5.4|GPT-5.4|2026-03-05|1050000|128000|iprt|2.5,15,0.25;272000:5,22.5,0.5
gpt-5.5|GPT-5.5|2026-04-24|1050000|128000|iprt|5,30,0.5;272000:10,45,1
gpt-5|GPT-5|2025-08-07|272000|128000|irt|1.25,10,0.13
grok-4-1-fast-non-reasoning|Grok 4.1 Fast (Non-Reasoning)|2025-06-27|128000|8192|it|0.2,0.5,0.05
grok-4-1-fast-reasoning|Grok 4.1 Fast (Reasoning)|2025-06-27|128000|8192|irt|0.2,0.5,0.05
grok-4-20-non-reasoning|Grok 4.20 (Non-Reasoning)|2026-04-08|262000|8192|t|2,6
grok-4-20-reasoning|Grok 4.20 (Reasoning)|2026-04-08|262000|8192|rt|2,6
grok-4-fast-reasoning|Grok 4 Fast (Reasoning)|2025-09-19|2000000|30000|irt|0.2,0.5,0.05
kimi-k2-thinking|Kimi K2 Thinking|2025-11-06|262144|262144|rt|0.6,2.5,0.15
kimi-k2.5|Kimi K2.5|2026-02-06|262144|262144|irt|0.6,3
kimi-k2.6|Kimi K2.6|2026-04-22|262144|262144|irt|0.95,4
llama-3.2-11b-vision-instruct|Llama-3.2-11B-Vision-Instruct|2024-09-25|128000|8192|it|0.37,0.37
llama-3.2-90b-vision-instruct|Llama-3.2-90B-Vision-Instruct|2024-09-25|128000|8192|it|2.04,2.04
llama-3.3-70b-instruct|Llama-3.3-70B-Instruct|2024-12-06|128000|32768|t|0.71,0.71
llama-4-maverick-17b-128e-instruct-fp8|Llama 4 Maverick 17B 128E Instruct FP8|2025-04-05|128000|8192|it|0.25,1
llama-4-scout-17b-16e-instruct|Llama 4 Scout 17B 16E Instruct|2025-04-05|128000|8192|it|0.2,0.78
meta-llama-3-70b-instruct|Meta-Llama-3-70B-Instruct|2024-04-18|8192|2048||2.68,3.54
meta-llama-3-8b-instruct|Meta-Llama-3-8B-Instruct|2024-04-18|8192|2048||0.3,0.61
meta-llama-3.1-405b-instruct|Meta-Llama-3.1-405B-Instruct|2024-07-23|128000|32768|t|5.33,16
meta-llama-3.1-70b-instruct|Meta-Llama-3.1-70B-Instruct|2024-07-23|128000|32768|t|2.68,3.54
meta-llama-3.1-8b-instruct|Meta-Llama-3.1-8B-Instruct|2024-07-23|128000|32768|t|0.3,0.61
ministral-3b|Ministral 3B|2024-10-22|128000|8192|t|0.04,0.04
mistral-large-2411|Mistral Large 24.11|2024-11-01|128000|32768|t|2,6
mistral-medium-2505|Mistral Medium 3|2025-05-07|128000|128000|it|0.4,2
mistral-nemo|Mistral Nemo|2024-07-18|128000|128000|t|0.15,0.15
mistral-small-2503|Mistral Small 3.1|2025-03-01|128000|32768|it|0.1,0.3
o1-mini|o1-mini|2024-09-12|128000|65536|rt|1.1,4.4,0.55
o1|o1|2024-12-05|200000|100000|irt|15,60,7.5
o3-mini|o3-mini|2024-12-20|200000|100000|rt|1.1,4.4,0.55
o3|o3|2025-04-16|200000|100000|irt|2,8,0.5
o4-mini|o4-mini|2025-04-16|200000|100000|irt|1.1,4.4,0.275
phi-3-medium-128k-instruct|Phi-3-medium-instruct (128k)|2024-04-23|128000|4096||0.17,0.68
phi-3-medium-4k-instruct|Phi-3-medium-instruct (4k)|2024-04-23|4096|1024||0.17,0.68
phi-3-mini-128k-instruct|Phi-3-mini-instruct (128k)|2024-04-23|128000|4096||0.13,0.52
phi-3-mini-4k-instruct|Phi-3-mini-instruct (4k)|2024-04-23|4096|1024||0.13,0.52
phi-3-small-128k-instruct|Phi-3-small-instruct (128k)|2024-04-23|128000|4096||0.15,0.6
phi-3-small-8k-instruct|Phi-3-small-instruct (8k)|2024-04-23|8192|2048||0.15,0.6
phi-3.5-mini-instruct|Phi-3.5-mini-instruct|2024-08-20|128000|4096||0.13,0.52
phi-3.5-moe-instruct|Phi-3.5-MoE-instruct|2024-08-20|128000|4096||0.16,0.64
phi-4-mini-reasoning|Phi-4-mini-reasoning|2024-12-11|128000|4096|rt|0.075,0.3
phi-4-mini|Phi-4-mini|2024-12-11|128000|4096|t|0.075,0.3
phi-4-multimodal|Phi-4-multimodal|2024-12-11|128000|4096|ia|0.08,0.32,,,,4
phi-4-reasoning-plus|Phi-4-reasoning-plus|2024-12-11|32000|4096|r|0.125,0.5
phi-4-reasoning|Phi-4-reasoning|2024-12-11|32000|4096|r|0.125,0.5
phi-4|Phi-4|2024-12-11|128000|4096||0.125,0.5
`,
  baseten: `
models.dev, list price of 2026-07-02
deepseek-ai/DeepSeek-V4-Pro|Deepseek V4 Pro|2026-04-24|262144|262144|rt|1.74,3.48,0.145
moonshotai/Kimi-K2.5|Kimi K2.5|2026-01-30|262000|262000|irt|0.6,3,0.12
moonshotai/Kimi-K2.6|Kimi K2.6|2026-04-21|262000|262000|irt|0.95,4,0.16
moonshotai/Kimi-K2.7-Code|Kimi K2.7 Code|2026-06-12|262000|262000|irt|0.95,4,0.16
nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B|Nemotron Ultra|2026-06-04|202800|202800|rt|0.6,2.4,0.12
nvidia/Nemotron-120B-A12B|Nemotron Super|2026-03-11|202800|202800|rt|0.3,0.75,0.06
openai/gpt-oss-120b|OpenAI GPT 120B|2025-08-05|128072|128072|rt|0.1,0.5
zai-org/GLM-4.7|GLM 4.7|2025-12-22|200000|200000|rt|0.6,2.2,0.12
zai-org/GLM-5.1|GLM 5.1|2026-04-07|202800|202800|rt|1.3,4.3,0.26
zai-org/GLM-5.2|GLM 5.2|2026-06-13|202720|202720|rt|1.4,4.4,0.3
zai-org/GLM-5|GLM 5|2026-02-12|202800|202800|rt|0.95,3.15,0.2
`,
  bedrock: `
models.dev, list price of 2026-07-02
amazon.nova-2-lite-v1:0|Nova 2 Lite|2024-12-01|128000|4096|ivrt|0.33,2.75
amazon.nova-lite-v1:0|Nova Lite|2024-12-03|300000|8192|ivt|0.06,0.24,0.015
amazon.nova-micro-v1:0|Nova Micro|2024-12-03|128000|8192|t|0.035,0.14,0.00875
amazon.nova-pro-v1:0|Nova Pro|2024-12-03|300000|8192|ivt|0.8,3.2,0.2
anthropic.claude-haiku-4-5-20251001-v1:0|Claude Haiku 4.5|2025-10-15|200000|64000|iprt|1.1,5.5,0.11,1.375,2.2
anthropic.claude-opus-4-1-20250805-v1:0|Claude Opus 4.1|2025-08-05|200000|32000|iprt|15,75,1.5,18.75,30
anthropic.claude-opus-4-5-20251101-v1:0|Claude Opus 4.5|2025-11-24|200000|64000|iprt|5.5,27.5,0.55,6.875,11
anthropic.claude-opus-4-6-v1|Claude Opus 4.6|2026-02-05|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
anthropic.claude-opus-4-7|Claude Opus 4.7|2026-04-16|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
anthropic.claude-opus-4-8|Claude Opus 4.8|2026-05-28|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
anthropic.claude-sonnet-4-5-20250929-v1:0|Claude Sonnet 4.5|2025-09-29|200000|64000|iprt|3.3,16.5,0.33,4.125,6.6
anthropic.claude-sonnet-4-6|Claude Sonnet 4.6|2026-02-17|1000000|64000|iprt|3.3,16.5,0.33,4.125,6.6
anthropic.claude-sonnet-5|Claude Sonnet 5|2026-06-30|1000000|128000|iprt|2.2,11,0.22,2.75,4.4
au.anthropic.claude-haiku-4-5-20251001-v1:0|Claude Haiku 4.5 (AU)|2025-10-15|200000|64000|iprt|1.1,5.5,0.11,1.375,2.2
au.anthropic.claude-opus-4-6-v1|AU Anthropic Claude Opus 4.6|2026-02-05|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
au.anthropic.claude-opus-4-8|Claude Opus 4.8 (AU)|2026-05-28|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
au.anthropic.claude-sonnet-4-5-20250929-v1:0|Claude Sonnet 4.5 (AU)|2025-09-29|200000|64000|iprt|3.3,16.5,0.33,4.125,6.6
au.anthropic.claude-sonnet-4-6|AU Anthropic Claude Sonnet 4.6|2026-02-17|1000000|128000|iprt|3.3,16.5,0.33,4.125,6.6
au.anthropic.claude-sonnet-5|Claude Sonnet 5 (AU)|2026-06-30|1000000|128000|iprt|2.2,11,0.22,2.75,4.4
deepseek.r1-v1:0|DeepSeek-R1|2025-01-20|128000|32768|rt|1.35,5.4
deepseek.v3-v1:0|DeepSeek-V3.1|2025-09-18|163840|81920|rt|0.58,1.68
deepseek.v3.2|DeepSeek-V3.2|2026-02-06|163840|81920|rt|0.62,1.85
eu.anthropic.claude-fable-5|Claude Fable 5 (EU)|2026-06-09|1000000|128000|irt|11,55,1.1,13.75,22
eu.anthropic.claude-haiku-4-5-20251001-v1:0|Claude Haiku 4.5 (EU)|2025-10-15|200000|64000|iprt|1.1,5.5,0.11,1.375,2.2
eu.anthropic.claude-opus-4-5-20251101-v1:0|Claude Opus 4.5 (EU)|2025-11-24|200000|64000|iprt|5.5,27.5,0.55,6.875,11
eu.anthropic.claude-opus-4-6-v1|Claude Opus 4.6 (EU)|2026-02-05|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
eu.anthropic.claude-opus-4-7|Claude Opus 4.7 (EU)|2026-04-16|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
eu.anthropic.claude-opus-4-8|Claude Opus 4.8 (EU)|2026-05-28|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
eu.anthropic.claude-sonnet-4-5-20250929-v1:0|Claude Sonnet 4.5 (EU)|2025-09-29|200000|64000|iprt|3.3,16.5,0.33,4.125,6.6
eu.anthropic.claude-sonnet-4-6|Claude Sonnet 4.6 (EU)|2026-02-17|1000000|64000|iprt|3.3,16.5,0.33,4.125,6.6
eu.anthropic.claude-sonnet-5|Claude Sonnet 5 (EU)|2026-06-30|1000000|128000|iprt|2.2,11,0.22,2.75,4.4
global.anthropic.claude-fable-5|Claude Fable 5 (Global)|2026-06-09|1000000|128000|irt|10,50,1,12.5,20
global.anthropic.claude-haiku-4-5-20251001-v1:0|Claude Haiku 4.5 (Global)|2025-10-15|200000|64000|iprt|1,5,0.1,1.25,2
global.anthropic.claude-opus-4-5-20251101-v1:0|Claude Opus 4.5 (Global)|2025-11-24|200000|64000|iprt|5,25,0.5,6.25,10
global.anthropic.claude-opus-4-6-v1|Claude Opus 4.6 (Global)|2026-02-05|1000000|128000|iprt|5,25,0.5,6.25,10
global.anthropic.claude-opus-4-7|Claude Opus 4.7 (Global)|2026-04-16|1000000|128000|iprt|5,25,0.5,6.25,10
global.anthropic.claude-opus-4-8|Claude Opus 4.8 (Global)|2026-05-28|1000000|128000|iprt|5,25,0.5,6.25,10
global.anthropic.claude-sonnet-4-5-20250929-v1:0|Claude Sonnet 4.5 (Global)|2025-09-29|200000|64000|iprt|3,15,0.3,3.75,6
global.anthropic.claude-sonnet-4-6|Claude Sonnet 4.6 (Global)|2026-02-17|1000000|64000|iprt|3,15,0.3,3.75,6
global.anthropic.claude-sonnet-5|Claude Sonnet 5 (Global)|2026-06-30|1000000|128000|iprt|2,10,0.2,2.5,4
google.gemma-3-12b-it|Google Gemma 3 12B|2024-12-01|131072|8192|i|0.05,0.1
google.gemma-3-27b-it|Google Gemma 3 27B Instruct|2025-07-27|202752|8192|it|0.12,0.2
google.gemma-3-4b-it|Gemma 3 4B IT|2024-12-01|128000|4096|it|0.04,0.08
jp.anthropic.claude-opus-4-7|Claude Opus 4.7 (JP)|2026-04-16|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
jp.anthropic.claude-opus-4-8|Claude Opus 4.8 (JP)|2026-05-28|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
jp.anthropic.claude-sonnet-4-5-20250929-v1:0|Claude Sonnet 4.5 (JP)|2025-09-29|200000|64000|iprt|3.3,16.5,0.33,4.125,6.6
jp.anthropic.claude-sonnet-4-6|Claude Sonnet 4.6 (JP)|2026-02-17|1000000|64000|iprt|3.3,16.5,0.33,4.125,6.6
jp.anthropic.claude-sonnet-5|Claude Sonnet 5 (JP)|2026-06-30|1000000|128000|iprt|2.2,11,0.22,2.75,4.4
meta.llama3-1-70b-instruct-v1:0|Llama 3.1 70B Instruct|2024-07-23|128000|4096|t|0.72,0.72
meta.llama3-1-8b-instruct-v1:0|Llama 3.1 8B Instruct|2024-07-23|128000|4096|t|0.22,0.22
meta.llama3-3-70b-instruct-v1:0|Llama 3.3 70B Instruct|2024-12-06|128000|4096|t|0.72,0.72
meta.llama4-maverick-17b-instruct-v1:0|Llama 4 Maverick 17B Instruct|2025-04-05|1000000|16384|it|0.24,0.97
meta.llama4-scout-17b-instruct-v1:0|Llama 4 Scout 17B Instruct|2025-04-05|3500000|16384|it|0.17,0.66
minimax.minimax-m2.1|MiniMax M2.1|2025-12-23|204800|131072|rt|0.3,1.2
minimax.minimax-m2.5|MiniMax M2.5|2026-03-18|196608|98304|rt|0.3,1.2
minimax.minimax-m2|MiniMax M2|2025-10-27|204608|128000|rt|0.3,1.2
mistral.devstral-2-123b|Devstral 2 123B|2026-02-17|256000|8192|t|0.4,2
mistral.magistral-small-2509|Magistral Small 1.2|2025-12-02|128000|40000|irt|0.5,1.5
mistral.ministral-3-14b-instruct|Ministral 14B 3.0|2024-12-01|128000|4096|t|0.2,0.2
mistral.ministral-3-3b-instruct|Ministral 3 3B|2025-12-02|256000|8192|it|0.1,0.1
mistral.ministral-3-8b-instruct|Ministral 3 8B|2024-12-01|128000|4096|t|0.15,0.15
mistral.mistral-large-3-675b-instruct|Mistral Large 3|2025-12-02|256000|8192|it|0.5,1.5
mistral.pixtral-large-2502-v1:0|Pixtral Large (25.02)|2025-04-08|128000|8192|it|2,6
mistral.voxtral-mini-3b-2507|Voxtral Mini 3B 2507|2024-12-01|128000|4096|at|0.04,0.04
mistral.voxtral-small-24b-2507|Voxtral Small 24B 2507|2025-07-01|32000|8192|at|0.15,0.35
moonshot.kimi-k2-thinking|Kimi K2 Thinking|2025-12-02|262143|16000|rt|0.6,2.5
moonshotai.kimi-k2.5|Kimi K2.5|2026-02-06|262143|16000|irt|0.6,3
nvidia.nemotron-nano-12b-v2|NVIDIA Nemotron Nano 12B v2 VL BF16|2024-12-01|128000|4096|it|0.2,0.6
nvidia.nemotron-nano-3-30b|NVIDIA Nemotron Nano 3 30B|2025-12-23|128000|4096|rt|0.06,0.24
nvidia.nemotron-nano-9b-v2|NVIDIA Nemotron Nano 9B v2|2024-12-01|128000|4096|t|0.06,0.23
nvidia.nemotron-super-3-120b|NVIDIA Nemotron 3 Super 120B A12B|2026-03-11|262144|131072|rt|0.15,0.65
openai.gpt-5.4|GPT-5.4|2026-03-05|272000|128000|iprt|2.75,16.5,0.275
openai.gpt-5.5|GPT-5.5|2026-04-23|272000|128000|iprt|5.5,33,0.55
openai.gpt-oss-120b-1:0|gpt-oss-120b|2025-08-05|128000|16384|rt|0.15,0.6
openai.gpt-oss-120b|gpt-oss-120b|2025-08-05|128000|16384|rt|0.15,0.6
openai.gpt-oss-20b-1:0|gpt-oss-20b|2025-08-05|128000|16384|rt|0.07,0.3
openai.gpt-oss-20b|gpt-oss-20b|2025-08-05|128000|16384|rt|0.07,0.3
openai.gpt-oss-safeguard-120b|GPT OSS Safeguard 120B|2025-10-29|128000|16384|t|0.15,0.6
openai.gpt-oss-safeguard-20b|GPT OSS Safeguard 20B|2025-10-29|128000|16384|t|0.07,0.2
qwen.qwen3-235b-a22b-2507-v1:0|Qwen3 235B A22B 2507|2025-09-18|262144|131072|t|0.22,0.88
qwen.qwen3-32b-v1:0|Qwen3 32B (dense)|2025-09-18|16384|16384|rt|0.15,0.6
qwen.qwen3-coder-30b-a3b-v1:0|Qwen3 Coder 30B A3B Instruct|2025-09-18|262144|131072|t|0.15,0.6
qwen.qwen3-coder-480b-a35b-v1:0|Qwen3 Coder 480B A35B Instruct|2025-09-18|131072|65536|t|0.22,1.8
qwen.qwen3-coder-next|Qwen3 Coder Next|2026-02-06|131072|65536|rt|0.22,1.8
qwen.qwen3-next-80b-a3b|Qwen/Qwen3-Next-80B-A3B-Instruct|2025-09-18|262000|262000|t|0.14,1.4
qwen.qwen3-vl-235b-a22b|Qwen/Qwen3-VL-235B-A22B-Instruct|2025-10-04|262000|262000|it|0.3,1.5
us.anthropic.claude-fable-5|Claude Fable 5 (US)|2026-06-09|1000000|128000|irt|11,55,1.1,13.75,22
us.anthropic.claude-haiku-4-5-20251001-v1:0|Claude Haiku 4.5 (US)|2025-10-15|200000|64000|iprt|1.1,5.5,0.11,1.375,2.2
us.anthropic.claude-opus-4-1-20250805-v1:0|Claude Opus 4.1 (US)|2025-08-05|200000|32000|iprt|15,75,1.5,18.75,30
us.anthropic.claude-opus-4-5-20251101-v1:0|Claude Opus 4.5 (US)|2025-11-24|200000|64000|iprt|5.5,27.5,0.55,6.875,11
us.anthropic.claude-opus-4-6-v1|Claude Opus 4.6 (US)|2026-02-05|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
us.anthropic.claude-opus-4-7|Claude Opus 4.7 (US)|2026-04-16|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
us.anthropic.claude-opus-4-8|Claude Opus 4.8 (US)|2026-05-28|1000000|128000|iprt|5.5,27.5,0.55,6.875,11
us.anthropic.claude-sonnet-4-5-20250929-v1:0|Claude Sonnet 4.5 (US)|2025-09-29|200000|64000|iprt|3.3,16.5,0.33,4.125,6.6
us.anthropic.claude-sonnet-4-6|Claude Sonnet 4.6 (US)|2026-02-17|1000000|64000|iprt|3.3,16.5,0.33,4.125,6.6
us.anthropic.claude-sonnet-5|Claude Sonnet 5 (US)|2026-06-30|1000000|128000|iprt|2.2,11,0.22,2.75,4.4
us.deepseek.r1-v1:0|DeepSeek-R1 (US)|2025-01-20|128000|32768|rt|1.35,5.4
us.meta.llama4-maverick-17b-instruct-v1:0|Llama 4 Maverick 17B Instruct (US)|2025-04-05|1000000|16384|it|0.24,0.97
us.meta.llama4-scout-17b-instruct-v1:0|Llama 4 Scout 17B Instruct (US)|2025-04-05|3500000|16384|it|0.17,0.66
writer.palmyra-x4-v1:0|Palmyra X4|2025-04-28|122880|8192|rt|2.5,10
writer.palmyra-x5-v1:0|Palmyra X5|2025-04-28|1040000|8192|rt|0.6,6
xai.grok-4.3|Grok 4.3|2026-04-17|1000000|131072|irt|1.25,2.5,0.2
zai.glm-4.7-flash|GLM-4.7-Flash|2026-01-19|200000|131072|rt|0.07,0.4
zai.glm-4.7|GLM-4.7|2025-12-22|204800|131072|rt|0.6,2.2
zai.glm-5|GLM-5|2026-03-18|202752|101376|rt|1,3.2
`,
  cerebras: `
models.dev, list price of 2026-07-02
gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|40960|rt|0.35,0.75
zai-glm-4.7|Z.AI GLM-4.7|2026-01-07|131072|40960|rt|2.25,2.75
`,
  cohere: `
models.dev, list price of 2026-07-02
command-a-03-2025|Command A|2025-03-13|256000|8000|t|2.5,10
command-a-plus-05-2026|Command A Plus|2026-05-20|128000|64000|irt|2.5,10
command-a-reasoning-08-2025|Command A Reasoning|2025-08-21|256000|32000|rt|2.5,10
command-a-translate-08-2025|Command A Translate|2025-08-28|8000|8000|t|2.5,10
command-a-vision-07-2025|Command A Vision|2025-07-31|128000|8000|i|2.5,10
command-r-08-2024|Command R|2024-08-30|128000|4000|t|0.15,0.6
command-r-plus-08-2024|Command R+|2024-08-30|128000|4000|t|2.5,10
command-r7b-12-2024|Command R7B|2024-12-02|128000|4000|t|0.0375,0.15
command-r7b-arabic-02-2025|Command R7B Arabic|2025-02-27|128000|4000|t|0.0375,0.15
north-mini-code-1-0|North Mini Code|2026-06-09|256000|64000|rt|
`,
  deepinfra: `
models.dev, list price of 2026-07-02
MiniMaxAI/MiniMax-M2.5|MiniMax M2.5|2026-02-12|196608|131072|rt|0.15,1.15,0.03,0.375
Qwen/Qwen3-Coder-480B-A35B-Instruct-Turbo|Qwen3 Coder 480B A35B Instruct Turbo|2025-07-23|262144|66536|t|0.3,1
Qwen/Qwen3.5-35B-A3B|Qwen 3.5 35B A3B|2026-02-01|262144|81920|ivrt|0.14,1,0.05
Qwen/Qwen3.5-397B-A17B|Qwen 3.5 397B A17B|2026-02-01|262144|81920|ivrt|0.45,3,0.22
Qwen/Qwen3.6-35B-A3B|Qwen3.6 35B A3B|2026-04-01|262144|81920|ivrt|0.15,0.95
XiaomiMiMo/MiMo-V2.5-Pro|MiMo-V2.5-Pro|2026-04-22|1048576|16384|rt|1,3,0.2;256000:2,6,0.4
XiaomiMiMo/MiMo-V2.5|MiMo-V2.5|2026-04-22|262144|16384|iavrt|0.4,2,0.08;256000:0.8,4,0.16
deepseek-ai/DeepSeek-R1-0528|DeepSeek-R1-0528|2025-05-28|163840|64000|rt|0.5,2.15,0.35
deepseek-ai/DeepSeek-V3.2|DeepSeek-V3.2|2025-12-02|163840|64000|rt|0.26,0.38,0.13
deepseek-ai/DeepSeek-V4-Flash|DeepSeek V4 Flash|2026-04-24|1048576|16384|rt|0.1,0.2,0.02
deepseek-ai/DeepSeek-V4-Pro|DeepSeek V4 Pro|2026-04-24|1048576|16384|rt|1.3,2.6,0.1
google/gemma-4-26B-A4B-it|Gemma 4 26B A4B IT|2026-04-02|262144|32768|irt|0.07,0.34
google/gemma-4-31B-it|Gemma 4 31B IT|2026-04-02|262144|32768|irt|0.13,0.38
meta-llama/Llama-3.3-70B-Instruct-Turbo|Llama 3.3 70B Turbo|2024-12-06|131072|16384|t|0.1,0.32
meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8|Llama 4 Maverick 17B FP8|2025-04-05|1048576|16384|i|0.15,0.6
meta-llama/Llama-4-Scout-17B-16E-Instruct|Llama 4 Scout 17B|2025-04-05|327680|16384|it|0.1,0.3
moonshotai/Kimi-K2.5|Kimi K2.5|2026-01-27|262144|32768|ivrt|0.45,2.25,0.07
moonshotai/Kimi-K2.6|Kimi K2.6|2026-04-21|262144|16384|ivrt|0.75,3.5,0.15
moonshotai/Kimi-K2.7-Code|Kimi K2.7 Code|2026-06-12|262144|262144|ivrt|0.74,3.5,0.15
openai/gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|16384|rt|0.039,0.19
openai/gpt-oss-20b|GPT OSS 20B|2025-08-05|131072|16384|rt|0.03,0.14
zai-org/GLM-4.6|GLM-4.6|2025-09-30|202752|131072|rt|0.43,1.74,0.08
zai-org/GLM-4.7-Flash|GLM-4.7-Flash|2026-01-19|202752|16384|rt|0.06,0.4
zai-org/GLM-4.7|GLM-4.7|2025-12-22|202752|16384|rt|0.4,1.75,0.08
zai-org/GLM-5.1|GLM-5.1|2026-04-07|202752|16384|rt|1.05,3.5,0.205
zai-org/GLM-5.2|GLM-5.2|2026-06-13|1048576|32768|rt|0.95,3,0.18
zai-org/GLM-5|GLM-5|2026-02-12|202752|16384|rt|0.6,2.08,0.12
`,
  deepseek: `
api-docs.deepseek.com/quick_start/pricing, 2026-11
deepseek-flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.15,0.6,0.003;@Mon-Fri 01:00-04:00,Mon-Fri 06:00-10:00=0.3,1.2,0.006
deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.15,0.6,0.003;@Mon-Fri 01:00-04:00,Mon-Fri 06:00-10:00=0.3,1.2,0.006
deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1000000|384000|rt|0.66,1.98,0.022;@Mon-Fri 01:00-04:00,Mon-Fri 06:00-10:00=1.32,3.96,0.044
`,
  digitalocean: `
models.dev, list price of 2026-07-02
alibaba-qwen3-32b|Qwen3-32B|2025-04-30|131000|40960|rt|0.25,0.55
all-mini-lm-l6-v2|All-MiniLM-L6-v2|2021-08-30|256|384||0.009,0
anthropic-claude-4.1-opus|Claude Opus 4.1|2025-08-05|200000|32000|iprt|15,75,1.5,18.75,30
anthropic-claude-4.5-haiku|Claude Haiku 4.5|2025-10-15|200000|64000|irt|1,5,1,1.25,2
anthropic-claude-4.5-sonnet|Claude Sonnet 4.5|2025-09-29|1000000|64000|iprt|3,15,0.3,3.75,6;200000:6,22.5,0.3,3.75,12
anthropic-claude-4.6-sonnet|Claude Sonnet 4.6|2026-02-17|1000000|64000|iprt|3,15,0.3,3.75,6;200000:6,22.5,0.3,3.75,12
anthropic-claude-haiku-4.5|Claude Haiku 4.5|2025-10-15|200000|64000|iprt|1,5,1,1.25,2
anthropic-claude-opus-4.5|Claude Opus 4.5|2025-11-24|200000|64000|iprt|5,25,0.5,6.25,10
anthropic-claude-opus-4.6|Claude Opus 4.6|2026-02-05|1000000|128000|iprt|5,25,0.5,6.25,10;200000:10,37.5,0.5,6.25,20
anthropic-claude-opus-4.7|Claude Opus 4.7|2026-04-16|1000000|128000|iprt|5,25,0.5,6.25,10
anthropic-claude-opus-4.8|Claude Opus 4.8|2026-05-28|1000000|128000|irt|5,25,0.5,6.25,10
anthropic-claude-opus-4|Claude Opus 4|2025-05-22|200000|32000|iprt|15,75,1.5,18.75,30
anthropic-claude-sonnet-4|Claude Sonnet 4|2025-05-22|1000000|64000|iprt|3,15,0.3,3.75,6;200000:6,22.5,0.3,3.75,12
arcee-trinity-large-thinking|Trinity Large Thinking|2026-04-02|256000|128000|rt|0.25,0.9,0.06
bge-m3|BGE M3|2024-01-30|8192|1024||0.02,0
bge-reranker-v2-m3|BGE Reranker v2 M3|2024-03-12|8192|1||0.01,0
deepseek-3.2|DeepSeek V3.2|2025-12-02|128000|64000|rt|0.5,1.6
deepseek-r1-distill-llama-70b|DeepSeek R1 Distill Llama 70B|2025-01-30|131072|32768|rt|0.99,0.99
deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1048576|393216|rt|1.74,3.48
e5-large-v2|E5 Large v2|2023-05-19|512|1024||0.02,0
gemma-4-31B-it|Gemma 4 31B|2026-04-22|256000|8192|it|0.18,0.5
glm-5|GLM 5|2026-02-11|202752|128000|rt|1,3.2
gte-large-en-v1.5|GTE Large (v1.5)|2024-03-27|8192|1024||0.09,0
kimi-k2.5|Kimi K2.5|2026-01|262144|32768|rt|0.5,2.7
kimi-k2.6|Kimi K2.6|2026-04-21|262144|262144|irt|0.95,4
llama-4-maverick|Llama 4 Maverick 17B 128E Instruct|2025-04-05|1000000|16384|it|0.25,0.87
llama3-8b-instruct|Llama 3.1 Instruct (8B)|2024-07-23|131072|131072|t|0.198,0.198
llama3.3-70b-instruct|Llama 3.3 Instruct 70B|2024-12-06|128000|128000|t|0.65,0.65
minimax-m2.5|MiniMax M2.5|2026-02-12|204800|128000|rt|0.3,1.2
mistral-3-14B|Ministral 3 14B Instruct|2025-12-15|262144|128000|t|0.2,0.2
multi-qa-mpnet-base-dot-v1|Multi-QA-mpnet-base-dot-v1|2021-08-30|512|768||0.009,0
nemotron-3-nano-omni|Nemotron Nano 3 Omni|2026-04-28|65536|65536|iavrt|0.5,0.9
nemotron-nano-12b-v2-vl|Nemotron Nano 12B v2 VL|2025-12-01|128000|16384|irt|0.2,0.6
nvidia-nemotron-3-super-120b|Nemotron-3-Super-120B|2026-03-11|256000|32768|rt|0.3,0.65
openai-gpt-4.1|GPT-4.1|2025-04-14|1047576|32768|ipt|2,8,0.5
openai-gpt-4o-mini|GPT-4o mini|2024-07-18|128000|16384|ipt|0.15,0.6,0.075
openai-gpt-4o|GPT-4o|2024-05-13|128000|16384|ipt|2.5,10,1.25
openai-gpt-5-mini|GPT-5 mini|2025-08-07|400000|128000|irt|0.25,2,0.025
openai-gpt-5-nano|GPT-5 nano|2025-08-07|400000|128000|irt|0.05,0.4,0.005
openai-gpt-5.1-codex-max|GPT-5.1 Codex Max|2025-11-13|400000|128000|irt|1.25,10,0.125
openai-gpt-5.2-pro|GPT-5.2 pro|2025-12-11|400000|128000|irt|21,168
openai-gpt-5.2|GPT-5.2|2025-12-11|400000|128000|irt|1.75,14,0.175
openai-gpt-5.3-codex|GPT-5.3 Codex|2026-02-05|400000|128000|iprt|1.75,14,0.175
openai-gpt-5.4-mini|GPT-5.4 mini|2026-03-17|400000|128000|irt|0.75,4.5,0.075
openai-gpt-5.4-nano|GPT-5.4 nano|2026-03-17|400000|128000|irt|0.2,1.25,0.02
openai-gpt-5.4-pro|GPT-5.4 pro|2026-03-05|400000|128000|irt|30,180
openai-gpt-5.4|GPT-5.4|2026-03-05|1000000|128000|iprt|2.5,15,0.25
openai-gpt-5.5|GPT-5.5|2026-04-23|1000000|128000|iprt|5,30,0.5;272000:10,45,1
openai-gpt-5|GPT-5|2025-08-07|400000|128000|irt|1.25,10,0.125
openai-gpt-oss-120b|gpt-oss-120b|2025-08-05|131072|131072|rt|0.1,0.7
openai-gpt-oss-20b|gpt-oss-20b|2025-08-05|131072|131072|rt|0.05,0.45
openai-o1|o1|2024-12-05|200000|100000|iprt|15,60,7.5
openai-o3-mini|o3-mini|2024-12-20|200000|100000|rt|1.1,4.4,0.55
openai-o3|o3|2025-04-16|200000|100000|iprt|2,8,0.5
qwen3-coder-flash|Qwen3 Coder Flash|2025-07-28|262144|65536|t|0.45,1.7
qwen3-embedding-0.6b|Qwen3 Embedding 0.6B|2025-06-03|8000|1024||0.04,0
qwen3.5-397b-a17b|Qwen 3.5 397B A17B|2026-02-15|262144|81920|rt|0.55,3.5
`,
  fireworks: `
models.dev, list price of 2026-07-02
accounts/fireworks/models/deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.14,0.28,0.028
accounts/fireworks/models/deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1000000|384000|rt|1.74,3.48,0.145
accounts/fireworks/models/glm-5p1|GLM 5.1|2026-04-01|202800|131072|rt|1.4,4.4,0.26
accounts/fireworks/models/glm-5p2|GLM 5.2|2026-06-16|1048575|131072|rt|1.4,4.4,0.26
accounts/fireworks/models/gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|32768|rt|0.15,0.6,0.015
accounts/fireworks/models/gpt-oss-20b|GPT OSS 20B|2025-08-05|131072|32768|rt|0.07,0.3,0.035
accounts/fireworks/models/kimi-k2p6|Kimi K2.6|2026-04-17|262000|262000|irt|0.95,4,0.16
accounts/fireworks/models/kimi-k2p7-code|Kimi K2.7 Code|2026-06-12|262000|262000|irt|0.95,4,0.19
accounts/fireworks/models/minimax-m2p7|MiniMax-M2.7|2026-04-12|196608|196608|rt|0.3,1.2,0.06
accounts/fireworks/models/minimax-m3|MiniMax-M3|2026-06-12|512000|512000|rt|0.3,1.2,0.06
accounts/fireworks/models/qwen3p7-plus|Qwen 3.7 Plus|2026-06-12|262144|65536|irt|0.4,1.6,0.08
accounts/fireworks/routers/glm-5p1-fast|GLM 5.1 Fast|2026-04-01|202800|131072|rt|2.8,8.8,0.52
accounts/fireworks/routers/glm-5p2-fast|GLM 5.2 Fast|2026-06-26|1048575|131072|rt|2.1,6.6,0.21
accounts/fireworks/routers/kimi-k2p6-fast|Kimi K2.6 Fast|2026-04-17|262000|262000|irt|2,8,0.3
accounts/fireworks/routers/kimi-k2p6-turbo|Kimi K2.6 Turbo|2026-04-17|262000|262000|irt|2,8,0.3
accounts/fireworks/routers/kimi-k2p7-code-fast|Kimi K2.7 Code Fast|2026-06-12|262000|262000|irt|1.9,8,0.38
`,
  groq: `
models.dev, list price of 2026-07-02
llama-3.1-8b-instant|Llama 3.1 8B|2024-07-23|131072|131072|t|0.05,0.08
llama-3.3-70b-versatile|Llama 3.3 70B|2024-12-06|131072|32768|t|0.59,0.79
meta-llama/llama-4-scout-17b-16e-instruct|Llama 4 Scout 17B 16E|2025-04-05|131072|8192|it|0.11,0.34
meta-llama/llama-prompt-guard-2-22m|Llama Prompt Guard 2 22M|2025-05-29|512|512||0.03,0.03
meta-llama/llama-prompt-guard-2-86m|Prompt Guard 2 86M|2025-05-29|512|512||0.04,0.04
openai/gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|65536|rt|0.15,0.6,0.075
openai/gpt-oss-20b|GPT OSS 20B|2025-08-05|131072|65536|rt|0.075,0.3,0.0375
openai/gpt-oss-safeguard-20b|Safety GPT OSS 20B|2025-10-29|131072|65536|rt|0.075,0.3
qwen/qwen3-32b|Qwen3-32B|2025-06-11|131072|40960|rt|0.29,0.59
`,
  huggingface: `
models.dev, list price of 2026-07-02
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
`,
  inception: `
models.dev, list price of 2026-07-02
mercury-2|Mercury 2|2026-02-24|128000|50000|rt|0.25,0.75,0.025
mercury-edit-2|Mercury Edit 2|2026-03-30|128000|8192|r|0.25,0.75,0.025
`,
  minimax: `
models.dev, list price of 2026-07-02
MiniMax-M2.1|MiniMax-M2.1|2025-12-23|204800|131072|rt|0.3,1.2
MiniMax-M2.5-highspeed|MiniMax-M2.5-highspeed|2026-02-13|204800|131072|rt|0.6,2.4,0.06,0.375
MiniMax-M2.5|MiniMax-M2.5|2026-02-12|204800|131072|rt|0.3,1.2,0.03,0.375
MiniMax-M2.7-highspeed|MiniMax-M2.7-highspeed|2026-03-18|204800|131072|rt|0.6,2.4,0.06,0.375
MiniMax-M2.7|MiniMax-M2.7|2026-03-18|204800|131072|rt|0.3,1.2,0.06,0.375
MiniMax-M2|MiniMax-M2|2025-10-27|196608|128000|rt|0.3,1.2
MiniMax-M3|MiniMax-M3|2026-06-01|1000000|128000|ivrt|0.3,1.2,0.06;512000:0.6,2.4,0.12
`,
  mistral: `
models.dev, list price of 2026-07-02
codestral-latest|Codestral (latest)|2024-05-29|256000|4096|t|0.3,0.9
magistral-medium-latest|Magistral Medium (latest)|2025-03-17|128000|16384|rt|2,5
magistral-small|Magistral Small|2025-03-17|128000|128000|rt|0.5,1.5
ministral-3b-latest|Ministral 3B (latest)|2024-10-01|128000|128000|t|0.04,0.04
ministral-8b-latest|Ministral 8B (latest)|2024-10-01|128000|128000|t|0.1,0.1
mistral-embed|Mistral Embed|2023-12-11|8000|3072||0.1,0
mistral-large-2411|Mistral Large 2.1|2024-11-18|131072|16384|t|2,6
mistral-large-2512|Mistral Large 3|2024-11-01|262144|262144|it|0.5,1.5
mistral-large-latest|Mistral Large (latest)|2024-11-01|262144|262144|it|0.5,1.5
mistral-medium-2505|Mistral Medium 3|2025-05-07|131072|131072|it|0.4,2
mistral-medium-2508|Mistral Medium 3.1|2025-08-12|262144|262144|it|0.4,2
mistral-medium-2604|Mistral Medium 3.5|2026-04-29|262144|262144|irt|1.5,7.5
mistral-medium-latest|Mistral Medium (latest)|2025-08-12|262144|262144|it|0.4,2
mistral-nemo|Mistral Nemo|2024-07-01|128000|128000|t|0.15,0.15
mistral-small-2506|Mistral Small 3.2|2025-06-20|128000|16384|it|0.1,0.3
mistral-small-2603|Mistral Small 4|2026-03-16|256000|256000|irt|0.15,0.6
mistral-small-latest|Mistral Small (latest)|2026-03-16|256000|256000|irt|0.15,0.6
open-mistral-7b|Mistral 7B|2023-09-27|8000|8000|t|0.25,0.25
open-mixtral-8x22b|Mixtral 8x22B|2024-04-17|64000|64000|t|2,6
open-mixtral-8x7b|Mixtral 8x7B|2023-12-11|32000|32000|t|0.7,0.7
pixtral-12b|Pixtral 12B|2024-09-01|128000|128000|it|0.15,0.15
pixtral-large-latest|Pixtral Large (latest)|2024-11-01|128000|128000|it|2,6
`,
  moonshot: `
models.dev, list price of 2026-07-02
kimi-k2-0711-preview|Kimi K2 0711|2025-07-14|131072|16384|t|0.6,2.5,0.15
kimi-k2-0905-preview|Kimi K2 0905|2025-09-05|262144|262144|t|0.6,2.5,0.15
kimi-k2-thinking-turbo|Kimi K2 Thinking Turbo|2025-11-06|262144|262144|rt|1.15,8,0.15
kimi-k2-thinking|Kimi K2 Thinking|2025-11-06|262144|262144|rt|0.6,2.5,0.15
kimi-k2-turbo-preview|Kimi K2 Turbo|2025-09-05|262144|262144|t|2.4,10,0.6
kimi-k2.5|Kimi K2.5|2026-01|262144|262144|ivrt|0.6,3,0.1
kimi-k2.6|Kimi K2.6|2026-04-21|262144|262144|ivrt|0.95,4,0.16
kimi-k2.7-code-highspeed|Kimi K2.7 Code HighSpeed|2026-06-12|262144|262144|ivrt|1.9,8,0.38
kimi-k2.7-code|Kimi K2.7 Code|2026-06-12|262144|262144|ivrt|0.95,4,0.19
`,
  nebius: `
models.dev, list price of 2026-07-02
MiniMaxAI/MiniMax-M2.5|MiniMax-M2.5|2025-01-20|196608|8192|rt|0.3,1.2,0.03,0.375
NousResearch/Hermes-4-405B|Hermes-4-405B|2026-01-30|128000|8192|rt|1,3,0.1,1.25
NousResearch/Hermes-4-70B|Hermes-4-70B|2026-01-30|128000|8192|rt|0.13,0.4,0.013,0.16
Qwen/Qwen2.5-VL-72B-Instruct|Qwen2.5-VL-72B-Instruct|2025-01-20|128000|8192|it|0.25,0.75,0.025,0.31
Qwen/Qwen3-235B-A22B-Instruct-2507|Qwen3 235B A22B Instruct 2507|2025-07-25|262144|8192|t|0.2,0.6
Qwen/Qwen3-30B-A3B-Instruct-2507|Qwen3-30B-A3B-Instruct-2507|2026-01-28|128000|8192|t|0.1,0.3,0.01,0.125
Qwen/Qwen3-32B|Qwen3-32B|2026-01-28|128000|8192|t|0.1,0.3,0.01,0.125
Qwen/Qwen3-Next-80B-A3B-Thinking|Qwen3-Next-80B-A3B-Thinking|2026-01-28|128000|16384|rt|0.15,1.2,0.015,0.18
Qwen/Qwen3.5-397B-A17B|Qwen3.5-397B-A17B|2025-07-15|262144|8192|rt|0.6,3.6,0.06,0.75
deepseek-ai/DeepSeek-V4-Pro|DeepSeek V4 Pro|2026-04-24|1000000|384000|rt|1.75,3.5,0.15
google/gemma-3-27b-it|Gemma-3-27b-it|2026-01-20|110000|8192|it|0.1,0.3,0.01,0.125
meta-llama/Llama-3.3-70B-Instruct|Llama-3.3-70B-Instruct|2025-12-05|128000|8192|t|0.13,0.4,0.013,0.16
nvidia/Llama-3_1-Nemotron-Ultra-253B-v1|Llama-3.1-Nemotron-Ultra-253B-v1|2025-01-15|128000|4096|t|0.6,1.8,0.06,0.75
nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B|Nemotron-3-Nano-30B-A3B|2025-08-10|32000|4096|t|0.06,0.24,0.006,0.075
nvidia/Nemotron-3-Nano-Omni|Nemotron-3-Nano-Omni|2025-01-20|65536|8192|rt|0.06,0.24,0.006,0.075
nvidia/nemotron-3-super-120b-a12b|Nemotron-3-Super-120B-A12B|2026-03-11|256000|32768|rt|0.3,0.9
openai/gpt-oss-120b|gpt-oss-120b|2026-01-10|128000|8192|rt|0.15,0.6,0.015,0.18
zai-org/GLM-5.2|GLM-5.2|2026-06-13|432000|432000|rt|1.4,4.4
`,
  novita: `
models.dev, list price of 2026-07-02
baichuan/baichuan-m2-32b|baichuan-m2-32b|2025-08-13|131072|131072||0.07,0.07
baidu/ernie-4.5-21B-a3b-thinking|ERNIE-4.5-21B-A3B-Thinking|2025-09-19|131072|65536|r|0.07,0.28
baidu/ernie-4.5-21B-a3b|ERNIE 4.5 21B A3B|2025-06-30|120000|8000|t|0.07,0.28
baidu/ernie-4.5-300b-a47b-paddle|ERNIE 4.5 300B A47B|2025-06-30|123000|12000||0.28,1.1
baidu/ernie-4.5-vl-28b-a3b-thinking|ERNIE-4.5-VL-28B-A3B-Thinking|2025-11-26|131072|65536|ivrt|0.39,0.39
baidu/ernie-4.5-vl-28b-a3b|ERNIE 4.5 VL 28B A3B|2025-06-30|30000|8000|irt|0.14,0.56
baidu/ernie-4.5-vl-424b-a47b|ERNIE 4.5 VL 424B A47B|2025-06-30|123000|16000|ir|0.42,1.25
deepseek/deepseek-ocr-2|deepseek/deepseek-ocr-2|2026-01-27|8192|8192|i|0.03,0.03
deepseek/deepseek-ocr|DeepSeek-OCR|2025-10-24|8192|8192|i|0.03,0.03
deepseek/deepseek-prover-v2-671b|Deepseek Prover V2 671B|2025-04-30|160000|160000||0.7,2.5
deepseek/deepseek-r1-0528-qwen3-8b|DeepSeek R1 0528 Qwen3 8B|2025-05-29|128000|32000|r|0.06,0.09
deepseek/deepseek-r1-0528|DeepSeek R1 0528|2025-05-28|163840|32768|rt|0.7,2.5,0.35
deepseek/deepseek-r1-distill-llama-70b|DeepSeek R1 Distill LLama 70B|2025-01-27|8192|8192|r|0.8,0.8
deepseek/deepseek-r1-distill-qwen-14b|DeepSeek R1 Distill Qwen 14B|2025-01-20|32768|16384||0.15,0.15
deepseek/deepseek-r1-distill-qwen-32b|DeepSeek R1 Distill Qwen 32B|2025-01-20|64000|32000||0.3,0.3
deepseek/deepseek-r1-turbo|DeepSeek R1 (Turbo)	|2025-03-05|64000|16000|rt|0.7,2.5
deepseek/deepseek-v3-0324|DeepSeek V3 0324|2025-03-25|163840|163840|t|0.27,1.12,0.135
deepseek/deepseek-v3-turbo|DeepSeek V3 (Turbo)	|2025-03-05|64000|16000|t|0.4,1.3
deepseek/deepseek-v3.1-terminus|Deepseek V3.1 Terminus|2025-09-22|131072|32768|rt|0.27,1,0.135
deepseek/deepseek-v3.1|DeepSeek V3.1|2025-08-21|131072|32768|rt|0.27,1,0.135
deepseek/deepseek-v3.2-exp|Deepseek V3.2 Exp|2025-09-29|163840|65536|rt|0.27,0.41
deepseek/deepseek-v3.2|Deepseek V3.2|2025-12-01|163840|65536|rt|0.269,0.4,0.1345
deepseek/deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1048576|393216|rt|0.14,0.28,0.028
deepseek/deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1048576|393216|rt|1.69,3.38,0.13
google/gemma-3-12b-it|Gemma 3 12B|2025-03-13|131072|8192|i|0.05,0.1
google/gemma-3-27b-it|Gemma 3 27B|2025-03-25|98304|16384|i|0.119,0.2
google/gemma-4-26b-a4b-it|Gemma 4 26B A4B|2026-04-02|262144|131072|irt|0.13,0.4
google/gemma-4-31b-it|Gemma 4 31B|2026-04-02|262144|131072|irt|0.14,0.4
gryphe/mythomax-l2-13b|Mythomax L2 13B|2024-04-25|4096|3200||0.09,0.09
inclusionai/ling-2.6-1t|Ling-2.6-1T|2026-04-23|262144|32768|t|0.3,2.5,0.06
inclusionai/ling-2.6-flash|Ling-2.6-flash|2026-04-24|262144|32768|t|0.1,0.3,0.02
inclusionai/ring-2.6-1t|Ring-2.6-1T|2026-05-08|262144|65536|rt|0.3,2.5,0.06
kwaipilot/kat-coder-pro|Kat Coder Pro|2026-01-05|256000|128000|t|0.3,1.2,0.06
meta-llama/llama-3-70b-instruct|Llama3 70B Instruct|2024-04-25|8192|8000||0.51,0.74
meta-llama/llama-3-8b-instruct|Llama 3 8B Instruct|2024-04-25|8192|8192||0.04,0.04
meta-llama/llama-3.1-8b-instruct|Llama 3.1 8B Instruct|2024-07-24|16384|16384||0.02,0.05
meta-llama/llama-3.2-3b-instruct|Llama 3.2 3B Instruct|2024-09-18|32768|32000||0.03,0.05
meta-llama/llama-3.3-70b-instruct|Llama 3.3 70B Instruct|2024-12-07|131072|120000|t|0.135,0.4
meta-llama/llama-4-maverick-17b-128e-instruct-fp8|Llama 4 Maverick Instruct|2025-04-06|1048576|8192|i|0.27,0.85
meta-llama/llama-4-scout-17b-16e-instruct|Llama 4 Scout Instruct|2025-04-06|131072|131072|i|0.18,0.59
microsoft/wizardlm-2-8x22b|Wizardlm 2 8x22B|2024-04-24|65535|8000||0.62,0.62
minimax/minimax-m2.1|Minimax M2.1|2025-12-23|204800|131072|t|0.3,1.2,0.03
minimax/minimax-m2.5-highspeed|MiniMax M2.5 Highspeed|2026-02-12|204800|131100|rt|0.6,2.4,0.03
minimax/minimax-m2.5|MiniMax M2.5|2026-02-12|204800|131100|rt|0.3,1.2,0.03
minimax/minimax-m2.7-highspeed|MiniMax-M2.7-highspeed|2026-03-18|204800|131072|rt|0.6,2.4,0.06,0.375
minimax/minimax-m2.7|MiniMax M2.7|2026-03-18|204800|131072|rt|0.3,1.2,0.06
minimax/minimax-m2|MiniMax-M2|2025-10-27|204800|131072|rt|0.3,1.2,0.03
minimaxai/minimax-m1-80k|MiniMax M1|2025-06-17|1000000|40000|rt|0.55,2.2
mistralai/mistral-nemo|Mistral Nemo|2024-07-30|60288|16000||0.04,0.17
moonshotai/kimi-k2-0905|Kimi K2 0905|2025-09-05|262144|262144|t|0.6,2.5
moonshotai/kimi-k2-instruct|Kimi K2 Instruct|2025-07-11|131072|32768|t|0.57,2.3
moonshotai/kimi-k2-thinking|Kimi K2 Thinking|2025-11-07|262144|262144|rt|0.6,2.5,0.15
moonshotai/kimi-k2.5|Kimi K2.5|2026-01-27|262144|262144|ivrt|0.6,3,0.1
moonshotai/kimi-k2.6|Kimi K2.6|2026-04-21|262144|262144|ivrt|0.95,4,0.16
nousresearch/hermes-2-pro-llama-3-8b|Hermes 2 Pro Llama 3 8B|2024-06-27|8192|8192||0.14,0.14
openai/gpt-oss-120b|OpenAI GPT OSS 120B|2025-08-06|131072|32768|irt|0.05,0.25
openai/gpt-oss-20b|OpenAI: GPT OSS 20B|2025-08-06|131072|32768|ir|0.04,0.15
paddlepaddle/paddleocr-vl|PaddleOCR-VL|2025-10-22|16384|16384|i|0.02,0.02
qwen/qwen-2.5-72b-instruct|Qwen 2.5 72B Instruct|2024-10-15|32000|8192|t|0.38,0.4
qwen/qwen-mt-plus|Qwen MT Plus|2025-09-03|16384|8192||0.25,0.75
qwen/qwen2.5-7b-instruct|Qwen2.5 7B Instruct|2025-04-16|32000|32000|t|0.07,0.07
qwen/qwen2.5-vl-72b-instruct|Qwen2.5 VL 72B Instruct|2025-03-25|32768|32768|iv|0.8,0.8
qwen/qwen3-235b-a22b-fp8|Qwen3 235B A22B|2025-04-29|40960|20000|r|0.2,0.8
qwen/qwen3-235b-a22b-instruct-2507|Qwen3 235B A22B Instruct 2507|2025-07-22|131072|16384|t|0.09,0.58
qwen/qwen3-235b-a22b-thinking-2507|Qwen3 235B A22b Thinking 2507|2025-07-25|131072|32768|rt|0.3,3
qwen/qwen3-30b-a3b-fp8|Qwen3 30B A3B|2025-04-29|40960|20000|r|0.09,0.45
qwen/qwen3-32b-fp8|Qwen3 32B|2025-04-29|40960|20000|r|0.1,0.45
qwen/qwen3-4b-fp8|Qwen3 4B|2025-04-29|128000|20000|r|0.03,0.03
qwen/qwen3-8b-fp8|Qwen3 8B|2025-04-29|128000|20000|r|0.035,0.138
qwen/qwen3-coder-30b-a3b-instruct|Qwen3 Coder 30b A3B Instruct|2025-10-09|160000|32768|t|0.07,0.27
qwen/qwen3-coder-480b-a35b-instruct|Qwen3 Coder 480B A35B Instruct|2025-07-23|262144|65536|t|0.3,1.3
qwen/qwen3-coder-next|Qwen3 Coder Next|2026-02-03|262144|65536|t|0.2,1.5
qwen/qwen3-max|Qwen3 Max|2025-09-24|262144|65536|t|2.11,8.45
qwen/qwen3-next-80b-a3b-instruct|Qwen3 Next 80B A3B Instruct|2025-09-10|131072|32768|t|0.15,1.5
qwen/qwen3-next-80b-a3b-thinking|Qwen3 Next 80B A3B Thinking|2025-09-10|131072|32768|rt|0.15,1.5
qwen/qwen3-omni-30b-a3b-thinking|Qwen3 Omni 30B A3B Thinking|2025-09-24|65536|16384|iavrt|0.25,0.97,,,,2.2
qwen/qwen3-vl-235b-a22b-instruct|Qwen3 VL 235B A22B Instruct|2025-09-24|131072|32768|ivt|0.3,1.5
qwen/qwen3-vl-235b-a22b-thinking|Qwen3 VL 235B A22B Thinking|2025-09-24|131072|32768|ivr|0.98,3.95
qwen/qwen3-vl-30b-a3b-instruct|qwen/qwen3-vl-30b-a3b-instruct|2025-10-11|131072|32768|ivt|0.2,0.7
qwen/qwen3-vl-30b-a3b-thinking|qwen/qwen3-vl-30b-a3b-thinking|2025-10-11|131072|32768|ivt|0.2,1
qwen/qwen3-vl-8b-instruct|qwen/qwen3-vl-8b-instruct|2025-10-17|131072|32768|ivt|0.08,0.5
qwen/qwen3.5-122b-a10b|Qwen3.5-122B-A10B|2026-02-26|262144|65536|ivrt|0.4,3.2
qwen/qwen3.5-27b|Qwen3.5-27B|2026-02-26|262144|65536|ivrt|0.3,2.4
qwen/qwen3.5-35b-a3b|Qwen3.5-35B-A3B|2026-02-26|262144|65536|ivrt|0.25,2
qwen/qwen3.5-397b-a17b|Qwen3.5-397B-A17B|2026-02-17|262144|64000|ivrt|0.6,3.6
qwen/qwen3.7-max|Qwen3.7-Max|2026-05-21|1000000|65536|rt|1.25,3.75,0.125,1.5625
sao10K/L3-8B-stheno-v3.2|L3 8B Stheno V3.2|2024-11-29|8192|32000|t|0.05,0.05
sao10K/l3-70b-euryale-v2.1|L3 70B Euryale V2.1	|2024-06-18|8192|8192|t|1.48,1.48
sao10K/l3-8b-lunaris|Sao10k L3 8B Lunaris	|2024-11-28|8192|8192||0.05,0.05
sao10K/l31-70b-euryale-v2.2|L31 70B Euryale V2.2|2024-09-19|8192|8192|t|1.48,1.48
xiaomimimo/mimo-v2-flash|XiaomiMiMo/MiMo-V2-Flash|2025-12-19|262144|32000|rt|0.1,0.3,0.3
xiaomimimo/mimo-v2-pro|MiMo-V2-Pro|2026-03-18|1048576|131072|rt|2,6,0.4;256000:2,6,0.4
xiaomimimo/mimo-v2.5-pro|MiMo-V2.5-Pro|2026-04-22|1048576|131072|rt|2,6,0.4;256000:2,6,0.4
zai-org/autoglm-phone-9b-multilingual|AutoGLM-Phone-9B-Multilingual|2025-12-10|65536|65536|i|0.035,0.138
zai-org/glm-4.5-air|GLM 4.5 Air|2025-10-13|131072|98304|rt|0.13,0.85
zai-org/glm-4.5v|GLM 4.5V|2025-08-11|65536|16384|ivrt|0.6,1.8,0.11
zai-org/glm-4.5|GLM-4.5|2025-07-28|131072|98304|rt|0.6,2.2,0.11
zai-org/glm-4.6v|GLM 4.6V|2025-12-08|131072|32768|ivrt|0.3,0.9,0.055
zai-org/glm-4.6|GLM 4.6|2025-09-30|204800|131072|rt|0.55,2.2,0.11
zai-org/glm-4.7-flash|GLM-4.7-Flash|2026-01-19|200000|128000|rt|0.07,0.4,0.01
zai-org/glm-4.7|GLM-4.7|2025-12-22|204800|131072|rt|0.6,2.2,0.11
zai-org/glm-5.1|GLM-5.1|2026-03-27|204800|131072|rt|1.4,4.4,0.26
zai-org/glm-5.2|GLM-5.2|2026-06-13|1048576|131072|rt|1.4,4.4,0.26
zai-org/glm-5|GLM-5|2026-02-11|202800|131072|rt|1,3.2,0.2
`,
  nvidia: `
models.dev, list price of 2026-07-02
abacusai/dracarys-llama-3_1-70b-instruct|dracarys-llama-3.1-70b-instruct|2024-09-11|128000|8192|t|
baai/bge-m3|BGE M3|2024-01-30|8192|1024||
bytedance/seed-oss-36b-instruct|ByteDance-Seed/Seed-OSS-36B-Instruct|2025-09-04|262000|262000|t|
deepseek-ai/deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1048576|393216|rt|0.14,0.28,0.0028
deepseek-ai/deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1048576|393216|rt|0.435,0.87,0.003625
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
nvidia/nemotron-3-super-120b-a12b|Nemotron 3 Super|2026-03-11|262144|262144|rt|0.2,0.8
nvidia/nemotron-3-ultra-550b-a55b|Nemotron 3 Ultra 550B A55B|2026-06-04|1000000|65536|rt|0.5,2.5,0.15
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
`,
  openrouter: `
models.dev, list price of 2026-07-02
ai21/jamba-large-1.7|Jamba Large 1.7|2025-08-08|256000|4096|t|2,8
aion-labs/aion-1.0-mini|Aion-1.0-Mini|2025-02-04|131072|32768|r|0.7,1.4
aion-labs/aion-1.0|Aion-1.0|2025-02-04|131072|32768|r|4,8
aion-labs/aion-2.0|Aion-2.0|2026-02-23|131072|32768|r|0.8,1.6,0.2
aion-labs/aion-rp-llama-3.1-8b|Aion-RP 1.0 (8B)|2025-02-04|32768|32768||0.8,1.6
allenai/olmo-3-32b-think|Olmo 3 32B Think|2025-11-21|65536|65536|r|0.15,0.5
amazon/nova-2-lite-v1|Nova 2 Lite|2025-12-02|1000000|65535|ivprt|0.3,2.5
amazon/nova-lite-v1|Nova Lite 1.0|2024-12-05|300000|5120|it|0.06,0.24
amazon/nova-micro-v1|Nova Micro 1.0|2024-12-05|128000|5120|t|0.035,0.14
amazon/nova-premier-v1|Nova Premier 1.0|2025-10-31|1000000|32000|it|2.5,12.5,0.625
amazon/nova-pro-v1|Nova Pro 1.0|2024-12-05|300000|5120|it|0.8,3.2
anthracite-org/magnum-v4-72b|Magnum v4 72B|2024-10-22|16384|2048||3,5
anthropic/claude-3-haiku|Claude 3 Haiku|2024-03-13|200000|4096|it|0.25,1.25,0.03,0.3,0.5
anthropic/claude-haiku-4.5|Claude Haiku 4.5 (latest)|2025-10-15|200000|64000|iprt|1,5,0.1,1.25,2
anthropic/claude-opus-4.1|Claude Opus 4.1 (latest)|2025-08-05|200000|32000|iprt|15,75,1.5,18.75,30
anthropic/claude-opus-4.5|Claude Opus 4.5 (latest)|2025-11-24|200000|64000|iprt|5,25,0.5,6.25,10
anthropic/claude-opus-4.6|Claude Opus 4.6|2026-02-05|1000000|128000|iprt|5,25,0.5,6.25,10;200000:10,37.5,1,12.5,20
anthropic/claude-opus-4.7-fast|Claude Opus 4.7 (Fast)|2026-05-12|1000000|128000|iprt|30,150,3,37.5,60
anthropic/claude-opus-4.7|Claude Opus 4.7|2026-04-16|1000000|128000|iprt|5,25,0.5,6.25,10;200000:10,37.5,1,12.5,20
anthropic/claude-opus-4.8-fast|Claude Opus 4.8 (Fast)|2026-05-27|1000000|128000|iprt|10,50,1,12.5,20
anthropic/claude-opus-4.8|Claude Opus 4.8|2026-05-28|1000000|128000|iprt|5,25,0.5,6.25,10
anthropic/claude-opus-4|Claude Opus 4|2025-05-22|200000|32000|iprt|15,75,1.5,18.75,30
anthropic/claude-sonnet-4.5|Claude Sonnet 4.5 (latest)|2025-09-29|1000000|64000|iprt|3,15,0.3,3.75,6;200000:6,22.5,0.6,7.5,12
anthropic/claude-sonnet-4.6|Claude Sonnet 4.6|2026-02-17|1000000|128000|iprt|3,15,0.3,3.75,6;200000:6,22.5,0.6,7.5,12
anthropic/claude-sonnet-4|Claude Sonnet 4|2025-05-22|1000000|64000|iprt|3,15,0.3,3.75,6;200000:6,22.5,0.6,7.5,12
anthropic/claude-sonnet-5|Claude Sonnet 5|2026-06-30|1000000|128000|iprt|2,10,0.2,2.5,4
arcee-ai/coder-large|Coder Large|2025-05-05|32768|32768||0.5,0.8
arcee-ai/trinity-large-thinking|Trinity Large Thinking|2026-04-01|262144|80000|rt|0.25,0.8,0.06
arcee-ai/trinity-mini|Trinity Mini|2025-12-01|131072|131072|rt|0.045,0.15
arcee-ai/virtuoso-large|Virtuoso Large|2025-05-05|131072|64000|t|0.75,1.2
baidu/ernie-4.5-vl-424b-a47b|ERNIE 4.5 VL 424B A47B |2025-06-30|123000|16000|ir|0.42,1.25
bytedance-seed/seed-1.6-flash|Seed 1.6 Flash|2025-12-23|262144|32768|ivrt|0.075,0.3
bytedance-seed/seed-1.6|Seed 1.6|2025-12-23|262144|32768|ivrt|0.25,2
bytedance-seed/seed-2.0-lite|Seed-2.0-Lite|2026-03-10|262144|131072|ivrt|0.25,2
bytedance-seed/seed-2.0-mini|Seed-2.0-Mini|2026-02-26|262144|131072|ivrt|0.1,0.4
bytedance/ui-tars-1.5-7b|UI-TARS 7B |2025-07-22|128000|2048|i|0.1,0.2,0.1
cohere/command-a|Command A|2025-03-13|256000|8192||2.5,10
cohere/command-r-08-2024|Command R|2024-08-30|128000|4000|t|0.15,0.6
cohere/command-r-plus-08-2024|Command R+|2024-08-30|128000|4000|t|2.5,10
cohere/command-r7b-12-2024|Command R7B|2024-12-02|128000|4000||0.0375,0.15
deepcogito/cogito-v2.1-671b|Cogito v2.1 671B|2025-11-13|128000|128000|r|1.25,1.25
deepseek/deepseek-chat-v3-0324|DeepSeek V3 0324|2025-03-24|163840|16384|t|0.2,0.77,0.135
deepseek/deepseek-chat-v3.1|DeepSeek V3.1|2025-08-21|163840|32768|rt|0.21,0.79,0.13
deepseek/deepseek-chat|DeepSeek Chat|2025-12-01|128000|16000|t|0.2002,0.8001
deepseek/deepseek-r1-0528|R1 0528|2025-05-28|163840|32768|rt|0.5,2.15,0.35
deepseek/deepseek-r1-distill-llama-70b|R1 Distill Llama 70B|2025-01-23|8192|8192|r|0.8,0.8
deepseek/deepseek-r1|DeepSeek-R1|2025-01-20|64000|16000|rt|0.7,2.5
deepseek/deepseek-v3.1-terminus|DeepSeek V3.1 Terminus|2025-09-22|163840|32768|rt|0.27,0.95,0.13
deepseek/deepseek-v3.2-exp|DeepSeek V3.2 Exp|2025-09-29|163840|65536|rt|0.27,0.41
deepseek/deepseek-v3.2|DeepSeek V3.2|2025-12-01|128000|64000|rt|0.2288,0.3432,0.02288
deepseek/deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1048575|65536|rt|0.098,0.196,0.02
deepseek/deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1048576|384000|rt|0.435,0.87,0.003625
google/gemini-2.5-flash-lite-preview-09-2025|Gemini 2.5 Flash Lite Preview 09-2025|2025-09-25|1048576|65535|iavprt|0.1,0.4,0.01,0.083333
google/gemini-2.5-flash-lite|Gemini 2.5 Flash-Lite|2025-06-17|1048576|65535|iavprt|0.1,0.4,0.01,0.083333
google/gemini-2.5-flash|Gemini 2.5 Flash|2025-06-17|1048576|65535|iavprt|0.3,2.5,0.03,0.083333
google/gemini-2.5-pro-preview-05-06|Gemini 2.5 Pro Preview 05-06|2025-05-07|1048576|65535|iavprt|1.25,10,0.125,0.375
google/gemini-2.5-pro-preview|Gemini 2.5 Pro Preview 06-05|2025-06-05|1048576|65536|iaprt|1.25,10,0.125,0.375
google/gemini-2.5-pro|Gemini 2.5 Pro|2025-06-17|1048576|65536|iavprt|1.25,10,0.125,0.375
google/gemini-3-flash-preview|Gemini 3 Flash Preview|2025-12-17|1048576|65535|iavprt|0.5,3,0.05,0.083333
google/gemini-3.1-flash-lite-preview|Gemini 3.1 Flash Lite Preview|2026-03-03|1048576|65536|iavprt|0.25,1.5,0.025,0.083333
google/gemini-3.1-flash-lite|Gemini 3.1 Flash Lite|2026-05-07|1048576|65536|iavprt|0.25,1.5,0.025,0.083333
google/gemini-3.1-pro-preview-customtools|Gemini 3.1 Pro Preview Custom Tools|2026-02-19|1048576|65536|iavprt|2,12,0.2,0.375;200000:4,18,0.4
google/gemini-3.1-pro-preview|Gemini 3.1 Pro Preview|2026-02-19|1048576|65536|iavprt|2,12,0.2,0.375;200000:4,18,0.4
google/gemini-3.5-flash|Gemini 3.5 Flash|2026-05-19|1048576|65536|iavprt|1.5,9,0.15,0.083333
google/gemma-2-27b-it|Gemma 2 27B|2024-07-13|8192|2048||0.65,0.65
google/gemma-3-12b-it|Gemma 3 12B|2025-03-13|131072|16384|it|0.05,0.15
google/gemma-3-27b-it|Gemma 3 27B|2025-03-12|131072|16384|it|0.08,0.16
google/gemma-3-4b-it|Gemma 3 4B|2025-03-13|131072|16384|i|0.05,0.1
google/gemma-3n-e4b-it|Gemma 3n 4B|2025-05-20|32768|32768||0.06,0.12
google/gemma-4-26b-a4b-it|Gemma 4 26B A4B IT|2026-04-02|262144|262144|ivrt|0.06,0.33
google/gemma-4-31b-it|Gemma 4 31B IT|2026-04-02|262144|262144|ivrt|0.12,0.35,0.09
gryphe/mythomax-l2-13b|MythoMax 13B|2023-07-02|4096|4096||0.06,0.06
ibm-granite/granite-4.0-h-micro|Granite 4.0 Micro|2025-10-20|131000|131000||0.017,0.112
ibm-granite/granite-4.1-8b|Granite 4.1 8B|2026-04-30|131072|131072|t|0.05,0.1,0.05
inception/mercury-2|Mercury 2|2026-03-04|128000|50000|rt|0.25,0.75,0.025
inclusionai/ling-2.6-1t|Ling-2.6-1T|2026-04-23|262144|32768|t|0.075,0.625,0.015
inclusionai/ling-2.6-flash|Ling-2.6-flash|2026-04-21|262144|32768|t|0.01,0.03,0.002
inclusionai/ring-2.6-1t|Ring-2.6-1T|2026-05-08|262144|65536|rt|0.075,0.625,0.015
inflection/inflection-3-pi|Inflection 3 Pi|2024-10-11|8000|1024||2.5,10
inflection/inflection-3-productivity|Inflection 3 Productivity|2024-10-11|8000|1024||2.5,10
kwaipilot/kat-coder-pro-v2|KAT-Coder-Pro V2|2026-03-27|256000|80000|t|0.3,1.2,0.06
liquid/lfm-2-24b-a2b|LFM2-24B-A2B|2026-02-25|32768|32768||0.03,0.12
mancer/weaver|Weaver (alpha)|2023-08-02|8000|2000||0.75,1
meta-llama/llama-3-8b-instruct|Llama 3 8B Instruct|2024-04-18|8192|8192||0.14,0.14
meta-llama/llama-3.1-70b-instruct|Llama 3.1 70B Instruct|2024-07-23|131072|16384|t|0.4,0.4
meta-llama/llama-3.1-8b-instruct|Llama 3.1 8B Instruct|2024-07-23|131072|16384|t|0.02,0.03
meta-llama/llama-3.2-11b-vision-instruct|Llama 3.2 11B Vision Instruct|2024-09-25|131072|16384|i|0.345,0.345
meta-llama/llama-3.2-1b-instruct|Llama 3.2 1B Instruct|2024-09-25|60000|60000||0.027,0.201
meta-llama/llama-3.2-3b-instruct|Llama 3.2 3B Instruct|2024-09-25|80000|80000||0.0509,0.335
meta-llama/llama-3.3-70b-instruct|Llama-3.3-70B-Instruct|2024-12-06|131072|16384|t|0.1,0.32
meta-llama/llama-4-maverick|Llama 4 Maverick|2025-04-05|1048576|16384|it|0.15,0.6
meta-llama/llama-4-scout|Llama 4 Scout|2025-04-05|327680|16384|it|0.1,0.3
meta-llama/llama-guard-4-12b|Llama Guard 4 12B|2025-04-30|163840|16384|i|0.18,0.18
microsoft/phi-4|Phi 4|2025-01-10|16384|16384||0.07,0.14
microsoft/wizardlm-2-8x22b|WizardLM-2 8x22B|2024-04-16|65535|8000||0.62,0.62
minimax/minimax-01|MiniMax-01|2025-01-15|1000192|1000192|i|0.2,1.1
minimax/minimax-m1|MiniMax M1|2025-06-17|1000000|40000|rt|0.4,2.2
minimax/minimax-m2-her|MiniMax M2-her|2026-01-23|65536|2048||0.3,1.2,0.03
minimax/minimax-m2.1|MiniMax-M2.1|2025-12-23|196608|196608|rt|0.29,0.95,0.03
minimax/minimax-m2.5|MiniMax-M2.5|2026-02-12|196608|196608|rt|0.12,0.48
minimax/minimax-m2.7|MiniMax-M2.7|2026-03-18|196608|196608|rt|0.18,0.72
minimax/minimax-m2|MiniMax-M2|2025-10-27|196608|196608|rt|0.255,1,0.03
minimax/minimax-m3|MiniMax-M3|2026-06-01|524288|512000|ivrt|0.3,1.2,0.06
mistralai/codestral-2508|Codestral 2508|2025-08-01|256000|256000|pt|0.3,0.9,0.03
mistralai/ministral-14b-2512|Ministral 3 14B 2512|2025-12-02|262144|262144|it|0.2,0.2,0.02
mistralai/ministral-3b-2512|Ministral 3 3B 2512|2025-12-02|131072|131072|it|0.1,0.1,0.01
mistralai/ministral-8b-2512|Ministral 3 8B 2512|2025-12-02|262144|262144|it|0.15,0.15,0.015
mistralai/mistral-large-2407|Mistral Large 2407|2024-11-19|131072|131072|pt|2,6,0.2
mistralai/mistral-large-2512|Mistral Large 3|2024-11-01|262144|262144|ipt|0.5,1.5,0.05
mistralai/mistral-large|Mistral Large|2024-02-26|128000|128000|pt|2,6,0.2
mistralai/mistral-medium-3-5|Mistral Medium 3.5|2026-04-30|262144|262144|iprt|1.5,7.5
mistralai/mistral-medium-3.1|Mistral Medium 3.1|2025-08-13|131072|262144|ipt|0.4,2,0.04
mistralai/mistral-medium-3|Mistral Medium 3|2025-05-07|131072|131072|ipt|0.4,2,0.04
mistralai/mistral-nemo|Mistral Nemo|2024-07-01|131072|131072|t|0.02,0.03
mistralai/mistral-saba|Saba|2025-02-17|32768|32768|pt|0.2,0.6,0.02
mistralai/mistral-small-24b-instruct-2501|Mistral Small 3|2025-01-30|32768|16384||0.05,0.08
mistralai/mistral-small-2603|Mistral Small 4|2026-03-16|262144|262144|irt|0.15,0.6,0.015
mistralai/mistral-small-3.1-24b-instruct|Mistral Small 3.1 24B|2025-03-17|128000|128000|i|0.351,0.555
mistralai/mistral-small-3.2-24b-instruct|Mistral Small 3.2 24B|2025-06-20|128000|16384|it|0.075,0.2
mistralai/mixtral-8x22b-instruct|Mixtral 8x22B Instruct|2024-04-17|65536|65536|pt|2,6,0.2
mistralai/voxtral-small-24b-2507|Voxtral Small 24B 2507|2025-10-30|32000|32000|apt|0.1,0.3,0.01
moonshotai/kimi-k2-0905|Kimi K2 0905|2025-09-04|262144|100352|t|0.6,2.5
moonshotai/kimi-k2-thinking|Kimi K2 Thinking|2025-11-06|262144|262144|rt|0.6,2.5,0.6
moonshotai/kimi-k2.5|Kimi K2.5|2026-01|256000|256000|irt|0.375,2.025
moonshotai/kimi-k2.6|Kimi K2.6|2026-04-21|262144|262144|irt|0.55,3.2,0.11
moonshotai/kimi-k2.7-code|Kimi K2.7 Code|2026-06-12|262144|16384|irt|0.74,3.5,0.15
moonshotai/kimi-k2|Kimi K2 0711|2025-07-11|131072|100352|t|0.57,2.3
morph/morph-v3-fast|Morph V3 Fast|2025-07-07|81920|38000||0.8,1.2
morph/morph-v3-large|Morph V3 Large|2025-07-07|262144|131072||0.9,1.9
nex-agi/nex-n2-pro|Nex-N2-Pro|2026-06-08|262144|262144|ir|0.25,1,0.025
nousresearch/hermes-3-llama-3.1-405b|Hermes 3 405B Instruct|2024-08-16|131072|16384||1,1
nousresearch/hermes-3-llama-3.1-70b|Hermes 3 70B Instruct|2024-08-18|131072|16384||0.7,0.7
nousresearch/hermes-4-405b|Hermes 4 405B|2025-08-26|131072|131072|r|1,3
nousresearch/hermes-4-70b|Hermes 4 70B|2025-08-26|131072|131072|r|0.13,0.4
nvidia/llama-3.3-nemotron-super-49b-v1.5|Llama 3.3 Nemotron Super 49B v1.5|2025-07-25|131072|16384|rt|0.4,0.4
nvidia/nemotron-3-nano-30b-a3b|Nemotron 3 Nano 30B A3B|2025-12-15|262144|228000|rt|0.05,0.2
nvidia/nemotron-3-super-120b-a12b|Nemotron 3 Super 120B A12B|2026-03-11|262144|16384|rt|0.085,0.4
nvidia/nemotron-3-ultra-550b-a55b|Nemotron 3 Ultra 550B A55B|2026-06-04|262144|16384|rt|0.5,2.2,0.1
openai/gpt-3.5-turbo-0613|GPT-3.5 Turbo (older v0613)|2024-01-25|4095|4096|t|1,2
openai/gpt-3.5-turbo-16k|GPT-3.5 Turbo 16k|2023-08-28|16385|4096|t|3,4
openai/gpt-3.5-turbo-instruct|GPT-3.5 Turbo Instruct|2023-09-28|4095|4096||1.5,2
openai/gpt-3.5-turbo|GPT-3.5-turbo|2023-03-01|16385|4096|t|0.5,1.5
openai/gpt-4-turbo-preview|GPT-4 Turbo Preview|2024-01-25|128000|4096|t|10,30
openai/gpt-4-turbo|GPT-4 Turbo|2023-11-06|128000|4096|it|10,30
openai/gpt-4.1-mini|GPT-4.1 mini|2025-04-14|1047576|32768|ipt|0.4,1.6,0.1
openai/gpt-4.1-nano|GPT-4.1 nano|2025-04-14|1047576|32768|ipt|0.1,0.4,0.025
openai/gpt-4.1|GPT-4.1|2025-04-14|1047576|32768|ipt|2,8,0.5
openai/gpt-4o-2024-05-13|GPT-4o (2024-05-13)|2024-05-13|128000|4096|ipt|5,15
openai/gpt-4o-2024-08-06|GPT-4o (2024-08-06)|2024-08-06|128000|16384|ipt|2.5,10,1.25
openai/gpt-4o-2024-11-20|GPT-4o (2024-11-20)|2024-11-20|128000|16384|ipt|2.5,10,1.25
openai/gpt-4o-mini-2024-07-18|GPT-4o-mini (2024-07-18)|2024-07-18|128000|16384|ipt|0.15,0.6,0.075
openai/gpt-4o-mini-search-preview|GPT-4o-mini Search Preview|2025-03-12|128000|16384||0.15,0.6
openai/gpt-4o-mini|GPT-4o mini|2024-07-18|128000|16384|ipt|0.15,0.6,0.075
openai/gpt-4o-search-preview|GPT-4o Search Preview|2025-03-12|128000|16384||2.5,10
openai/gpt-4o|GPT-4o|2024-05-13|128000|16384|ipt|2.5,10
openai/gpt-4|GPT-4|2023-11-06|8191|4096|t|30,60
openai/gpt-5-chat|GPT-5 Chat|2025-08-07|128000|16384|ip|1.25,10,0.125
openai/gpt-5-codex|GPT-5-Codex|2025-09-15|400000|128000|irt|1.25,10,0.125
openai/gpt-5-mini|GPT-5 Mini|2025-08-07|400000|128000|iprt|0.25,2,0.025
openai/gpt-5-nano|GPT-5 Nano|2025-08-07|400000|128000|iprt|0.05,0.4,0.01
openai/gpt-5-pro|GPT-5 Pro|2025-10-06|400000|128000|iprt|15,120
openai/gpt-5.1-chat|GPT-5.1 Chat|2025-11-13|128000|32000|ipt|1.25,10,0.13
openai/gpt-5.1-codex-max|GPT-5.1 Codex Max|2025-11-13|400000|128000|irt|1.25,10,0.125
openai/gpt-5.1-codex-mini|GPT-5.1 Codex mini|2025-11-13|400000|100000|irt|0.25,2,0.025
openai/gpt-5.1-codex|GPT-5.1 Codex|2025-11-13|400000|128000|irt|1.25,10,0.13
openai/gpt-5.1|GPT-5.1|2025-11-13|400000|128000|iprt|1.25,10,0.13
openai/gpt-5.2-chat|GPT-5.2 Chat|2025-12-10|128000|16384|ipt|1.75,14,0.175
openai/gpt-5.2-codex|GPT-5.2 Codex|2025-12-11|400000|128000|irt|1.75,14,0.175
openai/gpt-5.2-pro|GPT-5.2 Pro|2025-12-11|400000|128000|iprt|21,168
openai/gpt-5.2|GPT-5.2|2025-12-11|400000|128000|iprt|1.75,14,0.175
openai/gpt-5.3-chat|GPT-5.3 Chat|2026-03-03|128000|16384|ipt|1.75,14,0.175
openai/gpt-5.3-codex|GPT-5.3 Codex|2026-02-05|400000|128000|iprt|1.75,14,0.175
openai/gpt-5.4-mini|GPT-5.4 mini|2026-03-17|400000|128000|iprt|0.75,4.5,0.075
openai/gpt-5.4-nano|GPT-5.4 nano|2026-03-17|400000|128000|iprt|0.2,1.25,0.02
openai/gpt-5.4-pro|GPT-5.4 Pro|2026-03-05|1050000|128000|iprt|30,180
openai/gpt-5.4|GPT-5.4|2026-03-05|1050000|128000|iprt|2.5,15,0.25
openai/gpt-5.5-pro|GPT-5.5 Pro|2026-04-23|1050000|128000|iprt|30,180
openai/gpt-5.5|GPT-5.5|2026-04-23|1050000|128000|iprt|5,30,0.5
openai/gpt-5|GPT-5|2025-08-07|400000|128000|iprt|1.25,10,0.125
openai/gpt-chat-latest|GPT Chat Latest|2026-05-05|400000|128000|ipt|5,30,0.5
openai/gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|131072|rt|0.03,0.15
openai/gpt-oss-20b|gpt-oss-20b|2025-08-05|131072|131072|rt|0.029,0.14
openai/gpt-oss-safeguard-20b|gpt-oss-safeguard-20b|2025-10-29|131072|65536|rt|0.075,0.3,0.0375
openai/o1-pro|o1-pro|2025-03-19|200000|100000|ipr|150,600
openai/o1|o1|2024-12-05|200000|100000|iprt|15,60,7.5
openai/o3-deep-research|o3-deep-research|2024-06-26|200000|100000|iprt|10,40,2.5
openai/o3-mini-high|o3 Mini High|2025-02-12|200000|100000|prt|1.1,4.4,0.55
openai/o3-mini|o3-mini|2024-12-20|200000|100000|prt|1.1,4.4,0.55
openai/o3-pro|o3-pro|2025-06-10|200000|100000|iprt|20,80
openai/o3|o3|2025-04-16|200000|100000|iprt|2,8,0.5
openai/o4-mini-deep-research|o4-mini-deep-research|2024-06-26|200000|100000|iprt|2,8,0.5
openai/o4-mini-high|o4 Mini High|2025-04-16|200000|100000|iprt|1.1,4.4,0.275
openai/o4-mini|o4-mini|2025-04-16|200000|100000|iprt|1.1,4.4,0.275
perceptron/perceptron-mk1|Perceptron Mk1|2026-05-12|32768|8192|ivr|0.15,1.5
perplexity/sonar-deep-research|Sonar Deep Research|2025-03-07|128000|128000|r|2,8
perplexity/sonar-pro-search|Sonar Pro Search|2025-10-30|200000|8000|ir|3,15
perplexity/sonar-pro|Sonar Pro|2025-03-07|200000|8000|i|3,15
perplexity/sonar-reasoning-pro|Sonar Reasoning Pro|2025-03-07|128000|128000|ir|2,8
perplexity/sonar|Sonar|2025-01-27|127072|127072|i|1,1
poolside/laguna-m.1|Laguna M.1|2026-04-28|262144|32768|rt|0.2,0.4,0.1
poolside/laguna-xs.2|Laguna XS.2|2026-04-28|262144|32768|rt|0.1,0.2,0.05
qwen/qwen-2.5-72b-instruct|Qwen2.5 72B Instruct|2024-09-19|32768|16384|t|0.36,0.4
qwen/qwen-2.5-7b-instruct|Qwen2.5 7B Instruct|2024-10-16|32768|32768|t|0.04,0.1
qwen/qwen-2.5-coder-32b-instruct|Qwen2.5 Coder 32B Instruct|2024-11-11|32768|32768||0.66,1
qwen/qwen-plus-2025-07-28|Qwen Plus 0728|2025-09-08|1000000|32768|t|0.26,0.78
qwen/qwen-plus|Qwen Plus|2024-01-25|1000000|32768|t|0.26,0.78,0.052,0.325
qwen/qwen2.5-vl-72b-instruct|Qwen2.5 VL 72B Instruct|2025-02-01|128000|128000|i|0.8,1,0.4
qwen/qwen3-14b|Qwen3 14B|2025-04-28|40960|40960|rt|0.1,0.24
qwen/qwen3-235b-a22b-2507|Qwen3 235B A22B Instruct 2507|2025-07-21|262144|16384|t|0.09,0.1
qwen/qwen3-235b-a22b-thinking-2507|Qwen3 235B A22B Thinking 2507|2025-07-25|131072|262144|rt|0.1495,1.495
qwen/qwen3-235b-a22b|Qwen3 235B-A22B|2025-04|131072|8192|rt|0.455,1.82
qwen/qwen3-30b-a3b-instruct-2507|Qwen3 30B A3B Instruct 2507|2025-07-29|128000|32000|t|0.04815,0.19305
qwen/qwen3-30b-a3b-thinking-2507|Qwen3 30B A3B Thinking 2507|2025-08-28|131072|131072|rt|0.08,0.4,0.08
qwen/qwen3-30b-a3b|Qwen3 30B A3B|2025-04-28|40960|16384|rt|0.12,0.5
qwen/qwen3-32b|Qwen3 32B|2025-04|40960|16384|rt|0.08,0.28
qwen/qwen3-8b|Qwen3 8B|2025-04-28|40960|8192|rt|0.05,0.4,0.05
qwen/qwen3-coder-30b-a3b-instruct|Qwen3-Coder 30B-A3B Instruct|2025-04|160000|32768|t|0.07,0.27
qwen/qwen3-coder-flash|Qwen3 Coder Flash|2025-07-28|1000000|65536|t|0.195,0.975,0.039,0.24375
qwen/qwen3-coder-next|Qwen3 Coder Next|2026-02-04|262144|262144|t|0.11,0.8,0.07
qwen/qwen3-coder-plus|Qwen3 Coder Plus|2025-07-23|1000000|65536|t|0.65,3.25,0.13,0.8125
qwen/qwen3-coder|Qwen3 Coder 480B A35B|2025-07-23|262144|65536|t|0.22,1.8
qwen/qwen3-max-thinking|Qwen3 Max Thinking|2026-02-09|262144|32768|rt|0.78,3.9
qwen/qwen3-max|Qwen3 Max|2025-09-23|262144|32768|t|0.78,3.9,0.156,0.975
qwen/qwen3-next-80b-a3b-instruct|Qwen3-Next 80B-A3B Instruct|2025-09|262144|16384|t|0.09,1.1
qwen/qwen3-next-80b-a3b-thinking|Qwen3-Next 80B-A3B (Thinking)|2025-09|131072|32768|rt|0.0975,0.78
qwen/qwen3-vl-235b-a22b-instruct|Qwen3 VL 235B A22B Instruct|2025-09-23|262144|16384|it|0.2,0.88,0.11
qwen/qwen3-vl-235b-a22b-thinking|Qwen3 VL 235B A22B Thinking|2025-09-23|131072|32768|irt|0.26,2.6
qwen/qwen3-vl-30b-a3b-instruct|Qwen3 VL 30B A3B Instruct|2025-10-06|131072|32768|it|0.13,0.52
qwen/qwen3-vl-30b-a3b-thinking|Qwen3 VL 30B A3B Thinking|2025-10-06|131072|32768|irt|0.13,1.56
qwen/qwen3-vl-32b-instruct|Qwen3 VL 32B Instruct|2025-10-23|131072|32768|it|0.104,0.416
qwen/qwen3-vl-8b-instruct|Qwen3 VL 8B Instruct|2025-10-14|131072|32768|it|0.08,0.5
qwen/qwen3-vl-8b-thinking|Qwen3 VL 8B Thinking|2025-10-14|131072|32768|irt|0.117,1.365
qwen/qwen3.5-122b-a10b|Qwen3.5 122B-A10B|2026-02-23|262144|262144|ivrt|0.26,2.08
qwen/qwen3.5-27b|Qwen3.5 27B|2026-02-23|262144|65536|ivrt|0.195,1.56
qwen/qwen3.5-35b-a3b|Qwen3.5 35B-A3B|2026-02-23|262144|81920|ivrt|0.14,1,0.05
qwen/qwen3.5-397b-a17b|Qwen3.5 397B-A17B|2026-02-15|131072|64000|ivrt|0.385,2.45
qwen/qwen3.5-9b|Qwen3.5 9B|2026-02-23|262144|262144|ivrt|0.1,0.15
qwen/qwen3.5-flash-02-23|Qwen3.5-Flash|2026-02-25|1000000|65536|ivrt|0.065,0.26
qwen/qwen3.5-plus-02-15|Qwen3.5 Plus 2026-02-15|2026-02-16|1000000|65536|ivrt|0.26,1.56
qwen/qwen3.5-plus-20260420|Qwen3.5 Plus 2026-04-20|2026-04-27|1000000|65536|ivrt|0.3,1.8,,0.375
qwen/qwen3.6-27b|Qwen3.6 27B|2026-04-22|262140|262140|ivrt|0.285,2.4
qwen/qwen3.6-35b-a3b|Qwen3.6 35B-A3B|2026-04-17|262144|262144|ivrt|0.14,1
qwen/qwen3.6-flash|Qwen3.6 Flash|2026-04-27|1000000|65536|ivrt|0.1875,1.125,,0.234375
qwen/qwen3.6-max-preview|Qwen3.6 Max Preview|2026-04-20|262144|65536|rt|1.04,6.24,,1.3
qwen/qwen3.6-plus|Qwen3.6 Plus|2026-04-02|1000000|65536|ivrt|0.325,1.95,,0.40625
qwen/qwen3.7-max|Qwen3.7 Max|2026-05-21|1000000|65536|rt|1.25,3.75,0.25,1.5625
qwen/qwen3.7-plus|Qwen3.7 Plus|2026-06-02|1000000|65536|irt|0.32,1.28,0.064,0.4
rekaai/reka-edge|Reka Edge|2026-03-20|16384|16384|ivt|0.1,0.1
rekaai/reka-flash-3|Reka Flash 3|2025-03-12|65536|65536|r|0.1,0.2
relace/relace-apply-3|Relace Apply 3|2025-09-26|256000|128000||0.85,1.25
relace/relace-search|Relace Search|2025-12-08|256000|128000|t|1,3
sakana/fugu-ultra|Fugu Ultra|2026-06-24|1000000|128000|irt|5,30,0.5
sao10k/l3-lunaris-8b|Llama 3 8B Lunaris|2024-08-13|8192|16384||0.04,0.05
sao10k/l3.1-70b-hanami-x1|Llama 3.1 70B Hanami x1|2025-01-08|16000|16000||3,3
sao10k/l3.1-euryale-70b|Llama 3.1 Euryale 70B v2.2|2024-08-28|131072|16384|t|0.85,0.85
sao10k/l3.3-euryale-70b|Llama 3.3 Euryale 70B|2024-12-18|131072|16384||0.65,0.75
stepfun/step-3.5-flash|Step 3.5 Flash|2026-01-29|262144|65536|rt|0.1,0.3
stepfun/step-3.7-flash|Step 3.7 Flash|2026-05-29|256000|256000|ivrt|0.2,1.15,0.04
switchpoint/router|Switchpoint Router|2025-07-11|131072|131072|r|0.85,3.4
tencent/hunyuan-a13b-instruct|Hunyuan A13B Instruct|2025-07-08|131072|131072|r|0.14,0.57
tencent/hy3-preview|Hy3 preview|2026-04-20|262144|262144|rt|0.063,0.21,0.021
thedrummer/cydonia-24b-v4.1|Cydonia 24B V4.1|2025-09-27|131072|131072||0.3,0.5,0.15
thedrummer/rocinante-12b|Rocinante 12B|2024-09-30|32768|32768||0.25,0.5
thedrummer/skyfall-36b-v2|Skyfall 36B V2|2025-03-10|32768|32768||0.55,0.8,0.25
thedrummer/unslopnemo-12b|UnslopNemo 12B|2024-11-08|32768|32768|t|0.4,0.4
undi95/remm-slerp-l2-13b|ReMM SLERP 13B|2023-07-22|6144|4096||0.45,0.65
upstage/solar-pro-3|Solar Pro 3|2026-01-27|128000|128000|rt|0.15,0.6,0.015
writer/palmyra-x5|Palmyra X5|2026-01-21|1040000|8192||0.6,6
x-ai/grok-4.20-multi-agent|Grok 4.20 Multi-Agent|2026-03-31|2000000|2000000|ipr|1.25,2.5,0.2
x-ai/grok-4.20|Grok 4.20|2026-03-31|2000000|2000000|iprt|1.25,2.5,0.2
x-ai/grok-4.3|Grok 4.3|2026-04-17|1000000|1000000|iprt|1.25,2.5,0.2;200000:2.5,5,0.4
x-ai/grok-build-0.1|Grok Build 0.1|2026-04-16|256000|256000|irt|1,2,0.2
xiaomi/mimo-v2.5-pro|MiMo-V2.5-Pro|2026-04-22|1048576|131072|rt|0.435,0.87,0.0036
xiaomi/mimo-v2.5|MiMo-V2.5|2026-04-22|32000|131072|iavrt|0.105,0.28
z-ai/glm-4.5-air|GLM-4.5-Air|2025-07-28|131072|98304|rt|0.13,0.85,0.025
z-ai/glm-4.5v|GLM-4.5V|2025-08-11|65536|16384|irt|0.6,1.8,0.11
z-ai/glm-4.5|GLM-4.5|2025-07-28|131072|98304|rt|0.6,2.2,0.11
z-ai/glm-4.6v|GLM-4.6V|2025-12-08|131072|32768|ivrt|0.3,0.9,0.055
z-ai/glm-4.6|GLM-4.6|2025-09-30|202752|131072|rt|0.43,1.74,0.08
z-ai/glm-4.7-flash|GLM-4.7-Flash|2026-01-19|202752|16384|rt|0.06,0.4,0.01
z-ai/glm-4.7|GLM-4.7|2025-12-22|202752|131072|rt|0.4,1.75,0.08
z-ai/glm-5-turbo|GLM-5-Turbo|2026-03-16|262144|131072|rt|1.2,4,0.24
z-ai/glm-5.1|GLM-5.1|2026-04-07|65536|128000|rt|0.975,4.3
z-ai/glm-5.2|GLM-5.2|2026-06-13|1048576|32768|rt|0.93,3,0.18
z-ai/glm-5v-turbo|GLM-5V-Turbo|2026-04-01|202752|131072|ivrt|1.2,4,0.24
z-ai/glm-5|GLM-5|2026-02-12|202752|128000|rt|0.6,1.92,0.12
~anthropic/claude-fable-latest|Claude Fable Latest|2026-06-09|1000000|128000|iprt|10,50,1,12.5
~anthropic/claude-haiku-latest|Anthropic Claude Haiku Latest|2026-04-27|200000|64000|iprt|1,5,0.1,1.25
~anthropic/claude-opus-latest|Claude Opus Latest|2026-04-21|1000000|128000|iprt|5,25,0.5,6.25
~anthropic/claude-sonnet-latest|Anthropic Claude Sonnet Latest|2026-04-27|1000000|128000|iprt|2,10,0.2,2.5
~google/gemini-flash-latest|Google Gemini Flash Latest|2026-04-27|1048576|65536|iavprt|1.5,9,0.15,0.083333
~google/gemini-pro-latest|Google Gemini Pro Latest|2026-04-27|1048576|65536|iavprt|2,12,0.2,0.375
~moonshotai/kimi-latest|MoonshotAI Kimi Latest|2026-04-27|262144|262144|irt|0.55,3.2,0.11
~openai/gpt-latest|OpenAI GPT Latest|2026-04-27|1050000|128000|iprt|5,30,0.5
~openai/gpt-mini-latest|OpenAI GPT Mini Latest|2026-04-27|400000|128000|iprt|0.75,4.5,0.075
`,
  ovh: `
models.dev, list price of 2026-07-02
gpt-oss-120b|gpt-oss-120b|2025-08-28|131072|131072|rt|0.09,0.47
gpt-oss-20b|gpt-oss-20b|2025-08-28|131072|131072|rt|0.05,0.18
meta-llama-3_3-70b-instruct|Meta-Llama-3_3-70B-Instruct|2025-04-01|131072|131072|t|0.74,0.74
mistral-7b-instruct-v0.3|Mistral-7B-Instruct-v0.3|2025-04-01|65536|65536|t|0.11,0.11
mistral-nemo-instruct-2407|Mistral-Nemo-Instruct-2407|2024-11-20|65536|65536|t|0.14,0.14
mistral-small-3.2-24b-instruct-2506|Mistral-Small-3.2-24B-Instruct-2506|2025-07-16|131072|131072|it|0.1,0.31
qwen2.5-vl-72b-instruct|Qwen2.5-VL-72B-Instruct|2025-03-31|32768|32768|i|1.01,1.01
qwen3-32b|Qwen3-32B|2025-07-16|32768|32768|rt|0.09,0.25
qwen3-coder-30b-a3b-instruct|Qwen3-Coder-30B-A3B-Instruct|2025-10-28|262144|262144|t|0.07,0.26
qwen3.5-397b-a17b|Qwen3.5-397B-A17B|2026-05-18|262144|262144|irt|0.71,4.25
qwen3.5-9b|Qwen3.5-9B|2026-04-22|262144|262144|irt|0.12,0.18
qwen3.6-27b|Qwen3.6-27B|2026-06-01|262144|262144|irt|0.47,3.19
`,
  scaleway: `
models.dev, list price of 2026-07-02
bge-multilingual-gemma2|BGE Multilingual Gemma2|2024-07-26|8191|3072||0.1,0
gemma-3-27b-it|Gemma-3-27B-IT|2024-12-01|40000|8192|irt|0.25,0.5
gemma-4-26b-a4b-it|Gemma 4 26B A4B IT|2026-04-01|256000|16384|irt|0.25,0.5
glm-5.2|GLM-5.2|2026-06-13|256000|16384|rt|1.8,5.5
gpt-oss-120b|GPT-OSS 120B|2024-01-01|128000|32768|rt|0.15,0.6
llama-3.3-70b-instruct|Llama-3.3-70B-Instruct|2024-12-06|100000|16384|t|0.9,0.9
mistral-medium-3.5-128b|Mistral Medium 3.5 128B|2026-04-29|256000|16384|irt|1.5,7.5
mistral-small-3.2-24b-instruct-2506|Mistral Small 3.2 24B Instruct (2506)|2025-06-20|128000|32768|it|0.15,0.35
pixtral-12b-2409|Pixtral 12B 2409|2024-09-25|128000|4096|it|0.2,0.2
qwen3-235b-a22b-instruct-2507|Qwen3 235B A22B Instruct 2507|2025-07-01|260000|16384|rt|0.75,8.4
qwen3-coder-30b-a3b-instruct|Qwen3-Coder 30B-A3B Instruct|2025-04|128000|32768|t|0.2,0.8
qwen3-embedding-8b|Qwen3 Embedding 8B|2025-25-11|32768|4096||0.1,0
qwen3.5-397b-a17b|Qwen3.5 397B A17B|2026-03-17|256000|16384|ivrt|0.6,3.6
qwen3.6-35b-a3b|Qwen3.6 35B A3B|2026-05-01|128000|16384|irt|0.25,1.5
voxtral-small-24b-2507|Voxtral Small 24B 2507|2025-07-01|32000|16384|at|0.15,0.35
`,
  siliconflow: `
models.dev, list price of 2026-07-02
ByteDance-Seed/Seed-OSS-36B-Instruct|ByteDance-Seed/Seed-OSS-36B-Instruct|2025-09-04|262000|262000|t|0.21,0.57
MiniMaxAI/MiniMax-M2.5|MiniMaxAI/MiniMax-M2.5|2026-02-15|197000|131000|t|0.3,1.2
Qwen/Qwen2.5-72B-Instruct|Qwen/Qwen2.5-72B-Instruct|2024-09-18|33000|4000|t|0.59,0.59
Qwen/Qwen2.5-7B-Instruct|Qwen/Qwen2.5-7B-Instruct|2024-09-18|33000|4000|t|0.05,0.05
Qwen/Qwen3-14B|Qwen/Qwen3-14B|2025-04-30|131000|131000|rt|0.07,0.28
Qwen/Qwen3-235B-A22B-Thinking-2507|Qwen/Qwen3-235B-A22B-Thinking-2507|2025-07-28|262000|262000|rt|0.13,0.6
Qwen/Qwen3-30B-A3B-Instruct-2507|Qwen/Qwen3-30B-A3B-Instruct-2507|2025-07-30|262000|262000|t|0.09,0.3
Qwen/Qwen3-32B|Qwen/Qwen3-32B|2025-04-30|131000|131000|rt|0.14,0.57
Qwen/Qwen3-8B|Qwen/Qwen3-8B|2025-04-30|131000|131000|rt|0.06,0.06
Qwen/Qwen3-Coder-30B-A3B-Instruct|Qwen/Qwen3-Coder-30B-A3B-Instruct|2025-08-01|262000|262000|t|0.07,0.28
Qwen/Qwen3-Coder-480B-A35B-Instruct|Qwen/Qwen3-Coder-480B-A35B-Instruct|2025-07-31|262000|262000|t|0.25,1
Qwen/Qwen3-VL-235B-A22B-Instruct|Qwen/Qwen3-VL-235B-A22B-Instruct|2025-10-04|262000|262000|it|0.3,1.5
Qwen/Qwen3-VL-235B-A22B-Thinking|Qwen/Qwen3-VL-235B-A22B-Thinking|2025-10-04|262000|262000|irt|0.45,3.5
Qwen/Qwen3-VL-30B-A3B-Instruct|Qwen/Qwen3-VL-30B-A3B-Instruct|2025-10-05|262000|262000|it|0.29,1
Qwen/Qwen3-VL-30B-A3B-Thinking|Qwen/Qwen3-VL-30B-A3B-Thinking|2025-10-11|262000|262000|irt|0.29,1
Qwen/Qwen3-VL-32B-Instruct|Qwen/Qwen3-VL-32B-Instruct|2025-10-21|262000|262000|it|0.2,0.6
Qwen/Qwen3-VL-32B-Thinking|Qwen/Qwen3-VL-32B-Thinking|2025-10-21|262000|262000|irt|0.2,1.5
Qwen/Qwen3-VL-8B-Instruct|Qwen/Qwen3-VL-8B-Instruct|2025-10-15|262000|262000|it|0.18,0.68
Qwen/Qwen3.5-122B-A10B|Qwen3.5 122B-A10B|2026-02-23|262144|262144|t|0.26,2.08
Qwen/Qwen3.5-27B|Qwen3.5 27B|2026-02-23|262144|262144|t|0.25,2
Qwen/Qwen3.5-35B-A3B|Qwen3.5 35B-A3B|2026-02-23|262144|262144|t|0.24,1.8
Qwen/Qwen3.5-397B-A17B|Qwen3.5 397B-A17B|2026-02-15|262144|262144|t|0.39,2.34
Qwen/Qwen3.5-9B|Qwen/Qwen3.5-9B|2026-03-03|262144|262144|t|0.1,0.15
Qwen/Qwen3.6-27B|Qwen3.6 27B|2026-04-22|262144|262144|t|0.3,3.2
Qwen/Qwen3.6-35B-A3B|Qwen3.6 35B-A3B|2026-04-17|262144|262144|t|0.2,1.6
baidu/ERNIE-4.5-300B-A47B|baidu/ERNIE-4.5-300B-A47B|2025-07-02|131000|131000|t|0.28,1.1
deepseek-ai/DeepSeek-R1|deepseek-ai/DeepSeek-R1|2025-05-28|164000|164000|rt|0.5,2.18
deepseek-ai/DeepSeek-V3.1-Terminus|deepseek-ai/DeepSeek-V3.1-Terminus|2025-09-29|164000|164000|rt|0.27,1
deepseek-ai/DeepSeek-V3.1|deepseek-ai/DeepSeek-V3.1|2025-08-25|164000|164000|rt|0.27,1
deepseek-ai/DeepSeek-V3.2-Exp|deepseek-ai/DeepSeek-V3.2-Exp|2025-10-10|164000|164000|rt|0.27,0.41
deepseek-ai/DeepSeek-V3.2|deepseek-ai/DeepSeek-V3.2|2025-12-03|164000|164000|rt|0.27,0.42
deepseek-ai/DeepSeek-V3|deepseek-ai/DeepSeek-V3|2024-12-26|164000|164000|t|0.25,1
deepseek-ai/DeepSeek-V4-Flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.14,0.28,0.028
deepseek-ai/DeepSeek-V4-Pro|DeepSeek V4 Pro|2026-04-24|1000000|384000|rt|1.74,3.48,0.145
google/gemma-4-26B-A4B-it|Gemma 4 26B A4B IT|2026-04-02|262144|262144|t|0.12,0.4
google/gemma-4-31B-it|Gemma 4 31B IT|2026-04-02|262144|262144|t|0.13,0.4
inclusionAI/Ling-flash-2.0|inclusionAI/Ling-flash-2.0|2025-09-18|131000|131000|t|0.14,0.57
moonshotai/Kimi-K2.5|moonshotai/Kimi-K2.5|2026-01-27|262000|262000|irt|0.45,2.25
moonshotai/Kimi-K2.6|moonshotai/Kimi-K2.6|2026-04-21|262000|262000|irt|0.77,4,0.2
openai/gpt-oss-120b|openai/gpt-oss-120b|2025-08-13|131000|8000|rt|0.05,0.45
openai/gpt-oss-20b|openai/gpt-oss-20b|2025-08-13|131000|8000|t|0.04,0.18
stepfun-ai/Step-3.5-Flash|stepfun-ai/Step-3.5-Flash|2026-02-11|262000|262000|rt|0.1,0.3
tencent/Hunyuan-A13B-Instruct|tencent/Hunyuan-A13B-Instruct|2025-06-30|131000|131000|rt|0.14,0.57
tencent/Hy3-preview|Hy3 preview|2026-04-20|262144|262144|rt|0.066,0.26,0.029
zai-org/GLM-4.5-Air|zai-org/GLM-4.5-Air|2025-07-28|131000|131000|t|0.14,0.86
zai-org/GLM-5.1|zai-org/GLM-5.1|2026-04-08|205000|205000|rt|1.4,4.4
zai-org/GLM-5.2|GLM-5.2|2026-06-13|1049000|262000|rt|1.4,4.4
zai-org/GLM-5V-Turbo|zai-org/GLM-5V-Turbo|2026-04-01|200000|131072|irt|1.2,4
zai-org/GLM-5|zai-org/GLM-5|2026-02-12|205000|205000|rt|0.95,2.55
`,
  together: `
models.dev, list price of 2026-07-02
LiquidAI/LFM2-24B-A2B|LFM2-24B-A2B|2026-02-25|32768|32768||0.03,0.12
MiniMaxAI/MiniMax-M2.7|MiniMax-M2.7|2026-03-18|202752|131072|rt|0.3,1.2,0.06
MiniMaxAI/MiniMax-M3|MiniMax-M3|2026-06-12|524288|250000|irt|0.3,1.2,0.06
Qwen/Qwen2.5-7B-Instruct-Turbo|Qwen 2.5 7B Instruct Turbo|2024-09-19|32768|32768|t|0.3,0.3
Qwen/Qwen3-235B-A22B-Instruct-2507-tput|Qwen3 235B A22B Instruct 2507 FP8|2025-07-25|262144|262144|t|0.2,0.6
Qwen/Qwen3.5-397B-A17B|Qwen3.5 397B A17B|2026-02-16|262144|130000|irt|0.6,3.6
Qwen/Qwen3.5-9B|Qwen3.5 9B|2026-03-03|262144|65536|irt|0.17,0.25
Qwen/Qwen3.6-Plus|Qwen3.6 Plus|2026-04-30|1000000|500000|rt|0.5,3
Qwen/Qwen3.7-Max|Qwen3.7 Max|2026-05-21|1000000|500000|t|1.25,3.75
deepcogito/cogito-v2-1-671b|Cogito v2.1 671B|2025-11-13|163840|163840|r|1.25,1.25
deepseek-ai/DeepSeek-V4-Pro|DeepSeek V4 Pro|2026-04-24|512000|384000|rt|1.74,3.48,0.2
essentialai/Rnj-1-Instruct|Rnj-1 Instruct|2025-12-05|32768|32768|t|0.15,0.15
google/gemma-3n-E4B-it|Gemma 3N E4B Instruct|2025-05-20|32768|32768||0.06,0.12
google/gemma-4-31B-it|Gemma 4 31B Instruct|2026-04-07|262144|131072|irt|0.39,0.97
meta-llama/Llama-3.3-70B-Instruct-Turbo|Llama 3.3 70B|2024-12-06|131072|131072|t|0.88,0.88
meta-llama/Meta-Llama-3-8B-Instruct-Lite|Meta Llama 3 8B Instruct Lite|2024-04-18|8192|8192||0.14,0.14
moonshotai/Kimi-K2.6|Kimi K2.6|2026-04-21|262144|131000|ivrt|1.2,4.5,0.2
moonshotai/Kimi-K2.7-Code|Kimi K2.7 Code|2026-06-14|262144|131072|rt|0.95,4,0.19
nvidia/nemotron-3-ultra-550b-a55b|Nemotron 3 Ultra 550B A55B|2026-06-04|512300|512300|rt|0.6,3.6,0.2
openai/gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|131072|rt|0.15,0.6
openai/gpt-oss-20b|GPT OSS 20B|2025-08-05|131072|131072|rt|0.05,0.2
pearl-ai/gemma-4-31b-it|Pearl AI Gemma 4 31B Instruct|2026-04-07|32000|32000|r|0.28,0.86
zai-org/GLM-5.1|GLM-5.1|2026-04-07|202752|131072|rt|1.4,4.4
zai-org/GLM-5.2|GLM-5.2|2026-06-16|262144|164000|rt|1.4,4.4,0.26
zai-org/GLM-5|GLM-5|2026-02-11|202752|131072|rt|1,3.2
`,
  vertex: `
models.dev, list price of 2026-07-02
claude-haiku-4-5@20251001|Claude Haiku 4.5|2025-10-15|200000|64000|iprt|1,5,0.1,1.25,2
claude-opus-4-5@20251101|Claude Opus 4.5|2025-11-01|200000|64000|iprt|5,25,0.5,6.25,10
claude-opus-4-6@default|Claude Opus 4.6|2026-02-05|1000000|128000|iprt|5,25,0.5,6.25,10;200000:10,37.5,1,12.5,20
claude-opus-4-7@default|Claude Opus 4.7|2026-04-16|1000000|128000|iprt|5,25,0.5,6.25,10;200000:10,37.5,1,12.5,20
claude-opus-4-8@default|Claude Opus 4.8|2026-05-28|1000000|128000|iprt|5,25,0.5,6.25,10;200000:10,37.5,1,12.5,20
claude-sonnet-4-5@20250929|Claude Sonnet 4.5|2025-09-29|200000|64000|iprt|3,15,0.3,3.75,6
claude-sonnet-4-6@default|Claude Sonnet 4.6|2026-02-17|1000000|128000|iprt|3,15,0.3,3.75,6;200000:6,22.5,0.6,7.5,12
claude-sonnet-5@default|Claude Sonnet 5|2026-06-30|1000000|128000|iprt|2,10,0.2,2.5,4
deepseek-ai/deepseek-v3.1-maas|DeepSeek V3.1|2025-08-28|163840|32768|prt|0.6,1.7
deepseek-ai/deepseek-v3.2-maas|DeepSeek V3.2|2025-12-17|163840|65536|prt|0.56,1.68,0.056
gemini-2.5-flash-lite|Gemini 2.5 Flash-Lite|2025-06-17|1048576|65536|iavprt|0.1,0.4,0.01,,,0.3
gemini-2.5-flash|Gemini 2.5 Flash|2025-06-17|1048576|65536|iavprt|0.3,2.5,0.075,0.383
gemini-2.5-pro|Gemini 2.5 Pro|2025-06-17|1048576|65536|iavprt|1.25,10,0.125;200000:2.5,15,0.25
gemini-3-flash-preview|Gemini 3 Flash Preview|2025-12-17|1048576|65536|iavprt|0.5,3,0.05,,,1
gemini-3.1-flash-lite|Gemini 3.1 Flash Lite|2026-05-07|1048576|65536|iavprt|0.25,1.5,0.025,,,0.5
gemini-3.1-pro-preview|Gemini 3.1 Pro Preview|2026-02-19|1048576|65536|iavprt|2,12,0.2;200000:4,18,0.4
gemini-3.5-flash|Gemini 3.5 Flash|2026-05-19|1048576|65536|iavprt|1.5,9,0.15,,,1.5
meta/llama-3.3-70b-instruct-maas|Llama 3.3 70B Instruct|2025-04-29|128000|8192|t|0.72,0.72
meta/llama-4-maverick-17b-128e-instruct-maas|Llama 4 Maverick 17B 128E Instruct|2025-04-29|524288|8192|it|0.35,1.15
moonshotai/kimi-k2-thinking-maas|Kimi K2 Thinking|2025-11-13|262144|262144|rt|0.6,2.5
openai/gpt-oss-120b-maas|GPT OSS 120B|2025-08-05|131072|32768|rt|0.09,0.36
openai/gpt-oss-20b-maas|GPT OSS 20B|2025-08-05|131072|32768|rt|0.07,0.25
qwen/qwen3-235b-a22b-instruct-2507-maas|Qwen3 235B A22B Instruct|2025-08-13|262144|16384|rt|0.22,0.88
zai-org/glm-4.7-maas|GLM-4.7|2026-01-06|200000|128000|prt|0.6,2.2
zai-org/glm-5-maas|GLM-5|2026-02-11|202752|131072|rt|1,3.2,0.1
`,
  xai: `
models.dev, list price of 2026-07-02
grok-4.20-0309-non-reasoning|Grok 4.20 (Non-Reasoning)|2026-03-09|1000000|30000|ipt|1.25,2.5,0.2;200000:2.5,5,0.4
grok-4.20-0309-reasoning|Grok 4.20 (Reasoning)|2026-03-09|1000000|30000|iprt|1.25,2.5,0.2;200000:2.5,5,0.4
grok-4.20-multi-agent-0309|Grok 4.20 Multi-Agent|2026-03-09|1000000|30000|ipr|1.25,2.5,0.2;200000:2.5,5,0.4
grok-4.3|Grok 4.3|2026-04-17|1000000|30000|iprt|1.25,2.5,0.2;200000:2.5,5,0.4
grok-build-0.1|Grok Build 0.1|2026-04-16|256000|256000|iprt|1,2,0.2;200000:2,4,0.4
`,
  zai: `
models.dev, list price of 2026-07-02
glm-4.5-air|GLM-4.5-Air|2025-07-28|131072|98304|rt|0.2,1.1,0.03
glm-4.5-flash|GLM-4.5-Flash|2025-07-28|131072|98304|rt|
glm-4.5v|GLM-4.5V|2025-08-11|64000|16384|ivrt|0.6,1.8
glm-4.5|GLM-4.5|2025-07-28|131072|98304|rt|0.6,2.2,0.11
glm-4.6v|GLM-4.6V|2025-12-08|128000|32768|ivrt|0.3,0.9
glm-4.6|GLM-4.6|2025-09-30|204800|131072|rt|0.6,2.2,0.11
glm-4.7-flashx|GLM-4.7-FlashX|2026-01-19|200000|131072|rt|0.07,0.4,0.01
glm-4.7-flash|GLM-4.7-Flash|2026-01-19|200000|131072|rt|
glm-4.7|GLM-4.7|2025-12-22|204800|131072|rt|0.6,2.2,0.11
glm-5-turbo|GLM-5-Turbo|2026-03-16|200000|131072|rt|1.2,4,0.24
glm-5.1|GLM-5.1|2026-04-07|200000|131072|rt|1.4,4.4,0.26
glm-5.2|GLM-5.2|2026-06-13|1000000|131072|rt|1.4,4.4,0.26
glm-5v-turbo|GLM-5V-Turbo|2026-04-01|200000|131072|ivprt|1.2,4,0.24
glm-5|GLM-5|2026-02-12|204800|131072|rt|1,3.2,0.2
`,
}
