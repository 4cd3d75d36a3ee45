/** Models of the host fireworks with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
accounts/fireworks/models/deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.14,0.28,0.028,,,
accounts/fireworks/models/deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1000000|384000|rt|1.74,3.48,0.145,,,
accounts/fireworks/models/glm-5p1|GLM 5.1|2026-04-01|202800|131072|rt|1.4,4.4,0.26,,,
accounts/fireworks/models/glm-5p2|GLM 5.2|2026-06-16|1048575|131072|rt|1.4,4.4,0.26,,,
accounts/fireworks/models/gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|32768|rt|0.15,0.6,0.015,,,
accounts/fireworks/models/gpt-oss-20b|GPT OSS 20B|2025-08-05|131072|32768|rt|0.07,0.3,0.035,,,
accounts/fireworks/models/kimi-k2p6|Kimi K2.6|2026-04-17|262000|262000|irt|0.95,4,0.16,,,
accounts/fireworks/models/kimi-k2p7-code|Kimi K2.7 Code|2026-06-12|262000|262000|irt|0.95,4,0.19,,,
accounts/fireworks/models/minimax-m2p7|MiniMax-M2.7|2026-04-12|196608|196608|rt|0.3,1.2,0.06,,,
accounts/fireworks/models/minimax-m3|MiniMax-M3|2026-06-12|512000|512000|rt|0.3,1.2,0.06,,,
accounts/fireworks/models/qwen3p7-plus|Qwen 3.7 Plus|2026-06-12|262144|65536|irt|0.4,1.6,0.08,,,
accounts/fireworks/routers/glm-5p1-fast|GLM 5.1 Fast|2026-04-01|202800|131072|rt|2.8,8.8,0.52,,,
accounts/fireworks/routers/glm-5p2-fast|GLM 5.2 Fast|2026-06-26|1048575|131072|rt|2.1,6.6,0.21,,,
accounts/fireworks/routers/kimi-k2p6-fast|Kimi K2.6 Fast|2026-04-17|262000|262000|irt|2,8,0.3,,,
accounts/fireworks/routers/kimi-k2p6-turbo|Kimi K2.6 Turbo|2026-04-17|262000|262000|irt|2,8,0.3,,,
accounts/fireworks/routers/kimi-k2p7-code-fast|Kimi K2.7 Code Fast|2026-06-12|262000|262000|irt|1.9,8,0.38,,,
`
