/**
 * A body that cannot be read in exactly one way is rejected in the caller's format before anything is reserved:
 * too large, too deep, too many values, broken JSON, duplicate fields, invalid names.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ErrorCode } from '../../contract/errors.ts'
import {
  asking,
  conversationField,
  type Format,
  formats,
  goodBody,
  type HostileGateway,
  headerOf,
  hostileGateway,
  pathOf,
  postBytes,
  readRejection,
  selfContained,
} from '../support/hostile-gateway.ts'
import { RawClient } from '../support/raw-client.ts'
import { isWholeRun } from '../support/sampled.ts'

const bodyBytesMax = 4 * 1024 * 1024
const unlimited = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }

let gateway: HostileGateway
before(async () => {
  gateway = await hostileGateway({ limits: { bodyBytesMax, ...unlimited } })
})
after(() => gateway.end())

/** Runs the cases of one table for one format, under a separate account that must stay unchanged. */
async function rejected(format: Format, cases: readonly RejectedBody[]): Promise<void> {
  const account = await gateway.account('3')
  const reached = gateway.sandbox.requests()
  for (const { name, body, code, status = 400, path } of cases) {
    const answer = await gateway.post(format, body, {
      key: account.key,
      ...(path === undefined ? {} : { path }),
    })
    assert.notEqual(answer?.status, 200, name)
    const rejection = readRejection(format, answer)
    assert.deepEqual([rejection.status, rejection.code], [status, code], `${name}: ${answer?.body}`)
  }
  assert.equal(gateway.sandbox.requests(), reached, 'nothing went upstream')
  await gateway.assertUntouched(account, '3')
  await gateway.assertServes()
}

interface RejectedBody {
  readonly name: string
  readonly body: string | Uint8Array
  readonly code: ErrorCode
  readonly status?: number
  readonly path?: string
}

function nested(depth: number, open: string, close: string): string {
  return open.repeat(depth) + close.repeat(depth)
}

/** Bytes that are valid text up to one byte. */
function bytesIn(format: Format, bytes: readonly number[]): Buffer {
  const [start = '', end = ''] = goodBody(format).split('hello')
  return Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)])
}

/** The JSON text `model` in place of the model's name. */
function named(format: Format, model: string): string {
  return goodBody(format).replace(`"${asking[format].model}"`, () => model)
}

const namesItself = (format: Format): boolean => selfContained.some((name) => name === format)

/** Bodies whose reader is the same in every format. */
function huge(list: string): readonly RejectedBody[] {
  const code = 'invalid_json'
  return [
    { name: '10,000 levels', body: goodBody('chat', `,"metadata":${nested(10_000, '[', ']')}`), code },
    { name: '2,000,000 levels', body: nested(2_000_000, '[', ']'), code },
    { name: '2,000,000 levels never closed', body: '[{"a":'.repeat(600_000), code },
    { name: '1,000,000 tiny messages', body: `{"${list}":[${'{},'.repeat(1_000_000)}{}]}`, code },
    { name: '1,000,000 numbers', body: `{"${list}":[${'1,'.repeat(1_000_000)}1]}`, code },
  ]
}

function unreadable(format: Format): readonly RejectedBody[] {
  const good = goodBody(format)
  const code = 'invalid_json'
  const list = conversationField[format]
  return [
    { name: 'nothing', body: '', code },
    { name: 'space', body: ' \n\t', code },
    { name: 'cut', body: good.slice(0, -1), code },
    { name: 'two documents', body: good + good, code },
    { name: 'a comma at the end', body: good.replace('}]}', '}],}'), code },
    { name: 'single quotes', body: good.replaceAll('"', "'"), code },
    { name: 'a comment', body: `/* hello */${good}`, code },
    { name: 'a byte order mark', body: `\ufeff${good}`, code },
    { name: 'UTF-16', body: Buffer.from(good, 'utf16le'), code },
    { name: 'NUL before', body: `\0${good}`, code },
    { name: 'NUL behind', body: `${good}\0`, code },
    { name: 'NUL in a string', body: bytesIn(format, [0]), code },
    { name: 'a line end in a string', body: bytesIn(format, [10]), code },
    { name: 'a lone continuation byte', body: bytesIn(format, [0x80]), code },
    { name: 'a cut sequence', body: bytesIn(format, [0xe2, 0x82]), code },
    { name: 'an overlong slash', body: bytesIn(format, [0xc0, 0xaf]), code },
    { name: 'an overlong NUL', body: bytesIn(format, [0xc0, 0x80]), code },
    { name: 'an overlong slash of three bytes', body: bytesIn(format, [0xe0, 0x80, 0xaf]), code },
    { name: 'a surrogate in UTF-8', body: bytesIn(format, [0xed, 0xa0, 0x80]), code },
    { name: 'beyond the last character', body: bytesIn(format, [0xf4, 0x90, 0x80, 0x80]), code },
    { name: 'byte ff', body: bytesIn(format, [0xff]), code },
    { name: 'an unknown escape', body: good.replace('hello', '\\x41'), code },
    { name: 'a cut escape', body: good.replace('hello', '\\u00'), code },
    { name: 'NaN', body: goodBody(format, ',"temperature":NaN'), code },
    { name: 'Infinity', body: goodBody(format, ',"temperature":-Infinity'), code },
    { name: 'a hexadecimal number', body: goodBody(format, ',"temperature":0x1'), code },
    { name: 'a number that begins with 0', body: goodBody(format, ',"temperature":01'), code },
    { name: 'a number that begins with +', body: goodBody(format, ',"temperature":+1'), code },
    { name: '65 levels', body: goodBody(format, `,"metadata":${nested(64, '[', ']')}`), code },
    { name: '65 levels of objects', body: goodBody(format, `,"metadata":${nested(64, '{"a":', '')}`), code },
    ...(format === 'chat' || isWholeRun ? huge(list) : []),
    { name: 'an array', body: `[${good}]`, code: 'invalid_value' },
    { name: 'a string', body: JSON.stringify(good), code: 'invalid_value' },
    { name: 'null', body: 'null', code: 'invalid_value' },
    { name: 'a number', body: '1', code: 'invalid_value' },
    { name: 'an empty object', body: '{}', code: 'missing_field' },
    {
      name: 'no messages',
      body: `{"model":"${asking[format].model}","max_tokens":5}`,
      code: 'missing_field',
    },
    ...['1', 'true', ...(format === 'responses' ? [] : ['"hello"'])].map(
      (value): RejectedBody => ({
        name: `${value} for messages`,
        body: good.replace(/\[\{.*\}\]/, value),
        code: 'invalid_value',
      }),
    ),
    ...(namesItself(format) ? unreadableNames(format) : []),
  ]
}

function unreadableNames(format: Format): readonly RejectedBody[] {
  return [
    {
      name: 'messages in an object',
      body: goodBody(format).replace('[{', '{"a":{').replace('}]', '}}'),
      code: 'invalid_value',
    },
    { name: 'no model', body: named(format, 'null'), code: 'missing_field' },
    { name: 'an empty model', body: named(format, '""'), code: 'invalid_value' },
    {
      name: 'a model in an array',
      body: named(format, `["${asking[format].model}"]`),
      code: 'invalid_value',
    },
    { name: 'a number as model', body: named(format, '1'), code: 'invalid_value' },
    { name: 'an object as model', body: named(format, '{"toString":1}'), code: 'invalid_value' },
    ...['"true"', '1', '0', '"false"', '[]', '{}'].map(
      (stream): RejectedBody => ({
        name: `stream ${stream}`,
        body: goodBody(format, `,"stream":${stream}`),
        code: 'invalid_value',
      }),
    ),
  ]
}

for (const format of formats) {
  test(`${format}: invalid JSON, or JSON that is not a request`, () => rejected(format, unreadable(format)))
}

/** Names that would reach headers, URLs, logs or tables without validation. */
const names: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'hostile-chat ',
  ' hostile-chat',
  'HOSTILE-CHAT',
  'hostile-chat\0',
  'hostile-chat\r\nX-Injected: 1',
  'hostile-chat\n\n{"injected":true}',
  'hostile-chat\r\n\r\nHTTP/1.1 200 OK',
  '../../v1/files',
  'hostile-chat/../..',
  '..\\..',
  '%2e%2e%2f',
  'hostile-chat?key=1',
  'hostile-chat#',
  'http://evil.test/',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '{{constructor}}',
  '\u202egnp.exe',
  'modèle',
  '模型',
  '🤖',
  '\ud800',
  '\udc00\ud800',
  '\u0130\u0131\u017f\u212a',
  '\u2028',
  'x'.repeat(1_000_000),
  '"\\"'.repeat(10_000),
]

for (const format of formats) {
  test(`${format}: an unknown model name is not found, whatever it contains`, async () => {
    if (!namesItself(format)) return rejected(format, namesInAddresses())
    await rejected(
      format,
      names.map((name) => ({
        name: JSON.stringify(name).slice(0, 80),
        // Also written with escapes, since those become the same name.
        body: named(format, JSON.stringify(name)),
        code: 'model_not_found',
        status: 404,
      })),
    )
    await rejected(
      format,
      names
        .filter((name) => name.length < 100)
        .map((name) => ({
          name: `escaped ${JSON.stringify(name)}`,
          body: named(format, escaped(name)),
          code: 'model_not_found',
          status: 404,
        })),
    )
  })
}

/** As far as a URL can contain them. */
function namesInAddresses(): readonly RejectedBody[] {
  return names
    .filter((name) => name.length < 1_000 && name.isWellFormed())
    .map((name) => ({
      name: JSON.stringify(name),
      body: goodBody('gemini'),
      path: pathOf('gemini', name),
      code: 'model_not_found',
      status: 404,
    }))
}

/** Every character of the string as an escape. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
}

/**
 * A field that can affect money, in its position: `{}` is the enclosing object. `around` is the rest of the body around the field's
 * object; `@` is replaced by its members.
 */
type BilledField = readonly [name: string, value: string, other: string, around: string]

const top = ',@'
const billed: Readonly<Record<Format, readonly BilledField[]>> = {
  chat: [
    ['max_completion_tokens', '8', '9000', top],
    ['n', '1', '9', top],
    ['stream', 'false', 'true', top],
    ['stream_options', 'null', '{"include_usage":false}', top],
    ['service_tier', '"auto"', '"priority"', top],
    ['tools', '[]', '[{"type":"web_search"}]', top],
    ['modalities', '["text"]', '["audio"]', top],
    ['audio', 'null', '{"voice":"alloy"}', top],
    ['prediction', 'null', '{"type":"content"}', top],
    ['web_search_options', 'null', '{}', top],
    ['background', 'false', 'true', top],
    ['previous_response_id', 'null', '"resp_1"', top],
    ['include_usage', 'true', 'false', ',"stream":true,"stream_options":{@}'],
    ['type', '"function"', '"web_search"', ',"tools":[{@}]'],
    ['ttl', '"30m"', '"24h"', ',"prompt_cache_options":{@}'],
    ['cached_content', 'null', '"x"', ',"extra_body":{"google":{@}}'],
  ],
  messages: [
    ['stream', 'false', 'true', top],
    ['service_tier', '"auto"', '"priority"', top],
    ['speed', '"standard"', '"fast"', top],
    ['inference_geo', '"global"', '"us"', top],
    ['tools', '[]', '[{"type":"web_search_20250305","name":"web_search"}]', top],
    ['thinking', 'null', '{"type":"enabled","budget_tokens":9}', top],
    ['cache_control', 'null', '{"type":"ephemeral","ttl":"1h"}', top],
    ['container', 'null', '"container_1"', top],
    ['mcp_servers', '[]', '[{"url":"http://evil.test"}]', top],
    ['system', '"a"', '[{"type":"text","text":"b"}]', top],
    ['budget_tokens', '1024', '9000', ',"thinking":{"type":"enabled",@}'],
    ['type', '"enabled"', '"disabled"', ',"thinking":{@}'],
    ['ttl', '"5m"', '"1h"', ',"cache_control":{"type":"ephemeral",@}'],
    ['max_uses', '1', '99', ',"tools":[{"type":"web_search_20250305","name":"web_search",@}]'],
    ['type', '"custom"', '"web_search_20250305"', ',"tools":[{"name":"web_search",@}]'],
    ['type', '"text"', '"image"', ',"system":[{"text":"a",@}]'],
    ['ttl', '"5m"', '"1h"', ',"system":[{"type":"text","text":"a","cache_control":{"type":"ephemeral",@}}]'],
    [
      'url',
      '"https://a.test/a.png"',
      '"https://a.test/a.pdf"',
      ',"system":[{"type":"document","source":{"type":"url",@}}]',
    ],
    [
      'data',
      '"aGk="',
      '"aGk="',
      ',"system":[{"type":"document","source":{"type":"base64","media_type":"application/pdf",@}}]',
    ],
    ['type', '"clear_thinking_20251015"', '"compact_20260112"', ',"context_management":{"edits":[{@}]}'],
    ['bill_to', '"self"', '"other"', ',"billing_policy":{@}'],
  ],
  responses: [
    ['stream', 'false', 'true', top],
    ['max_tool_calls', '1', '99', top],
    ['tools', '[]', '[{"type":"web_search"}]', top],
    ['reasoning', 'null', '{"mode":"pro"}', top],
    ['prompt_cache_options', 'null', '{"ttl":"24h"}', top],
    ['previous_response_id', 'null', '"resp_1"', top],
    ['conversation', 'null', '"conv_1"', top],
    ['prompt', 'null', '{"id":"pmpt_1"}', top],
    ['background', 'false', 'true', top],
    ['service_tier', '"auto"', '"priority"', top],
    ['context_management', 'null', '[{"type":"compaction"}]', top],
    ['mode', '"standard"', '"pro"', ',"reasoning":{@}'],
    ['effort', '"low"', '"high"', ',"reasoning":{@}'],
    ['type', '"function"', '"web_search"', ',"tools":[{"name":"a",@}]'],
    ['ttl', '"30m"', '"24h"', ',"prompt_cache_options":{@}'],
  ],
  gemini: [
    ['systemInstruction', 'null', '{"parts":[{"text":"b"}]}', top],
    ['tools', '[]', '[{"googleSearch":{}}]', top],
    ['generationConfig', '{"maxOutputTokens":8}', '{}', top],
    ['serviceTier', '"standard"', '"priority"', top],
    ['cachedContent', 'null', '"cachedContents/a"', top],
    ['modelArmorConfig', 'null', '{}', top],
    ['model', '"hostile-gemini"', '"other"', top],
    ['maxOutputTokens', '8', '9000', ',"generationConfig":{@}'],
    ['candidateCount', '1', '9', ',"generationConfig":{@}'],
    ['thinkingConfig', 'null', '{"thinkingBudget":9}', ',"generationConfig":{@}'],
    ['responseModalities', '["TEXT"]', '["AUDIO"]', ',"generationConfig":{@}'],
    ['speechConfig', 'null', '{"languageCode":"de"}', ',"generationConfig":{@}'],
    ['imageConfig', 'null', '{}', ',"generation_config":{@}'],
    ['mediaResolution', '"MEDIA_RESOLUTION_LOW"', '"MEDIA_RESOLUTION_ULTRA_HIGH"', ',"generationConfig":{@}'],
    ['thinkingBudget', '8', '9000', ',"generationConfig":{"thinkingConfig":{@}}'],
    [
      'inlineData',
      '{"mimeType":"image/png","data":"aGk="}',
      '{"mimeType":"application/pdf","data":"aGk="}',
      ',"systemInstruction":{"parts":[{@}]}',
    ],
    [
      'fileUri',
      '"https://a.test/a.png"',
      '"https://a.test/a.pdf"',
      ',"systemInstruction":{"parts":[{"fileData":{@}}]}',
    ],
    [
      'data',
      '"aGk="',
      '"aGkh"',
      ',"systemInstruction":{"parts":[{"inlineData":{"mimeType":"image/png",@}}]}',
    ],
    ['parts', '[]', '[{"text":"b"}]', ',"systemInstruction":{@}'],
  ],
}

/** Fields of a small request. */
const necessary: Readonly<Record<Format, readonly (readonly [name: string, other: string])[]>> = {
  chat: [
    ['model', '"other"'],
    ['max_tokens', '9000'],
    ['messages', '[]'],
  ],
  messages: [
    ['model', '"other"'],
    ['max_tokens', '9000'],
    ['messages', '[]'],
  ],
  responses: [
    ['model', '"other"'],
    ['max_output_tokens', '9000'],
    ['input', '[]'],
  ],
  gemini: [['contents', '[]']],
}

/** The formats whose names have two valid spellings. */
function isGood(format: Format, name: string, spelling: string): boolean {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return spelling === name || (format === 'gemini' && spelling === snake)
}

/** Spellings of one name that parsers may treat as equal. */
function spellings(name: string): readonly string[] {
  const first = name[0]!
  const unicode = `\\u${first.charCodeAt(0).toString(16).padStart(4, '0')}`
  return [
    name,
    unicode + name.slice(1),
    name.slice(0, -1) +
      `\\u00${name
        .charCodeAt(name.length - 1)
        .toString(16)
        .toUpperCase()}`,
    first.toUpperCase() + name.slice(1),
    name.toUpperCase(),
    name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    name.replaceAll('_', ''),
    `${name.slice(0, 1)}_${name.slice(1)}`,
    `_${name}`,
    `${name}_`,
    // Letters that fold into others: a long s, the Kelvin sign, a dotless i.
    name.replace('s', '\u017f'),
    name.replace('k', '\u212a'),
  ]
}

for (const format of formats) {
  test(`${format}: a field that affects money must be present once and spelled plainly`, async () => {
    const cases: RejectedBody[] = []
    const put = ([name, , , around]: BilledField, members: string): void => {
      const whole = around.replace('@', () => members)
      const title = `${name} as ${members} in ${around}`
      cases.push({ name: title, body: goodBody(format, whole), code: 'ambiguous_field' })
    }
    for (const field of billed[format]) {
      const [name, value, other] = field
      for (const spelling of spellings(name)) {
        put(field, `"${name}":${value},"${spelling}":${other}`)
        put(field, `"${spelling}":${other},"${name}":${value}`)
        if (!isGood(format, name, spelling)) put(field, `"${spelling}":${value}`)
      }
    }
    for (const [name, other] of necessary[format]) {
      for (const spelling of spellings(name)) {
        const twice = goodBody(format, `,"${spelling}":${other}`)
        cases.push({ name: `${spelling} twice`, body: twice, code: 'ambiguous_field' })
        if (isGood(format, name, spelling)) continue
        const alone = goodBody(format).replace(`"${name}"`, () => `"${spelling}"`)
        cases.push({ name: `${spelling} alone`, body: alone, code: 'ambiguous_field' })
      }
    }
    await rejected(format, cases)
  })
}

/** Duplicates in objects whose fields decide the kind of a content part. */
const doubles: Readonly<Record<Format, readonly string[]>> = {
  chat: [
    '{"type":"text","type":"image_url","text":"a","image_url":{"url":"https://a.test/a.png"}}',
    '{"type":"image_url","image_url":{"url":"https://a.test/a.png"},"image_\\u0075rl":{"url":"https://a.test/b.png"}}',
    '{"type":"image_url","image_url":{"url":"https://a.test/a.png","URL":"https://a.test/b.png"}}',
    '{"type":"image_url","imageUrl":{"url":"https://a.test/a.png"}}',
    '{"type":"file","file":{"file_data":"aGk=","fileData":"aGk="}}',
    '{"type":"file","file":{"file_data":"aGk=","file_i\\u0064":"file-1"}}',
    '{"type":"input_audio","input_audio":{"data":"aGk=","data":"aGk=","format":"wav"}}',
  ],
  messages: [
    '{"type":"text","type":"image","text":"a"}',
    '{"typ\\u0065":"text","text":"a"}',
    '{"Type":"text","text":"a"}',
    '{"type":"image","source":{"type":"url","url":"https://a.test/a","url":"https://a.test/b"}}',
    '{"type":"image","source":{"type":"url","type":"base64","url":"https://a.test/a"}}',
    '{"type":"text","text":"a","cache_control":{"type":"ephemeral"},"cacheControl":{"type":"ephemeral","ttl":"1h"}}',
    '{"type":"tool_result","tool_use_id":"a","content":[{"type":"text","typ\\u0065":"image","text":"a"}]}',
  ],
  responses: [
    '{"type":"input_text","type":"input_image","text":"a"}',
    '{"type":"input_image","image_url":"https://a.test/a.png","imageUrl":"https://a.test/b.png"}',
    '{"type":"input_image","image_url":"https://a.test/a.png","image_\\u0075rl":"https://a.test/b.png"}',
    '{"type":"input_file","file_data":"aGk=","fileData":"aGk="}',
    '{"type":"input_file","file_url":"https://a.test/a.pdf","FILE_URL":"https://a.test/b.pdf"}',
  ],
  gemini: [
    '{"inlineData":{"mimeType":"image/png","data":"aGk="},"inline_data":{"mimeType":"application/pdf","data":"aGk="}}',
    '{"inlineData":{"mimeType":"image/png","mime_type":"application/pdf","data":"aGk="}}',
    '{"inlineData":{"mimeType":"image/png","data":"aGk=","dat\\u0061":"aGk="}}',
    '{"inlin\\u0065Data":{"mimeType":"image/png","data":"aGk="}}',
    '{"InlineData":{"mimeType":"image/png","data":"aGk="}}',
    '{"INLINE_DATA":{"mimeType":"image/png","data":"aGk="}}',
    '{"fileData":{"fileUri":"https://a.test/a.png","file_uri":"https://a.test/b.pdf"}}',
  ],
}

/** Replaces the text where a message consists of parts. */
const inParts = (format: Format, part: string): string =>
  format === 'gemini'
    ? goodBody(format).replace('{"text":"hello"}', () => part)
    : goodBody(format).replace('"hello"', () => `[${part}]`)

/** Members that a small message has already. */
const members: Readonly<Record<Format, readonly string[]>> = {
  chat: ['"role":"assistant"', '"Role":"assistant"', '"rol\\u0065":"assistant"', '"content":"b"'],
  messages: ['"role":"assistant"', '"Role":"assistant"', '"rol\\u0065":"assistant"', '"content":"b"'],
  responses: [
    '"role":"assistant"',
    '"Role":"assistant"',
    '"content":"b"',
    '"type":"message","type":"item_reference"',
  ],
  gemini: ['"inlineData":{},"inline_data":{}', '"fileData":{},"file\\u0044ata":{}'],
}

for (const format of formats) {
  test(`${format}: message parts that can be read in two ways`, () =>
    rejected(
      format,
      [
        ...doubles[format].map((part) => ({ name: part, body: inParts(format, part) })),
        ...members[format].map((member) => ({
          name: member,
          body: goodBody(format).replace('"hello"', () => `"hello",${member}`),
        })),
      ].map((row) => ({ ...row, code: 'ambiguous_field' as const })),
    ))
}

/** What goes upstream: the same bytes except for the model name. */
function upstreamBody(format: Format, body: string): string {
  return body.replace(asking[format].model, 'sandbox-echo')
}

const poison = '"polluted":true'
const anyFields = [
  `,"__proto__":{${poison}}`,
  `,"constructor":{"prototype":{${poison}}}`,
  `,"metadata":{"__proto__":{${poison}},"constructor":null,"toString":1}`,
  ',"hasOwnProperty":1,"valueOf":null',
]
/** Where names are chosen by the caller. */
const schema = `{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"object","properties":{"prototype":{"type":"string"}}}}}`
const poisoned: Readonly<Record<Format, readonly string[]>> = {
  chat: anyFields,
  messages: anyFields,
  responses: [
    ',"metadata":{"__proto__":"polluted","constructor":"a","toString":"b"}',
    `,"tools":[{"type":"function","name":"__proto__","strict":false,"parameters":${schema}}]`,
  ],
  gemini: [
    `,"tools":[{"functionDeclarations":[{"name":"__proto__","parametersJsonSchema":${schema}}]}]`,
    `,"tools":[{"functionDeclarations":[{"name":"constructor","parameters":${schema}}]}]`,
  ],
}

test('names of Object.prototype are names like any other', async () => {
  for (const format of formats) {
    const account = await gateway.account('3')
    for (const field of poisoned[format]) {
      const body = goodBody(format, field)
      const answer = await gateway.post(format, body, {
        key: account.key,
        path: `${asking[format].path}?__proto__=1&constructor[prototype][polluted]=1`,
        headers: '__proto__: polluted\r\nconstructor: a\r\ntoString: b\r\nhasOwnProperty: c\r\n',
      })
      assert.equal(answer?.status, 200, answer?.body)
      const sent = gateway.sandbox.requestLog().at(-1)
      assert.equal(sent?.body?.toString(), upstreamBody(format, body), 'forwarded as it came')
    }
    assert.equal(({} as Record<string, unknown>).polluted, undefined)
    assert.equal((await gateway.balance(account.id)).held, 0n)
  }
})

test('valid text reaches the upstream as it was written', async () => {
  const texts = [
    '\\u0000',
    '\\ud800',
    '\\udc00\\ud800',
    '\\u000a',
    'é',
    '模型',
    '🤖',
    '\u2028',
    '\\/',
    '\x7f',
  ]
  for (const format of formats) {
    for (const text of texts) {
      const body = goodBody(format).replace('hello', () => `a${text}`)
      const answer = await gateway.post(format, body, { key: (await gateway.account('3')).key })
      assert.equal(answer?.status, 200, answer?.body)
      assert.equal(gateway.sandbox.requestLog().at(-1)?.body?.toString(), upstreamBody(format, body))
    }
  }
})

interface Oversized {
  readonly name: string
  readonly head: string
  /** Retried until there is a response. */
  readonly piece: string
  readonly expect: readonly [status: number, code: ErrorCode]
}

const piece = 'x'.repeat(64 * 1024)
const chunk = `10000\r\n${piece}\r\n`
const tooLarge = [413, 'body_too_large'] as const

const oversized: readonly Oversized[] = [
  { name: 'one byte too many', head: `Content-Length: ${bodyBytesMax + 1}\r\n`, piece, expect: tooLarge },
  { name: 'a terabyte', head: `Content-Length: ${2 ** 40}\r\n`, piece, expect: tooLarge },
  { name: 'chunks without end', head: 'Transfer-Encoding: chunked\r\n', piece: chunk, expect: tooLarge },
  {
    name: 'a terabyte that waits to be asked for',
    head: `Content-Length: ${2 ** 40}\r\nExpect: 100-continue\r\n`,
    piece: '',
    expect: tooLarge,
  },
]

for (const { name, head, piece: more, expect } of oversized) {
  test(`a body beyond the limit: ${name}`, async () => {
    for (const format of formats) {
      const account = await gateway.account('3')
      const { path, keyHeader } = asking[format]
      const client = new RawClient(gateway.port)
      client.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n${keyHeader(account.key)}\r\n${head}\r\n`)
      while (more !== '' && client.received === '' && !client.closed) await client.sendAndDrain(more)
      const sentBytes = client.socket.bytesWritten
      const rejection = readRejection(format, await client.answer())
      assert.deepEqual([rejection.status, rejection.code], expect)
      assert.ok(sentBytes <= 8 * bodyBytesMax, `${sentBytes} bytes were taken before the answer`)
      assert.equal(gateway.gateway.deps.bodies.used, 0, 'nothing of it is kept')
      client.close()
      await gateway.assertUntouched(account, '3')
    }
    await gateway.assertServes()
  })
}

test('a body in an encoding or of a type that is not known is not read', async () => {
  for (const format of formats) {
    const account = await gateway.account('3')
    for (const encoding of ['gzip, gzip', 'identity, gzip', 'compress', '__proto__']) {
      const headers = `Content-Encoding: ${encoding}\r\n`
      const answer = await gateway.post(format, gzipSync('{}'), { key: account.key, headers })
      const rejection = readRejection(format, answer)
      assert.deepEqual([rejection.status, rejection.code], [415, 'unsupported_media_type'], encoding)
      assert.equal(headerOf(answer!, 'accept-encoding'), 'zstd, gzip, br, deflate')
    }
    for (const type of [
      'text/plain',
      'application/xml',
      'multipart/form-data; boundary=x',
      'application/x-www-form-urlencoded',
      'application/jsonx',
      'json',
      'application/json\x80x',
      '*/*',
    ]) {
      const bytes = postBytes(format, goodBody(format), { key: account.key })
      const typed = bytes.toString('latin1').replace('application/json', () => type)
      const rejection = readRejection(format, await gateway.raw(typed))
      assert.deepEqual([rejection.status, rejection.code], [415, 'unsupported_media_type'], type)
    }
    await gateway.assertUntouched(account, '3')
  }
  await gateway.assertServes()
})

test('an unknown, a disabled and an unpriced model look the same to a caller', async () => {
  const { catalog } = gateway.gateway.services
  const disabled = 'sandbox-hang'
  assert.equal((await catalog.disable(disabled)).kind, 'changed')
  const [unsold] = [...catalog.snapshot.unsold.keys()].filter((name) => name !== disabled)
  assert.ok(unsold !== undefined, 'a model is known and not sold')
  const account = await gateway.account('3')
  for (const format of formats) {
    const bodies = new Set<string>()
    for (const name of ['zzz-unknown', disabled, unsold]) {
      const path = pathOf(format, namesItself(format) ? asking[format].model : name)
      const body = named(format, JSON.stringify(name))
      const answer = await gateway.post(format, body, { key: account.key, path })
      assert.equal(readRejection(format, answer).status, 404)
      const id = headerOf(answer!, 'x-request-id') ?? ''
      const hints = / Did you mean [^?]*\?|,?"(?:details":\{"nearest|nearest)":(?:\[[^\]]*\]\}?|"[^"]*")/g
      bodies.add(answer!.body.replaceAll(name, '@').replaceAll(id, '#').replace(hints, ''))
    }
    assert.equal(bodies.size, 1, [...bodies].join('\n'))
  }
  assert.equal((await catalog.enable(disabled)).kind, 'changed')
  await gateway.assertUntouched(account, '3')
})
