/** Models of the host deepseek with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
deepseek-flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.3,1.2,0.006,,,
deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.3,1.2,0.006,,,
deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1000000|384000|rt|1.32,3.96,0.044,,,
`
