/** Models of the host vertex with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
claude-haiku-4-5@20251001|Claude Haiku 4.5|2025-10-15|200000|64000|iprt|1,5,0.1,1.25,2,
claude-opus-4-5@20251101|Claude Opus 4.5|2025-11-01|200000|64000|iprt|5,25,0.5,6.25,10,
claude-opus-4-6@default|Claude Opus 4.6|2026-02-05|1000000|128000|iprt|5,25,0.5,6.25,10,;200000:10,37.5,1,12.5,20,
claude-opus-4-7@default|Claude Opus 4.7|2026-04-16|1000000|128000|iprt|5,25,0.5,6.25,10,;200000:10,37.5,1,12.5,20,
claude-opus-4-8@default|Claude Opus 4.8|2026-05-28|1000000|128000|iprt|5,25,0.5,6.25,10,;200000:10,37.5,1,12.5,20,
claude-sonnet-4-5@20250929|Claude Sonnet 4.5|2025-09-29|200000|64000|iprt|3,15,0.3,3.75,6,
claude-sonnet-4-6@default|Claude Sonnet 4.6|2026-02-17|1000000|128000|iprt|3,15,0.3,3.75,6,;200000:6,22.5,0.6,7.5,12,
claude-sonnet-5@default|Claude Sonnet 5|2026-06-30|1000000|128000|iprt|2,10,0.2,2.5,4,
deepseek-ai/deepseek-v3.1-maas|DeepSeek V3.1|2025-08-28|163840|32768|prt|0.6,1.7,,,,
deepseek-ai/deepseek-v3.2-maas|DeepSeek V3.2|2025-12-17|163840|65536|prt|0.56,1.68,0.056,,,
gemini-2.5-flash-lite|Gemini 2.5 Flash-Lite|2025-06-17|1048576|65536|iavprt|0.1,0.4,0.01,,,0.3
gemini-2.5-flash|Gemini 2.5 Flash|2025-06-17|1048576|65536|iavprt|0.3,2.5,0.075,0.383,,
gemini-2.5-pro|Gemini 2.5 Pro|2025-06-17|1048576|65536|iavprt|1.25,10,0.125,,,;200000:2.5,15,0.25,,,
gemini-3-flash-preview|Gemini 3 Flash Preview|2025-12-17|1048576|65536|iavprt|0.5,3,0.05,,,1
gemini-3.1-flash-lite|Gemini 3.1 Flash Lite|2026-05-07|1048576|65536|iavprt|0.25,1.5,0.025,,,0.5
gemini-3.1-pro-preview|Gemini 3.1 Pro Preview|2026-02-19|1048576|65536|iavprt|2,12,0.2,,,;200000:4,18,0.4,,,
gemini-3.5-flash|Gemini 3.5 Flash|2026-05-19|1048576|65536|iavprt|1.5,9,0.15,,,1.5
meta/llama-3.3-70b-instruct-maas|Llama 3.3 70B Instruct|2025-04-29|128000|8192|t|0.72,0.72,,,,
meta/llama-4-maverick-17b-128e-instruct-maas|Llama 4 Maverick 17B 128E Instruct|2025-04-29|524288|8192|it|0.35,1.15,,,,
moonshotai/kimi-k2-thinking-maas|Kimi K2 Thinking|2025-11-13|262144|262144|rt|0.6,2.5,,,,
openai/gpt-oss-120b-maas|GPT OSS 120B|2025-08-05|131072|32768|rt|0.09,0.36,,,,
openai/gpt-oss-20b-maas|GPT OSS 20B|2025-08-05|131072|32768|rt|0.07,0.25,,,,
qwen/qwen3-235b-a22b-instruct-2507-maas|Qwen3 235B A22B Instruct|2025-08-13|262144|16384|rt|0.22,0.88,,,,
zai-org/glm-4.7-maas|GLM-4.7|2026-01-06|200000|128000|prt|0.6,2.2,,,,
zai-org/glm-5-maas|GLM-5|2026-02-11|202752|131072|rt|1,3.2,0.1,,,
`
