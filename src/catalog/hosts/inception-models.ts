/** Models of the host inception with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
mercury-2|Mercury 2|2026-02-24|128000|50000|rt|0.25,0.75,0.025,,,
mercury-edit-2|Mercury Edit 2|2026-03-30|128000|8192|r|0.25,0.75,0.025,,,
`
