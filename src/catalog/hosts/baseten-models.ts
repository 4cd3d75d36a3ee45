/** Models of the host baseten with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
deepseek-ai/DeepSeek-V4-Pro|Deepseek V4 Pro|2026-04-24|262144|262144|rt|1.74,3.48,0.145,,,
moonshotai/Kimi-K2.5|Kimi K2.5|2026-01-30|262000|262000|irt|0.6,3,0.12,,,
moonshotai/Kimi-K2.6|Kimi K2.6|2026-04-21|262000|262000|irt|0.95,4,0.16,,,
moonshotai/Kimi-K2.7-Code|Kimi K2.7 Code|2026-06-12|262000|262000|irt|0.95,4,0.16,,,
nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B|Nemotron Ultra|2026-06-04|202800|202800|rt|0.6,2.4,0.12,,,
nvidia/Nemotron-120B-A12B|Nemotron Super|2026-03-11|202800|202800|rt|0.3,0.75,0.06,,,
openai/gpt-oss-120b|OpenAI GPT 120B|2025-08-05|128072|128072|rt|0.1,0.5,,,,
zai-org/GLM-4.7|GLM 4.7|2025-12-22|200000|200000|rt|0.6,2.2,0.12,,,
zai-org/GLM-5.1|GLM 5.1|2026-04-07|202800|202800|rt|1.3,4.3,0.26,,,
zai-org/GLM-5.2|GLM 5.2|2026-06-13|202720|202720|rt|1.4,4.4,0.3,,,
zai-org/GLM-5|GLM 5|2026-02-12|202800|202800|rt|0.95,3.15,0.2,,,
`
