/**
 * Models of the vendors with their list prices in USD per million tokens, in rows of `model-rows.ts` below the source of the
 * prices that name none; edited by hand.
 */
export const builtinModelRows: Readonly<Record<string, string>> = {
  anthropic: `
models.dev, list price of 2026-07-01
claude-3-opus-20240229|Claude Opus 3|2024-02-29|200000|4096|iptd|15,75,1.5,18.75
claude-3-sonnet-20240229|Claude Sonnet 3|2024-03-04|200000|4096|iptd|3,15,0.3,3.75
claude-3-haiku-20240307|Claude Haiku 3|2024-03-13|200000|4096|iptd|0.25,1.25,0.03,0.3
claude-3-5-sonnet-20240620|Claude Sonnet 3.5|2024-06-20|200000|8192|iptd|3,15,0.3,3.75
claude-3-5-sonnet-20241022|Claude Sonnet 3.5 v2|2024-10-22|200000|8192|iptd|3,15,0.3,3.75
claude-3-7-sonnet-20250219|Claude Sonnet 3.7|2025-02-19|200000|64000|iprtd|3,15,0.3,3.75
claude-opus-4-0|Claude Opus 4 (latest)|2025-05-22|200000|32000|iprt|15,75,1.5,18.75
claude-opus-4-20250514|Claude Opus 4|2025-05-22|200000|32000|iprt|15,75,1.5,18.75
claude-sonnet-4-0|Claude Sonnet 4 (latest)|2025-05-22|200000|64000|iprt|3,15,0.3,3.75
claude-sonnet-4-20250514|Claude Sonnet 4|2025-05-22|200000|64000|iprt|3,15,0.3,3.75
claude-opus-4-1|Claude Opus 4.1 (latest)|2025-08-05|200000|32000|iprt|15,75,1.5,18.75
claude-opus-4-1-20250805|Claude Opus 4.1|2025-08-05|200000|32000|iprt|15,75,1.5,18.75
claude-sonnet-4-5|Claude Sonnet 4.5 (latest)|2025-09-29|200000|64000|iprt|3,15,0.3,3.75
claude-sonnet-4-5-20250929|Claude Sonnet 4.5|2025-09-29|200000|64000|iprt|3,15,0.3,3.75
claude-haiku-4-5|Claude Haiku 4.5 (latest)|2025-10-15|200000|64000|iprt|1,5,0.1,1.25
claude-haiku-4-5-20251001|Claude Haiku 4.5|2025-10-15|200000|64000|iprt|1,5,0.1,1.25
claude-opus-4-5-20251101|Claude Opus 4.5|2025-11-01|200000|64000|iprt|5,25,0.5,6.25
claude-opus-4-5|Claude Opus 4.5 (latest)|2025-11-24|200000|64000|iprt|5,25,0.5,6.25
claude-opus-4-6|Claude Opus 4.6|2026-02-05|1000000|128000|iprt|5,25,0.5,6.25
claude-sonnet-4-6|Claude Sonnet 4.6|2026-02-17|1000000|128000|iprt|3,15,0.3,3.75|source platform.claude.com/docs/en/models/sonnet-4-6/overview, 2026-11
claude-opus-4-7|Claude Opus 4.7|2026-04-16|1000000|128000|iprt|5,25,0.5,6.25
claude-opus-4-8|Claude Opus 4.8|2026-05-28|1000000|128000|iprt|5,25,0.5,6.25
claude-fable-5|Claude Fable 5|2026-06-09|1000000|128000|iprt|10,50,1,12.5
claude-sonnet-5|Claude Sonnet 5|2026-06-30|1000000|128000|iprt|2,10,0.2,2.5|source platform.claude.com/docs/en/models/sonnet-5/overview, 2026-11
claude-opus-5|Claude Opus 5|2026-07-24|1000000|128000|iprt|5,25,0.5,6.25,10|source platform.claude.com/docs/en/about-claude/pricing, 2026-10
claude-opus-5-5|Claude Opus 5.5||1000000|128000|iprt|4,20,0.2,5,8|source platform.claude.com/docs/en/models/opus-5-5/overview, 2026-10
claude-sonnet-5-5|Claude Sonnet 5.5||1000000|128000|iprt|2,10,0.2,2.5,4|source platform.claude.com/docs/en/models/sonnet-5-5/overview, 2026-11|from 2026-10-07 2,10,0.1,2.5,4|source quoted from platform.claude.com/docs/en/about-claude/pricing, 2026-10
claude-fable-5-1|Claude Fable 5.1|2026-09-01|1000000|128000|iprt|10,50,0.25,12.5,20|source platform.claude.com/docs/en/about-claude/pricing, 2026-11
claude-fable-5-2|Claude Fable 5.2|2026-11-09|1000000|128000|iprt|8,40,0.2,10,16|source quoted from platform.claude.com/docs/en/about-claude/pricing, 2026-11
claude-haiku-5-5|Claude Haiku 5.5|2026-10-07|1000000|128000|iprt|0.1,0.5,0.01,0.125,0.2;100000:0.5,2.5,0.05,0.625,1|source platform.claude.com/docs/en/models/haiku-5-5/overview, 2026-11
claude-3-5-haiku-20241022|Claude Haiku 3.5|2024-10-22|200000|8192|iptd|0.8,4,0.08,1|source platform.claude.com/docs/en/about-claude/pricing, 2026-10
`,
  google: `
models.dev, list price of 2026-07-01
gemini-2.0-flash|Gemini 2.0 Flash|2024-12-11|1048576|8192|iavptd|0.1,0.4,0.025,,,0.7
gemini-2.0-flash-lite|Gemini 2.0 Flash-Lite|2024-12-11|1048576|8192|iavptd|0.075,0.3,,,,0.075
gemini-embedding-001|Gemini Embedding 001|2025-05-20|2048||E|0.15,0|formats openai-embeddings,gemini-embeddings|maxInput 204800
gemini-2.5-flash|Gemini 2.5 Flash|2025-06-17|1048576|65536|iavprt|0.3,2.5,0.03,,,1
gemini-2.5-flash-lite|Gemini 2.5 Flash-Lite|2025-06-17|1048576|65536|iavprt|0.1,0.4,0.01,,,0.3
gemini-2.5-pro|Gemini 2.5 Pro|2025-06-17|1048576|65536|iavprt|1.25,10,0.125,,,1.25;200000:2.5,15,0.25,,,2.5
gemini-2.5-flash-image|Nano Banana|2025-08-26|32768|32768|irI|0.3,30,0.075
gemini-flash-latest|Gemini Flash Latest|2025-09-25|1048576|65536|iavprt|0.3,2.5,0.075,,,1
gemini-flash-lite-latest|Gemini Flash-Lite Latest|2025-09-25|1048576|65536|iavprt|0.1,0.4,0.025,,,0.3
gemini-3-pro-preview|Gemini 3 Pro Preview|2025-11-18|1048576|65536|ivaprtd|2,12,0.2,,,2;200000:4,18,0.4,,,4
gemini-3-pro-image-preview|Nano Banana Pro|2025-11-20|131072|32768|irI|2,120
gemini-3-flash-preview|Gemini 3 Flash Preview|2025-12-17|1048576|65536|ivaprt|0.5,3,0.05,,,1
gemini-3.1-pro-preview|Gemini 3.1 Pro Preview|2026-02-19|1048576|65536|ivaprt|2,12,0.2,,,2;200000:4,18,0.4,,,4
gemini-3.1-pro-preview-customtools|Gemini 3.1 Pro Preview Custom Tools|2026-02-19|1048576|65536|ivaprt|2,12,0.2,,,2;200000:4,18,0.4,,,4
gemini-3.1-flash-image-preview|Nano Banana 2|2026-02-26|65536|65536|iprI|0.5,60
gemini-3.1-flash-lite-preview|Gemini 3.1 Flash Lite Preview|2026-03-03|1048576|65536|ivaprtd|0.25,1.5,0.025,,,0.5
gemini-3.1-flash-lite|Gemini 3.1 Flash Lite|2026-05-07|1048576|65536|ivaprt|0.25,1.5,0.025,,,0.5
gemini-3.5-flash|Gemini 3.5 Flash|2026-05-19|1048576|65536|ivaprt|1.5,9,0.15,,,1.5
gemini-3.8-flash|Gemini 3.8 Flash|2026-09-02|1048576|65536|ivaprt|0.75,3.75,0.075,,,0.75|source quoted from ai.google.dev/gemini-api/docs/pricing, 2026-10; introductory until 2026-12-31|from 2027-01-01 1.5,7.5,0.15,,,1.5|source quoted from ai.google.dev/gemini-api/docs/pricing, 2026-10; introductory until 2026-12-31
gemini-3.6-flash|Gemini 3.6 Flash|2026-07-21|1048576|65536|ivaprt|0.75,3.75,0.075,,,0.75|source ai.google.dev/gemini-api/docs/pricing, 2026-10; introductory until 2026-12-31|from 2027-01-01 1.5,7.5,0.15,,,1.5|source ai.google.dev/gemini-api/docs/pricing, 2026-10; introductory until 2026-12-31
gemini-3.7-flash|Gemini 3.7 Flash||1048576|65536|ivaprt|0.75,3.75,0.075,,,0.75|source ai.google.dev/gemini-api/docs/pricing, 2026-10; introductory until 2026-12-31|from 2027-01-01 1.5,7.5,0.15,,,1.5|source ai.google.dev/gemini-api/docs/pricing, 2026-10; introductory until 2026-12-31
gemini-3.5-flash-lite|Gemini 3.5 Flash-Lite||1048576|65536|ivaprt|0.3,2.5,0.03,,,0.3|source quoted from ai.google.dev/gemini-api/docs/pricing, 2026-10
`,
  openai: `
models.dev, list price of 2026-07-01
text-embedding-ada-002|text-embedding-ada-002|2022-12-15|8192||E|0.1,0|formats openai-embeddings|maxInput 300000
gpt-3.5-turbo|GPT-3.5-turbo|2023-03-01|16385|4096||0.5,1.5
gpt-4|GPT-4|2023-11-06|8192|8192|t|30,60
gpt-4-turbo|GPT-4 Turbo|2023-11-06|128000|4096|it|10,30
text-embedding-3-large|text-embedding-3-large|2024-01-25|8191||E|0.13,0|formats openai-embeddings|maxInput 300000
text-embedding-3-small|text-embedding-3-small|2024-01-25|8191||E|0.02,0|formats openai-embeddings|maxInput 300000
gpt-4o|GPT-4o|2024-05-13|128000|16384|ipt|2.5,10,1.25
gpt-4o-2024-05-13|GPT-4o (2024-05-13)|2024-05-13|128000|4096|it|5,15
o3-deep-research|o3-deep-research|2024-06-26|200000|100000|irt|10,40,2.5|formats openai-responses
o4-mini-deep-research|o4-mini-deep-research|2024-06-26|200000|100000|irt|2,8,0.5|formats openai-responses
gpt-4o-mini|GPT-4o mini|2024-07-18|128000|16384|ipt|0.15,0.6,0.075
gpt-4o-2024-08-06|GPT-4o (2024-08-06)|2024-08-06|128000|16384|it|2.5,10,1.25
gpt-4o-2024-11-20|GPT-4o (2024-11-20)|2024-11-20|128000|16384|it|2.5,10,1.25
o1|o1|2024-12-05|200000|100000|iprt|15,60,7.5
o3-mini|o3-mini|2024-12-20|200000|100000|rt|1.1,4.4,0.55
o1-pro|o1-pro|2025-03-19|200000|100000|irt|150,600|formats openai-responses
gpt-4.1|GPT-4.1|2025-04-14|1047576|32768|ipt|2,8,0.5
gpt-4.1-mini|GPT-4.1 mini|2025-04-14|1047576|32768|ipt|0.4,1.6,0.1
gpt-4.1-nano|GPT-4.1 nano|2025-04-14|1047576|32768|it|0.1,0.4,0.025
o3|o3|2025-04-16|200000|100000|iprt|2,8,0.5
o4-mini|o4-mini|2025-04-16|200000|100000|irt|1.1,4.4,0.275
o3-pro|o3-pro|2025-06-10|200000|100000|irt|20,80|formats openai-responses
gpt-5|GPT-5|2025-08-07|400000|128000|irt|1.25,10,0.125|maxInput 272000
gpt-5-chat-latest|GPT-5 Chat (latest)|2025-08-07|400000|128000|ir|1.25,10,0.125|maxInput 272000
gpt-5-mini|GPT-5 Mini|2025-08-07|400000|128000|irt|0.25,2,0.025|maxInput 272000
gpt-5-nano|GPT-5 Nano|2025-08-07|400000|128000|irt|0.05,0.4,0.005|maxInput 272000
gpt-5-codex|GPT-5-Codex|2025-09-15|400000|128000|irt|1.25,10,0.125|formats openai-responses|maxInput 272000
gpt-5-pro|GPT-5 Pro|2025-10-06|400000|272000|irt|15,120|formats openai-responses|maxInput 272000
gpt-5.1|GPT-5.1|2025-11-13|400000|128000|irt|1.25,10,0.125|maxInput 272000
gpt-5.1-chat-latest|GPT-5.1 Chat|2025-11-13|128000|16384|irt|1.25,10,0.125
gpt-5.1-codex|GPT-5.1 Codex|2025-11-13|400000|128000|irt|1.25,10,0.125|formats openai-responses|maxInput 272000
gpt-5.1-codex-max|GPT-5.1 Codex Max|2025-11-13|400000|128000|irt|1.25,10,0.125|formats openai-responses|maxInput 272000
gpt-5.1-codex-mini|GPT-5.1 Codex mini|2025-11-13|400000|128000|irt|0.25,2,0.025|formats openai-responses|maxInput 272000
gpt-5.2|GPT-5.2|2025-12-11|400000|128000|irt|1.75,14,0.175|maxInput 272000
gpt-5.2-chat-latest|GPT-5.2 Chat|2025-12-11|128000|16384|irt|1.75,14,0.175
gpt-5.2-codex|GPT-5.2 Codex|2025-12-11|400000|128000|iprt|1.75,14,0.175|formats openai-responses|maxInput 272000
gpt-5.2-pro|GPT-5.2 Pro|2025-12-11|400000|128000|irt|21,168|formats openai-responses|maxInput 272000
gpt-5.3-codex|GPT-5.3 Codex|2026-02-05|400000|128000|iprt|1.75,14,0.175|formats openai-responses|maxInput 272000
gpt-5.3-codex-spark|GPT-5.3 Codex Spark|2026-02-05|128000|32000|iprt|1.75,14,0.175|formats openai-responses|maxInput 100000
gpt-5.3-chat-latest|GPT-5.3 Chat (latest)|2026-03-03|128000|16384|it|1.75,14,0.175
gpt-5.4|GPT-5.4|2026-03-05|1050000|128000|iprt|2.5,15,0.25;272000:5,22.5,0.5|maxInput 922000
gpt-5.4-pro|GPT-5.4 Pro|2026-03-05|1050000|128000|irt|30,180;272000:60,270|formats openai-responses|maxInput 922000
gpt-5.4-mini|GPT-5.4 mini|2026-03-17|400000|128000|irt|0.75,4.5,0.075|maxInput 272000
gpt-5.4-nano|GPT-5.4 nano|2026-03-17|400000|128000|irt|0.2,1.25,0.02|maxInput 272000
gpt-5.5|GPT-5.5|2026-04-23|1050000|128000|iprt|5,30,0.5;272000:10,45,1|maxInput 922000
gpt-5.5-pro|GPT-5.5 Pro|2026-04-23|1050000|128000|iprt|30,180;272000:60,270|formats openai-responses|maxInput 922000
gpt-6-sol|GPT-6 Sol|2026-09-22|1050000|128000|iprt|2,10,0.2,2.5;272000:4,15,0.4,5|options service_tier:priority=2,service_tier:fast=2,service_tier:flex=0.5|source quoted from developers.openai.com/api/docs/pricing, 2026-10
gpt-6-luna|GPT-6 Luna|2026-09-22|1050000|128000|iprt|0.1,0.5,0.01,0.125;272000:0.2,0.75,0.02,0.25|options service_tier:priority=2,service_tier:fast=2,service_tier:flex=0.5|source quoted from developers.openai.com/api/docs/pricing, 2026-10
gpt-6.1-sol|GPT-6.1 Sol|2026-09-29|1050000|128000|iprt|2,10,0.1,2.5;272000:4,15,0.2,5|options service_tier:priority=2,service_tier:fast=2,service_tier:flex=0.5|source quoted from developers.openai.com/api/docs/models/gpt-6.1-sol, 2026-10|formats openai-responses
gpt-6-astra|GPT-6 Astra|2026-09-03|1050000|128000|iprt|10,50,1,12.5;272000:20,75,2,25|options service_tier:priority=2,service_tier:fast=2,service_tier:flex=0.5|source quoted from developers.openai.com/api/docs/models/gpt-6-astra, 2026-09|formats openai-responses
gpt-6.1-terra|GPT-6.1 Terra|2026-10-26|1050000|128000|iprt|1,5,0.05,1.25;272000:2,7.5,0.1,2.5|options service_tier:priority=2,service_tier:fast=2,service_tier:flex=0.5|source developers.openai.com/api/docs/models/gpt-6.1-terra, 2026-11|formats openai-responses
gpt-6.2-astra|GPT-6.2 Astra|2026-11-17|1050000|128000|iprt|8,40,0.4,10;272000:16,60,0.8,20|options service_tier:priority=2,service_tier:fast=2|source developers.openai.com/api/docs/models, 2026-11|formats openai-responses
gpt-6.2-sol|GPT-6.2 Sol|2026-11-17|1050000|128000|iprt|2,10,0.1,2.5;272000:4,15,0.2,5|options service_tier:priority=2,service_tier:fast=2|source developers.openai.com/api/docs/models/gpt-6.2-sol, 2026-11|formats openai-responses
gpt-5.6|GPT-5.6 Sol|2026-07-09|1050000|128000|iprt|5,30,0.5,6.25;272000:10,45,1,12.5|source developers.openai.com/api/docs/models/gpt-5.6-sol, 2026-11
gpt-5.6-sol|GPT-5.6 Sol|2026-07-09|1050000|128000|iprt|5,30,0.5,6.25;272000:10,45,1,12.5|source developers.openai.com/api/docs/models/gpt-5.6-sol, 2026-11
gpt-5.6-terra|GPT-5.6 Terra|2026-07-09|1050000|128000|iprt|2,12,0.2,2.5;272000:4,18,0.4,5|source developers.openai.com/api/docs/models/gpt-5.6-terra, 2026-11
gpt-5.6-luna|GPT-5.6 Luna|2026-07-09|1050000|128000|iprt|0.2,1.2,0.02,0.25;272000:0.4,1.8,0.04,0.5|source developers.openai.com/api/docs/models/gpt-5.6-luna, 2026-11
gpt-audio|GPT Audio||128000|16384|atA|2.5,10,,,,32,64|options modality:audio=1|source developers.openai.com/api/docs/pricing, 2026-10
gpt-audio-mini|GPT Audio Mini||128000|16384|atA|0.6,2.4,,,,10,20|options modality:audio=1|source developers.openai.com/api/docs/pricing, 2026-10
gpt-4o-audio-preview|GPT-4o Audio||128000|16384|atdA|2.5,10,,,,40,80|options modality:audio=1|source developers.openai.com/api/docs/models/gpt-4o-audio-preview, 2026-11
gpt-4o-mini-audio-preview|GPT-4o Mini Audio||128000|16384|atdA|0.15,0.6,,,,10,20|options modality:audio=1|source developers.openai.com/api/docs/pricing, 2026-10
gpt-4o-search-preview|GPT-4o Search Preview|2025-03-12|128000|16384||2.5,10|options web_search_options=1|fees request=0.025|source developers.openai.com/api/docs/pricing (web search preview), 2026-10
gpt-4o-mini-search-preview|GPT-4o Mini Search Preview|2025-03-12|128000|16384||0.15,0.6|options web_search_options=1|fees request=0.025|source developers.openai.com/api/docs/pricing (web search preview), 2026-10
`,
}
