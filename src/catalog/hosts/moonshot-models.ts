/** Models of the host moonshot with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
kimi-k2-0711-preview|Kimi K2 0711|2025-07-14|131072|16384|t|0.6,2.5,0.15,,,
kimi-k2-0905-preview|Kimi K2 0905|2025-09-05|262144|262144|t|0.6,2.5,0.15,,,
kimi-k2-thinking-turbo|Kimi K2 Thinking Turbo|2025-11-06|262144|262144|rt|1.15,8,0.15,,,
kimi-k2-thinking|Kimi K2 Thinking|2025-11-06|262144|262144|rt|0.6,2.5,0.15,,,
kimi-k2-turbo-preview|Kimi K2 Turbo|2025-09-05|262144|262144|t|2.4,10,0.6,,,
kimi-k2.5|Kimi K2.5|2026-01|262144|262144|ivrt|0.6,3,0.1,,,
kimi-k2.6|Kimi K2.6|2026-04-21|262144|262144|ivrt|0.95,4,0.16,,,
kimi-k2.7-code-highspeed|Kimi K2.7 Code HighSpeed|2026-06-12|262144|262144|ivrt|1.9,8,0.38,,,
kimi-k2.7-code|Kimi K2.7 Code|2026-06-12|262144|262144|ivrt|0.95,4,0.19,,,
`
