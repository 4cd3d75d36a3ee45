/**
 * Requests that are forwarded in their own format: the facts that money needs, what can change the price, what is rejected by its
 * place, and patches that change nothing else. The same of recorded requests is in recorded.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  bytesOf,
  limits,
  type Members,
  nowhere,
  rejection,
  textCases,
} from '../../test/support/neutral-values.ts'
import { wireFormats } from '../../test/support/wire-formats.ts'
import { messagesBetas } from './anthropic/request-price-table.ts'
import type { ExtractedFields, RequestPatch } from './format.ts'
import type { ConversationFormat } from './format-names.ts'
import { applyEdits } from './json/json.ts'
import { readBetas } from './request-fields.ts'

const hi = [{ role: 'user', content: 'hi' }]
const base: Readonly<Record<ConversationFormat, Members>> = {
  'openai-chat': { model: 'm', messages: hi },
  'openai-responses': { model: 'm', input: 'hi' },
  anthropic: { model: 'm', max_tokens: 100, messages: hi },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
}

const read = (format: ConversationFormat, body: string): ExtractedFields =>
  wireFormats[format].extractRequest(
    bytesOf(body),
    limits,
    format === 'gemini' ? { model: 'm', stream: false } : nowhere,
  )

const scalars = [
  ...['model', 'stream', 'outputLimit', 'choices', 'thinkingBudget', 'effort', 'functionTools'],
  ...['writtenAs', 'canPassThrough', 'background'],
] as const

/** The differences between the facts and those of a request that only says hi. */
function summary(format: ConversationFormat, body: string): string {
  const facts = read(format, body)
  const [found, usual] = [facts, read(format, JSON.stringify(base[format]))].map(
    (of) => of as unknown as Members,
  )
  const { options, serverTools, media, references = [], cacheWrites } = facts
  return [
    ...scalars.filter((name) => found?.[name] !== usual?.[name]).map((name) => `${name}=${found?.[name]}`),
    ...options.map(({ name, pointer }) => `${name} at ${pointer}`),
    ...serverTools.map(
      ({ meter, usesMax, capPatch, pointer }) =>
        `tool ${meter}${usesMax === null ? '' : ` ${usesMax}`}${capPatch === null ? '' : ' capped'} at ${pointer}`,
    ),
    ...media.map(({ kind, mediaType, span }) => {
      const data = span === null ? '-' : Buffer.from(bytesOf(body)).subarray(span.start, span.end).toString()
      return `${kind} ${mediaType || '-'} ${data}`
    }),
    ...references.map(({ kind, id, pointer }) => `${kind} ${id} at ${pointer}`),
    ...cacheWrites.map((lifetime) => `cache ${lifetime}`),
  ].join('; ')
}

const asked = (content: unknown): Members => ({ messages: [{ role: 'user', content }] })
/** Turns the input of a case into members of a request. */
const sections: Readonly<Record<string, (input: unknown) => Members>> = {
  'anthropic user': asked,
  'openai-chat user': asked,
  'openai-responses input': (input) => ({ input }),
  'openai-responses tools': (tools) => ({ tools }),
}

/** `free`: the request costs only its tokens. */
const cases = textCases(String.raw`
# anthropic
free: {"system":[{"type":"text","text":"x-anthropic-billing-header: cc"},{"type":"text","text":"s","cache_control":{"type":"ephemeral"}}],"metadata":{"user_id":"{\"device_id\":\"d\"}"},"thinking":{"type":"adaptive","display":"omitted"},"context_management":{"edits":[{"type":"clear_thinking_20251015","keep":"all"}]},"output_config":{"effort":"high","task_budget":{"type":"tokens","total":5}},"service_tier":"auto","stream":true,"tools":[{"name":"Bash","input_schema":{"type":"object","properties":{"speed":{},"Speed":{}}},"defer_loading":true}],"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]},{"role":"system","content":[{"type":"text","text":"s"}],"output_config":{"effort":"low"}},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"type":"x","Type":"y"}}]}]}
  stream=true; functionTools=true; cache 5m
free: {"service_tier":"standard_only","speed":"standard","inference_geo":"global"} => free
free: {"speed":null,"inference_geo":null,"service_tier":null,"container":null,"thread":null,"context_management":null}
  free
free: {"context_management":{"edits":[{"type":"clear_tool_uses_20250919"}]},"fallbacks":[],"mcp_servers":[]} => free
free: {"billing_policy":{"type":"billing_policy","bill_to":"self"},"diagnostics":{"previous_message_id":"msg_1"}}
  free
free: {"tools":[{"type":"custom","name":"a"},{"type":"bash_20250124"},{"type":"text_editor_20250728"},{"type":"computer_20251124"}]}
  functionTools=true
free: {"tools":[{"type":"memory_20250818"},{"type":"computer_toolset_20260801"},{"type":"browser_toolset_20260801"}]}
  functionTools=true
priced: {"service_tier":"priority"} => service_tier:priority at service_tier
priced: {"speed":"fast"} => speed:fast at speed
priced: {"inference_geo":"us"} => inference_geo:us at inference_geo
priced: {"inference_geo":7} => invalid_value inference_geo
priced: {"fallbacks":"default"} => fallbacks at fallbacks
priced: {"fallbacks":[{"model":"dear"}]} => fallbacks at fallbacks
priced: {"fallback_credit_token":"t"} => fallback_credit_token at fallback_credit_token
priced: {"compaction":{"type":"summarize"}} => compaction at compaction
priced: {"context_management":{"edits":[{"type":"clear_thinking_20251015"},{"type":"compact_20260112"}]}}
  context_management:compact at context_management.edits[1].type
priced: {"mcp_servers":[{"type":"url","url":"https://x"}]} => tool mcp at mcp_servers
priced: {"billing_policy":{"bill_to":"user_profile"}} => bill_to:user_profile at billing_policy.bill_to
priced: {"container":"container_1"} => reference_not_owned container
priced: {"container":{"skills":[{"skill_id":"s"}]}} => reference_not_owned container
priced: {"thread":{"type":"create"}} => reference_not_owned thread
priced: {"thread":{"type":"continue","previous_message_id":"m"}} => reference_not_owned thread.previous_message_id
priced: {"tools":[{"type":"web_search_20250305","name":"web_search"}]}
  functionTools=true; tool web_search capped at tools[0]
priced: {"tools":[{"type":"web_search_20260318","max_uses":8}]}
  functionTools=true; tool web_search 8 capped at tools[0]
priced: {"tools":[{"type":"web_fetch_20250910","max_uses":null}]}
  functionTools=true; tool web_fetch capped at tools[0]
priced: {"tools":[{"type":"code_execution_20260120"}]} => functionTools=true; tool code_execution at tools[0]
priced: {"tools":[{"type":"tool_search_tool_regex_20251119"}]} => functionTools=true; tool tool_search at tools[0]
priced: {"tools":[{"type":"tool_search_tool_bm25"}]} => functionTools=true; tool tool_search at tools[0]
priced: {"tools":[{"type":"advisor_20260301","model":"dear","max_uses":2}]}
  functionTools=true; tool advisor 2 capped at tools[0]
priced: {"tools":[{"name":"a"},{"type":"mcp_toolset","mcp_server_name":"x"}]}
  functionTools=true; tool mcp at tools[1]
priced: {"tools":[{"type":"toString"}]} => functionTools=true; tool toString at tools[0]
priced: {"tools":[{"type":"telepathy_20270101"}]} => functionTools=true; tool telepathy at tools[0]
priced: {"tools":[{"type":"web_search_20250305","max_uses":1.5}]} => invalid_value tools[0].max_uses
priced: {"tools":[{"type":"web_search_20250305","maxUses":1}]} => ambiguous_field tools[0].maxUses
priced: {"tools":[{"type":"custom","Type":"web_search_20250305"}]} => ambiguous_field tools[0].Type
cache: {"cache_control":null} => free
cache: {"cache_control":{"type":"ephemeral"}} => cache 5m
cache: {"cache_control":{"type":"ephemeral","ttl":"1h"}} => cache 1h
cache: {"system":[{"type":"text","text":"s","cache_control":{"type":"ephemeral","ttl":"1h"}}]} => cache 1h
cache: {"tools":[{"name":"a","cache_control":{"type":"ephemeral"}}],"cache_control":{"type":"ephemeral","ttl":"1h"}}
  functionTools=true; cache 1h; cache 5m
cache: {"tools":[{"name":"a","input_schema":{"cache_control":{"type":"ephemeral","ttl":"1h"}}}]} => functionTools=true
budget: {"thinking":{"type":"enabled","budget_tokens":2048}} => thinkingBudget=2048
budget: {"thinking":{"type":"enabled","budget_tokens":-5}} => invalid_value thinking.budget_tokens
# anthropic user
block: [{"type":"code_execution_tool_result","content":{"content":[{"type":"code_execution_output","file_id":"f"}]}}]
  free
block: [{"type":"text","text":"t","cache_control":{"type":"ephemeral","ttl":"24h"}}]
  unpriced_option messages[0].content[0].cache_control.ttl
block: [{"type":"text","text":"t","cacheControl":{"type":"ephemeral"}}]
  ambiguous_field messages[0].content[0].cacheControl
block: [{"type":"image","source":{"type":"url","url":"a","URL":"b"}}]
  ambiguous_field messages[0].content[0].source.URL
block: [{"type":"future_block","whatever":{"file_id":"x"}}] => free
block: [{"type":"tool_result","content":[{"type":"text","text":"t","cache_control":{"type":"ephemeral","ttl":"1h"}}]}]
  cache 1h
block: [{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"type":"web_search_20260209"}}}]
  tool web_search capped at messages[0].content[0].tool.definition
block: [{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"mine","input_schema":{}}}}]
  free
block: [{"type":"tool_addition","tool":{"type":"tool_reference","name":"x"}}] => free
media: [{"type":"image","source":{"type":"base64","media_type":"image/PNG","data":"AAAA"}},{"type":"document","source":{"type":"url","url":"https://example.com/a.pdf"}},{"type":"document","source":{"type":"text","media_type":"text/plain","data":"plain words"}},{"type":"document","source":{"type":"content","content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"BBBB"}}]}},{"type":"tool_result","content":[{"type":"image","source":{"type":"base64","media_type":"image/webp","data":"CCCC"}}]},{"type":"web_fetch_tool_result","content":{"content":{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"DDDD"}}}},{"type":"search_result","source":"https://example.com","content":[{"type":"text","text":"t"}]}]
  document - -; image image/png AAAA; image image/gif BBBB; image image/webp CCCC; document application/pdf DDDD
# anthropic body
missing: {"messages":[],"max_tokens":1} => missing_field model
missing: {"model":"a","messages":[]} => missing_field max_tokens
missing: {"model":"a","messages":[],"max_tokens":null} => missing_field max_tokens
missing: {"model":"a","max_tokens":1} => missing_field messages
missing: {"model":"a","max_tokens":1,"messages":{}} => invalid_value messages
missing: {"model":1,"max_tokens":1,"messages":[]} => invalid_value model
limit: {"model":"m","messages":[],"max_tokens":0} => outputLimit=0
limit: {"model":"m","messages":[],"max_tokens":1} => outputLimit=1
limit: {"model":"m","messages":[],"max_tokens":1e3} => outputLimit=1000
limit: {"model":"m","messages":[],"max_tokens":64000.0} => outputLimit=64000
limit: {"model":"m","messages":[],"max_tokens":-1} => invalid_value max_tokens
limit: {"model":"m","messages":[],"max_tokens":1.5} => invalid_value max_tokens
limit: {"model":"m","messages":[],"max_tokens":"5"} => invalid_value max_tokens
limit: {"model":"m","messages":[],"max_tokens":1e400} => invalid_value max_tokens
limit: {"model":"m","messages":[],"max_tokens":9007199254740993} => invalid_value max_tokens
limit: {"model":"m","messages":[],"max_tokens":true} => invalid_value max_tokens
limit: {"model":"m","messages":[],"max_tokens":[1]} => invalid_value max_tokens
limit: {"model":"m","messages":[],"max_tokens":5,"max_tokens":6} => ambiguous_field max_tokens
limit: {"model":"m","messages":[],"max_tokens":5,"max\u005ftokens":6} => ambiguous_field max_tokens
# openai-chat
free: {"service_tier":"auto"} => cache 5m
free: {"service_tier":"default"} => cache 5m
free: {"service_tier":null} => cache 5m
free: {"store":true,"metadata":{"tier":"flex"},"user":"u","safety_identifier":"s","prompt_cache_key":"k"} => cache 5m
free: {"modalities":["text"],"audio":null,"prediction":null,"web_search_options":null} => cache 5m
free: {"background":false,"previous_response_id":null,"conversation":null,"prompt":null} => cache 5m
free: {"prompt_cache_retention":"24h","prompt_cache_options":{"mode":"explicit","ttl":"30m"}} => cache 5m
free: {"moderation":{"model":"omni-moderation-latest"}} => cache 5m
free: {"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"web_search","ttl":"12h"}}}]}
  functionTools=true; cache 5m
free: {"tools":[{"type":"custom","custom":{"name":"c"}}],"tool_choice":"auto","parallel_tool_calls":true}
  functionTools=true; cache 5m
free: {"tools":[],"functions":[{"name":"f","parameters":{"type":"object"}}],"plugins":[],"enable_search":false}
  functionTools=true; cache 5m
free: {"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"mcp"}}}} => cache 5m
free: {"reasoning_effort":"high","verbosity":"low","seed":1,"logprobs":true,"top_logprobs":20,"x_unknown":{"any":1}}
  effort=high; cache 5m
free: {"messages":[{"role":"assistant","content":null,"tool_calls":[{"function":{"arguments":"{\"file_id\":\"x\"}"}}]}]}
  cache 5m
priced: {"service_tier":"flex"} => service_tier:flex at service_tier; cache 5m
priced: {"service_tier":"priority"} => service_tier:priority at service_tier; cache 5m
priced: {"service_tier":"fast"} => service_tier:fast at service_tier; cache 5m
priced: {"service_tier":"toString"} => service_tier:toString at service_tier; cache 5m
priced: {"service_tier":5} => invalid_value service_tier
priced: {"service_tier":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}
  invalid_value service_tier
priced: {"modalities":["text","audio"]} => modality:audio at modalities[1]; cache 5m
priced: {"audio":{"voice":"a"}} => modality:audio at audio; cache 5m
priced: {"prediction":{"type":"content","content":"x"}} => prediction at prediction; cache 5m
priced: {"web_search_options":{}} => web_search_options at web_search_options; cache 5m
priced: {"prompt_cache_options":{"ttl":"12h"}} => prompt_cache_ttl:12h at prompt_cache_options.ttl; cache 5m
priced: {"search_parameters":{"mode":"on"}} => search_parameters at search_parameters; cache 5m
priced: {"plugins":[{"id":"web"}]} => plugins at plugins; cache 5m
priced: {"background":true} => unpriced_option background
priced: {"deferred":true} => unpriced_option deferred
priced: {"data_sources":[{"type":"azure_search"}]} => data_sources at data_sources; cache 5m
priced: {"extra_body":{"google":{"cached_content":"cachedContents/1"}}}
  reference_not_owned extra_body.google.cached_content
priced: {"previous_response_id":"resp_1"} => reference_not_owned previous_response_id
priced: {"conversation":{"id":"c"}} => reference_not_owned conversation
priced: {"prompt":{"id":"p"}} => reference_not_owned prompt
priced: {"tools":[{"type":"function"},{"type":"mcp","server_url":"x"}]} => unpriced_option tools[1].type
priced: {"tools":[{"type":"web_search_preview"}]} => unpriced_option tools[0].type
priced: {"tools":[{"type":7}]} => invalid_value tools[0].type
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"https://a/b"}}]}]}
  image - -; cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"x","prompt_cache_breakpoint":{"mode":"explicit"}}]}]}
  cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"thinking","thinking":[{"type":"text","text":"x"}]}]}]}
  cache 5m
as it is: {"messages":[{"role":"assistant","reasoning_content":"x","content":"x"}]} => cache 5m
as it is: {"tools":[{"type":"function","function":{"name":"f","parameters":{"cache_control":1}}}]}
  functionTools=true; cache 5m
as it is: {"tools":[{"type":"custom","custom":{"name":"c"}}],"functions":[{"name":"f"}]}
  functionTools=true; cache 5m
as it is: {"thinking":{"type":"enabled"},"system":null,"reasoning":null} => cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"thinking","thinking":"x","signature":"s"}]}]}
  canPassThrough=false; cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_use","id":"a","name":"f","input":{}}]}]}
  canPassThrough=false; cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"tool_result","tool_use_id":"a","content":"x"}]}]}
  canPassThrough=false; cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}]}]}
  canPassThrough=false; cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"document","source":{"type":"text","data":"x"}}]}]}
  canPassThrough=false; cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"input_text","text":"x"}]}]}
  canPassThrough=false; cache 5m
as it is: {"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]}]}
  canPassThrough=false; cache 5m
as it is: {"messages":[{"role":"user","content":"x","cache_control":{"type":"ephemeral"}}]}
  canPassThrough=false; cache 5m
as it is: {"system":"x"} => canPassThrough=false; cache 5m
as it is: {"reasoning":{"effort":"high"}} => effort=high; canPassThrough=false; cache 5m
as it is: {"tools":[{"name":"f","input_schema":{}}]} => functionTools=true; canPassThrough=false; cache 5m
as it is: {"tools":[{"type":"function","name":"f","parameters":{}}]}
  functionTools=true; canPassThrough=false; cache 5m
as it is: {"tools":[{"type":"custom","name":"f","input_schema":{}}]}
  functionTools=true; canPassThrough=false; cache 5m
as it is: {"tools":[{"type":"function","function":{"name":"f"},"cache_control":{"type":"ephemeral"}}]}
  functionTools=true; canPassThrough=false; cache 5m
as it is: {"tools":[{"type":"function","function":{"name":"f","cache_control":{"type":"ephemeral"}}}]}
  functionTools=true; canPassThrough=false; cache 5m
sound of an earlier turn: {"messages":[{"role":"assistant","audio":{"id":"audio_1"}}]}
  reference_not_owned messages[0].audio.id
names below what the caller names: {"metadata":{"Model":2,"model":1},"response_format":{"json_schema":{"schema":{"properties":{"model":1,"Model":2,"type":"mcp"}}}},"tools":[{"type":"function","function":{"name":"f","parameters":{"properties":{"maxTokens":4,"max_tokens":3}}}}],"logit_bias":{"model":1,"Model":2}}
  functionTools=true; cache 5m
choices: {"n":3} => choices=3; cache 5m
choices: {"n":null} => cache 5m
# openai-chat user
part: [{"type":"text","text":"x"}] => cache 5m
part: [{"type":"text","text":"x","prompt_cache_breakpoint":{"mode":"explicit"}}] => cache 5m
part: [{"type":"text","text":"x","prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}}]
  prompt_cache_ttl:12h at messages[0].content[0].prompt_cache_breakpoint.ttl; cache 5m
part: [{"type":"video_url","video_url":{"url":"https://x"}}] => unpriced_option messages[0].content[0].video_url
media: [{"type":"image_url","image_url":{"url":"data:image\/PNG;base64,iVBORw0KGgo="}},{"type":"image_url","image_url":{"url":"https://example.com/a.png","detail":"high"}},{"type":"image_url","image_url":"DATA:image/webp;charset=x;base64,iVBORw0KGgo="},{"type":"input_audio","input_audio":{"data":"iVBORw0KGgo=","format":"mp3"}},{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,iVBORw0KGgo="}},{"type":"file","file":{"file_data":"iVBORw0KGgo="}},{"type":"file","file":{"file_url":"https://example.com/a.pdf"}}]
  image image/png iVBORw0KGgo=; image - -; image image/webp iVBORw0KGgo=; audio audio/mp3 iVBORw0KGgo=; document application/pdf iVBORw0KGgo=; document - iVBORw0KGgo=; document - -; cache 5m
# openai-chat body
missing: {} => missing_field model
missing: {"model":null,"messages":[]} => missing_field model
missing: {"model":"","messages":[]} => invalid_value model
missing: {"model":["a"],"messages":[]} => invalid_value model
missing: {"model":"a"} => missing_field messages
missing: {"model":"a","messages":null} => missing_field messages
missing: {"model":"a","messages":"hi"} => invalid_value messages
missing: {"model":"a","input":null} => missing_field messages
missing: [] => invalid_value
missing: "x" => invalid_value
missing: {"model":"a","messages":[],"stream":"true"} => invalid_value stream
missing: {"model":"a","messages":[],"stream":true,"stream_options":[]} => invalid_value stream_options
missing: {"model":"a","messages":[],"stream":true,"stream_options":{"include_usage":1}}
  invalid_value stream_options.include_usage
missing: {"model":"a","messages":[],"stream":true,"stream_options":{"includeUsage":true}}
  ambiguous_field stream_options.includeUsage
missing: {"model":"a","messages":[{"role":"user","content":[{"image_url":"x","imageUrl":"y"}]}]}
  ambiguous_field messages[0].content[0].imageUrl
missing: {"model":"a","messages":[],"tools":[{"type":"function","ty\u0070e":"mcp"}]} => ambiguous_field tools[0].type
missing: {"model":"a","messages":[],"MODEL":"b"} => ambiguous_field MODEL
missing: {"model":"a","messages":[],"serviceTier":"flex"} => ambiguous_field serviceTier
missing: {"model":"a","messages":[] => invalid_json
number: {"model":"m","messages":[],"max_tokens":5} => outputLimit=5; cache 5m
number: {"model":"m","messages":[],"max_tokens":null} => cache 5m
number: {"model":"m","messages":[],"max_tokens":1024.0} => outputLimit=1024; cache 5m
number: {"model":"m","messages":[],"max_completion_tokens":1e3} => outputLimit=1000; cache 5m
number: {"model":"m","messages":[],"max_tokens":5,"max_completion_tokens":7} => outputLimit=7; cache 5m
number: {"model":"m","messages":[],"max_tokens":9,"max_completion_tokens":7} => outputLimit=9; cache 5m
number: {"model":"m","messages":[],"max_tokens":9,"max_completion_tokens":null} => outputLimit=9; cache 5m
number: {"model":"m","messages":[],"max_tokens":0} => invalid_value max_tokens
number: {"model":"m","messages":[],"max_tokens":-1} => invalid_value max_tokens
number: {"model":"m","messages":[],"max_tokens":1.5} => invalid_value max_tokens
number: {"model":"m","messages":[],"max_tokens":"5"} => invalid_value max_tokens
number: {"model":"m","messages":[],"max_tokens":1e400} => invalid_value max_tokens
number: {"model":"m","messages":[],"max_tokens":9007199254740993} => invalid_value max_tokens
number: {"model":"m","messages":[],"max_tokens":9223372036854775808} => invalid_value max_tokens
number: {"model":"m","messages":[],"max_completion_tokens":0} => invalid_value max_completion_tokens
number: {"model":"m","messages":[],"max_tokens":5,"max_tokens":6} => ambiguous_field max_tokens
number: {"model":"m","messages":[],"max_tokens":5,"maxTokens":6} => ambiguous_field maxTokens
number: {"model":"m","messages":[],"n":0} => invalid_value n
number: {"model":"m","messages":[],"n":-1} => invalid_value n
number: {"model":"m","messages":[],"n":1.5} => invalid_value n
number: {"model":"m","messages":[],"n":true} => invalid_value n
a Responses body: {"model":"a","input":"hi","stream":true,"max_output_tokens":9}
  model=a; stream=true; outputLimit=9; writtenAs=openai-responses; canPassThrough=false; background=false; cache 5m
both: {"model":"a","input":"hi","messages":[]} => model=a; cache 5m
# openai-responses
no model: {"model":null} => missing_field model
no input: {"input":null} => missing_field input
chat: {"input":null,"messages":[]} => missing_field input
chat, and a reference: {"input":null,"messages":[],"previous_response_id":"r"} => missing_field input
a wrong input: {"input":5} => invalid_value input
a wrong limit: {"max_output_tokens":1.5} => invalid_value max_output_tokens
a background response that is not kept: {"background":true,"store":false} => invalid_value store
a background response as a stream: {"background":true,"stream":true} => invalid_value stream
a background that is not a boolean: {"background":"yes"} => invalid_value background
an earlier response by a number: {"previous_response_id":1} => invalid_value previous_response_id
a conversation: {"conversation":{"id":"conv_1"}} => reference_not_owned conversation
a kept prompt: {"prompt":{"id":"p"}} => reference_not_owned prompt
an item that is named twice: {"input":[{"type":"item_reference","id":"msg_1"},{"id":"msg_1"}]}
  invalid_value input[1].id
an image by its name: {"input":[{"type":"image_generation_call","id":"ig_1"}]} => reference_not_owned input[0].id
video: {"input":[{"role":"user","content":[{"type":"input_video","input_video":{}}]}]}
  unpriced_option input[0].content[0].input_video
a kept container: {"tools":[{"type":"code_interpreter","container":"cntr_1"}]}
  reference_not_owned tools[0].container
a kept store: {"tools":[{"type":"file_search","vector_store_ids":["vs_1"]}]}
  reference_not_owned tools[0].vector_store_ids
a comparison: {"prompt_cache_options":{"comparison_response_id":"resp_1"}}
  reference_not_owned prompt_cache_options.comparison_response_id
agents: {"multi_agent":{"enabled":true}} => unpriced_option multi_agent
a kept skill of shell: {"tools":[{"type":"shell","environment":{"type":"container_auto","skills":[{"skill_id":"s"}]}}]}
  reference_not_owned tools[0].environment.skills[0].skill_id
a kept skill of code_interpreter: {"tools":[{"type":"code_interpreter","container":{"type":"auto","skills":[{"type":"skill_reference","skill_id":"s","version":"latest"}]}}]}
  reference_not_owned tools[0].container.skills[0].skill_id
two models: {"Model":"other"} => ambiguous_field Model
defaults: {"service_tier":"auto","background":false,"context_management":[],"reasoning":{"mode":"standard"}}
  cache 5m
what agents send: {"store":false,"include":["reasoning.encrypted_content"],"prompt_cache_key":"k","client_metadata":{"a":"b"}}
  cache 5m
a tier: {"service_tier":"flex"} => service_tier:flex at service_tier; cache 5m
compaction: {"context_management":[{"type":"compaction"}]}
  context_management:compaction at context_management; cache 5m
compaction now: {"input":[{"type":"compaction_trigger"}]} => context_management:compaction at input[0].type; cache 5m
the pro mode: {"reasoning":{"mode":"pro"}} => reasoning_mode:pro at reasoning.mode; cache 5m
a long cache: {"prompt_cache_options":{"ttl":"12h"}} => prompt_cache_ttl:12h at prompt_cache_options.ttl; cache 5m
a long mark: {"input":[{"role":"user","content":[{"type":"input_text","text":"a","prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}}]}]}
  prompt_cache_ttl:12h at input[0].content[0].prompt_cache_breakpoint.ttl; cache 5m
a later answer: {"background_options":{"completion_window":"8h"}}
  completion_window:8h at background_options.completion_window; cache 5m
an answer soon: {"background_options":{"completion_window":"soonest","continuation_id":"a"}} => cache 5m
plugins: {"plugins":[{"id":"web"}]} => plugins at plugins; cache 5m
facts: {"background":true,"store":true} => background=true; cache 5m
facts: {"background":false,"store":false,"stream":true} => stream=true; cache 5m
facts: {"max_output_tokens":512,"reasoning":{"effort":"high"}} => outputLimit=512; effort=high; cache 5m
facts: {"previous_response_id":null} => cache 5m
an earlier response: {"previous_response_id":"resp_1"} => response resp_1 at previous_response_id; cache 5m
# openai-responses tools
a function: [{"type":"function","name":"f"}] => functionTools=true; cache 5m
a namespace: [{"type":"namespace","name":"n","tools":[{"type":"custom","name":"c"}]}] => functionTools=true; cache 5m
the caller's own shells: [{"type":"local_shell"},{"type":"shell"},{"type":"shell","environment":{"type":"local"}},{"type":"apply_patch"}]
  functionTools=true; cache 5m
a shell at the provider: [{"type":"shell","environment":{"type":"container_auto"}}]
  tool shell at tools[0]; cache 5m
search: [{"type":"web_search"}] => tool web_search capped at tools[0]; cache 5m
dated search: [{"type":"web_search_preview_2025_03_11"}] => tool web_search capped at tools[0]; cache 5m
code: [{"type":"code_interpreter","container":{"type":"auto"}}] => tool code_interpreter capped at tools[0]; cache 5m
other servers: [{"type":"mcp","server_url":"https://example.com"}] => tool mcp at tools[0]; cache 5m
images: [{"type":"image_generation"}] => tool image_generation at tools[0]; cache 5m
what nobody knows: [{"type":"teleport"}] => tool teleport at tools[0]; cache 5m
# openai-responses input
media: [{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_image","image_url":"https://example.com/a.png"},{"type":"input_file","filename":"a.pdf","file_data":"data:application/pdf;base64,BBBB"},{"type":"input_file","file_url":"https://example.com/a.pdf"},{"type":"input_audio","input_audio":{"data":"CCCC","format":"wav"}}]},{"type":"function_call_output","call_id":"c","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]},{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AAAA"}},{"type":"image_generation_call","id":"ig_1","result":"DDDD","output_format":"webp"}]
  image image/png AAAA; image - -; document application/pdf BBBB; document - -; audio audio/wav CCCC; image image/png AAAA; image image/png AAAA; image image/webp DDDD; cache 5m
references: [{"type":"item_reference","id":"msg_1"},{"id":"msg_2"},{"id":"rs_1","type":"reasoning","summary":[{"type":"summary_text","text":"x"}]},{"id":"rs_2","type":"reasoning","summary":[],"content":[],"encrypted_content":null},{"id":"rs_3","type":"reasoning","summary":[],"encrypted_content":"opaque"},{"id":"rs_4","type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"x"}]},{"type":"reasoning","summary":[]},{"id":"msg_3","type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]},{"id":"fc_1","type":"function_call","call_id":"c","name":"f","arguments":"{}"}]
  item msg_1 at input[0].id; item msg_2 at input[1].id; reasoning rs_1 at input[2].id; reasoning rs_2 at input[3].id; cache 5m
# gemini
a limit: {"generationConfig":{"maxOutputTokens":9}} => outputLimit=9
a limit, the other spelling: {"generation_config":{"max_output_tokens":9}} => outputLimit=9
no limit: {"generationConfig":{"maxOutputTokens":null}} => free
candidates: {"generationConfig":{"candidateCount":3}} => choices=3
a budget: {"generationConfig":{"thinkingConfig":{"thinkingBudget":512}}} => thinkingBudget=512
no thinking: {"generationConfig":{"thinkingConfig":{"thinking_budget":0}}} => thinkingBudget=0
a budget that the model chooses: {"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}} => free
a level: {"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}}} => effort=high
a level in lower case: {"generationConfig":{"thinking_config":{"thinking_level":"low"}}} => effort=low
functions: {"tools":[{"functionDeclarations":[{"name":"f"}]}]} => functionTools=true
functions in one object: {"tools":{"function_declarations":[{"name":"f"}]}} => functionTools=true
one content for a list: {"contents":{"role":"user","parts":[{"text":"hi"}]}} => free
the model of the address again: {"model":"models/gemini-x"} => invalid_value model
nothing: {"serviceTier":"standard","store":true,"labels":{"a":"b"}} => free
a tier: {"serviceTier":"FLEX"} => service_tier:flex at serviceTier
a tier with its prefix: {"service_tier":"SERVICE_TIER_PRIORITY"} => service_tier:priority at service_tier
text: {"generationConfig":{"responseModalities":["TEXT","text"]}} => free
images and speech: {"generationConfig":{"response_modalities":["Text","IMAGE","AUDIO"]}}
  modality:image at generationConfig.response_modalities[1]; modality:audio at generationConfig.response_modalities[2]
one modality for a list: {"generationConfig":{"responseModalities":"IMAGE"}}
  modality:image at generationConfig.responseModalities
the newer way: {"generationConfig":{"responseFormat":[{"text":{}},{"image":{}}]}}
  modality:image at generationConfig.responseFormat[1].image
speech: {"generationConfig":{"speechConfig":{}}} => modality:audio at generationConfig.speechConfig
sizes of images: {"generationConfig":{"imageConfig":{}}} => modality:image at generationConfig.imageConfig
a usual resolution: {"generationConfig":{"mediaResolution":"MEDIA_RESOLUTION_HIGH"}} => free
a dear resolution: {"contents":[{"role":"user","parts":[{"text":"x","mediaResolution":{"level":"MEDIA_RESOLUTION_ULTRA_HIGH"}}]}]}
  media_resolution:ultra_high at contents[0].parts[0].mediaResolution.level
a resolution in tokens: {"contents":[{"role":"user","parts":[{"text":"x","media_resolution":{"num_tokens":9}}]}]}
  media_resolution:num_tokens at contents[0].parts[0].media_resolution.num_tokens
another model: {"generationConfig":{"routingConfig":{"autoMode":{}}}}
  routing_config at generationConfig.routingConfig
screening: {"modelArmorConfig":{"promptTemplateName":"x"}} => model_armor at modelArmorConfig
null contents: {"contents":null} => missing_field contents
contents that are text: {"contents":"hi"} => invalid_value contents
another model: {"model":"gemini-y"} => invalid_value model
a cache at the provider: {"cachedContent":"cachedContents/x"} => reference_not_owned cachedContent
the same, the other spelling: {"cached_content":"x"} => reference_not_owned cached_content
an answer at the provider: {"continuationToken":"x"} => reference_not_owned continuationToken
a bucket to write to: {"outputConfig":{"outputUriPrefix":"gs://b/"}} => reference_not_owned outputConfig
the same, as libraries call it: {"generation_output_config":{"outputUriPrefix":"gs://b/"}}
  reference_not_owned generation_output_config
a bucket: {"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"gs://bucket/a.png","mimeType":"image/png"}}]}]}
  reference_not_owned contents[0].parts[0].fileData.fileUri
a limit of none: {"generationConfig":{"maxOutputTokens":0}} => invalid_value generationConfig.maxOutputTokens
a limit in words: {"generationConfig":{"maxOutputTokens":"100"}} => invalid_value generationConfig.maxOutputTokens
a limit without end: {"generationConfig":{"maxOutputTokens":1e+300}} => invalid_value generationConfig.maxOutputTokens
no candidates: {"generationConfig":{"candidateCount":0}} => invalid_value generationConfig.candidateCount
settings that are a list: {"generationConfig":[{"maxOutputTokens":1}]} => invalid_value generationConfig
a limit twice: {"generationConfig":{"maxOutputTokens":1,"max_output_tokens":100}}
  ambiguous_field generationConfig.max_output_tokens
settings twice: {"generationConfig":{},"generation_config":{}} => ambiguous_field generation_config
another spelling: {"generationConfig":{"MaxOutputTokens":5}} => ambiguous_field generationConfig.MaxOutputTokens
half of another spelling: {"generationConfig":{"maxOutput_tokens":5}}
  ambiguous_field generationConfig.maxOutput_tokens
a tier that is a number: {"serviceTier":2} => invalid_value serviceTier
too many tools: {"tools":[{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}},{"googleSearch":{}}]}
  invalid_value tools[32].googleSearch
its bytes: {"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"video/mp4","data":"QUJD"}}]}]}
  video video/mp4 QUJD
its address: {"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"https://example.com/a","mimeType":"VIDEO/mp4"}}]}]}
  video video/mp4 -
a page of videos: {"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"https://www.youtube.com/watch?v=1"}}]}]}
  video - -
a page of videos, called a picture: {"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"https://youtu.be/1","mimeType":"image/png"}}]}]}
  video image/png -
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"googleSearch":{}}]}
  functionTools=true; tool web_search at tools[1].googleSearch
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"google_search":{}}]}
  functionTools=true; tool web_search at tools[1].google_search
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"googleSearchRetrieval":{}}]}
  functionTools=true; tool web_search at tools[1].googleSearchRetrieval
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"urlContext":{}}]}
  functionTools=true; tool web_fetch at tools[1].urlContext
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"codeExecution":{}}]}
  functionTools=true; tool code_execution at tools[1].codeExecution
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"googleMaps":{}}]}
  functionTools=true; tool google_maps at tools[1].googleMaps
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"fileSearch":{}}]}
  functionTools=true; tool file_search at tools[1].fileSearch
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"computerUse":{}}]}
  functionTools=true; tool computer_use at tools[1].computerUse
a tool of the provider: {"tools":[{"functionDeclarations":[]},{"newThing":{}}]}
  functionTools=true; tool new_thing at tools[1].newThing
media: {"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/PNG","data":"QUJD"}},{"inline_data":{"mime_type":"audio/wav","data":"REVG"}},{"inlineData":{"mimeType":"application/pdf","data":"R0hJ"}},{"fileData":{"fileUri":"https://example.com/a.png","mimeType":"image/png"}},{"functionResponse":{"name":"f","response":{"inlineData":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"SktM"}}]}}]}],"systemInstruction":{"parts":[{"inlineData":{"mimeType":"image/webp","data":"TU5P"}}]}}
  image image/png -; image image/png QUJD; audio audio/wav REVG; document application/pdf R0hJ; image image/png SktM; image image/webp TU5P
# gemini body
no object: [] => invalid_value
no JSON: {"contents": => invalid_json
no contents: {} => missing_field contents
an escaped name: {"contents":[],"generationConfig":{"maxOutput\u0054okens":5}}
  ambiguous_field generationConfig.maxOutputTokens
`)

test('what changes the price is named, what cannot be read, bounded or priced is rejected by its place', () => {
  for (const { section, name, json, expected } of cases) {
    const [format, kind] = section.split(' ') as [ConversationFormat, string | undefined]
    const members = () => sections[section]?.(JSON.parse(json)) ?? (JSON.parse(json) as Members)
    const body = kind === 'body' ? json : JSON.stringify({ ...base[format], ...members() })
    const found = rejection(() => read(format, body)) || summary(format, body) || 'free'
    assert.equal(found, expected, `${section}: ${name} ${json}`)
  }
})

test('responses: tools that are added among the items are tools too, and all of them share one cap', () => {
  const tools = [{ type: 'web_search' }, { type: 'web_search_preview' }]
  const added = [{ type: 'additional_tools', role: 'developer', tools }]
  for (const more of [{ tools }, { input: added }]) {
    const body = JSON.stringify({ ...base['openai-responses'], ...more, max_tool_calls: 3 })
    const { serverTools } = read('openai-responses', body)
    assert.deepEqual(
      serverTools.map(({ usesMax }) => usesMax),
      [3, 3],
    )
  }
})

test('what is missing is said in the words of the format', () => {
  for (const [format, body, message] of [
    ['anthropic', '{"messages":[],"max_tokens":1}', 'model: Field required'],
    ['anthropic', '{"model":"a","max_tokens":1,"messages":{}}', 'messages: must be an array.'],
    ['openai-chat', '{"model":"a"}', "Missing required parameter: 'messages'."],
    ['openai-chat', '[]', 'The body must be a JSON object.'],
  ] as const)
    assert.throws(() => read(format, body), { message })
})

test('a body is of the format that it was sent in', () => {
  for (const [format, members] of Object.entries(base)) {
    const { writtenAs, canPassThrough } = read(format as ConversationFormat, JSON.stringify(members))
    assert.deepEqual([writtenAs, canPassThrough], [format, true])
  }
})

test('a conversation is identified by the first text of its user', () => {
  const said = [
    { role: 'system', content: 's' },
    { role: 'user', content: 'first' },
    { role: 'assistant', content: 'a' },
  ]
  const span = (format: ConversationFormat, members: Members) => {
    const body = JSON.stringify({ ...base[format], ...members })
    const { start, end } = read(format, body).conversationSpan
    return body.slice(start, end)
  }
  assert.equal(span('openai-chat', { messages: [...said, { role: 'user', content: 'next' }] }), 'first')
  assert.equal(span('openai-chat', { messages: said.slice(0, 1) }), JSON.stringify(said[0]))
  assert.equal(span('openai-chat', { messages: [] }), '[]')
  assert.equal(span('openai-responses', {}), 'hi')
  assert.equal(span('openai-responses', { instructions: 'i', input: said }), 'first')
})

test('anthropic: betas change the price only where the table says so, and unknown ones are named', () => {
  const read = (value: string | string[]) => readBetas(messagesBetas, { 'anthropic-beta': value })
  const harmless = [
    'claude-code-20250219,context-1m-2025-08-07, interleaved-thinking-2025-05-14,fast-mode-2026-02-01',
    'output-300k-2026-03-24,context-management-2025-06-27,,fast-mode-2031-02-01',
    '',
  ]
  for (const value of harmless) assert.deepEqual(read(value), { options: [], unknown: [] }, value)
  const options = [{ name: 'beta:user-profiles-billing', pointer: 'anthropic-beta' }]
  const unknown = ['anthropic-beta: unheard-of-2030-01-01']
  const priced = 'User-Profiles-Billing-2026-10-01'
  assert.deepEqual(read(`Unheard-of-2030-01-01, ${priced}`), { options, unknown })
  assert.deepEqual(read(['unheard-of-2030-01-01', priced]), { options, unknown })
})

test('many tools and options in one body are rejected, long names are cut', () => {
  const rejected = (format: ConversationFormat, more: Members) =>
    rejection(() => read(format, JSON.stringify({ ...base[format], ...more })))
  const many = (one: unknown) => Array.from({ length: 2_000 }, () => one)
  const edits = Array.from({ length: 100 }, (_, index) => ({ type: `edit${index}` }))
  const long = { [`a${'_'.repeat(1_000)}`]: 1, A: 2 }
  for (const [format, more, expected] of [
    ['anthropic', { tools: many({ type: 'web_search_20250305' }) }, 'invalid_value tools[32].type'],
    ['anthropic', { tools: [{ type: 'x'.repeat(1_000) }] }, 'invalid_value tools[0].type'],
    ['anthropic', { context_management: { edits } }, 'invalid_value context_management.edits[16].type'],
    ['anthropic', { context_management: { edits: many({ type: 'compact_20260112' }) } }, ''],
    ['gemini', { tools: many({ googleSearch: {} }) }, 'invalid_value tools[32].googleSearch'],
  ] as const)
    assert.equal(rejected(format, more), expected)
  assert.ok(rejected('anthropic', long).length < 300)
})

// Patches.

function patched(format: ConversationFormat, body: string, patch: RequestPatch): string {
  const edits = wireFormats[format].patchRequest(read(format, body), patch)
  return Buffer.concat(applyEdits(bytesOf(body), edits)).toString()
}

const patches = textCases(String.raw`
# anthropic {}
is: {"messages":[],"model":"m","max_tokens":9} => {"messages":[],"model":"m","max_tokens":9}
# anthropic {"model":"n","outputLimit":7,"serverToolUsesMax":5}
is: {"messages":[],"model":"m","max_tokens":9} => {"messages":[],"model":"n","max_tokens":7}
# anthropic {"outputLimit":9}
is: {"messages":[],"model":"m","max_tokens":9} => {"messages":[],"model":"m","max_tokens":9}
# anthropic {"outputLimit":10}
is: {"messages":[],"model":"m","max_tokens":9} => {"messages":[],"model":"m","max_tokens":9}
# anthropic {"serverToolUsesMax":5}
is: {"messages":[],"model":"m","max_tokens":9,"tools":[{"type":"web_search_20250305"},{"type":"web_fetch_20250910","max_uses":9},{"name":"a"}]}
  {"messages":[],"model":"m","max_tokens":9,"tools":[{"max_uses":5,"type":"web_search_20250305"},{"type":"web_fetch_20250910","max_uses":5},{"name":"a"}]}
is: {"messages":[],"model":"m","max_tokens":9,"tools":[{"max_uses":3,"type":"web_search_20250305"},{"type":"web_search_20260209","max_uses":null}]}
  {"messages":[],"model":"m","max_tokens":9,"tools":[{"max_uses":3,"type":"web_search_20250305"},{"type":"web_search_20260209","max_uses":5}]}
is: {"messages":[],"model":"m","max_tokens":9,"tools":[{"type":"code_execution_20250825"}]}
  {"messages":[],"model":"m","max_tokens":9,"tools":[{"type":"code_execution_20250825"}]}
# openai-chat {}
is: {"model":"m","messages":[]} => {"model":"m","messages":[]}
is: {"model":"m","messages":[],"stream":true}
  {"stream_options":{"include_usage":true},"model":"m","messages":[],"stream":true}
is: {"model":"m","messages":[],"stream":true,"stream_options":null}
  {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}
is: {"model":"m","messages":[],"stream":true,"stream_options":{ }}
  {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true }}
is: {"model":"m","messages":[],"stream":true,"stream_options":{"include_obfuscation":false}}
  {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true,"include_obfuscation":false}}
is: {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":false}}
  {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}
is: {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":null}}
  {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}
is: {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}
  {"model":"m","messages":[],"stream":true,"stream_options":{"include_usage":true}}
is: {"model":"m","messages":[],"stream":false,"stream_options":{"x":1}}
  {"model":"m","messages":[],"stream":false,"stream_options":{"x":1}}
# openai-chat {"model":"a\"b"}
is: {"model":"m","messages":[]} => {"model":"a\"b","messages":[]}
# openai-chat {"outputLimit":7}
is: {"model":"m","messages":[],"max_tokens":9} => {"model":"m","messages":[],"max_tokens":7}
is: {"model":"m","messages":[]} => {"max_completion_tokens":7,"model":"m","messages":[]}
is: {"model":"m","messages":[],"max_completion_tokens":null} => {"model":"m","messages":[],"max_completion_tokens":7}
is: {"model":"m","messages":[],"max_tokens":null}
  {"max_completion_tokens":7,"model":"m","messages":[],"max_tokens":null}
is: {"model":"m","messages":[],"stream":true}
  {"max_completion_tokens":7,"stream_options":{"include_usage":true},"model":"m","messages":[],"stream":true}
# openai-chat {"outputLimit":9}
is: {"model":"m","messages":[],"max_tokens": 9 } => {"model":"m","messages":[],"max_tokens": 9 }
# openai-chat {"outputLimit":6}
is: {"model":"m","messages":[],"max_tokens":9,"max_completion_tokens":5}
  {"model":"m","messages":[],"max_tokens":6,"max_completion_tokens":5}
is: {"model":"m","messages":[],"max_tokens":9,"max_completion_tokens":8}
  {"model":"m","messages":[],"max_tokens":6,"max_completion_tokens":6}
# gemini {"outputLimit":7,"model":"other","serverToolUsesMax":2}
is: {"contents":[]} => {"generationConfig":{"maxOutputTokens":7},"contents":[]}
is: { "contents":[], "generationConfig" : { } } => { "contents":[], "generationConfig" : {"maxOutputTokens":7 } }
is: {"contents":[],"generationConfig":null} => {"contents":[],"generationConfig":{"maxOutputTokens":7}}
is: {"contents":[],"generationConfig":{"topK":1}} => {"contents":[],"generationConfig":{"maxOutputTokens":7,"topK":1}}
is: {"contents":[],"generation_config":{"max_output_tokens":100}}
  {"contents":[],"generation_config":{"max_output_tokens":7}}
is: {"contents":[],"generationConfig":{"maxOutputTokens":null}}
  {"contents":[],"generationConfig":{"maxOutputTokens":7}}
is: {"contents":[],"generationConfig":{"maxOutputTokens":5}}
  {"contents":[],"generationConfig":{"maxOutputTokens":5}}
# openai-responses {"model":"other","outputLimit":64,"serverToolUsesMax":2}
is: {"model":"m","input":"Hello."} => {"max_output_tokens":64,"model":"other","input":"Hello."}
is: {"model":"m","input":"Hello.","max_output_tokens":null}
  {"model":"other","input":"Hello.","max_output_tokens":64}
is: {"model":"m","input":"Hello.","max_output_tokens":99} => {"model":"other","input":"Hello.","max_output_tokens":64}
is: {"model":"m","input":"Hello.","max_output_tokens":20} => {"model":"other","input":"Hello.","max_output_tokens":20}
is: {"model":"m","input":"Hello.","tools":[{"type":"web_search"},{"type":"web_search_preview"}]}
  {"max_output_tokens":64,"max_tool_calls":2,"model":"other","input":"Hello.","tools":[{"type":"web_search"},{"type":"web_search_preview"}]}
is: {"model":"m","input":"Hello.","tools":[{"type":"web_search"},{"type":"web_search_preview"}],"max_tool_calls":9}
  {"max_output_tokens":64,"model":"other","input":"Hello.","tools":[{"type":"web_search"},{"type":"web_search_preview"}],"max_tool_calls":2}
is: {"model":"m","input":"Hello.","tools":[{"type":"web_search"},{"type":"web_search_preview"}],"max_tool_calls":1}
  {"max_output_tokens":64,"model":"other","input":"Hello.","tools":[{"type":"web_search"},{"type":"web_search_preview"}],"max_tool_calls":1}
is: {"model":"m","input":"Hello.","max_tool_calls":9}
  {"max_output_tokens":64,"model":"other","input":"Hello.","max_tool_calls":9}
`)

test('a patch writes what it must and nothing else', () => {
  for (const { section, json, expected } of patches) {
    const [format = '', patch = ''] = section.split(/ (?=\{)/)
    assert.equal(patched(format as ConversationFormat, json, JSON.parse(patch)), expected, json)
  }
})

test('the usage event is the caller’s when the caller asked for it', () => {
  for (const [more, expected] of [
    [{ stream: true }, 'drop'],
    [{ stream: true, stream_options: { include_usage: true } }, 'relay'],
    [{ stream_options: {} }, 'relay'],
    [{ messages: undefined, input: 'hi', stream: true }, 'relay'],
  ] as const) {
    const body = JSON.stringify({ ...base['openai-chat'], ...more })
    assert.equal(wireFormats['openai-chat'].usageEvent(read('openai-chat', body)), expected)
  }
  const responses = read('openai-responses', JSON.stringify(base['openai-responses']))
  assert.equal(wireFormats['openai-responses'].usageEvent(responses), 'relay')
})

interface Limited {
  readonly max_tokens?: number | null
  readonly max_completion_tokens?: number | null
  readonly stream?: boolean
  readonly stream_options?: object | null
}

/** The patch, made on objects. */
function changed(body: Limited, { model, outputLimit }: RequestPatch): Record<string, unknown> {
  const result: Record<string, unknown> = { ...body, ...(model === undefined ? {} : { model }) }
  if (outputLimit !== undefined) {
    const names = ['max_tokens', 'max_completion_tokens'] as const
    const limited = names.filter((name) => typeof body[name] === 'number')
    for (const name of limited) result[name] = Math.min(body[name] ?? 0, outputLimit)
    if (limited.length === 0) result.max_completion_tokens = outputLimit
  }
  if (body.stream === true) result.stream_options = { ...body.stream_options, include_usage: true }
  return result
}

test('openai-chat: however a body is written, a patch equals the change made on objects', () => {
  const limit = fc.option(fc.integer({ min: 1, max: 100_000 }))
  const messages = fc.array(
    fc.record({ role: fc.constant('user'), content: fc.string({ unit: 'binary' }) }),
    {
      maxLength: 3,
    },
  )
  const usage = fc.record({ include_usage: fc.boolean(), other: fc.jsonValue() }, { requiredKeys: [] })
  const bodies = fc.record(
    {
      ...{ model: fc.string({ minLength: 1 }), messages, max_tokens: limit, max_completion_tokens: limit },
      ...{ stream: fc.boolean(), stream_options: fc.option(usage), metadata: fc.jsonValue() },
    },
    { requiredKeys: ['model', 'messages'] },
  )
  const splices = fc.record(
    { model: fc.string({ minLength: 1 }), outputLimit: fc.integer({ min: 1, max: 100_000 }) },
    { requiredKeys: [] },
  )
  const orders = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 })
  fc.assert(
    fc.property(bodies, splices, orders, fc.constantFrom(0, 1, '\t'), (body, splice, order, space) => {
      const entries = Object.entries(body)
      const shuffled = order.flatMap((index) => (entries[index] === undefined ? [] : [entries[index]]))
      const text = JSON.stringify(Object.fromEntries(shuffled), null, space)
      const expected = JSON.parse(JSON.stringify(changed(body, splice)))
      assert.deepEqual(JSON.parse(patched('openai-chat', text, splice)), expected)
    }),
    { numRuns: 300 },
  )
})
