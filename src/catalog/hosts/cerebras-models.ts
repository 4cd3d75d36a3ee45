/** Models of the host cerebras with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
gpt-oss-120b|GPT OSS 120B|2025-08-05|131072|40960|rt|0.35,0.75,,,,
zai-glm-4.7|Z.AI GLM-4.7|2026-01-07|131072|40960|rt|2.25,2.75,,,,
`
