/**
 * Requests of each format in the neutral form: every kind of turn, reasoning of every vendor, tools, settings and what is named for
 * the policy; and what cannot be read. That every row of the policies is found is in test/conformance/translation-policy.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  briefTool,
  briefTurns,
  bytesOf,
  limits,
  type Members,
  nowhere,
  rejection,
  textCases,
} from '../../test/support/neutral-values.ts'
import { codecs } from '../../test/support/wire-formats.ts'
import type { ConversationFormat } from './format-names.ts'
import { jsonSchemaOf } from './gemini/decode-request-schema.ts'
import { RawJson } from './json/text.ts'
import type { Conversation } from './translation/neutral.ts'

const hi = [{ role: 'user', parts: [{ text: 'hi' }] }]
/** Requests that only say hi. */
const base: Readonly<Record<ConversationFormat, Members>> = {
  'openai-chat': { model: 'm', messages: [{ role: 'user', content: 'hi' }] },
  'openai-responses': { model: 'm', input: 'hi' },
  anthropic: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] },
  gemini: { contents: hi },
}

function decode(format: ConversationFormat, body: unknown): Conversation {
  const address = format === 'gemini' ? { model: 'm', stream: false } : nowhere
  return codecs[format].decodeRequest(bytesOf(body), limits, address)
}

/** Without members that say nothing; of echoed settings only their names. */
function compact(name: string, value: unknown): unknown {
  if (value instanceof RawJson) return `raw ${value.text}`
  if (name === 'echo') return (value as Conversation['responseOptions']['echo']).map(([echoed]) => echoed)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null && one !== undefined))
}

/** The differences between the conversation and one that only says hi. */
function summary(format: ConversationFormat, members: Members): string {
  const [found, usual] = [decode(format, { ...base[format], ...members }), decode(format, base[format])]
  const { turns: _, tools, fields, responseOptions, ...settings } = found
  const { tools: __, ...options } = responseOptions
  const { tools: ___, ...usualOptions } = usual.responseOptions
  const before: Members = { ...usual, options: usualOptions }
  const differs = Object.entries({ ...settings, options })
    .map(([name, value]) => [name, JSON.stringify(value, compact), JSON.stringify(before[name], compact)])
    .filter(([, value, was]) => value !== was)
  const turns = briefTurns(found).join(' / ')
  const usualFields = usual.fields.map(({ name }) => name)
  const named = fields
    .filter(({ name }) => !usualFields.includes(name))
    .map(({ name, pointer }) => (name === pointer ? name : `${name} at ${pointer}`))
  return [
    ...(turns === briefTurns(usual).join(' / ') ? [] : [turns]),
    ...tools.map((tool) => `tool ${briefTool(tool)}`),
    ...differs.map(([name, value]) => `${name}=${value}`),
    ...(named.length === 0 ? [] : [`fields ${named.join(', ')}`]),
  ].join('; ')
}

const messages = (role: string, content: unknown) => ({ messages: [{ role, content }] })
const namespace = {
  type: 'namespace',
  name: 'n',
  tools: ['x', 'y'].map((name) => ({ type: 'function', name })),
}
/** Turns the input of a case into members of a request. */
const sections: Readonly<Record<string, (input: unknown) => Members>> = {
  'anthropic user': (content) => messages('user', content),
  'anthropic assistant': (content) => messages('assistant', content),
  'openai-chat messages': (all) => ({ messages: all }),
  'openai-responses input': (input) => ({ input }),
  'openai-responses choice': (choice) => ({
    ...{ tools: [{ type: 'function', name: 'f' }, namespace], tool_choice: choice },
  }),
  'gemini user': (parts) => ({ contents: [{ role: 'user', parts }] }),
  'gemini model': (parts) => ({ contents: [...hi, { role: 'model', parts }] }),
  'gemini config': (generationConfig) => ({ generationConfig }),
}

const cases = textCases(String.raw`
# anthropic user
text: [{"type":"text","text":"x","cache_control":{"type":"ephemeral","ttl":"1h"}}]
  user | x ~1h; fields messages[].content[].cache_control at messages[0].content[0].cache_control
cited text: [{"type":"text","text":"x","citations":[{"type":"char_location","cited_text":"y","document_title":"z","document_index":0}]}]
  user | x [null z y]
a picture: [{"type":"image","source":{"type":"base64","media_type":"image/PNG","data":"aG\nk="}}]
  user | image base64 image/png aGk=
a picture elsewhere: [{"type":"image","source":{"type":"url","url":"https://a.example/b"}}]
  user | image url https://a.example/b
a PDF: [{"type":"document","title":"t","source":{"type":"base64","media_type":"application/pdf","data":"aGk="}}]
  user | document base64 application/pdf aGk= title=t
a PDF elsewhere: [{"type":"document","source":{"type":"url","url":"https://a.example/b"}}]
  user | document url application/pdf https://a.example/b
a text document: [{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a b"}}]
  user | document text a b
a document of blocks: [{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}}]
  user | document text a\n\nb
a document of a string: [{"type":"document","source":{"type":"content","content":"a"}}] => user | document text a
a search result: [{"type":"search_result","title":"T","source":"https://a.example","content":[{"type":"text","text":"x"}]}]
  user | T\nhttps://a.example\n\nx
what ran at the provider: [{"type":"web_search_tool_result","tool_use_id":"x","content":[]}]
  user | other web_search_tool_result messages[0].content[0]
a summary: [{"type":"compaction","content":"So far."}] => user | So far.
a summary of nothing: [{"type":"compaction","content":null}] => user | other compaction messages[0].content[0]
a document with an image: [{"type":"document","source":{"type":"content","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"https://a.example/b"}}]}}]
  user | a | image url https://a.example/b
text before a document: [{"type":"document","source":{"type":"text","data":"a"},"context":"c"}]
  user | c | document text a; fields messages[].content[].context at messages[0].content[0].context
a result with what a search found, and what is named behind it: [{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"https://a.example/b"}},{"type":"tool_reference","tool_name":"look"},{"type":"browser_state","tabs":[]}]}]
  user | result a [a, image url https://a.example/b, Tool: look] | other browser_state messages[0].content[0].content[3]
rejected: [{"type":"text"}] => invalid_value messages[0].content[0]
rejected: [{"type":"image"}] => invalid_value messages[0].content[0]
rejected: [{"type":"image","source":{}}] => invalid_value messages[0].content[0].source
rejected: [{"type":"tool_result"}] => invalid_value messages[0].content[0]
# anthropic assistant
encrypted: its own: [{"type":"thinking","thinking":"t","signature":"sig"}] => assistant | thinks t anthropic:sig
encrypted: its own without text: [{"type":"thinking","thinking":"","signature":"sig"}]
  assistant | thinks  anthropic:sig
encrypted: redacted: [{"type":"redacted_thinking","data":"sig"}] => assistant | hidden  anthropic:sig
encrypted: of another vendor: [{"type":"thinking","thinking":"t","signature":"tg1.openai.cnNfMS5lbmMc22d"}]
  assistant | thinks t openai:rs_1.enc
encrypted: of nobody: [{"type":"thinking","thinking":"t","signature":""}] => assistant | thinks t
encrypted: damaged: [{"type":"thinking","thinking":"t","signature":"tg1.google.UjA5UFJ3Pxxxxxx"},{"type":"tool_use","id":"a","name":"f","input":{}}]
  assistant | call a f {}
encrypted: with text before a call: [{"type":"thinking","thinking":"t","signature":"tg1.google.UjA5UFJ3PT077km"},{"type":"tool_use","id":"a","name":"f","input":{}}]
  assistant | thinks t google:R09PRw== | call a f {}
encrypted: in the id: [{"type":"tool_use","id":"a_tg1_W1syLCJSMDlQUnc9PSJdLFtdXQesh4","name":"f","input":{}}]
  assistant | call a f {} google:R09PRw==
encrypted: in the ID, whatever precedes the call: [{"type":"thinking","thinking":"t","signature":"tg1.openai.cnNfMS5lbmMc22d"},{"type":"tool_use","id":"a_tg1_W1syLCJSMDlQUnc9PSJdLFtdXQesh4","name":"f","input":{}}]
  assistant | thinks t openai:rs_1.enc | call a f {} google:R09PRw==
encrypted: another vendor before a call: [{"type":"thinking","thinking":"","signature":"tg1.openai.cnNfMS5lbmMc22d"},{"type":"tool_use","id":"a","name":"f","input":{}}]
  assistant | thinks  openai:rs_1.enc | call a f {}
reasoning in an ID: [{"type":"tool_use","id":"a_tg1_W251bGwsW1tbMSwicnNfMS5lbmMiXSwidCIsMF1dXQydtv","name":"f","input":{}}]
  assistant | thinks t openai:rs_1.enc | call a f {}
reasoning in an ID and before it: [{"type":"thinking","thinking":"t","signature":"tg1.openai.cnNfMS5lbmMc22d"},{"type":"tool_use","id":"a_tg1_W251bGwsW1tbMSwicnNfMS5lbmMiXSwidCIsMF1dXQydtv","name":"f","input":{}}]
  assistant | thinks t openai:rs_1.enc | call a f {}
# anthropic
the ID in a result: {"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a_tg1_W251bGwsW1tbMSwicnNfMS5lbmMiXSwidCIsMF1dXQydtv","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a_tg1_W251bGwsW1tbMSwicnNfMS5lbmMiXSwidCIsMF1dXQydtv"}]}]}
  assistant | thinks t openai:rs_1.enc | call a f {} / user | result a []
thinking: {"thinking":{"type":"disabled"}} => reasoning={"effort":"none","budget":0}; fields thinking
thinking: {"thinking":{"type":"disabled"},"output_config":{"effort":"high"}}
  reasoning={"effort":"none","budget":0}; fields thinking, output_config.effort
thinking: {"thinking":{"type":"enabled","budget_tokens":2000}} => reasoning={"budget":2000}; fields thinking
thinking: {"thinking":{"type":"adaptive"}} => reasoning={"budget":-1}; fields thinking
thinking: {"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"max"}}
  reasoning={"effort":"max","summaries":true}; fields thinking, output_config.effort, thinking.display
thinking: {"thinking":{"type":"between_tools"}} => reasoning={"effort":"low"}; fields thinking
thinking: {"output_config":{"effort":"medium"}} => reasoning={"effort":"medium"}; fields output_config.effort
a choice: {"tool_choice":{"type":"auto"}} => toolChoice={"kind":"auto"}; fields tool_choice
a choice: {"tool_choice":{"type":"any","disable_parallel_tool_use":true}}
  toolChoice={"kind":"required"}; parallelCalls=false; fields tool_choice, tool_choice.disable_parallel_tool_use
a choice: {"tool_choice":{"type":"tool","name":"f"}} => toolChoice={"kind":"one","name":"f"}; fields tool_choice
a choice: {"tool_choice":{"type":"none"}} => toolChoice={"kind":"none"}; fields tool_choice
a form: {"output_config":{"format":{"type":"json_schema","schema":{"type":"object"}}}}
  format={"kind":"schema","schema":"raw {\"type\":\"object\"}"}; fields output_config.format
the older form: {"output_format":{"schema":{"type":"object"}}}
  format={"kind":"schema","schema":"raw {\"type\":\"object\"}"}; fields output_format
a tool in the middle: {"messages":[{"role":"user","content":"Hello."},{"role":"system","content":[{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"late","input_schema":{}}}}]}]}
  user | Hello.; tool late {}
settings: {"temperature":0.5,"top_p":1,"top_k":4,"stop_sequences":["","a"],"metadata":{"user_id":"u"},"max_tokens":5,"stream":true}
  stream=true; outputLimit=5; sampling={"temperature":"0.5","topP":"1","topK":"4"}; stops=["","a"]; user="u"; fields temperature, top_p, top_k, stop_sequences, metadata.user_id
settings without an effect: {"tools":[],"stop_sequences":[],"service_tier":"auto","speed":null,"inference_geo":"global","metadata":{},"thinking":null}
  
unknown fields: {"unheard_of":1,"metadata":{"other":2}} => fields unheard_of, metadata.other
rejected: {"max_tokens":0} => untranslatable max_tokens
rejected: {"tools":[{"type":"bash_20250124","name":"bash"}]} => untranslatable tools[0]
rejected: {"tools":[{"type":"computer_toolset_20260801","name":"computer"}]} => untranslatable tools[0]
rejected: {"tools":[{"input_schema":{}}]} => invalid_value tools[0]
rejected: {"tool_choice":{"type":"tool"}} => invalid_value tool_choice
rejected: {"thinking":{"type":"on"}} => invalid_value thinking
rejected: {"output_config":{"effort":"huge"}} => invalid_value output_config.effort
rejected: {"messages":[{"role":"tool","content":"x"}]} => invalid_value messages[0].role
rejected: {"messages":[{"content":"x"}]} => invalid_value messages[0]
rejected: {"temperature":"hot"} => invalid_value temperature
rejected: {"stop_sequences":[1]} => invalid_value stop_sequences[0]
# openai-chat messages
a developer is the system: [{"role":"developer","content":"a"},{"role":"system","content":[{"type":"text","text":"b"}]}]
  system | a / system | b
empty text says nothing: [{"role":"system","content":""},{"role":"user","content":[{"type":"text","text":""}]},{"role":"assistant","content":null}]
  user
late instructions keep their place: [{"role":"user","content":"hi"},{"role":"system","content":"late"},{"role":"user","content":"hi"}]
  user | hi / system | late / user | hi
text, then calls, then results as they come: [{"role":"assistant","content":"so","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"b","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]},{"role":"tool","tool_call_id":"a","content":""}]
  assistant | so | call a f {} | call b g {} / user | result b [x, y] / user | result a []
arguments that a client sends as an object stay its text: [{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"f","arguments":{"b":1}}}]}]
  assistant | call a f {"b":1}
free text: [{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"c","input":"x"}}]}]
  assistant | call a c "x"
ids that a client leaves out are made from the place, and found again in order: [{"role":"assistant","tool_calls":[{"id":"","type":"function","function":{"name":"f","arguments":"{}"}},{"type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"","content":"x"},{"role":"tool","content":"y"}]
  assistant | call call_0_0 f {} | call call_0_1 f {} / user | result call_0_0 [x] / user | result call_0_1 [y]
the oldest form: [{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"x"}]
  assistant | call call_function_0 f {} / user | result call_function_0 [x]
a refusal, as a field and as a part: [{"role":"assistant","content":null,"refusal":"no"},{"role":"assistant","content":[{"type":"refusal","refusal":"no"}]}]
  assistant | refuses no / assistant | refuses no
thoughts that a client echoes: [{"role":"assistant","reasoning_content":"hm","content":"so"},{"role":"assistant","reasoning":"hm","content":"so"}]
  assistant | thinks hm | so / assistant | thinks hm | so
details come before the one text of them all: [{"role":"assistant","content":"so","reasoning_content":"all","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"tg1.anthropic.c2lnzuit"},{"type":"reasoning.encrypted","data":"tg1.anthropic.c2lnzuit"},{"type":"reasoning.summary","summary":"sum","signature":"tg1.openai.cnNfMS5lbmMc22d"},{"type":"reasoning.encrypted","data":"tg1.openai.cnNfMi5loqci"},{"type":"reasoning.text","text":"cut","signature":"tg1.anthropic.c2lnzuitx"},{"type":"reasoning.text","text":"foreign","signature":"x"},{"type":"reasoning.encrypted","data":"foreign"}]}]
  assistant | thinks hm anthropic:sig | thinks sum openai:rs_1.enc | thinks  openai:rs_2.e | thinks foreign | so
a mark in an id gives the thoughts and the encrypted, once: [{"role":"assistant","content":"so","reasoning_content":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"tg1.anthropic.c2lnzuit"}],"tool_calls":[{"id":"a_tg1_W1syLCJSMDlQUnc9PSJdLFtbWzAsInNpZyJdLCJobSIsMF1dXQ61k1","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"other"}}}]},{"role":"tool","tool_call_id":"a_tg1_W1syLCJSMDlQUnc9PSJdLFtbWzAsInNpZyJdLCJobSIsMF1dXQ61k1","content":"x"}]
  assistant | thinks hm anthropic:sig | so | call a f {} google:R09PRw== / user | result a [x]
thoughts between calls stand where they were: [{"role":"assistant","reasoning_details":[{"type":"reasoning.text","text":"one","signature":"tg1.anthropic.MQm7ze"},{"type":"reasoning.text","text":"two","signature":"tg1.anthropic.Mgt7pi"}],"tool_calls":[{"id":"a_tg1_W251bGwsW1tbMCwiMSJdLCJvbmUiLDBdXV0x7er","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b_tg1_W251bGwsW1tbMCwiMiJdLCJ0d28iLDBdXV0qqpg","type":"function","function":{"name":"f","arguments":"{}"}}]}]
  assistant | thinks one anthropic:1 | call a f {} | thinks two anthropic:2 | call b f {}
a damaged mark is cut off: [{"role":"assistant","tool_calls":[{"id":"a_tg1_Wxyz","type":"function","function":{"name":"f","arguments":"{}"}}]}]
  assistant | call a f {}
Google’s field, plain, tagged and damaged: [{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"R09PRw=="}}}]},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"dGcxLmdvb2dsZS5VakE1VUZKM1BUMDc3a20="}}}]},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"},"extra_content":{"google":{"thought_signature":"dGcxLmdvb2dsZS5VakE1VUZKM1BUMDc3a214"}}}]},{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}],"extra_content":{"google":{"thought_signature":"R09PRw=="}}},{"role":"assistant","content":"x","extra_content":{"google":{"thought_signature":"R09PRw=="}}}]
  assistant | call a f {} google:R09PRw== / assistant | call a f {} google:R09PRw== / assistant | call a f {} / assistant | call a f {} google:R09PRw== | call b f {} / assistant | x | thinks  google:R09PRw==
blocks of Messages: [{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"thinking","thinking":"","signature":"tg1.openai.cnNfMS5lbmMc22d"},{"type":"redacted_thinking","data":"red"},{"type":"text","text":"so"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1}},{"type":"server_tool_use","id":"s","name":"web_search","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"bad"},{"type":"image","source":{"type":"base64","media_type":"image/jpg","data":"AA\nAA"}}],"cache_control":{"type":"ephemeral","ttl":"1h"}},{"type":"text","text":"go on","cache_control":{"type":"ephemeral"}},{"type":"document","title":"T","source":{"type":"text","data":"body"}},{"type":"document","source":{"type":"url","url":"https://a/b.pdf"}},{"type":"document","source":{"type":"content","content":[{"type":"text","text":"inner"}]}},{"type":"search_result","title":"S","source":"https://s","content":[{"type":"text","text":"found"}]}]}]
  assistant | thinks hm anthropic:sig | thinks  openai:rs_1.enc | hidden  anthropic:red | so | call toolu_1 f {"a":1} | other server_tool_use messages[0].content[5] / user | result toolu_1 [bad, image base64 image/jpeg AAAA] error ~1h | go on ~5m | document text body title=T | document url https://a/b.pdf | inner | S\nhttps://s\nfound; fields messages[].content[].cache_control at messages[1].content[0].cache_control, messages[].content[].cache_control at messages[1].content[1].cache_control
media in every spelling: [{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}},{"type":"image_url","image_url":"https://a/b.png"},{"type":"image_url","image_url":{"url":"data:application/pdf;base64,AAAA"}},{"type":"image_url","image_url":{"url":"data:audio/wav;base64,AAAA"}},{"type":"image_url","image_url":{"url":"data:text/plain,a%20b"}},{"type":"input_image","image_url":"DATA:IMAGE/JPG;charset=utf-8;BASE64,AA%2BA"},{"type":"input_audio","input_audio":{"data":"AAAA","format":"mp3"}},{"type":"audio_url","audio_url":{"url":"https://a/b.wav"}},{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA","filename":"a.pdf"}},{"type":"file","file":{"file_data":"AAAA"}},{"type":"file","file":{"file_data":"data:text/plain;base64,cGxhaW4="}},{"type":"file","file":{"file_data":"data:text/plain,a%20b"}},{"type":"input_file","file_url":"https://a/b.pdf"},{"type":"text","text":"x","prompt_cache_breakpoint":{"mode":"explicit"}}]}]
  user | image base64 image/png AAAA detail=low | image url https://a/b.png | document base64 application/pdf AAAA | audio base64 audio/wav AAAA | document text a b | image base64 image/jpeg AA+A | audio base64 audio/mp3 AAAA | audio url https://a/b.wav | document base64 application/pdf AAAA title=a.pdf | document base64 application/pdf AAAA | document text plain | document text a b | document url https://a/b.pdf | x ~5m; fields messages[].content[].image_url.detail at messages[0].content[0].image_url.detail, messages[].content[].input_audio at messages[0].content[6].input_audio, messages[].content[].prompt_cache_breakpoint at messages[0].content[13].prompt_cache_breakpoint
a mark on a message is one on its last part: [{"role":"user","content":"hi","cache_control":{"type":"ephemeral","ttl":"1h"}}]
  user | hi ~1h; fields messages[].cache_control at messages[0].cache_control
thinking in parts, as hosts have it: [{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"so"}]}]
  assistant | thinks hm | so
rejected: "x" => invalid_value messages
rejected: [{"content":"x"}] => invalid_value messages[0]
rejected: [{"role":"model","content":"x"}] => invalid_value messages[0].role
rejected: [{"role":"user","content":[7]}] => invalid_value messages[0].content[0]
rejected: [{"role":"user","content":[{"type":"hologram"}]}] => untranslatable messages[0].content[0]
rejected: [{"role":"user","content":[{"type":"text"}]}] => invalid_value messages[0].content[0]
rejected: [{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"x"}}]}]
  reference_not_owned messages[0].content[0].source.file_id
rejected: [{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png,abc"}}]}]
  invalid_value messages[0].content[0].image_url.url
rejected: [{"role":"assistant","tool_calls":[{"id":"a"}]}] => invalid_value messages[0].tool_calls[0]
# openai-chat
instructions beside the messages: {"system":[{"type":"text","text":"s"}]} => system | s / user | hi; fields system
a tool: {"tools":[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{}},"strict":true}}]}
  tool f d {"type":"object","properties":{}} strict=true; fields tools, tools[].function.strict at tools[0].function.strict
a tool: {"tools":[{"type":"function","function":{"name":"f","parameters":null}}]} => tool f; fields tools
a tool: {"tools":[{"type":"function","name":"f","parameters":{},"strict":false}]}
  tool f {} strict=false; fields tools, tools[].function.strict at tools[0].strict
a tool: {"tools":[{"name":"f","input_schema":{"type":"object","properties":{}},"cache_control":{"type":"ephemeral"}}]}
  tool f {"type":"object","properties":{}} 5m; fields tools, tools[].cache_control at tools[0].cache_control
a tool: {"tools":[{"type":"custom","name":"f","input_schema":{"type":"object","properties":{}}}]}
  tool f {"type":"object","properties":{}}; fields tools
a tool: {"tools":[{"type":"function","function":{"name":"f","cache_control":{"type":"ephemeral","ttl":"1h"}}}]}
  tool f 1h; fields tools, tools[].cache_control at tools[0].function.cache_control
a tool: {"tools":[{"type":"custom","custom":{"name":"c","description":"d","format":{"type":"text"}}}]}
  tool c text d; fields tools, tools[].custom at tools[0]
a tool: {"tools":[{"type":"custom","custom":{"name":"c","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"x"}}}}]}
  tool c text {"type":"grammar","syntax":"lark","definition":"x"}; fields tools, tools[].custom at tools[0]
a tool: {"tools":[{"type":"custom","name":"c","format":{"type":"grammar","syntax":"regex","definition":"x"}}]}
  tool c text {"type":"grammar","syntax":"regex","definition":"x"}; fields tools, tools[].custom at tools[0]
the oldest form of tools: {"functions":[{"name":"f","parameters":{"type":"object","properties":{}}}],"function_call":{"name":"f"}}
  tool f {"type":"object","properties":{}}; toolChoice={"kind":"one","name":"f"}; parallelCalls=false; options={"includeUsage":false,"echo":["functions"],"logprobs":false}; fields functions, function_call
a choice: {"tool_choice":"auto"} => toolChoice={"kind":"auto"}; fields tool_choice
a choice: {"tool_choice":"none"} => toolChoice={"kind":"none"}; fields tool_choice
a choice: {"tool_choice":"required"} => toolChoice={"kind":"required"}; fields tool_choice
a choice: {"tool_choice":"any"} => toolChoice={"kind":"required"}; fields tool_choice
a choice: {"tool_choice":{"type":"function","function":{"name":"f"}}}
  toolChoice={"kind":"one","name":"f"}; fields tool_choice
a choice: {"tool_choice":{"type":"function","name":"f"}} => toolChoice={"kind":"one","name":"f"}; fields tool_choice
a choice: {"tool_choice":{"type":"custom","custom":{"name":"c"}}}
  toolChoice={"kind":"one","name":"c"}; fields tool_choice
a choice: {"tool_choice":{"type":"tool","name":"f"}} => toolChoice={"kind":"one","name":"f"}; fields tool_choice
a choice: {"tool_choice":{"type":"any"}} => toolChoice={"kind":"required"}; fields tool_choice
a choice: {"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}
  toolChoice={"kind":"auto"}; parallelCalls=false; fields tool_choice
a choice: {"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}},{"type":"function","name":"g"}]}}}
  toolChoice={"kind":"some","required":true,"names":["f","g"]}; fields tool_choice
one call: {"parallel_tool_calls":false} => parallelCalls=false; fields parallel_tool_calls
thinking: {"reasoning_effort":"xhigh"} => reasoning={"effort":"xhigh"}; fields reasoning_effort
thinking: {"reasoning":{"effort":"low","exclude":true}}
  reasoning={"effort":"low","summaries":false}; fields reasoning
thinking: {"reasoning":{"max_tokens":2000}} => reasoning={"budget":2000,"summaries":true}; fields reasoning
thinking: {"reasoning":{"enabled":false}} => reasoning={"effort":"none","summaries":true}; fields reasoning
thinking: {"reasoning":{"enabled":true}} => reasoning={"effort":"medium","summaries":true}; fields reasoning
thinking: {"reasoning":{"enabled":true,"max_tokens":9}} => reasoning={"budget":9,"summaries":true}; fields reasoning
thinking: {"thinking":{"type":"enabled","budget_tokens":1024}} => reasoning={"budget":1024}; fields thinking
thinking: {"thinking":{"type":"disabled"}} => reasoning={"effort":"none"}; fields thinking
thinking: {"include_reasoning":false} => reasoning={"summaries":false}; fields include_reasoning
settings: {"top_k":40,"presence_penalty":0,"frequency_penalty":-2,"stop":["","a"],"max_tokens":9,"max_completion_tokens":1000,"logprobs":true,"top_logprobs":2,"user":"u","safety_identifier":"s","prompt_cache_key":"k","verbosity":"low","stream":true,"stream_options":{"include_usage":true},"web_search_options":{}}
  stream=true; providerTools=[{"name":"web_search","pointer":"web_search_options"}]; outputLimit=1000; sampling={"topK":"40","frequencyPenalty":"-2"}; stops=["a"]; verbosity="low"; user="s"; cacheKey="k"; logprobs=2; options={"includeUsage":true,"echo":[],"logprobs":true}; fields top_k, frequency_penalty, stop, max_tokens, max_completion_tokens, logprobs, top_logprobs, user, safety_identifier, prompt_cache_key, verbosity, web_search_options
JSON: {"response_format":{"type":"json_object"}} => format={"kind":"json"}; fields response_format
a schema: {"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"d","schema":{"a":1},"strict":true}}}
  format={"kind":"schema","name":"n","description":"d","schema":"raw {\"a\":1}","strict":true}; fields response_format
nothing: {"n":1,"service_tier":"auto","store":false,"logprobs":false,"modalities":["text"],"seed":null,"stop":[],"metadata":{},"presence_penalty":0,"parallel_tool_calls":true,"response_format":{"type":"text"},"stream":false,"stream_options":{},"tools":[],"background":false}
  parallelCalls=true
fields: {"messages":[{"role":"user","name":"x","content":[{"type":"text","text":"x","cache_control":{}},{"type":"image_url","image_url":{"url":"https://a","detail":"high"}}]}],"n":2,"seed":1,"provider":{"order":[]}}
  user | x ~5m | image url https://a detail=high; sampling={"seed":"1"}; fields n, seed, provider, messages[].name at messages[0].name, messages[].content[].cache_control at messages[0].content[0].cache_control, messages[].content[].image_url.detail at messages[0].content[1].image_url.detail
rejected: {"tools":[{"type":"function","function":{}}]} => invalid_value tools[0].function
rejected: {"tools":[{"type":"function","function":{"name":"f","parameters":[]}}]}
  invalid_value tools[0].function.parameters
rejected: {"tool_choice":"maybe"} => invalid_value tool_choice
rejected: {"reasoning_effort":"hard"} => invalid_value reasoning_effort
rejected: {"response_format":{"type":"xml"}} => invalid_value response_format.type
rejected: {"response_format":{"type":"json_schema","json_schema":{"name":"n"}}}
  invalid_value response_format.json_schema
rejected: {"temperature":"1"} => invalid_value temperature
rejected: {"max_tokens":0} => invalid_value max_tokens
# openai-responses input
a text: "Hi." => user | Hi.
messages of all roles: [{"role":"developer","content":"D"},{"role":"system","content":[{"type":"input_text","text":"S"}]},{"role":"user","content":"U"},{"type":"message","role":"assistant","id":"msg_1","status":"completed","content":[{"type":"output_text","text":"A","annotations":[]},{"type":"refusal","refusal":"R"}]},{"role":"user","content":"V"},{"role":"user","content":"W"},{"role":"developer","content":"E"}]
  system | D / system | S / user | U / assistant | A | refuses R / user | V / user | W / system | E
thoughts, words and calls of one turn, and their outputs: [{"role":"user","content":"U"},{"type":"reasoning","id":"rs_1","encrypted_content":"gAAA","summary":[{"type":"summary_text","text":"One."},{"type":"summary_text","text":"Two."}]},{"role":"assistant","content":"A"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},{"type":"function_call","call_id":"c2","name":"f","arguments":""},{"type":"function_call_output","call_id":"c1","output":"O"},{"type":"function_call_output","call_id":"c2","output":[{"type":"input_text","text":"P"},{"type":"input_image","image_url":"data:image/jpg;charset=x;BASE64,AA AA"}]},{"role":"user","content":"V"}]
  user | U / assistant | thinks One.\n\nTwo. openai:rs_1.gAAA | A | call c1 f {"a":1} | call c2 f  / user | result c1 [O] | result c2 [P, image base64 image/jpeg AAAA] / user | V
free text and namespaces: [{"type":"custom_tool_call","call_id":"c1","name":"patch","input":"*** Begin","namespace":"files"},{"type":"custom_tool_call_output","call_id":"c1","output":"Done"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}","namespace":"mcp"}]
  assistant | call c1 files/patch "*** Begin" / user | result c1 [Done] / assistant | call c1 mcp/f {"a":1}
thoughts of other vendors: [{"type":"reasoning","id":"rs_1","encrypted_content":"tg1.anthropic.c2lnzuit","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"reasoning","id":"rs_1","encrypted_content":"tg1.anthropic.cmVkYWN0ZWQ6eAblm1","summary":[]},{"type":"reasoning","id":"rs_1","encrypted_content":"tg1.google.UjA5UFJ3PT077km","summary":[]},{"type":"reasoning","id":"rs_1","encrypted_content":"tg1.openai.cnNfOS5nQUFBbpp2","summary":[]},{"type":"reasoning","id":"rs_1","encrypted_content":"tg1.openai.LQvjac","summary":[{"type":"summary_text","text":"Bare."}]},{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Old."}]}]
  assistant | thinks Hm. anthropic:sig | hidden  anthropic:x | thinks  google:R09PRw== | thinks  openai:rs_9.gAAA | thinks Bare. | thinks Old.
damaged thoughts, and thoughts without a word: [{"type":"reasoning","id":"rs_1","encrypted_content":"tg1.google.UjA5UFJ3PT077kmx","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"assistant","content":"A"}]
  assistant | A
what an id carries: [{"type":"function_call","call_id":"c1_tg1_W1syLCJSMDlQUnc9PSJdLFtbWzAsInNpZyJdLCJIbS4iLDBdXV015j2","name":"f","arguments":"{\"a\":1}"},{"type":"function_call_output","call_id":"c1_tg1_W1syLCJSMDlQUnc9PSJdLFtbWzAsInNpZyJdLCJIbS4iLDBdXV015j2","output":"O"}]
  assistant | thinks Hm. anthropic:sig | call c1 f {"a":1} google:R09PRw== / user | result c1 [O]
thoughts that an id and an item carry: [{"type":"reasoning","id":"rs_1","encrypted_content":"tg1.anthropic.c2lnzuit","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"function_call","call_id":"c1_tg1_W251bGwsW1tbMCwic2lnIl0sIkhtLiIsMF1dXQng4k","name":"f","arguments":"{\"a\":1}"}]
  assistant | thinks Hm. anthropic:sig | call c1 f {"a":1}
what only this format has: [{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search"}},{"type":"computer_call_output","call_id":"c","output":{}},{"role":"user","content":[{"type":"teleport"}]}]
  assistant | other web_search_call input[0] / user | other computer_call_output input[1] / user | other teleport input[2].content[0]
media: [{"role":"user","content":[{"type":"input_image","image_url":"https://example.com/a.png","detail":"high"},{"type":"input_image","image_url":"data:application/pdf;base64,CCCC"},{"type":"input_file","filename":"a.csv","file_data":"AAAA"},{"type":"input_file","file_url":"https://example.com/a.pdf"},{"type":"input_file","filename":"a.txt","file_data":"data:text/plain,a%20b"},{"type":"input_audio","input_audio":{"data":"BBBB","format":"mp3"}},{"type":"input_text","text":"T","prompt_cache_breakpoint":{"mode":"explicit"}}]}]
  user | image url https://example.com/a.png detail=high | document base64 application/pdf CCCC | document base64 text/csv AAAA title=a.csv | document url https://example.com/a.pdf | document text a b title=a.txt | audio base64 audio/mpeg BBBB | T ~5m; fields input[].content[].detail at input[0].content[0], input[].content[].prompt_cache_breakpoint at input[0].content[6].prompt_cache_breakpoint
a namespace that OpenAI gave to an added tool: [{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"f","parameters":{}}]},{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}","namespace":"f"}]
  assistant | call c1 f {"a":1}; tool f {}
only here: compaction: [{"type":"compaction","encrypted_content":"x"}] => ; fields input[type=compaction] at input[0]
rejected: [{"role":"tool","content":"a"}] => invalid_value input[0].role
rejected: [{"role":"user","content":[{"type":"input_image"}]}] => invalid_value input[0].content[0]
rejected: [{"role":"user","content":[{"type":"input_image","image_url":"data:image/png,x"}]}]
  invalid_value input[0].content[0].image_url
# openai-responses
instructions come first: {"input":[{"role":"developer","content":"D"}],"instructions":"I"}
  system | I / system | D; options={"includeUsage":true,"echo":["instructions"],"logprobs":false}; fields instructions
no instructions: {"instructions":""} => options={"includeUsage":true,"echo":["instructions"],"logprobs":false}
tools of every kind: {"max_tool_calls":3,"tools":[{"type":"function","name":"f","description":"F","parameters":{"type":"object"},"strict":true},{"type":"function","name":"g","parameters":null},{"type":"custom","name":"c","format":{"type":"grammar","syntax":"lark","definition":"x"}},{"type":"custom","name":"d","format":{"type":"text"}},{"type":"namespace","name":"mcp","description":"A server.","tools":[{"type":"function","name":"f","description":"Inner.","parameters":{}},{"type":"function","name":"h","parameters":{}}]},{"type":"web_search_preview_2025_03_11"},{"type":"code_interpreter","container":{"type":"auto"}},{"type":"apply_patch"}],"input":[{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"late","parameters":{},"defer_loading":true}]}]}
  ; tool f F {"type":"object"} strict=true; tool g; tool c text {"type":"grammar","syntax":"lark","definition":"x"}; tool d text; tool mcp/f A server.\n\nInner. {}; tool mcp/h {}; tool late {}; providerTools=[{"name":"web_search","usesMax":3,"pointer":"tools[5]"},{"name":"code_execution","usesMax":3,"pointer":"tools[6]"}]; options={"includeUsage":true,"echo":["max_tool_calls","tools"],"logprobs":false}; fields tools, tools[type=apply_patch] at tools[7], tools[].defer_loading at input[0].tools[0].defer_loading, max_tool_calls
a long namespace: {"tools":[{"type":"namespace","name":"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn","tools":[{"type":"function","name":"f"}]}]}
  invalid_value tools[0].name
settings: {"stream":true,"max_output_tokens":100,"parallel_tool_calls":false,"reasoning":{"effort":"xhigh","summary":"auto"},"text":{"format":{"type":"json_schema","name":"n","schema":{"a":1},"strict":true},"verbosity":"low"},"prompt_cache_key":"k","safety_identifier":"s","user":"u","top_logprobs":3,"metadata":{"a":"b"}}
  stream=true; parallelCalls=false; outputLimit=100; reasoning={"effort":"xhigh","summaries":true}; format={"kind":"schema","name":"n","schema":"raw {\"a\":1}","strict":true}; verbosity="low"; user="s"; cacheKey="k"; logprobs=3; options={"includeUsage":true,"echo":["max_output_tokens","metadata","parallel_tool_calls","prompt_cache_key","reasoning","safety_identifier","text","top_logprobs","user"],"logprobs":true}; fields max_output_tokens, parallel_tool_calls, reasoning.effort, reasoning.summary, text.format, text.verbosity, prompt_cache_key, safety_identifier, user, top_logprobs, metadata
an update among the items: {"input":[{"role":"user","content":"a"},{"type":"configuration_update","reasoning":{"effort":"high"}},{"type":"configuration_update","text":{"format":{"type":"json_object"}}}],"reasoning":{"effort":"low"}}
  user | a; reasoning={"effort":"high"}; format={"kind":"json"}; options={"includeUsage":true,"echo":["reasoning"],"logprobs":false}; fields reasoning.effort, input[type=configuration_update] at input[1]
what means nothing: {"store":false,"background":false,"service_tier":"auto","truncation":"disabled","parallel_tool_calls":true,"tool_choice":"auto","include":["reasoning.encrypted_content"],"text":{"format":{"type":"text"}},"tools":[],"metadata":{},"max_tool_calls":5,"temperature":null}
  toolChoice={"kind":"auto"}; parallelCalls=true; options={"includeUsage":true,"echo":["max_tool_calls","metadata","parallel_tool_calls","text","tool_choice","tools","truncation"],"logprobs":false}
only here: shell: {"tools":[{"type":"shell"}]}
  options={"includeUsage":true,"echo":["tools"],"logprobs":false}; fields tools, tools[type=shell] at tools[0]
only here: moderation: {"moderation":{"model":"m"}} => fields moderation
only here: hosted choice: {"tool_choice":{"type":"image_generation"}}
  options={"includeUsage":true,"echo":["tool_choice"],"logprobs":false}; fields tool_choice.type at tool_choice
rejected: {"reasoning":{"effort":"huge"}} => invalid_value reasoning.effort
rejected: {"text":{"format":{"type":"xml"}}} => invalid_value text.format
rejected: {"tool_choice":"some"} => invalid_value tool_choice
# openai-responses choice
auto: "auto"
  toolChoice={"kind":"auto"}; options={"includeUsage":true,"echo":["tool_choice","tools"],"logprobs":false}; fields tools
none: "none"
  toolChoice={"kind":"none"}; options={"includeUsage":true,"echo":["tool_choice","tools"],"logprobs":false}; fields tools, tool_choice
required: "required"
  toolChoice={"kind":"required"}; options={"includeUsage":true,"echo":["tool_choice","tools"],"logprobs":false}; fields tools, tool_choice
one: {"type":"function","name":"f"}
  toolChoice={"kind":"one","name":"f"}; options={"includeUsage":true,"echo":["tool_choice","tools"],"logprobs":false}; fields tools, tool_choice
a custom one: {"type":"custom","name":"c"}
  toolChoice={"kind":"one","name":"c"}; options={"includeUsage":true,"echo":["tool_choice","tools"],"logprobs":false}; fields tools, tool_choice
some: {"type":"allowed_tools","mode":"required","tools":[{"type":"function","name":"f"},{"type":"namespace","name":"n"},{"type":"image_generation"}]}
  toolChoice={"kind":"some","required":true,"names":["f","x","y"]}; options={"includeUsage":true,"echo":["tool_choice","tools"],"logprobs":false}; fields tools, tool_choice
some, named again: {"type":"allowed_tools","mode":"auto","tools":[{"type":"namespace","name":"n"},{"type":"function","name":"f"},{"type":"namespace","name":"n"},{"type":"function","name":"x"}]}
  toolChoice={"kind":"some","required":false,"names":["x","y","f"]}; options={"includeUsage":true,"echo":["tool_choice","tools"],"logprobs":false}; fields tools, tool_choice
one of the provider: {"type":"web_search_preview"}
  options={"includeUsage":true,"echo":["tool_choice","tools"],"logprobs":false}; fields tools, tool_choice.type at tool_choice
# gemini model
text: [{"text":"a"},{"text":""}] => user | hi / assistant | a
a thought of Google: [{"text":"t","thought":true,"thoughtSignature":"c2ln"}]
  user | hi / assistant | thinks t google:c2ln
a thought without encrypted: [{"text":"t","thought":true}] => user | hi / assistant | thinks t
a signature on a text stands before it: [{"text":"a","thought_signature":"c2ln"}]
  user | hi / assistant | thinks  google:c2ln | a
a signature alone: [{"text":"a"},{"text":"","thoughtSignature":"c2ln"}]
  user | hi / assistant | a | thinks  google:c2ln
a thought of another vendor: [{"text":"t","thought":true,"thoughtSignature":"dGcxLmFudGhyb3BpYy5jMmxuenVpdA=="}]
  user | hi / assistant | thinks t anthropic:sig
one that came in pieces: [{"text":"a","thought":true},{"text":"b","thought":true},{"text":"","thought":true,"thoughtSignature":"dGcxLmFudGhyb3BpYy5jMmxuenVpdA=="}]
  user | hi / assistant | thinks ab anthropic:sig
one that its vendor hides: [{"text":"","thought":true,"thoughtSignature":"dGcxLmFudGhyb3BpYy5jbVZrWVdOMFpXUTZZV0pqczM5YQ=="}]
  user | hi / assistant | hidden  anthropic:abc
a damaged tag: [{"text":"t","thought":true,"thoughtSignature":"dGcxLmFudGhyb3BpYy5jMmxuen"},{"text":"a"}]
  user | hi / assistant | a
what no other format has: [{"executableCode":{"code":"1"}}]
  user | hi / assistant | other executableCode contents[1].parts[0]
signature: its own: [{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2ln"}]
  user | hi / assistant | call call_0 f {} google:c2ln
signature: none: [{"functionCall":{"name":"f","args":{}}}] => user | hi / assistant | call call_0 f {}
signature: a stand-in: [{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="}]
  user | hi / assistant | call call_0 f {}
signature: the stand-in of our answers: [{"functionCall":{"name":"f","args":{}},"thoughtSignature":"dGcxLm9wZW5haS5MUXZqYWM="}]
  user | hi / assistant | call call_0 f {}
signature: a stand-in in plain letters: [{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]
  user | hi / assistant | call call_0 f {}
signature: the other stand-in: [{"functionCall":{"name":"f","args":{}},"thoughtSignature":"Y29udGV4dF9lbmdpbmVlcmluZ19pc190aGVfd2F5X3RvX2dv"}]
  user | hi / assistant | call call_0 f {}
signature: our tag of its own: [{"functionCall":{"name":"f","args":{}},"thoughtSignature":"dGcxLmdvb2dsZS5VakE1VUZKM1BUMDc3a20="}]
  user | hi / assistant | call call_0 f {} google:R09PRw==
signature: the tag of another: [{"functionCall":{"name":"f","args":{}},"thoughtSignature":"dGcxLmFudGhyb3BpYy5jMmxuenVpdA=="}]
  user | hi / assistant | call call_0 f {}
signature: in the id: [{"functionCall":{"name":"f","args":{},"id":"x_tg1_W1syLCJSMDlQUnc9PSJdLFtdXQesh4"}}]
  user | hi / assistant | call x f {} google:R09PRw==
reasoning in an ID: [{"text":"a"},{"functionCall":{"id":"toolu_1_tg1_W251bGwsW1tbMCwic2lnIl0sInQiLDBdXV0eqm3","name":"f","args":{}}}]
  user | hi / assistant | a | thinks t anthropic:sig | call toolu_1 f {}
reasoning in an ID and before it: [{"text":"t","thought":true,"thoughtSignature":"dGcxLmFudGhyb3BpYy5jMmxuenVpdA=="},{"text":"a"},{"functionCall":{"id":"toolu_1_tg1_W251bGwsW1tbMCwic2lnIl0sInQiLDBdXV0eqm3","name":"f","args":{}}}]
  user | hi / assistant | thinks t anthropic:sig | a | call toolu_1 f {}
reasoning in an ID and pieces of Google: [{"text":"t","thought":true},{"functionCall":{"id":"toolu_1_tg1_W251bGwsW1tbMCwic2lnIl0sInQiLDBdXV0eqm3","name":"f","args":{}}}]
  user | hi / assistant | thinks t | thinks t anthropic:sig | call toolu_1 f {}
# gemini
chunks that a library stored as contents: {"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"text":"one ","thought":true}]},{"role":"model","parts":[{"text":"thought","thought":true}]},{"role":"model","parts":[{"text":"","thought":true,"thoughtSignature":"dGcxLmFudGhyb3BpYy5jMmxuenVpdA=="}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}},{"functionResponse":{"name":"f","response":{"output":"x"}}}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}
  user | hi / assistant | thinks one thought anthropic:sig | call call_0 f {} | call call_1 f {} / user | result call_0 [x] | result call_1 [x] / assistant | call call_2 f {} / user | result call_2 [x]
results by ids: {"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","id":"a"}},{"functionCall":{"name":"f","id":"b"}}]},{"role":"function","parts":[{"functionResponse":{"response":{},"name":"f","id":"b"}},{"functionResponse":{"response":{},"name":"f","id":"a"}}]}]}
  assistant | call a f {} | call b f {} / user | result b [{}] | result a [{}]
results by names: {"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"g"}}]},{"role":"function","parts":[{"functionResponse":{"response":{},"name":"g"}},{"functionResponse":{"response":{},"name":"f"}}]}]}
  assistant | call call_0 f {} | call call_1 g {} / user | result call_1 [{}] | result call_0 [{}]
results by one name twice, in order: {"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}},{"functionCall":{"name":"f"}}]},{"role":"function","parts":[{"functionResponse":{"response":{},"name":"f"}},{"functionResponse":{"response":{},"name":"f"}}]}]}
  assistant | call call_0 f {} | call call_1 f {} / user | result call_0 [{}] | result call_1 [{}]
results by an id of the caller for a call without: {"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"function","parts":[{"functionResponse":{"response":{},"name":"f","id":"z"}}]}]}
  assistant | call call_0 f {} / user | result call_0 [{}]
results by no id for a call with one: {"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","id":"a"}}]},{"role":"function","parts":[{"functionResponse":{"response":{},"name":"f"}}]}]}
  assistant | call a f {} / user | result a [{}]
results by another name: {"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"function","parts":[{"functionResponse":{"response":{},"name":"x"}}]}]}
  assistant | call call_0 f {} / user | result call_0 [{}]
results by marked ids: {"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","id":"a_tg1_W1syLCJSMDlQUnc9PSJdLFtdXQesh4"}}]},{"role":"function","parts":[{"functionResponse":{"response":{},"name":"f","id":"a_tg1_W1syLCJSMDlQUnc9PSJdLFtdXQesh4"}}]}]}
  assistant | call a f {} google:R09PRw== / user | result a [{}]
results by nothing to answer: {"contents":[{"role":"model","parts":[]},{"role":"function","parts":[{"functionResponse":{"response":{},"name":"f","id":"z"}}]}]}
  assistant / user | result z [{}]
instructions, and one object for a list: {"system_instruction":{"parts":{"text":"be brief"}},"contents":{"parts":{"text":"hi"}}}
  system | be brief / user | hi; fields systemInstruction at system_instruction
a role: {"contents":[{"role":"assistant","parts":[]}]} => invalid_value contents[0].role
a role: {"contents":[{"role":"__proto__","parts":[]}]} => invalid_value contents[0].role
a choice: {"toolConfig":{"functionCallingConfig":{}}} => 
a choice: {"toolConfig":{"functionCallingConfig":{"mode":"MODE_UNSPECIFIED"}}} => 
a choice: {"toolConfig":{"functionCallingConfig":{"mode":"auto"}}}
  toolChoice={"kind":"auto"}; fields toolConfig.functionCallingConfig
a choice: {"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}}
  toolChoice={"kind":"none"}; fields toolConfig.functionCallingConfig
a choice: {"toolConfig":{"functionCallingConfig":{"mode":"any"}}}
  toolChoice={"kind":"required"}; fields toolConfig.functionCallingConfig
a choice: {"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}}
  toolChoice={"kind":"one","name":"f"}; fields toolConfig.functionCallingConfig
a choice: {"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowed_function_names":["f","g"]}}}
  toolChoice={"kind":"some","required":true,"names":["f","g"]}; fields toolConfig.functionCallingConfig
a choice: {"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED"}}}
  toolChoice={"kind":"validated"}; fields toolConfig.functionCallingConfig
a choice: {"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["f"]}}}
  toolChoice={"kind":"some","required":false,"names":["f"]}; fields toolConfig.functionCallingConfig
tools: {"tools":[{"function_declarations":[{"name":"f","description":"d","parameters":{"type":"OBJECT"}},{"name":"g","parametersJsonSchema":{"a":1}},{"name":"h"}]},{"googleSearch":{}},{"codeExecution":{}}]}
  tool f d {"type":"object"}; tool g {"a":1}; tool h; providerTools=[{"name":"web_search","pointer":"tools[1].googleSearch"},{"name":"code_execution","pointer":"tools[2].codeExecution"}]; fields tools
what says nothing: {"serviceTier":"standard","store":false,"labels":{},"tools":[],"safetySettings":null,"generationConfig":{"candidateCount":1,"responseModalities":["TEXT"],"stopSequences":[],"responseMimeType":"text/plain"},"toolConfig":{"functionCallingConfig":{"mode":"MODE_UNSPECIFIED"}}}
  
fields in the other spelling: {"contents":[{"parts":[{"text":"a","part_metadata":{"a":1}}]}],"generation_config":{"top_k":3},"new_thing":1}
  user | a; sampling={"topK":"3"}; fields newThing at new_thing, generationConfig.topK at generation_config.top_k, contents[].parts[].partMetadata at contents[0].parts[0].part_metadata
# gemini user
result: output: [{"functionResponse":{"name":"f","response":{"output":"a"}}}] => user | result  [a]
result: no output: [{"functionResponse":{"name":"f","response":{"output":""}}}] => user | result  []
result: error: [{"functionResponse":{"name":"f","response":{"error":"e"}}}] => user | result  [e] error
result: an object: [{"functionResponse":{"name":"f","response":{"output":{"a":1}}}}]
  user | result  [{"output":{"a":1}}]
result: another member: [{"functionResponse":{"name":"f","response":{"result":"a"}}}]
  user | result  [{"result":"a"}]
result: an output and more: [{"functionResponse":{"name":"f","response":{"output":"a","b":1}}}]
  user | result  [{"output":"a","b":1}]
media in a result: [{"functionResponse":{"name":"f","response":{"output":"a"},"parts":[{"inline_data":{"mime_type":"image/png","data":"QUJD","display_name":"a.png"}}]}}]
  user | result  [a, image base64 image/png QUJD title=a.png]
an image: [{"inlineData":{"mimeType":"image/PNG","data":"QUJD"}}] => user | image base64 image/png QUJD
the other alphabet: [{"inlineData":{"mimeType":"audio/wav","data":"-_\nA="}}] => user | audio base64 audio/wav +/A=
a document: [{"inlineData":{"mimeType":"application/pdf","data":"QUJD"}}]
  user | document base64 application/pdf QUJD
plain text: [{"inlineData":{"mimeType":"text/plain","data":"w6k="}}] => user | document text é
an address: [{"fileData":{"fileUri":"https://example.com/a","mimeType":"image/png"}}]
  user | image url image/png https://example.com/a
an address alone: [{"file_data":{"file_uri":"https://example.com/a"}}] => user | document url https://example.com/a
# gemini config
settings: {"temperature":0.5,"topP":1,"topK":40,"seed":-1,"presencePenalty":1,"frequency_penalty":2}
  sampling={"temperature":"0.5","topP":"1","topK":"40","presencePenalty":"1","frequencyPenalty":"2","seed":"-1"}; fields generationConfig.temperature, generationConfig.topP, generationConfig.topK, generationConfig.seed, generationConfig.presencePenalty, generationConfig.frequencyPenalty at generationConfig.frequency_penalty
settings: {"maxOutputTokens":5,"stopSequences":["a","b"]}
  outputLimit=5; stops=["a","b"]; fields generationConfig.maxOutputTokens, generationConfig.stopSequences
settings: {"thinkingConfig":{"thinkingBudget":-1,"includeThoughts":true}}
  reasoning={"budget":-1,"summaries":true}; options={"includeUsage":true,"echo":[],"logprobs":false}; fields generationConfig.thinkingConfig
settings: {"thinkingConfig":{"thinkingLevel":"MINIMAL"}}
  reasoning={"effort":"minimal","summaries":false}; fields generationConfig.thinkingConfig
settings: {"thinkingConfig":{"thinkingLevel":"THINKING_LEVEL_UNSPECIFIED"}} => fields generationConfig.thinkingConfig
settings: {"responseLogprobs":true}
  logprobs=0; options={"includeUsage":true,"echo":["hidesThoughts"],"logprobs":true}; fields generationConfig.responseLogprobs
settings: {"responseLogprobs":true,"logprobs":4}
  logprobs=4; options={"includeUsage":true,"echo":["hidesThoughts"],"logprobs":true}; fields generationConfig.responseLogprobs, generationConfig.logprobs
settings: {"logprobs":4} => fields generationConfig.logprobs
settings: {"responseMimeType":"text/plain"} => 
settings: {"responseMimeType":"application/json"} => format={"kind":"json"}; fields generationConfig.responseMimeType
settings: {"response_mime_type":"application/json","response_json_schema":{"type":"string"}}
  format={"kind":"schema","schema":"raw {\"type\":\"string\"}"}; fields generationConfig.responseMimeType at generationConfig.response_mime_type, generationConfig.responseJsonSchema at generationConfig.response_json_schema
settings: {"responseMimeType":"application/json","responseSchema":{"type":"STRING"}}
  format={"kind":"schema","schema":"raw {\"type\":\"string\"}"}; fields generationConfig.responseMimeType, generationConfig.responseSchema
settings: {"responseFormat":[{"text":{"mimeType":"APPLICATION_JSON","schema":{"a":1}}}]}
  format={"kind":"schema","schema":"raw {\"a\":1}"}; fields generationConfig.responseFormat
settings: {"responseFormat":[{"text":{}}]} => fields generationConfig.responseFormat
a form that no other format has: {"responseMimeType":"text/x.enum"}
  untranslatable generationConfig.responseMimeType
`)

test('requests in the neutral form, or the place of their error', () => {
  for (const { section, name, json, expected } of cases) {
    const input: unknown = JSON.parse(json)
    const format = section.split(' ')[0] as ConversationFormat
    const members = sections[section]?.(input) ?? (input as Members)
    const rejected = rejection(() => decode(format, { ...base[format], ...members }))
    const found = (rejected === '' ? summary(format, members) : rejected).replace(
      'tool f; tool n/x; tool n/y; ',
      '',
    )
    assert.equal(found.replaceAll('\n', '\\n'), expected, `${section}: ${name}`)
  }
})

test('openai-responses: settings that are too large are not repeated', () => {
  const { responseOptions } = decode('openai-responses', {
    ...{ ...base['openai-responses'], metadata: { a: 'x'.repeat(20_000) }, temperature: 1 },
  })
  assert.deepEqual(
    responseOptions.echo.map(([name]) => name),
    ['temperature'],
  )
})

test('gemini: many functions without a name are rejected by the place of the first', () => {
  const tools = [{ functionDeclarations: Array.from({ length: 200_000 }, () => 1) }]
  const rejected = rejection(() => decode('gemini', { ...base.gemini, tools }))
  assert.equal(rejected, 'invalid_value tools[0].functionDeclarations[0]')
})

const ephemeral = { type: 'ephemeral' }
/** A request of a coding agent. */
const agent = {
  ...{ model: 'claude-x', max_tokens: 32_000, stream: true },
  system: [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2; cc_entrypoint=cli;' },
    { type: 'text', text: 'You are an agent.', cache_control: ephemeral },
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } },
  ],
  tools: [
    { name: 'Bash', description: 'Runs.', input_schema: { $schema: 'x', type: 'object', properties: {} } },
    { name: 'mcp__a__b', input_schema: { type: 'object' }, defer_loading: true, strict: true },
    { type: 'web_search_20250305', name: 'web_search', max_uses: 8 },
    { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
  ],
  metadata: { user_id: '{"device_id":"d","session_id":"s"}' },
  thinking: { type: 'adaptive', display: 'omitted' },
  context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
  output_config: { effort: 'high' },
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: '<system-reminder>x</system-reminder>' },
        { type: 'text', text: 'Go.' },
      ],
    },
    { role: 'system', content: 'Text.' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: 'a',
          is_error: true,
          cache_control: ephemeral,
        },
      ],
    },
    { role: 'system', content: [{ type: 'text', text: 'Now.' }], output_config: { effort: 'low' } },
  ],
}

test('anthropic: what a coding agent sends is understood', () => {
  assert.equal(
    summary('anthropic', agent),
    'system | You are an agent. ~5m | Be brief. ~1h / user | <system-reminder>x</system-reminder> | Go. / system | Text. / assistant | call toolu_1 Bash {"command":"ls"} / user | result toolu_1 [a] error ~5m / system | Now.; tool Bash Runs. {"$schema":"x","type":"object","properties":{}}; tool mcp__a__b {"type":"object"} strict=true; model="claude-x"; stream=true; providerTools=[{"name":"web_search","usesMax":8,"pointer":"tools[2]"},{"name":"tool_search","pointer":"tools[3]"}]; outputLimit=32000; reasoning={"effort":"low","summaries":false}; user="{\\"device_id\\":\\"d\\",\\"session_id\\":\\"s\\"}"; fields system, tools, metadata.user_id, thinking, context_management, output_config.effort, thinking.display, tools[].defer_loading at tools[1].defer_loading, system[] at system[0], system[].cache_control at system[1].cache_control, messages[].content[].cache_control at messages[3].content[0].cache_control, messages[].output_config at messages[4].output_config',
  )
  const later = [
    ...agent.messages,
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: 'More.' },
  ]
  const { reasoning: asked } = decode('anthropic', { ...agent, messages: later })
  assert.equal(asked.effort, 'high', 'the effort of an instruction holds until the user speaks again')
})

test('what a client or a model wrote as JSON stays the same text, and numbers keep their digits', () => {
  const args = '{ "__proto__":{"a":1},"big":9007199254740993,"e":1e21,"2":0,"1":"\\u00e9\\ud83d"}'
  const digits = '"temperature":0.70,"top_p":1e-1'
  const bodies: Readonly<Record<ConversationFormat, string>> = {
    'openai-chat': `{"model":"m","messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${args}}]},{"role":"assistant","tool_calls":[{"id":"b","function":{"name":"f","arguments":${JSON.stringify(args)}}}]}],"tools":[{"type":"function","function":{"name":"f","parameters":${args}}}],${digits}}`,
    'openai-responses': `{"model":"m","input":[{"type":"function_call","call_id":"c","name":"f","arguments":${JSON.stringify(args)}}],"tools":[{"type":"function","name":"f","parameters":${args}}],${digits}}`,
    anthropic: `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":${args}}]}],"tools":[{"name":"f","input_schema":${args}}],${digits}}`,
    gemini: `{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f","args":${args}}}]}],"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${args}}]}],"generationConfig":{${digits.replace('top_p', 'topP')}}}`,
  }
  for (const [format, body] of Object.entries(bodies)) {
    const { turns, tools, sampling } = decode(format as ConversationFormat, body)
    const inputs = turns.flatMap((turn) => turn.parts.map((part) => part.kind === 'call' && part.input))
    assert.deepEqual(new Set([...inputs, tools[0]?.schema?.text]), new Set([args]), format)
    assert.deepEqual([sampling.temperature, sampling.topP], ['0.70', '1e-1'], format)
  }
})

const schemas: readonly [name: string, own: string, json: string][] = [
  [
    'types',
    '{"type":"OBJECT","properties":{"a":{"type":"STRING"}}}',
    '{"type":"object","properties":{"a":{"type":"string"}}}',
  ],
  [
    'a schema that is one already',
    '{ "type" : "object","properties":{"type":{"type":"string"}} }',
    '{ "type" : "object","properties":{"type":{"type":"string"}} }',
  ],
  [
    'names of the caller',
    '{"properties":{"type":{"type":"STRING"},"any_of":{"type":"INTEGER"}}}',
    '{"properties":{"type":{"type":"string"},"any_of":{"type":"integer"}}}',
  ],
  ['null', '{"type":"STRING","nullable":true}', '{"type":["string","null"],"nullable":true}'],
  [
    'counts',
    '{"type":"ARRAY","min_items":"1","maxItems":"9","items":{"type":"NUMBER"}}',
    '{"type":"array","minItems":1,"maxItems":9,"items":{"type":"number"}}',
  ],
  [
    'lists of schemas',
    '{"any_of":[{"type":"STRING"},{"type":"BOOLEAN"}]}',
    '{"anyOf":[{"type":"string"},{"type":"boolean"}]}',
  ],
  [
    'values are left alone',
    '{"enum":["STRING"],"default":{"type":"X"},"example":9007199254740993}',
    '{"enum":["STRING"],"default":{"type":"X"},"example":9007199254740993}',
  ],
]

test('gemini: schemas become JSON Schema by as few edits as possible', () => {
  for (const [name, own, json] of schemas) assert.equal(jsonSchemaOf(new RawJson(own)).text, json, name)
})

test('anthropic: long conversations are read in linear time', () => {
  const content = [
    { type: 'text', text: 'x' },
    { type: 'server_tool_use', id: 'a' },
  ]
  const messages = Array.from({ length: 20_000 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content,
  }))
  const wide = { ...limits, valuesMax: 1_000_000 }
  const { turns } = codecs.anthropic.decodeRequest(bytesOf({ ...base.anthropic, messages }), wide, nowhere)
  const pointer = 'messages[19999].content[1]'
  assert.deepEqual(turns.at(-1)?.parts.at(-1), { kind: 'other', type: 'server_tool_use', pointer })
})
