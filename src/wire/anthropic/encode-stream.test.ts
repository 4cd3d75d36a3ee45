/** Streams from Messages and to Messages: the same events in any chunks, recordings again in the format's own order. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noTokens } from '../../../contract/meters.ts'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenAnswerRules, brokenStreamRules } from '../../../test/support/rules/anthropic.ts'
import type { Finish, Frame, ResponseCost, ResponseEvent } from '../translation/neutral.ts'
import { readId, readTag } from '../translation/reasoning-carriers.ts'
import type { Usage } from '../usage.ts'
import { decodeStream } from './decode-stream.ts'
import { encodeResponse } from './encode-response.ts'
import { encodeStream } from './encode-stream.ts'
import { tapStream } from './tap-stream.ts'

const encoder = new TextEncoder()
const eventBytesMax = 1 << 20
const used: Usage = {
  ...noTokens,
  inputUncached: 10,
  output: 5,
  fees: {},
  servedOptions: [],
  unknown: [],
}
const frame: Frame = {
  requestId: 'req_0abc',
  model: 'asked-for',
  createdSeconds: 1,
  responseOptions: { includeUsage: true, echo: [], tools: [], logprobs: false },
}
const tally: ResponseCost = { usage: used, cost: '0.01' }

function decode(
  sse: string | Uint8Array,
  sizes: (left: number) => number = (left) => left,
): readonly ResponseEvent[] {
  const bytes = typeof sse === 'string' ? encoder.encode(sse) : sse
  const decoder = decodeStream(eventBytesMax)
  const events: ResponseEvent[] = []
  for (let at = 0; at < bytes.length; ) {
    const size = Math.max(1, sizes(bytes.length - at))
    events.push(...decoder.push(bytes.slice(at, at + size)))
    at += size
  }
  events.push(...decoder.end())
  return events
}

function encode(events: readonly ResponseEvent[]): string {
  const stream = encodeStream(frame)
  let text = ''
  for (const event of events) text += stream.write(event)
  assert.doesNotMatch(text, /message_delta|message_stop/, 'the last word waits')
  return text + stream.close(tally)
}

type Value = Record<string, unknown> & { type: string }
const valuesOf = (sse: string) =>
  sse
    .split(/\r?\n\r?\n/)
    .flatMap((block) => /^data: ?(.*)$/m.exec(block)?.[1] ?? [])
    .map((line) => JSON.parse(line) as Value)

const recorded = fixtureCases('anthropic').filter(({ kind }) => kind === 'stream')

test('recorded streams give the same events in any chunks', () => {
  for (const { name, response } of recorded) {
    const whole = decode(response)
    assert.deepEqual(
      decode(response, () => 1),
      whole,
      `${name} byte by byte`,
    )
    assert.deepEqual(
      decode(response, () => 7),
      whole,
      `${name} by seven`,
    )
    const opened = whole.filter(({ kind }) => kind === 'open').length
    const unfinished = name === 'stream-error-mid-overloaded' ? 1 : 0
    assert.equal(whole.filter(({ kind }) => kind === 'close').length, opened - unfinished, name)
    assert.equal(whole.at(-1)?.kind, unfinished === 1 ? 'delta' : 'finish', name)
  }
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 20 }), (sizes) => {
      for (const { response } of recorded.slice(0, 6)) {
        let turn = 0
        const next = () => sizes[turn++ % sizes.length] ?? 1
        assert.deepEqual(decode(response, next), decode(response))
      }
    }),
    { numRuns: 20 },
  )
})

test('recorded streams are written again with the same words', () => {
  for (const { name, response } of recorded) {
    if (name === 'stream-error-mid-overloaded') continue
    const sse = encode(decode(response))
    assert.deepEqual(brokenStreamRules(sse), [], name)
    assert.deepEqual(parsedStream(sse), parsedStream(response.toString()), name)
    const watch = tapStream({
      usageEvent: 'relay',
      choices: 1,
      eventBytesMax,
      sampleCharactersMax: 10,
    })
    watch.push(encoder.encode(sse))
    assert.equal(watch.state, 'complete', name)
  }
})

/** Blocks put together as a client does, and why the stream ended; what ran at the provider apart. */
function parsedStream(sse: string): unknown {
  const blocks: Record<string, unknown>[] = []
  let open: Record<string, unknown> = {}
  let stop: unknown
  for (const { type, content_block: block, delta } of valuesOf(sse)) {
    const more = (delta ?? {}) as Record<string, string>
    if (type === 'content_block_start') {
      const { citations: _, caller: __, ...members } = block as Record<string, unknown>
      open = { ...members, json: '' }
      if (!/^server_|_tool_result$/.test(String(members.type))) blocks.push(open)
    }
    if (type === 'content_block_delta') {
      if (more.text !== undefined) open.text = `${open.text}${more.text}`
      if (more.thinking !== undefined) open.thinking = `${open.thinking}${more.thinking}`
      if (more.signature !== undefined) open.signature = more.signature
      if (more.partial_json !== undefined) open.json = `${open.json}${more.partial_json}`
    }
    if (type === 'message_delta') stop = [more.stop_reason, more.stop_sequence]
  }
  // Blank text is a block of Claude's at times, and refused when it comes back.
  const shown = blocks.filter(({ type, text }) => type !== 'text' || String(text).trim() !== '')
  return { blocks: shown, stop }
}

const message = '"message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[]'
const begin = `event: message_start\ndata: {"type":"message_start",${message},"usage":{"input_tokens":7,"cache_read_input_tokens":3,"output_tokens":1}}}\n\n`
const event = (value: Value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
const start = (index: number, block: object) =>
  event({ type: 'content_block_start', index, content_block: block })
const delta = (index: number, more: object) => event({ type: 'content_block_delta', index, delta: more })
const stop = (index: number) => event({ type: 'content_block_stop', index })
const finish = (more: object = { stop_reason: 'end_turn' }) =>
  event({ type: 'message_delta', delta: more, usage: { output_tokens: 1 } })
const end = event({ type: 'message_stop' })

test('a stream begins once, with the input that was reported', () => {
  const events = decode(begin + begin + finish() + finish() + end)
  assert.deepEqual(
    events.map(({ kind }) => kind),
    ['start', 'input', 'finish'],
  )
  const [first, second] = events
  assert.deepEqual(first, { kind: 'start' })
  assert.ok(second?.kind === 'input')
  assert.deepEqual([second.usage.inputUncached, second.usage.cacheRead, second.usage.output], [7, 3, 0])
  assert.match(encode(events), /message_start","message":\{.*"input_tokens":7,.*"cache_read_input_tokens":3/)
})

test('blocks that overlap come one after the other', () => {
  const sse =
    begin +
    start(0, { type: 'tool_use', id: 'a', name: 'f', input: {} }) +
    start(1, { type: 'tool_use', id: 'b', name: 'g', input: {} }) +
    start(2, { type: 'text', text: '' }) +
    delta(1, { type: 'input_json_delta', partial_json: '{"b":1}' }) +
    delta(0, { type: 'input_json_delta', partial_json: '{"a":1}' }) +
    delta(2, { type: 'text_delta', text: 'x' }) +
    stop(1) +
    stop(0) +
    finish({ stop_reason: 'tool_use' }) +
    end
  const events = decode(sse).slice(2)
  assert.deepEqual(
    events.map((one) =>
      one.kind === 'open'
        ? one.part.kind === 'call'
          ? one.part.id
          : one.part.kind
        : one.kind === 'delta'
          ? one.text
          : one.kind,
    ),
    ['a', '{"a":1}', 'close', 'b', '{"b":1}', 'close', 'text', 'x', 'close', 'finish'],
  )
  const waiting = decodeStream(eventBytesMax)
  waiting.push(encoder.encode(sse.slice(0, sse.indexOf('event: content_block_stop'))))
  assert.ok(waiting.waitingBytes > '{"b":1}x'.length)
  waiting.push(encoder.encode(sse.slice(sse.indexOf('event: content_block_stop'))))
  assert.equal(waiting.waitingBytes, 0)
})

test('what ran at the provider, what is unknown and what is broken is passed over', () => {
  const sse =
    begin +
    start(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }) +
    delta(0, { type: 'input_json_delta', partial_json: '{}' }) +
    stop(0) +
    start(1, { type: 'web_search_tool_result', content: [] }) +
    stop(1) +
    'event: ping\ndata: {"type":"ping"}\n\n: comment\n\ndata: {broken\n\ndata: 1\n\n' +
    delta(9, { type: 'text_delta', text: 'x' }) +
    event({ type: 'new' }) +
    finish({ stop_reason: 'refusal', stop_details: { explanation: 'Not this.' } }) +
    start(2, { type: 'text', text: 'late' })
  assert.deepEqual(decode(sse).slice(2), [
    { kind: 'finish', finish: { reason: 'refusal', stopString: null, explanation: 'Not this.' } },
  ])
})

test('input that comes with the beginning of a call is preserved as written', () => {
  const block = '{"type":"tool_use","id":"a","name":"f","input":{"n":9007199254740993 }}'
  const sse = `${begin}data: {"type":"content_block_start","index":0,"content_block":${block}}\n\n${stop(0)}${finish()}`
  assert.deepEqual(decode(sse)[3], { kind: 'delta', text: '{"n":9007199254740993 }' })
})

test('redacted thoughts come whole, citations with their text', () => {
  const citation = {
    type: 'web_search_result_location',
    url: 'https://a.example',
    title: 'A',
    cited_text: 'a',
    encrypted_index: 'E',
  }
  const sse =
    begin +
    start(0, { type: 'redacted_thinking', data: 'sig' }) +
    stop(0) +
    start(1, { type: 'text', text: '' }) +
    delta(1, { type: 'citations_delta', citation }) +
    delta(1, { type: 'text_delta', text: 'x' }) +
    stop(1) +
    finish()
  assert.deepEqual(decode(sse).slice(2, 7), [
    {
      kind: 'whole',
      part: { kind: 'thinking', text: '', redacted: true, encrypted: { vendor: 'anthropic', data: 'sig' } },
    },
    { kind: 'open', part: { kind: 'text' } },
    { kind: 'citation', citation: { url: 'https://a.example', title: 'A', quoted: 'a' } },
    { kind: 'delta', text: 'x' },
    { kind: 'close', encrypted: null },
  ])
  assert.deepEqual(brokenStreamRules(encode(decode(sse))), [])
})

test('a cut stream gives what was whole, and an event that is too large nothing more', () => {
  const cut = begin + start(0, { type: 'text', text: '' }) + delta(0, { type: 'text_delta', text: 'x' })
  assert.deepEqual(
    decode(cut).map(({ kind }) => kind),
    ['start', 'input', 'open', 'delta'],
  )
  const small = decodeStream(200)
  assert.deepEqual(small.push(encoder.encode(`data: ${'x'.repeat(500)}`)), [])
  assert.deepEqual(small.end(), [])
})

const finished = (more: Partial<Finish> = {}): ResponseEvent => ({
  kind: 'finish',
  finish: { reason: 'end', stopString: null, explanation: null, ...more },
})
const began: ResponseEvent = { kind: 'start' }
const openText: ResponseEvent = { kind: 'open', part: { kind: 'text' } }
const openThought: ResponseEvent = { kind: 'open', part: { kind: 'thinking' } }
const words = (text: string): ResponseEvent => ({ kind: 'delta', text })
const close = (encrypted: Extract<ResponseEvent, { kind: 'close' }>['encrypted'] = null): ResponseEvent => ({
  kind: 'close',
  encrypted,
})
const google = { vendor: 'google', data: 'c2ln' } as const
const openCall = (id: string, more: object = {}): ResponseEvent => ({
  kind: 'open',
  part: { kind: 'call', id, name: 'f', namespace: null, form: 'json', encrypted: null, ...more },
})

const written: readonly [what: string, events: readonly ResponseEvent[], blocks: unknown[]][] = [
  ['nothing', [], []],
  ['blank text', [openText, words(' '), words('\n'), close()], []],
  ['space before text', [openText, words('\n'), words('a'), words(' '), close()], [['text', '\na ']]],
  ['empty deltas', [openText, words(''), words('a'), close()], [['text', 'a']]],
  ['a refusal', [{ kind: 'open', part: { kind: 'refusal' } }, words('No.'), close()], [['text', 'No.']]],
  [
    'a thought',
    [openThought, words('hm'), close({ vendor: 'anthropic', data: 'sig' })],
    [['thinking', 'hm', 'sig']],
  ],
  [
    'a thought without text',
    [openThought, close({ vendor: 'anthropic', data: 'sig' })],
    [['thinking', '', 'sig']],
  ],
  ['no thought', [openThought, close()], []],
  ['a call without input', [openCall('a'), close()], [['tool_use', 'a', '']]],
  [
    'a call',
    [openCall('a'), words('{"x"'), words(''), words(':1}'), close()],
    [['tool_use', 'a', '{"x":1}']],
  ],
  [
    'free text',
    [openCall('a', { form: 'text' }), words('"x'), words('\n'), close()],
    [['tool_use', 'a', '{"input":"\\"x\\n"}']],
  ],
  ['an open part at the end', [openText, words('a')], [['text', 'a']]],
  [
    'a part that nobody closed',
    [openText, words('a'), openCall('a')],
    [
      ['text', 'a'],
      ['tool_use', 'a', ''],
    ],
  ],
]

test('events become blocks, one at a time', () => {
  for (const [what, events, blocks] of written) {
    const sse = encode([began, ...events, finished()])
    assert.deepEqual(brokenStreamRules(sse), [], what)
    const { blocks: shown } = parsedStream(sse) as { blocks: Record<string, unknown>[] }
    assert.deepEqual(
      shown.map(({ type, text, thinking, signature, id, json }) =>
        type === 'text' ? [type, text] : type === 'thinking' ? [type, thinking, signature] : [type, id, json],
      ),
      blocks,
      what,
    )
  }
})

test('encrypted reasoning of other vendors is tagged, and that of a call is in its ID', () => {
  const events = [
    began,
    openThought,
    words('hm'),
    close({ vendor: 'openai', data: 'x' }),
    openCall('a', { encrypted: google }),
    close(),
    openThought,
    words('so'),
    close(),
  ]
  const sse = encode([...events, finished({ reason: 'calls' })])
  assert.deepEqual(brokenStreamRules(sse), [])
  const { blocks } = parsedStream(sse) as { blocks: Record<string, unknown>[] }
  assert.deepEqual(
    blocks.map(({ type }) => type),
    ['thinking', 'tool_use', 'thinking'],
  )
  assert.deepEqual(readTag(String(blocks[0]?.signature)), {
    kind: 'encrypted',
    encrypted: { vendor: 'openai', data: 'x' },
  })
  assert.deepEqual(readId(String(blocks[1]?.id)).carrier?.encrypted, google)
  assert.equal(readTag(String(blocks[2]?.signature)).kind, 'encrypted')
})

test('a stream says the same as the whole answer', () => {
  const sse = encode([
    began,
    openThought,
    words('hm'),
    close({ vendor: 'google', data: 'x' }),
    openText,
    words('Hi.'),
    close(),
    openCall(''),
    words('{}'),
    close(),
    finished(),
  ])
  const whole = JSON.parse(
    encodeResponse(
      {
        parts: [
          { kind: 'thinking', text: 'hm', redacted: false, encrypted: { vendor: 'google', data: 'x' } },
          { kind: 'text', text: 'Hi.', cache: null, citations: [] },
          {
            kind: 'call',
            id: '',
            name: 'f',
            namespace: null,
            form: 'json',
            input: '{}',
            encrypted: null,
            pointer: '',
          },
        ],
        finish: { reason: 'end', stopString: null, explanation: null },
        usage: used,
        logprobs: null,
      },
      frame,
      tally,
    ),
  ) as { content: object[]; stop_reason: string; usage: object; id: string }
  assert.deepEqual(brokenAnswerRules(whole), [])
  const { blocks, stop: why } = parsedStream(sse) as { blocks: { json: string }[]; stop: unknown[] }
  assert.deepEqual(
    blocks.map(({ json: _, ...block }) => block),
    whole.content,
  )
  assert.deepEqual(why, [whole.stop_reason, null])
  const values = valuesOf(sse)
  assert.deepEqual(values.find(({ type }) => type === 'message_delta')?.usage, whole.usage)
  const { id } = (values[0]?.message ?? {}) as { id?: string }
  assert.equal(id, whole.id)
})

test('whole parts, media and early input', () => {
  const events: ResponseEvent[] = [
    { kind: 'input', usage: { ...used, inputUncached: 77 } },
    began,
    { kind: 'whole', part: { kind: 'thinking', text: 'hm', redacted: false, encrypted: google } },
    { kind: 'whole', part: { kind: 'thinking', text: '', redacted: false, encrypted: null } },
    {
      kind: 'whole',
      part: { kind: 'thinking', text: '', redacted: true, encrypted: { vendor: 'anthropic', data: 'd' } },
    },
    {
      kind: 'whole',
      part: {
        kind: 'media',
        medium: 'image',
        source: { kind: 'url', mediaType: null, url: 'x' },
        title: null,
        detail: null,
        cache: null,
        pointer: '',
      },
    },
    finished({ reason: 'filter', explanation: 'Blocked.' }),
  ]
  const sse = encode(events)
  assert.deepEqual(brokenStreamRules(sse), [])
  assert.match(sse, /"input_tokens":77/)
  assert.match(sse, /"type":"redacted_thinking","data":"d"/)
  assert.match(sse, /\[image not supported by this format\]/)
  assert.match(
    sse,
    /"stop_reason":"refusal","stop_sequence":null,"stop_details":\{"type":"refusal","category":null,"explanation":"Blocked."\}/,
  )
  assert.equal((parsedStream(sse) as { blocks: unknown[] }).blocks.length, 3)
})
