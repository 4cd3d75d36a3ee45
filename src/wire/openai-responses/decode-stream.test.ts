/** Streams of Responses hosts as events: in order whatever order their pieces arrive in, each sent once, in any chunks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ResponseEvent } from '../translation/neutral.ts'
import { openaiResponsesCodec as codec } from './index.ts'

const event = (type: string, members: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
const created = event('response.created', { response: { id: 'resp_1', model: 'gpt-x' } })
const at = (index: number, members: object = {}) => ({ output_index: index, ...members })
const added = (index: number, item: object) => event('response.output_item.added', at(index, { item }))
const done = (index: number, item: object) => event('response.output_item.done', at(index, { item }))
const word = (index: number, delta: string, more: object = {}) =>
  event('response.output_text.delta', at(index, { content_index: 0, delta, ...more }))
const partDone = (index: number, text: string) =>
  event('response.content_part.done', at(index, { content_index: 0, part: { type: 'output_text', text } }))
const summary = (index: number, delta: string) =>
  event('response.reasoning_summary_text.delta', at(index, { summary_index: 0, delta }))
const input = (index: number, delta: string) =>
  event('response.function_call_arguments.delta', at(index, { delta }))
const completed = (more: object = {}) =>
  event('response.completed', { response: { status: 'completed', output: [], ...more } })
const message = (text: string) => ({ type: 'message', content: [{ type: 'output_text', text }] })
const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '' }

function decoded(sse: string, chunkBytes = sse.length + 1): readonly ResponseEvent[] {
  const decoder = codec.decodeStream(64 * 1024)
  const bytes = Buffer.from(sse)
  const events: ResponseEvent[] = []
  for (let start = 0; start < bytes.length; start += chunkBytes)
    events.push(...decoder.push(bytes.subarray(start, start + chunkBytes)))
  events.push(...decoder.end())
  return events
}

/** Each event in a few words; the finish by its reason. */
const story = (sse: string) =>
  decoded(sse).map((one) => {
    switch (one.kind) {
      case 'open':
        return one.part.kind === 'call'
          ? `call ${one.part.id} ${one.part.namespace ?? '-'} ${one.part.name} ${one.part.form}`
          : one.part.kind
      case 'delta':
        return `"${one.text}"`
      case 'close':
        return one.encrypted === null ? '.' : `. ${one.encrypted.data}`
      case 'finish':
        return one.finish.reason
      case 'citation':
        return `[${one.citation.url}]`
      case 'logprobs':
        return one.content.text
      case 'whole':
        return `whole ${one.part.kind}`
      default:
        return one.kind
    }
  })

const rows: [name: string, sse: string, expected: readonly string[]][] = [
  [
    'words',
    created +
      added(0, message('')) +
      word(0, 'a') +
      word(0, 'b') +
      partDone(0, 'ab') +
      done(0, message('ab')) +
      completed(),
    ['start', 'text', '"a"', '"b"', '.', 'end'],
  ],
  [
    'words without part events',
    word(0, 'a') + done(0, message('a')) + completed(),
    ['text', '"a"', '.', 'start', 'end'],
  ],
  [
    'an item that comes whole',
    created + done(0, message('ab')) + completed(),
    ['start', 'text', '"ab"', '.', 'end'],
  ],
  [
    'an answer that comes whole',
    created + completed({ output: [message('ab'), { ...call, arguments: '{}' }] }),
    ['start', 'text', '"ab"', '.', 'call call_1 - f json', '"{}"', '.', 'calls'],
  ],
  [
    'an item told twice',
    created + done(0, message('ab')) + done(0, message('ab')) + completed({ output: [message('ab')] }),
    ['start', 'text', '"ab"', '.', 'end'],
  ],
  [
    'two texts in a message, told again',
    created +
      added(0, message('')) +
      [0, 1]
        .map(
          (content) =>
            event('response.output_text.delta', at(0, { content_index: content, delta: 'x' })) +
            event(
              'response.content_part.done',
              at(0, { content_index: content, part: { type: 'output_text', text: 'x' } }),
            ),
        )
        .join('') +
      done(0, {
        type: 'message',
        content: [
          { type: 'output_text', text: 'x' },
          { type: 'output_text', text: 'x' },
        ],
      }) +
      completed(),
    ['start', 'text', '"x"', '.', 'text', '"x"', '.', 'end'],
  ],
  [
    'thoughts in several parts',
    created +
      added(0, { type: 'reasoning' }) +
      event('response.reasoning_summary_part.added', at(0)) +
      summary(0, 'a') +
      event('response.reasoning_summary_part.added', at(0)) +
      summary(0, 'b') +
      done(0, {
        type: 'reasoning',
        id: 'rs_2',
        summary: [{ text: 'a' }, { text: 'b' }],
        encrypted_content: 'new',
      }) +
      completed(),
    ['start', 'thinking', '"a"', '"\n\nb"', '. rs_2.new', 'end'],
  ],
  [
    'thoughts that are hidden',
    created +
      added(0, { type: 'reasoning', encrypted_content: 'old' }) +
      done(0, { type: 'reasoning', id: 'rs_1', encrypted_content: 'new', summary: [] }) +
      completed(),
    ['start', 'thinking', '. rs_1.new', 'end'],
  ],
  [
    'thoughts that say nothing',
    created + added(0, { type: 'reasoning' }) + done(0, { type: 'reasoning', summary: [] }) + completed(),
    ['start', 'end'],
  ],
  [
    'thoughts in the open',
    created +
      added(0, { type: 'reasoning' }) +
      event('response.reasoning_text.delta', at(0, { content_index: 0, delta: 'a' })) +
      done(0, { type: 'reasoning', content: [{ text: 'a' }] }) +
      completed(),
    ['start', 'thinking', '"a"', '.', 'end'],
  ],
  [
    'a call',
    created +
      added(0, { ...call, namespace: 'n' }) +
      input(0, '{"a"') +
      input(0, ':1}') +
      done(0, { ...call, arguments: '{"a":1}' }) +
      completed(),
    ['start', 'call call_1 n f json', '"{"a""', '":1}"', '.', 'calls'],
  ],
  [
    'a call without deltas',
    created + added(0, call) + done(0, { ...call, arguments: '{"a":1}' }) + completed(),
    ['start', 'call call_1 - f json', '"{"a":1}"', '.', 'calls'],
  ],
  [
    'a call without arguments',
    created + added(0, call) + done(0, call) + completed(),
    ['start', 'call call_1 - f json', '.', 'calls'],
  ],
  [
    'free text',
    created +
      added(0, { type: 'custom_tool_call', call_id: 'c', name: 'p', input: '' }) +
      event('response.custom_tool_call_input.delta', at(0, { delta: 'raw' })) +
      done(0, { type: 'custom_tool_call', call_id: 'c', name: 'p', input: 'raw' }) +
      completed(),
    ['start', 'call c - p text', '"raw"', '.', 'calls'],
  ],
  [
    'calls that overlap',
    created +
      added(0, call) +
      added(1, { ...call, call_id: 'call_2' }) +
      input(1, 'x') +
      input(0, 'a') +
      done(1, { ...call, arguments: 'x' }) +
      input(0, 'b') +
      done(0, { ...call, arguments: 'ab' }) +
      completed(),
    ['start', 'call call_1 - f json', '"a"', '"b"', '.', 'call call_2 - f json', '"x"', '.', 'calls'],
  ],
  [
    'a refusal',
    created +
      event('response.refusal.delta', at(0, { content_index: 0, delta: 'No' })) +
      done(0, { type: 'message', content: [{ type: 'refusal', refusal: 'No' }] }) +
      completed(),
    ['start', 'refusal', '"No"', '.', 'refusal'],
  ],
  [
    'sources and probabilities',
    created +
      word(0, 'a', { logprobs: [{ token: 'a', logprob: -1 }] }) +
      event(
        'response.output_text.annotation.added',
        at(0, { content_index: 0, annotation: { type: 'url_citation', url: 'https://example.com/a' } }),
      ) +
      done(0, message('a')) +
      completed(),
    ['start', 'text', '[{"token":"a","logprob":-1}]', '"a"', '[https://example.com/a]', '.', 'end'],
  ],
  [
    'an image',
    created + done(0, { type: 'image_generation_call', result: 'AAAA' }) + completed(),
    ['start', 'whole media', 'end'],
  ],
  [
    'what nobody knows',
    created +
      event('response.teleport.delta', at(0, { delta: 'x' })) +
      done(0, { type: 'teleport' }) +
      'data: no JSON\n\n: ping\n\n' +
      completed(),
    ['start', 'end'],
  ],
  [
    'a limit',
    created +
      word(0, 'a') +
      event('response.incomplete', {
        response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      }),
    ['start', 'text', '"a"', '.', 'length'],
  ],
  [
    'a filter',
    created +
      event('response.incomplete', {
        response: { status: 'incomplete', incomplete_details: { reason: 'content_filter' } },
      }),
    ['start', 'filter'],
  ],
  [
    'an error',
    created + word(0, 'a') + event('error', { message: 'm' }) + event('response.failed', { response: {} }),
    ['start', 'text', '"a"'],
  ],
]
for (const [name, sse, expected] of rows) {
  test(`a stream of ${name}`, () => {
    // Without an opening the start is known only at the end.
    assert.deepEqual(story(sse), expected)
    for (const chunkBytes of [1, 7]) assert.deepEqual(decoded(sse, chunkBytes), decoded(sse))
  })
}

test('parts never overlap, and any bytes are survived', () => {
  const pieces = rows.flatMap(([, sse]) => sse.split(/(?<=\n\n)/))
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...pieces), { maxLength: 20 }),
      fc.integer({ min: 1, max: 200 }),
      (all, chunkBytes) => {
        let isOpen = false
        let isOver = false
        for (const { kind } of decoded(all.join(''), chunkBytes)) {
          assert.ok(!isOver, 'nothing comes after the finish')
          if (kind === 'open' || kind === 'whole' || kind === 'finish') assert.ok(!isOpen, kind)
          if (kind === 'delta' || kind === 'close' || kind === 'citation' || kind === 'logprobs')
            assert.ok(isOpen, kind)
          if (kind === 'open' || kind === 'close') isOpen = kind === 'open'
          isOver = kind === 'finish'
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('buffered memory is counted, and close to zero when everything is sent', () => {
  const decoder = codec.decodeStream(1_024)
  decoder.push(
    Buffer.from(created + added(0, call) + added(1, { ...call, call_id: 'c2' }) + input(1, 'waiting')),
  )
  assert.ok(decoder.waitingBytes >= 'waiting'.length)
  decoder.push(Buffer.from(done(0, call)))
  const waitingBytes = decoder.waitingBytes
  assert.ok(waitingBytes < 100, 'of what is told, only that it is over is known')
  decoder.push(Buffer.from('data: {'))
  assert.equal(decoder.waitingBytes, waitingBytes + 7)
})
