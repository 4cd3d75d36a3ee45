/** Models of the host minimax with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
MiniMax-M2.1|MiniMax-M2.1|2025-12-23|204800|131072|rt|0.3,1.2,,,,
MiniMax-M2.5-highspeed|MiniMax-M2.5-highspeed|2026-02-13|204800|131072|rt|0.6,2.4,0.06,0.375,,
MiniMax-M2.5|MiniMax-M2.5|2026-02-12|204800|131072|rt|0.3,1.2,0.03,0.375,,
MiniMax-M2.7-highspeed|MiniMax-M2.7-highspeed|2026-03-18|204800|131072|rt|0.6,2.4,0.06,0.375,,
MiniMax-M2.7|MiniMax-M2.7|2026-03-18|204800|131072|rt|0.3,1.2,0.06,0.375,,
MiniMax-M2|MiniMax-M2|2025-10-27|196608|128000|rt|0.3,1.2,,,,
MiniMax-M3|MiniMax-M3|2026-06-01|1000000|128000|ivrt|0.3,1.2,0.06,,,;512000:0.6,2.4,0.12,,,
`
