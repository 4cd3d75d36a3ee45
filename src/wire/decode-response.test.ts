/**
 * Responses of each format in the neutral form, whole and as a stream: parts one after the other in whatever order they come, the
 * same in any chunks, and what hosts say in their own ways. Converse's are in bedrock-converse/decode-stream.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  brief,
  bytesOf,
  decoded,
  rejection,
  story,
  textCases,
  usageOf,
} from '../../test/support/neutral-values.ts'
import { codecs } from '../../test/support/wire-formats.ts'
import type { ConversationFormat } from './format-names.ts'
import type { ResponseEvent } from './translation/neutral.ts'

const eventBytesMax = 64 * 1024
const formats = Object.keys(codecs) as readonly ConversationFormat[]
type Loose = Readonly<Record<string, unknown>>

/** Turns a case into a response. */
const bodies: Readonly<Record<ConversationFormat, (given: Loose) => Loose>> = {
  'openai-chat': (choice) => ({ choices: [{ index: 0, finish_reason: 'stop', ...choice }] }),
  'openai-responses': (given) => ({ status: 'completed', ...given }),
  anthropic: (given) => given,
  gemini: ({ parts, ...more }) =>
    parts === undefined
      ? more
      : { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP', ...more }] },
}

/** Turns an element of a case into an event; text is sent as it is, but for the finish of a chat. */
const chunks: Readonly<Record<ConversationFormat, (given: unknown) => string>> = {
  'openai-chat'(given) {
    const choice = typeof given === 'string' ? { delta: {}, finish_reason: given } : { delta: given }
    const end = typeof given === 'string' ? 'data: [DONE]\n\n' : ''
    return data({ id: 'c', choices: [{ index: 0, finish_reason: null, ...choice }] }) + end
  },
  'openai-responses'(given) {
    const { type, ...members } = given as { type: string }
    return typeof given === 'string' ? data(given) : named({ type: `response.${type}`, ...members })
  },
  anthropic: (given) => (typeof given === 'object' ? named(given as { type: string }) : data(given)),
  gemini(given) {
    const { parts, finishReason, groundingMetadata, ...rest } = given as Loose
    if (parts === undefined && finishReason === undefined) return data(given)
    return data({ candidates: [{ content: { parts }, finishReason, groundingMetadata, index: 0 }], ...rest })
  },
}

function data(value: unknown): string {
  return `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
}

function named(value: { readonly type: string }): string {
  return `event: ${value.type}\n${data(value)}`
}

function inEvents(format: ConversationFormat, stream: string, size?: number): readonly ResponseEvent[] {
  return decoded(codecs[format].decodeStream(eventBytesMax), stream, size)
}

/** Parts never overlap, and nothing comes after the finish. */
function checkOrder(events: readonly ResponseEvent[], name: string): void {
  let isOpen = false
  for (const [at, { kind }] of events.entries()) {
    if (kind === 'open' || kind === 'whole' || kind === 'finish') assert.ok(!isOpen, name)
    if (kind === 'delta' || kind === 'close' || kind === 'citation' || kind === 'logprobs')
      assert.ok(isOpen, name)
    if (kind === 'open' || kind === 'close') isOpen = kind === 'open'
    if (kind === 'finish') assert.equal(at, events.length - 1, name)
  }
}

function inOneLine(format: ConversationFormat, given: Loose): string {
  const { parts, finish, logprobs } = codecs[format].decodeResponse(bytesOf(bodies[format](given)), usageOf())
  const { reason, stopString, explanation } = finish
  const said = [reason, stopString, explanation, logprobs?.text].filter(
    (word) => word !== null && word !== undefined,
  )
  return [...parts.map(brief), said.join(' ')].join(' | ')
}

const cases = textCases(String.raw`
# openai-chat stream
text in pieces: [{"role":"assistant","content":""},{"content":"a"},{"content":"b"},"stop"] => start <text a b > end
thoughts, then text: [{"reasoning_content":"h"},{"reasoning":"m"},{"content":"so"},"stop"]
  start <thinking h m > <text so > end
thoughts in parts: [{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]},{"content":[{"type":"text","text":"so"}]},"stop"]
  start <thinking hm > <text so > end
a refusal: [{"refusal":"n"},{"refusal":"o"},"stop"] => start <refusal n o > refusal
calls one after the other: [{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]},{"tool_calls":[{"index":0,"function":{"arguments":"{\"x\":"}}]},{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}]},{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"tool_calls"]
  start <call a f {"x": 1} > <call b g {} > calls
an index that begins at 1: [{"tool_calls":[{"index":1,"id":"a","type":"function","function":{"name":"f","arguments":""}}]},{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"tool_calls"]
  start <call a f {} > calls
calls that run into each other are told one by one: [{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]},{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"f","arguments":""}}]},{"tool_calls":[{"index":1,"function":{"arguments":"{\"b\""}}]},{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":\"}\""}}]},{"tool_calls":[{"index":1,"function":{"arguments":":2}"}}]},{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"tool_calls"]
  start <call a f {"a":"}" } > <call b f {"b":2} > calls
a call that never gets an input holds the next back to the end: [{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}]},{"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"f","arguments":""}}]},{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"tool_calls"]
  start <call a f > <call b f {} > calls
text behind a call that is not whole: [{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}]},{"content":"so"},{"tool_calls":[{"index":0,"function":{"arguments":"}"}}]},"tool_calls"]
  start <call a f { } > <text so > calls
two calls under one index by their ids: [{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]},{"tool_calls":[{"index":0,"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]},"stop"]
  start <call a f {} > <call b g {} > calls
two calls without ids or indexes: [{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},{"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":1}"}}]},"stop"]
  start <call  f {} > <call  f {"a":1} > calls
a name and an id that are repeated: [{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}}]},{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"}"}}]},"tool_calls"]
  start <call a f { } > calls
input before its name: [{"tool_calls":[{"index":0,"function":{"arguments":""}}]},{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"{"}}]},{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"}"}}]},"tool_calls"]
  start <call a f {} > calls
free text: [{"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"c","input":"x"}}]},{"tool_calls":[{"index":0,"custom":{"input":"y"}}]},"tool_calls"]
  start <call a c "" x y > calls
the oldest form: [{"function_call":{"name":"f","arguments":""}},{"function_call":{"arguments":"{}"}},"function_call"]
  start <call  f {} > calls
a signature on a call, and beside calls: [{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}],"extra_content":{"google":{"thought_signature":"R09PRw=="}}},{"tool_calls":[{"index":1,"id":"b","function":{"name":"g","arguments":"{}"},"extra_content":{"google":{"thought_signature":"R09PRw=="}}}]},"stop"]
  start <call a f  google:R09PRw== {} > <call b g  google:R09PRw== {} > calls
a signature without a call: [{"content":"so"},{"content":"","extra_content":{"google":{"thought_signature":"R09PRw=="}}},"stop"]
  start <text so > (thinks  google:R09PRw==) end
sources and images: [{"content":"so"},{"annotations":[{"url_citation":{"url":"https://a"}}]},{"images":[{"image_url":{"url":"https://b"}}]},"stop"]
  start <text so [https://a] > (image url https://b) end
nothing at all: [{"role":"assistant","content":""},"stop"] => start end
a limit: [{"content":"so"},"length"] => start <text so > length
# openai-responses stream
words: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":""}]}},{"type":"output_text.delta","output_index":0,"content_index":0,"delta":"a"},{"type":"output_text.delta","output_index":0,"content_index":0,"delta":"b"},{"type":"content_part.done","output_index":0,"content_index":0,"part":{"type":"output_text","text":"ab"}},{"type":"output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"ab"}]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <text a b > end
words without part events: [{"type":"output_text.delta","output_index":0,"content_index":0,"delta":"a"},{"type":"output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"a"}]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  <text a > start end
an item that comes whole: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"ab"}]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <text ab > end
an answer that comes whole: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"ab"}]},{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{}"}]}}]
  start <text ab > <call call_1 f {} > calls
an item told twice: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"ab"}]}},{"type":"output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"ab"}]}},{"type":"completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"ab"}]}]}}]
  start <text ab > end
two texts in a message, told again: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":""}]}},{"type":"output_text.delta","output_index":0,"content_index":0,"delta":"x"},{"type":"content_part.done","output_index":0,"content_index":0,"part":{"type":"output_text","text":"x"}},{"type":"output_text.delta","output_index":0,"content_index":1,"delta":"x"},{"type":"content_part.done","output_index":0,"content_index":1,"part":{"type":"output_text","text":"x"}},{"type":"output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"x"},{"type":"output_text","text":"x"}]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <text x > <text x > end
thoughts in several parts: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"reasoning"}},{"type":"reasoning_summary_part.added","output_index":0},{"type":"reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"a"},{"type":"reasoning_summary_part.added","output_index":0},{"type":"reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"b"},{"type":"output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_2","summary":[{"text":"a"},{"text":"b"}],"encrypted_content":"new"}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <thinking a \n\nb >openai:rs_2.new end
thoughts that are hidden: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"reasoning","encrypted_content":"old"}},{"type":"output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs_1","encrypted_content":"new","summary":[]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <thinking >openai:rs_1.new end
thoughts that say nothing: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"reasoning"}},{"type":"output_item.done","output_index":0,"item":{"type":"reasoning","summary":[]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start end
thoughts in the open: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"reasoning"}},{"type":"reasoning_text.delta","output_index":0,"content_index":0,"delta":"a"},{"type":"output_item.done","output_index":0,"item":{"type":"reasoning","content":[{"text":"a"}]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <thinking a > end
a call: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"","namespace":"n"}},{"type":"function_call_arguments.delta","output_index":0,"delta":"{\"a\""},{"type":"function_call_arguments.delta","output_index":0,"delta":":1}"},{"type":"output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{\"a\":1}"}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <call call_1 n/f {"a" :1} > calls
a call without deltas: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}},{"type":"output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{\"a\":1}"}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <call call_1 f {"a":1} > calls
a call without arguments: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}},{"type":"output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <call call_1 f > calls
free text: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"custom_tool_call","call_id":"c","name":"p","input":""}},{"type":"custom_tool_call_input.delta","output_index":0,"delta":"raw"},{"type":"output_item.done","output_index":0,"item":{"type":"custom_tool_call","call_id":"c","name":"p","input":"raw"}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <call c p "" raw > calls
calls that overlap: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.added","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":""}},{"type":"output_item.added","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"call_2","name":"f","arguments":""}},{"type":"function_call_arguments.delta","output_index":1,"delta":"x"},{"type":"function_call_arguments.delta","output_index":0,"delta":"a"},{"type":"output_item.done","output_index":1,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"x"}},{"type":"function_call_arguments.delta","output_index":0,"delta":"b"},{"type":"output_item.done","output_index":0,"item":{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"ab"}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <call call_1 f a b > <call call_2 f x > calls
a refusal: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"refusal.delta","output_index":0,"content_index":0,"delta":"No"},{"type":"output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"refusal","refusal":"No"}]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <refusal No > refusal
sources and probabilities: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_text.delta","output_index":0,"content_index":0,"delta":"a","logprobs":[{"token":"a","logprob":-1}]},{"type":"output_text.annotation.added","output_index":0,"content_index":0,"annotation":{"type":"url_citation","url":"https://example.com/a"}},{"type":"output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"a"}]}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start <text [{"token":"a","logprob":-1}] a [https://example.com/a] > end
an image: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_item.done","output_index":0,"item":{"type":"image_generation_call","result":"AAAA"}},{"type":"completed","response":{"status":"completed","output":[]}}]
  start (image base64 image/png AAAA) end
what nobody knows: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"teleport.delta","output_index":0,"delta":"x"},{"type":"output_item.done","output_index":0,"item":{"type":"teleport"}},"no JSON",{"type":"completed","response":{"status":"completed","output":[]}}]
  start end
a limit: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_text.delta","output_index":0,"content_index":0,"delta":"a"},{"type":"incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}]
  start <text a > length
a filter: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"content_filter"}}}]
  start filter
an error: [{"type":"created","response":{"id":"resp_1","model":"gpt-x"}},{"type":"output_text.delta","output_index":0,"content_index":0,"delta":"a"},{"type":"error","message":"m"},{"type":"failed","response":{}}]
  start <text a
# gemini stream
text: [{"parts":[{"text":"a"}]},{"parts":[{"text":"b"}]},{"parts":[{"text":""}],"finishReason":"STOP"}]
  start <text a b > end
a thought, and a text whose signature is dropped: [{"parts":[{"text":"t","thought":true}]},{"parts":[{"text":"a","thoughtSignature":"c2ln"}]},{"parts":[{"text":""}],"finishReason":"STOP"}]
  start <thinking t > <text a > end
a text whose signature comes when it has begun: [{"parts":[{"text":"a"}]},{"parts":[{"text":"b","thoughtSignature":"c2ln"}]},{"parts":[{"text":""}],"finishReason":"STOP"}]
  start <text a b > end
a signature at the end: [{"parts":[{"text":"a"}]},{"parts":[{"text":"","thoughtSignature":"c2ln"}],"finishReason":"STOP"}]
  start <text a > end
a signature at the end, on an empty thought: [{"parts":[{"text":"a"}]},{"parts":[{"text":"","thought":true,"thoughtSignature":"c2ln"}]},{"parts":[{"text":""}],"finishReason":"STOP"}]
  start <text a > end
a call: [{"parts":[{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"g"}}]},{"parts":[{"text":""}],"finishReason":"STOP"}]
  start <call  f  google:c2ln {"a":1} > <call  g {} > calls
text, a call, text: [{"parts":[{"text":"a"},{"functionCall":{"name":"f"}},{"text":"b"}]},{"parts":[{"text":""}],"finishReason":"STOP"}]
  start <text a > <call  f {} > <text b > calls
media: [{"parts":[{"text":"a"},{"inlineData":{"mimeType":"image/png","data":"QUJD"}}]},{"parts":[{"text":""}],"finishReason":"STOP"}]
  start <text a > (image base64 image/png QUJD) end
a blocked prompt: [{"promptFeedback":{"blockReason":"SAFETY"},"responseId":"r"}] => start filter SAFETY
a stream that was cut: [{"parts":[{"text":"a"}]}] => start <text a >
the finish, told once and last: [{"parts":[{"text":"a"}],"finishReason":"MAX_TOKENS"},{"parts":[],"usageMetadata":{}}]
  start <text a > length
sources, told once: [{"parts":[{"text":"a"}],"groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}]}},{"parts":[{"text":"b"}],"finishReason":"STOP","groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}},{"web":{"uri":"v"}}]}}]
  start <text a [u] b [v] > end
sources in a last event that says nothing, and signs: [{"parts":[{"text":"a"}]},{"parts":[{"text":"","thoughtSignature":"c2ln"}],"finishReason":"STOP","groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}]}}]
  start <text a [u] > end
sources behind the end of the text: [{"parts":[{"text":"a"}]},{"parts":[{"text":"","thoughtSignature":"c2ln"}]},{"parts":[{"text":""}],"finishReason":"STOP","groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}]}}]
  start <text a [u] > end
garbage and other events: ["{\"x\":",{"other":1},[1],{"parts":[{"text":"a"}]},{"parts":[{"text":""}],"finishReason":"STOP"}]
  start <text a > end
# anthropic stream
a beginning and an end that come twice: [{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}},{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}},{"type":"message_stop"}]
  start input end
text: [{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}},{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}},{"type":"content_block_stop","index":0},{"type":"message_delta","delta":{"stop_reason":"stop_sequence","stop_sequence":"END"},"usage":{"output_tokens":1}},{"type":"message_stop"}]
  start input <text a b > stop_string END
thoughts: [{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}},{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}},{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}},{"type":"content_block_stop","index":0},{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":1}},{"type":"message_stop"}]
  start input <thinking hm >anthropic:sig length
blocks that overlap: [{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{}}},{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"b","name":"g","input":{}}},{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}},{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"b\":1}"}},{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}},{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"x"}},{"type":"content_block_stop","index":1},{"type":"content_block_stop","index":0},{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":1}},{"type":"message_stop"}]
  start input <call a f {"a":1} > <call b g {"b":1} > <text x > calls
what ran at the provider, what is unknown and what is broken: [{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}},{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}},{"type":"content_block_stop","index":0},{"type":"content_block_start","index":1,"content_block":{"type":"web_search_tool_result","content":[]}},{"type":"content_block_stop","index":1},{"type":"ping"},"{broken",1,{"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":"x"}},{"type":"new"},{"type":"message_delta","delta":{"stop_reason":"refusal","stop_details":{"explanation":"Not this."}},"usage":{"output_tokens":1}},{"type":"content_block_start","index":2,"content_block":{"type":"text","text":"late"}}]
  start input refusal Not this.
input that comes with the beginning of a call: [{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"f","input":{"n":1}}},{"type":"content_block_stop","index":0},{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}]
  start input <call a f {"n":1} > end
redacted thoughts and citations: [{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"sig"}},{"type":"content_block_stop","index":0},{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}},{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":{"type":"web_search_result_location","url":"https://a.example","title":"A","cited_text":"a","encrypted_index":"E"}}},{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"x"}},{"type":"content_block_stop","index":1},{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}]
  start input (hidden  anthropic:sig) <text [https://a.example] x > end
a stream that is cut: [{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}},{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}},{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}]
  start input <text x
# gemini
texts that follow each other are one: {"parts":[{"text":"a"},{"text":""},{"text":"b"}]} => ab | end
a thought and an answer: {"parts":[{"text":"t","thought":true},{"text":"a"}]} => thinks t | a | end
the signature of a text is dropped and is none of the thought: {"parts":[{"text":"t","thought":true},{"text":"a","thoughtSignature":"c2ln"}]}
  thinks t | a | end
a signature behind a text: {"parts":[{"text":"a"},{"text":"","thoughtSignature":"c2ln"}]} => a | end
media: {"parts":[{"inlineData":{"mimeType":"image/png","data":"QUJD"}},{"inlineData":{"mimeType":"audio/wav","data":"QUJD"}}]}
  image base64 image/png QUJD | audio base64 audio/wav QUJD | end
calls: {"parts":[{"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"g","id":"x"}}]}
  call  f {"a":1} google:c2ln | call x g {} | calls
sources: {"parts":[{"text":"a"}],"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://a","title":"A"}},{"web":{}}]},"citationMetadata":{"citations":[{"uri":"https://b"}]}}
  a [https://a A null] [https://b null null] | end
STOP: {"parts":[{"text":"a"}],"finishReason":"STOP"} => a | end
STOP with a call: {"parts":[{"functionCall":{"name":"f"}}],"finishReason":"STOP"} => call  f {} | calls
MAX_TOKENS with a call: {"parts":[{"functionCall":{"name":"f"}}],"finishReason":"MAX_TOKENS"} => call  f {} | length
SAFETY: {"parts":[],"finishReason":"SAFETY"} => filter SAFETY
SPII with a message: {"parts":[],"finishReason":"SPII","finishMessage":"m"} => filter m
IMAGE_RECITATION: {"parts":[],"finishReason":"IMAGE_RECITATION"} => filter IMAGE_RECITATION
MODEL_ARMOR: {"parts":[],"finishReason":"MODEL_ARMOR"} => filter MODEL_ARMOR
ESCALATION: {"parts":[],"finishReason":"ESCALATION"} => refusal ESCALATION
PUP_LIMITED_DISABLED: {"parts":[],"finishReason":"PUP_LIMITED_DISABLED"} => refusal PUP_LIMITED_DISABLED
CONTINUATION: {"parts":[{"text":"a"}],"finishReason":"CONTINUATION"} => a | pause
OTHER: {"parts":[],"finishReason":"OTHER"} => end
a reason from tomorrow: {"parts":[],"finishReason":"constructor"} => end
a blocked prompt: {"promptFeedback":{"blockReason":"JAILBREAK"}} => filter JAILBREAK
a blocked prompt with a message: {"promptFeedback":{"blockReason":"JAILBREAK","blockReasonMessage":"m"}} => filter m
probabilities: {"parts":[{"text":"a"}],"logprobsResult":{"chosenCandidates":[{"token":"é","logProbability":-0.5}],"topCandidates":[{"candidates":[{"token":"é","logProbability":-0.5},{"token":"x","logProbability":-2}]}]}}
  a | end [{"token":"é","logprob":-0.5,"bytes":[195,169],"top_logprobs":[{"token":"é","logprob":-0.5,"bytes":[195,169]},{"token":"x","logprob":-2,"bytes":[120]}]}]
# openai-chat
thoughts: {"message":{"reasoning_content":"hm","content":"so"}} => thinks hm | so | end
thoughts by another name: {"message":{"reasoning":"hm","content":""}} => thinks hm | end
thoughts in parts: {"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"so"}]}}
  thinks hm | so | end
nothing: {"message":{"content":null}} => end
the oldest form: {"message":{"function_call":{"name":"f","arguments":"{}"}}} => call  f {} | calls
free text: {"message":{"tool_calls":[{"id":"a","type":"custom","custom":{"name":"c","input":"x"}}]}}
  call a c "x" | calls
sound: {"message":{"content":null,"audio":{"transcript":"spoken"}}} => spoken | end
an image: {"message":{"images":[{"image_url":{"url":"data:image/png;base64,AAAA"}}]}}
  image base64 image/png AAAA | end
a signature beside calls: {"message":{"extra_content":{"google":{"thought_signature":"R09PRw=="}},"tool_calls":[{"id":"a","function":{"name":"f"}},{"id":"b","function":{"name":"f"}}]}}
  call a f  google:R09PRw== | call b f  | calls
a signature without a call: {"message":{"extra_content":{"google":{"thought_signature":"R09PRw=="}},"content":"so"}}
  so | thinks  google:R09PRw== | end
sources: {"message":{"content":"so","annotations":[{"type":"url_citation","url_citation":{"url":"https://a","title":"A","start_index":0,"end_index":1}}]}}
  so [https://a A null] | end
a refusal: {"message":{"content":null,"refusal":"no"}} => refuses no | refusal
a filter: {"message":{"content":"x"},"finish_reason":"content_filter"} => x | filter
a limit: {"message":{"content":"x"},"finish_reason":"length"} => x | length
probabilities: {"message":{"content":"x"},"logprobs":{"content":[{"token":"x"}]}} => x | end [{"token":"x"}]
# anthropic
blocks that are none: {"content":[1,{"type":"new"},{"type":"tool_use"}],"stop_reason":"new"} => call    | end
every block: {"content":[{"type":"thinking","thinking":"hm","signature":"sig"},{"type":"redacted_thinking","data":"x"},{"type":"text","text":"a","citations":[{"url":"https://a","title":"A","cited_text":"q"}]},{"type":"tool_use","id":"a","name":"f","input":{"x":1}}],"stop_reason":"tool_use"}
  thinks hm anthropic:sig | hidden  anthropic:x | a [https://a A q] | call a f {"x":1} | calls
max_tokens: {"content":[{"type":"text","text":"a"}],"stop_reason":"max_tokens","stop_sequence":null} => a | length
model_context_window_exceeded: {"content":[{"type":"text","text":"a"}],"stop_reason":"model_context_window_exceeded","stop_sequence":null}
  a | context
refusal: {"content":[{"type":"text","text":"a"}],"stop_reason":"refusal","stop_sequence":null} => a | refusal
pause_turn: {"content":[{"type":"text","text":"a"}],"stop_reason":"pause_turn","stop_sequence":null} => a | pause
stop_sequence: {"content":[{"type":"text","text":"a"}],"stop_reason":"stop_sequence","stop_sequence":"END"}
  a | stop_string END
# openai-responses
every item: {"output":[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"a"},{"type":"summary_text","text":"b"}],"encrypted_content":"gA"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x","annotations":[{"type":"url_citation","url":"https://a","title":"A"}]},{"type":"refusal","refusal":"no"}]},{"type":"function_call","call_id":"c","name":"f","namespace":"n","arguments":"{\"a\":1}"},{"type":"custom_tool_call","call_id":"d","name":"p","input":"raw"},{"type":"image_generation_call","result":"AAAA"},{"type":"teleport"}]}
  thinks a\n\nb openai:rs_1.gA | x [https://a A null] | refuses no | call c n/f {"a":1} | call d p "raw" | image base64 image/png AAAA | calls
a limit: {"output":[{"type":"message","content":[{"type":"output_text","text":"x","logprobs":[{"token":"x"}]}]}],"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}
  x | length [{"token":"x"}]
a filter: {"output":[],"status":"incomplete","incomplete_details":{"reason":"content_filter"}} => filter
`)

test('responses and streams in the neutral form', () => {
  for (const { section, name, json, expected } of cases) {
    const [format, isStream] = section.split(' ') as [ConversationFormat, string?]
    const title = `${section}: ${name}`
    if (isStream === undefined) {
      assert.equal(inOneLine(format, JSON.parse(json) as Loose).replaceAll('\n', '\\n'), expected, title)
      continue
    }
    const stream = (JSON.parse(json) as unknown[]).map(chunks[format]).join('')
    const events = inEvents(format, stream)
    assert.equal(story(events).replaceAll('\n', '\\n'), expected, title)
    checkOrder(events, title)
    for (const size of [1, 7]) assert.deepEqual(inEvents(format, stream, size), events, `${title} by ${size}`)
  }
})

test('gemini: code that ran, and what it printed, is text', () => {
  const executableCode = { language: 'PYTHON', code: 'print(1)' }
  const parts = [{ executableCode }, { codeExecutionResult: { output: '1\n' } }]
  const expected = '\n```python\nprint(1)\n```\n\n```\n1\n```\n | end'
  assert.equal(inOneLine('gemini', { parts }), expected)
})

test('input of calls is the text that the model wrote', () => {
  const input = '{"n": 1.0, "b":9007199254740993,"__proto__":1,"e":"\\u00e9"}'
  const quoted = JSON.stringify(input)
  const whole: Readonly<Record<ConversationFormat, string>> = {
    'openai-chat': `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":${quoted}}}]}}]}`,
    'openai-responses': `{"output":[{"type":"function_call","call_id":"a","name":"f","arguments":${quoted}}]}`,
    anthropic: `{"content":[{"type":"tool_use","id":"a","name":"f","input": ${input} }]}`,
    gemini: `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${input}}}]},"finishReason":"STOP"}]}`,
  }
  for (const format of formats) {
    const [part] = codecs[format].decodeResponse(bytesOf(whole[format]), usageOf()).parts
    assert.equal(part?.kind === 'call' && part.input, input, format)
  }
  const block = `{"type":"tool_use","id":"a","name":"f","input":${input}}`
  const start = `data: {"type":"content_block_start","index":0,"content_block":${block}}\n\n`
  assert.ok(story(inEvents('anthropic', `${start}${named({ type: 'content_block_stop' })}`)).includes(input))
  const sse = `data: ${whole.gemini}\n\n`
  assert.ok(story(inEvents('gemini', sse)).includes(input))
})

test('an invalid response is rejected', () => {
  const own = [
    '{"content":null}',
    '{"content":{}}',
    '{"content":[}',
    '{"candidates":[]}',
    '{"error":{"code":500}}',
  ]
  for (const format of formats)
    for (const body of ['', 'x', '<html>', '[]', '{}', '{"choices":[]}', ...own])
      assert.equal(
        rejection(() => codecs[format].decodeResponse(bytesOf(body), usageOf())),
        'invalid_value',
        `${format}: ${body}`,
      )
})

test('a cut stream has no finish, and garbage is passed over', () => {
  for (const format of formats)
    for (const garbage of [
      'data: x\n\n',
      'data: []\n\n',
      ': ping\n\n',
      'data: {"error":{"message":"x"}}\n\n',
      '',
    ])
      assert.deepEqual(inEvents(format, garbage), [], `${format}: ${garbage}`)
  const word = chunks['openai-chat']({ content: 'a' })
  const finish = chunks['openai-chat']('stop')
  for (const [stream, expected] of [
    [word, 'start <text a'],
    [word + finish.replace('data: [DONE]\n\n', ''), 'start <text a > end'],
    [word + finish + word, 'start <text a > end'],
  ] as const)
    assert.equal(story(inEvents('openai-chat', stream)), expected)
})

test('memory of what waits is reported, and close to none when all is sent', () => {
  const tool = (index: number, more: object) => ({ tool_calls: [{ index, ...more }] })
  const starts = (index: number) => tool(index, { id: `c${index}`, function: { name: 'f', arguments: '' } })
  const input = (index: number, args: string) => tool(index, { function: { arguments: args } })
  const chat = codecs['openai-chat'].decodeStream(eventBytesMax)
  const push = (...deltas: object[]) => chat.push(bytesOf(deltas.map(chunks['openai-chat']).join('')))
  push(starts(0), starts(1))
  const empty = chat.waitingBytes
  assert.ok(empty > 0, 'a part that waits takes memory, whatever it says')
  push(input(1, '{"long":'), input(1, '1}'))
  assert.ok(chat.waitingBytes >= empty + '{"long":1}'.length)
  push(input(0, '{}'), input(1, ''))
  assert.equal(chat.waitingBytes, 0)
  chat.push(bytesOf('data: {"choi'))
  assert.equal(chat.waitingBytes, 12)
  const responses = codecs['openai-responses'].decodeStream(1_024)
  const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: '' }
  const events = [
    ...[0, 1].map((output_index) => ({ type: 'output_item.added', output_index, item })),
    { type: 'function_call_arguments.delta', output_index: 1, delta: 'waiting' },
  ]
  responses.push(bytesOf(events.map(chunks['openai-responses']).join('')))
  assert.ok(responses.waitingBytes >= 'waiting'.length)
  responses.push(bytesOf(chunks['openai-responses']({ type: 'output_item.done', output_index: 0, item })))
  assert.ok(responses.waitingBytes < 100, 'of what is told, only that it is over is known')
})
