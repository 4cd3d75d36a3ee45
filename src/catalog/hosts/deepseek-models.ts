/** Models of the host deepseek with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
deepseek-flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.15,0.6,0.003,,,;@Mon-Fri 01:00-04:00,Mon-Fri 06:00-10:00=0.3,1.2,0.006,,,
deepseek-v4-flash|DeepSeek V4 Flash|2026-04-24|1000000|384000|rt|0.15,0.6,0.003,,,;@Mon-Fri 01:00-04:00,Mon-Fri 06:00-10:00=0.3,1.2,0.006,,,
deepseek-v4-pro|DeepSeek V4 Pro|2026-04-24|1000000|384000|rt|0.66,1.98,0.022,,,;@Mon-Fri 01:00-04:00,Mon-Fri 06:00-10:00=1.32,3.96,0.044,,,
`
export const source = 'api-docs.deepseek.com/quick_start/pricing, 2026-11'
