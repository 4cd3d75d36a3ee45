/** Models of the host cohere with its list prices, read from models.dev on 2026-07-02; written by scripts/host-models.js. */
export const models = `
command-a-03-2025|Command A|2025-03-13|256000|8000|t|2.5,10,,,,
command-a-plus-05-2026|Command A Plus|2026-05-20|128000|64000|irt|2.5,10,,,,
command-a-reasoning-08-2025|Command A Reasoning|2025-08-21|256000|32000|rt|2.5,10,,,,
command-a-translate-08-2025|Command A Translate|2025-08-28|8000|8000|t|2.5,10,,,,
command-a-vision-07-2025|Command A Vision|2025-07-31|128000|8000|i|2.5,10,,,,
command-r-08-2024|Command R|2024-08-30|128000|4000|t|0.15,0.6,,,,
command-r-plus-08-2024|Command R+|2024-08-30|128000|4000|t|2.5,10,,,,
command-r7b-12-2024|Command R7B|2024-12-02|128000|4000|t|0.0375,0.15,,,,
command-r7b-arabic-02-2025|Command R7B Arabic|2025-02-27|128000|4000|t|0.0375,0.15,,,,
north-mini-code-1-0|North Mini Code|2026-06-09|256000|64000|rt|
`
