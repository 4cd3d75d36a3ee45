/** Chat streams to events and back: any chunking, hosts with wrong indexes, interleaved calls, the terminal event. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noTokens } from '../../../contract/meters.ts'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenStreamRules } from '../../../test/support/rules/openai-chat.ts'
import { RawJson } from '../json/text.ts'
import type { EncryptedReasoning, Frame, ResponseEvent } from '../translation/neutral.ts'
import { readId, tagged, unencrypted } from '../translation/reasoning-carriers.ts'
import type { Usage } from '../usage.ts'
import { oldestForm } from './decode-request.ts'
import { decodeStream } from './decode-stream.ts'
import { encodeStream } from './encode-stream.ts'

type Members = Readonly<Record<string, unknown>>

const encoder = new TextEncoder()
const eventBytesMax = 1_000_000
const usage: Usage = {
  ...noTokens,
  inputUncached: 1,
  output: 2,
  fees: {},
  servedOptions: [],
  unknown: [],
}
const tally = { usage, cost: '0.1' }
const frame: Frame = {
  requestId: 'req_01abc',
  model: 'mine',
  createdSeconds: 7,
  responseOptions: { includeUsage: false, echo: [], tools: [], logprobs: false },
}

/** Events of a stream cut into chunks of `size` bytes. */
function events(sse: Uint8Array, size = sse.length): readonly ResponseEvent[] {
  const decoder = decodeStream(eventBytesMax)
  const found: ResponseEvent[] = []
  for (let at = 0; at < sse.length; at += size) found.push(...decoder.push(sse.slice(at, at + size)))
  found.push(...decoder.end())
  assert.ok(decoder.waitingBytes >= 0)
  return found
}

function encoded(list: readonly ResponseEvent[], of: Frame = frame): string {
  const writer = encodeStream(of)
  return list.map((event) => writer.write(event)).join('') + writer.close(tally)
}

/** Adjacent pieces of one part as one, without what hosts do not separate. */
function joined(list: readonly ResponseEvent[]): readonly unknown[] {
  const found: ResponseEvent[] = []
  for (const event of list) {
    const last = found.at(-1)
    if (event.kind === 'delta' && last?.kind === 'delta')
      found[found.length - 1] = { kind: 'delta', text: last.text + event.text }
    else found.push(event)
  }
  return found
}

function brief(list: readonly ResponseEvent[]): string {
  return (joined(list) as readonly ResponseEvent[]).map(word).join(' ')
}

/** An event in a few letters. */
function word(event: ResponseEvent): string {
  switch (event.kind) {
    case 'start':
      return 'start'
    case 'open': {
      const { part } = event
      return part.kind === 'call'
        ? `<${part.form} ${part.id} ${part.name}${part.encrypted === null ? '' : ` ${part.encrypted.data}`}`
        : `<${part.kind}`
    }
    case 'delta':
      return event.text
    case 'close':
      return '>'
    case 'finish':
      return event.finish.reason
    case 'whole':
      return `(${event.part.kind})`
    case 'citation':
      return `[${event.citation.url}]`
    case 'logprobs':
      return event.content.text
    case 'input':
      return 'input'
  }
}

function sse(
  deltas: readonly Members[],
  finish: string | null = 'stop',
  mark = 'data: [DONE]\n\n',
): Uint8Array {
  const chunk = (choice: Members) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`
  const last = finish === null ? '' : chunk({ delta: {}, finish_reason: finish })
  return encoder.encode(deltas.map((delta) => chunk({ delta })).join('') + last + mark)
}

function streamOf(deltas: readonly Members[], finish?: string | null, mark?: string): string {
  return brief(events(sse(deltas, finish, mark)))
}

test('recorded streams give the same events however they are cut, and come back as they were', () => {
  for (const { name, kind, response } of fixtureCases('openai-chat')) {
    if (kind !== 'stream') continue
    const whole = events(response)
    for (const size of [1, 7]) assert.deepEqual(events(response, size), whole, `${name} by ${size}`)
    if (name === 'stream-error-mid') {
      assert.notEqual(whole.at(-1)?.kind, 'finish')
      continue
    }
    const again = encoded(whole)
    assert.deepEqual(brokenStreamRules(again), [], name)
    const withoutStart = (list: readonly ResponseEvent[]) =>
      joined(list.filter(({ kind: one }) => one !== 'start'))
    assert.deepEqual(withoutStart(events(encoder.encode(again))), withoutStart(whole), name)
  }
})

const tool = (index: unknown, more: Members) => ({ tool_calls: [{ index, ...more }] })
const starts = (index: unknown, id: unknown, name = 'f', args = '') =>
  tool(index, { id, type: 'function', function: { name, arguments: args } })
const argsDelta = (index: unknown, args: string) => tool(index, { function: { arguments: args } })
const google = { extra_content: { google: { thought_signature: 'R09PRw==' } } }

const cases: readonly (readonly [
  why: string,
  deltas: readonly Members[],
  expected: string,
  finish?: string,
])[] = [
  [
    'text in pieces',
    [{ role: 'assistant', content: '' }, { content: 'a' }, { content: 'b' }],
    'start <text ab > end',
  ],
  [
    'thoughts, then text',
    [{ reasoning_content: 'h' }, { reasoning: 'm' }, { content: 'so' }],
    'start <thinking hm > <text so > end',
  ],
  [
    'thoughts in parts',
    [
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
      { content: [{ type: 'text', text: 'so' }] },
    ],
    'start <thinking hm > <text so > end',
  ],
  ['a refusal', [{ refusal: 'n' }, { refusal: 'o' }], 'start <refusal no > refusal'],
  [
    'calls one after the other',
    [starts(0, 'a'), argsDelta(0, '{"x":'), argsDelta(0, '1}'), starts(1, 'b', 'g'), argsDelta(1, '{}')],
    'start <json a f {"x":1} > <json b g {} > calls',
    'tool_calls',
  ],
  [
    'an index that begins at 1',
    [starts(1, 'a'), argsDelta(1, '{}')],
    'start <json a f {} > calls',
    'tool_calls',
  ],
  [
    'calls that run into each other are told one by one',
    [
      starts(0, 'a'),
      starts(1, 'b'),
      argsDelta(1, '{"b"'),
      argsDelta(0, '{"a":"}"'),
      argsDelta(1, ':2}'),
      argsDelta(0, '}'),
    ],
    'start <json a f {"a":"}"} > <json b f {"b":2} > calls',
    'tool_calls',
  ],
  [
    'a call that never gets an input holds the next back to the end',
    [starts(0, 'a'), starts(1, 'b'), argsDelta(1, '{}')],
    'start <json a f > <json b f {} > calls',
    'tool_calls',
  ],
  [
    'text behind a call that is not whole',
    [starts(0, 'a', 'f', '{'), { content: 'so' }, argsDelta(0, '}')],
    'start <json a f {} > <text so > calls',
    'tool_calls',
  ],
  [
    'two calls under one index by their ids',
    [starts(0, 'a', 'f', '{}'), starts(0, 'b', 'g', '{}')],
    'start <json a f {} > <json b g {} > calls',
  ],
  [
    'two calls without ids or indexes',
    [
      tool(undefined, { function: { name: 'f', arguments: '{}' } }),
      tool(undefined, { function: { name: 'f', arguments: '{"a":1}' } }),
    ],
    'start <json  f {} > <json  f {"a":1} > calls',
  ],
  [
    'a name and an id that are repeated',
    [starts(0, 'a', 'f', '{'), starts(0, 'a', 'f', '}')],
    'start <json a f {} > calls',
    'tool_calls',
  ],
  [
    'input before its name',
    [
      argsDelta(0, ''),
      tool(0, { id: 'a', function: { arguments: '{' } }),
      tool(0, { function: { name: 'f', arguments: '}' } }),
    ],
    'start <json a f {} > calls',
    'tool_calls',
  ],
  [
    'free text',
    [
      tool(0, { id: 'a', type: 'custom', custom: { name: 'c', input: 'x' } }),
      tool(0, { custom: { input: 'y' } }),
    ],
    'start <text a c xy > calls',
    'tool_calls',
  ],
  [
    'the oldest form',
    [{ function_call: { name: 'f', arguments: '' } }, { function_call: { arguments: '{}' } }],
    'start <json  f {} > calls',
    'function_call',
  ],
  [
    'a signature on a call, and beside calls',
    [
      { ...starts(0, 'a', 'f', '{}'), ...google },
      tool(1, { id: 'b', function: { name: 'g', arguments: '{}' }, ...google }),
    ],
    'start <json a f R09PRw== {} > <json b g R09PRw== {} > calls',
  ],
  [
    'a signature without a call',
    [{ content: 'so' }, { content: '', ...google }],
    'start <text so > (thinking) end',
  ],
  [
    'sources and images',
    [
      { content: 'so' },
      { annotations: [{ url_citation: { url: 'https://a' } }] },
      { images: [{ image_url: { url: 'https://b' } }] },
    ],
    'start <text so [https://a] > (media) end',
  ],
  ['nothing at all', [{ role: 'assistant', content: '' }], 'start end'],
  ['a limit', [{ content: 'so' }], 'start <text so > length', 'length'],
]

test('what hosts stream is emitted part by part', () => {
  for (const [why, deltas, expected, finish] of cases) assert.equal(streamOf(deltas, finish), expected, why)
})

test('a cut stream has no finish, and one without its marker has one only if it was sent', () => {
  assert.equal(streamOf([{ content: 'a' }], null, ''), 'start <text a')
  assert.equal(streamOf([{ content: 'a' }], 'stop', ''), 'start <text a > end')
  assert.equal(
    streamOf([{ content: 'a' }], 'stop', 'data: [DONE]\n\ndata: {"choices":[{"delta":{"content":"b"}}]}\n\n'),
    'start <text a > end',
  )
})

test('nothing that an upstream sends makes it throw, and no part overlaps another', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      fc.constantFrom(null, '', 'x', 0, 1, true),
      fc.array(tie('any'), { maxLength: 2 }),
      fc.dictionary(
        fc.constantFrom(
          'index',
          'id',
          'name',
          'content',
          'function',
          'arguments',
          'tool_calls',
          'delta',
          'custom',
          'type',
          'thinking',
          'text',
          'finish_reason',
          'annotations',
          'images',
        ),
        tie('any'),
        { maxKeys: 4 },
      ),
    ),
  })).any
  fc.assert(
    fc.property(fc.array(value, { maxLength: 8 }), fc.integer({ min: 1, max: 40 }), (deltas, size) => {
      let isOpen = false
      for (const event of events(sse(deltas as Members[]), size)) {
        if (event.kind === 'open') assert.ok(!isOpen)
        if (event.kind === 'delta' || event.kind === 'close') assert.ok(isOpen)
        if (event.kind === 'open') isOpen = true
        if (event.kind === 'close') isOpen = false
      }
      assert.ok(!isOpen)
    }),
    { numRuns: 300, verbose: 1 },
  )
  for (const text of [
    'data: x\n\n',
    'data: []\n\n',
    ': ping\n\n',
    'data: {"error":{"message":"x"}}\n\n',
    'data: {"choices":7}\n\n',
  ]) {
    assert.deepEqual(events(encoder.encode(text)), [])
  }
})

test('buffered memory is reported', () => {
  const partial = decodeStream(eventBytesMax)
  partial.push(encoder.encode('data: {"choi'))
  assert.equal(partial.waitingBytes, 12)
  const decoder = decodeStream(eventBytesMax)
  decoder.push(sse([starts(0, 'a'), starts(1, 'b')], null, ''))
  const empty = decoder.waitingBytes
  assert.ok(empty > 0, 'a part that waits takes memory, whatever it says')
  decoder.push(sse([argsDelta(1, '{"long":'), argsDelta(1, '1}')], null, ''))
  assert.ok(decoder.waitingBytes >= empty + '{"long":1}'.length)
  decoder.push(sse([argsDelta(0, '{}'), argsDelta(1, '')], null, ''))
  assert.equal(decoder.waitingBytes, 0)
})

const claude: EncryptedReasoning = { vendor: 'anthropic', data: 'sig' }
const open = (kind: 'text' | 'thinking' | 'refusal'): ResponseEvent => ({ kind: 'open', part: { kind } })
const opens = (
  id: string,
  encrypted: EncryptedReasoning | null = null,
  form: 'json' | 'text' = 'json',
): ResponseEvent => ({
  kind: 'open',
  part: { kind: 'call', id, name: 'f', namespace: null, form, encrypted },
})
const delta = (text: string): ResponseEvent => ({ kind: 'delta', text })
const close = (encrypted: EncryptedReasoning | null = null): ResponseEvent => ({ kind: 'close', encrypted })
const finish = (
  reason: 'end' | 'calls' | 'refusal' | 'filter',
  explanation: string | null = null,
): ResponseEvent => ({ kind: 'finish', finish: { reason, stopString: null, explanation } })
const start: ResponseEvent = { kind: 'start' }

/** The deltas of a stream, with finish and usage where they are sent. */
function deltas(sent: string): readonly Members[] {
  return sent
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => {
      const { choices, usage } = JSON.parse(line.slice('data: '.length))
      const [choice] = choices
      if (choice === undefined) return { usage }
      return choice.finish_reason === null ? choice.delta : { finish: choice.finish_reason }
    })
}

const role = { role: 'assistant', content: '', refusal: null }

test('what clients receive: role, pieces, calls from 0, and the terminal event only at the end', () => {
  const writer = encodeStream(frame)
  const list = [
    start,
    open('text'),
    delta('so'),
    close(),
    opens('toolu_1'),
    close(),
    opens(''),
    delta('{"a"'),
    delta(':1}'),
    close(),
    opens('c', null, 'text'),
    delta('free'),
    close(),
    finish('calls'),
  ]
  const sent = list.map((event) => writer.write(event)).join('')
  assert.deepEqual(deltas(sent), [
    role,
    { content: 'so' },
    { tool_calls: [{ index: 0, id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
    {
      tool_calls: [
        { index: 1, id: 'call_01abc_1', type: 'function', function: { name: 'f', arguments: '' } },
      ],
    },
    { tool_calls: [{ index: 1, function: { arguments: '{"a"' } }] },
    { tool_calls: [{ index: 1, function: { arguments: ':1}' } }] },
    { tool_calls: [{ index: 2, id: 'c', type: 'custom', custom: { name: 'f', input: '' } }] },
    { tool_calls: [{ index: 2, custom: { input: 'free' } }] },
  ])
  const last = writer.close(tally)
  assert.deepEqual(deltas(last), [{ finish: 'tool_calls' }])
  assert.ok(last.endsWith('data: [DONE]\n\n'))
  assert.deepEqual(brokenStreamRules(sent + last), [])
})

test('usage and its cost are sent to who asked for them, and to no one else', () => {
  const list = [open('text'), delta('x'), close(), finish('end')]
  assert.ok(!encoded(list).includes('usage'))
  const withUsage = encoded(list, {
    ...frame,
    responseOptions: { ...frame.responseOptions, includeUsage: true },
  })
  const last = deltas(withUsage).at(-1) as { usage: Members }
  assert.deepEqual([last.usage.prompt_tokens, last.usage.completion_tokens, last.usage.cost], [1, 2, 0.1])
  assert.equal(withUsage.match(/"usage":null/g)?.length, 3)
  assert.deepEqual(brokenStreamRules(withUsage), [])
})

test('an answer of nothing is a stream, and a refusal without words says why', () => {
  assert.deepEqual(deltas(encoded([])), [role, { finish: 'stop' }])
  assert.deepEqual(deltas(encoded([start, finish('refusal', 'because')])), [
    role,
    { refusal: 'because' },
    { finish: 'content_filter' },
  ])
  assert.deepEqual(deltas(encoded([start, open('text'), delta('x'), finish('filter', 'because')])).at(-1), {
    finish: 'content_filter',
  })
  assert.deepEqual(
    deltas(encoded([start, open('refusal'), delta('no'), close(), finish('refusal')])).at(-1),
    { finish: 'stop' },
  )
})

test('encrypted thoughts ride in the next call’s id once, and in the field that clients echo', () => {
  const list = [
    open('thinking'),
    delta('h'),
    delta('m'),
    close(claude),
    {
      kind: 'whole',
      part: { kind: 'thinking', text: '', redacted: true, encrypted: { ...claude, data: 'hidden' } },
    } as const,
    opens('a'),
    close(),
    opens('b', { vendor: 'google', data: 'R09PRw==' }),
    close(),
    open('thinking'),
    delta('n'),
    close(),
    finish('calls'),
  ]
  const found = deltas(encoded(list))
  const ids = found.flatMap((one) => (one.tool_calls as { id?: string }[] | undefined)?.[0]?.id ?? [])
  assert.deepEqual(
    ids.map((id) => readId(id).carrier),
    [
      {
        encrypted: null,
        thoughts: [
          { kind: 'thinking', text: 'hm', redacted: false, encrypted: claude },
          { kind: 'thinking', text: '', redacted: true, encrypted: { ...claude, data: 'hidden' } },
        ],
      },
      { encrypted: { vendor: 'google', data: 'R09PRw==' }, thoughts: [] },
    ],
  )
  const details = found.flatMap(
    (one) => (one.reasoning_details as { signature?: string }[] | undefined) ?? [],
  )
  assert.equal(details.length, 3)
  assert.equal(details[2]?.signature, tagged(unencrypted), 'known to be ours, though nobody encrypted it')
  assert.equal(found.map((one) => one.reasoning_content ?? '').join(''), 'hm\n\nn')
})

test('sources are placed in the text, log probabilities sent on request, and callers of the oldest form get one call', () => {
  const citation = { kind: 'citation', citation: { url: 'https://a', title: 'A', quoted: null } } as const
  const logprobs = { kind: 'logprobs', content: new RawJson('[\n{"token":"x"}]') } as const
  const list = [
    open('text'),
    delta('one '),
    close(),
    open('text'),
    delta('two'),
    citation,
    logprobs,
    close(),
    finish('end'),
  ]
  const found = deltas(encoded(list))
  assert.deepEqual(found[3]?.annotations, [
    { type: 'url_citation', url_citation: { start_index: 4, end_index: 7, title: 'A', url: 'https://a' } },
  ])
  assert.ok(!encoded(list).includes('token'))
  assert.ok(
    encoded(list, { ...frame, responseOptions: { ...frame.responseOptions, logprobs: true } }).includes(
      '"logprobs":{"content":[ {"token":"x"}],"refusal":null}',
    ),
  )
  const oldest = {
    ...frame,
    responseOptions: { ...frame.responseOptions, echo: [[oldestForm, true]] as const },
  }
  assert.deepEqual(deltas(encoded([opens('a'), delta('{}'), close(), finish('calls')], oldest)), [
    role,
    { function_call: { name: 'f', arguments: '' } },
    { function_call: { arguments: '{}' } },
    { finish: 'function_call' },
  ])
})

test('whatever is said comes back, in order', () => {
  const piece = fc.string({ unit: 'binary', minLength: 1, maxLength: 5 })
  const part = fc.oneof(
    fc.tuple(fc.constantFrom('text', 'refusal', 'thinking'), fc.array(piece, { minLength: 1, maxLength: 3 })),
    fc.tuple(
      fc.constant('call'),
      fc.json().map((json) => [`{"a":${json}}`]),
    ),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.integer({ min: 1, max: 50 }), (parts, size) => {
      const list: ResponseEvent[] = []
      let before = ''
      for (const [index, [kind, pieces]] of parts.entries()) {
        // Adjacent parts of one kind are one text in this format.
        if (kind === before && kind !== 'call') continue
        before = kind
        list.push(
          kind === 'call' ? opens(`call_${index}`) : open(kind as 'text'),
          ...pieces.map(delta),
          close(),
        )
      }
      const has = (kind: string) => parts.some(([one]) => one === kind)
      list.push(finish(has('call') ? 'calls' : has('refusal') ? 'refusal' : 'end'))
      const back = events(encoder.encode(encoded(list)), size).filter(({ kind }) => kind !== 'start')
      const plain = (all: readonly ResponseEvent[]) => brief(all).replaceAll('\n\n', '')
      assert.equal(plain(back), plain(list))
    }),
    { numRuns: 300, verbose: 1 },
  )
})
