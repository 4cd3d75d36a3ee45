/** Passed-through Responses streams: what is content, what is the terminal event, what is an error, and their usage. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TapOptions } from '../dialect.ts'
import { toUsage } from './extract-usage.ts'
import { openaiResponses } from './index.ts'
import { tapStream } from './tap-stream.ts'

const options: TapOptions = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 64 * 1024,
  sampleCharactersMax: 50,
}

const event = (type: string, members: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`
const created = event('response.created', { response: { id: 'resp_1', output: [] } })
const added = (item: object, index = 0) => event('response.output_item.added', { output_index: index, item })
const done = (item: object, index = 0) => event('response.output_item.done', { output_index: index, item })
const word = (delta: string) =>
  event('response.output_text.delta', { output_index: 0, content_index: 0, delta })
const terminal = (type: string, response: object = {}) =>
  event(`response.${type}`, { response: { status: type, output: [], ...response } })
const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 }

function watched(stream: string) {
  const watch = tapStream(options)
  watch.push(Buffer.from(stream))
  return watch
}

const states: [name: string, stream: string, before: string, after: string][] = [
  ['nothing', '', 'waiting', 'truncated'],
  ['an opening', created + event('response.in_progress', { response: {} }), 'waiting', 'truncated'],
  ['a message that begins', created + added({ type: 'message', content: [] }), 'waiting', 'truncated'],
  [
    'a thought that begins',
    created + added({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
    'waiting',
    'truncated',
  ],
  [
    'a thought that is encrypted',
    created + done({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
    'content',
    'truncated',
  ],
  [
    'a call that begins',
    created + added({ type: 'function_call', name: 'f', arguments: '' }),
    'content',
    'truncated',
  ],
  [
    'a search that begins',
    created + added({ type: 'web_search_call', status: 'in_progress' }),
    'content',
    'truncated',
  ],
  ['a word', created + word('a'), 'content', 'truncated'],
  ['an empty word', created + word(''), 'waiting', 'truncated'],
  [
    'arguments',
    event('response.function_call_arguments.delta', { output_index: 0, delta: '{' }),
    'content',
    'truncated',
  ],
  [
    'a summary',
    event('response.reasoning_summary_text.delta', { output_index: 0, delta: 'a' }),
    'content',
    'truncated',
  ],
  ['all of it', created + word('a') + terminal('completed'), 'complete', 'complete'],
  ['an incomplete answer', created + word('a') + terminal('incomplete'), 'complete', 'complete'],
  ['the last word alone', terminal('completed'), 'complete', 'complete'],
  ['a mark of another format', 'data: [DONE]\n\n', 'waiting', 'truncated'],
  ['no JSON', 'event: response.output_text.delta\ndata: {"type"\n\n', 'failed', 'failed'],
  ['a cut last word', created + word('a') + terminal('completed').slice(0, 60), 'content', 'truncated'],
  ['a comment', ': keepalive\n\n', 'waiting', 'truncated'],
]
for (const [name, stream, before, after] of states) {
  test(`a stream of ${name}`, () => {
    const watch = watched(stream)
    assert.equal(watch.state, before)
    watch.end()
    assert.equal(watch.state, after)
  })
}

test('the terminal event is held back, and nothing before it', () => {
  const before = created + word('a') + done({ type: 'message', content: [] })
  const watch = watched(`${before}${terminal('completed')}: trailing\n\n`)
  assert.equal(watch.relayableBytes, before.length)
  assert.equal(watch.totalBytes, (before + terminal('completed')).length)
  assert.equal(watch.suppressedSpan, null)
})

test('events are known by their type where they have no name', () => {
  const nameless = (created + word('a') + terminal('completed', { usage })).replaceAll(/^event: .*\n/gm, '')
  const watch = watched(nameless)
  assert.equal(watch.state, 'complete')
  assert.equal(toUsage(watch.rawUsage).output, 3)
})

const problems: [name: string, stream: string, problem: object][] = [
  [
    'nested',
    event('error', { error: { type: 't', code: 'c', message: 'm', param: null } }),
    { message: 'm', type: 't', code: 'c' },
  ],
  [
    'flat',
    event('error', { code: 'c', message: 'm', param: null, sequence_number: 1 }),
    { message: 'm', type: '', code: 'c' },
  ],
  [
    'failed',
    terminal('failed', { error: { code: 'server_error', message: 'm' } }),
    { message: 'm', type: '', code: 'server_error' },
  ],
  ['failed without a word', terminal('failed', { error: null }), { message: '', type: '', code: '' }],
]
for (const [name, stream, problem] of problems) {
  test(`an error that is ${name}`, () => {
    const watch = watched(created + word('a') + stream)
    assert.equal(watch.state, 'failed')
    assert.deepEqual(watch.problem, problem)
  })
}

test('the sample has the thoughts, the words and the calls, each once', () => {
  const call = { type: 'function_call', name: 'look', arguments: '{"a":1}', call_id: 'c' }
  const watch = watched(
    created +
      event('response.reasoning_summary_text.delta', { output_index: 0, delta: 'hm ' }) +
      done({ type: 'reasoning', summary: [{ text: 'hm ' }] }) +
      word('hi ') +
      added({ ...call, arguments: '' }, 2) +
      done(call, 2) +
      done({ type: 'message', content: [{ type: 'output_text', text: ' bye' }] }, 3),
  )
  assert.equal(watch.sample.text, 'hm hi look{"a":1} bye')
})

const search = (type: string) => ({ type: 'web_search_call', action: { type } })
const searches: [name: string, stream: string, fees: object, unknown: readonly string[]][] = [
  ['none', terminal('completed', { usage }), {}, []],
  [
    'two, and a page',
    done(search('search')) +
      done(search('open_page'), 1) +
      done(search('search'), 2) +
      terminal('completed', { usage }),
    { web_search: 2 },
    [],
  ],
  [
    'told again at the end',
    done(search('search')) + terminal('completed', { usage, output: [search('search')] }),
    { web_search: 1 },
    [],
  ],
  [
    'told at the end alone',
    terminal('completed', { usage, output: [search('search')] }),
    { web_search: 1 },
    [],
  ],
  [
    'counted by the provider',
    done(search('search')) +
      terminal('completed', { usage, tool_usage: { web_search: { num_requests: 3 } } }),
    { web_search: 3 },
    [],
  ],
  ['cut off', done(search('search')), { web_search: 1 }, []],
  [
    'code in one container, however often',
    terminal('completed', {
      usage,
      output: [
        { type: 'code_interpreter_call', container_id: 'c1' },
        { type: 'code_interpreter_call', container_id: 'c1' },
        { type: 'code_interpreter_call', container_id: 'c2' },
      ],
    }),
    { code_interpreter: 2 },
    [],
  ],
  [
    'containers without end',
    Array.from({ length: 300 }, (_, at) =>
      done({ type: 'code_interpreter_call', container_id: `c${at}` }, at),
    ).join('') + terminal('completed', { usage }),
    { code_interpreter: 256 },
    Array.from({ length: 32 }, (_, at) => `containers.c${256 + at}`),
  ],
  [
    'calls to other servers',
    terminal('completed', { usage, output: [{ type: 'mcp_call' }, { type: 'mcp_call' }] }),
    { mcp: 2 },
    [],
  ],
  ['of another kind', terminal('completed', { usage, output: [{ type: 'program' }] }), {}, ['program']],
  [
    'images',
    terminal('completed', { usage, tool_usage: { image_gen: { output_tokens: 7 } } }),
    {},
    ['tool_usage.image_gen.output_tokens'],
  ],
]
for (const [name, stream, fees, unknown] of searches) {
  test(`searches: ${name}`, () => {
    const { fees: actualFees, unknown: flagged } = toUsage(watched(created + stream).rawUsage)
    assert.deepEqual(actualFees, fees)
    assert.deepEqual(flagged, unknown)
  })
}

const answers: [name: string, body: unknown, problem: RegExp | null][] = [
  ['complete', { status: 'completed', output: [] }, null],
  ['incomplete', { status: 'incomplete', output: [] }, null],
  ['without a status', { output: [] }, null],
  ['failed', { status: 'failed', error: { code: 'server_error', message: 'Broken.' }, output: [] }, /Broken/],
  ['failed in silence', { status: 'failed', error: null, output: [] }, /failed/],
  ['queued', { status: 'queued', output: [] }, /queued/],
  ['an error', { error: { message: 'No.' } }, /No/],
  ['a list', [], /not a JSON object/],
  ['something else', { choices: [] }, /has no output/],
]
for (const [name, body, problem] of answers) {
  test(`an answer that is ${name}`, () => {
    const answer = openaiResponses.extractResponse(Buffer.from(JSON.stringify(body)), 10)
    if (problem === null) assert.equal(answer.problem, null)
    else assert.match(answer.problem?.message ?? '', problem)
  })
}

test('usage is split into disjoint meters, and where it ran is reported', () => {
  const body = {
    output: [],
    service_tier: 'flex',
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
      output_tokens: 50,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 150,
    },
  }
  const { rawUsage } = openaiResponses.extractResponse(Buffer.from(JSON.stringify(body)), 10)
  assert.deepEqual(openaiResponses.reportedTotals(rawUsage), { input: true, output: true })
  assert.deepEqual(toUsage(rawUsage), {
    inputUncached: 10,
    cacheRead: 60,
    cacheWrite5m: 30,
    cacheWrite1h: 0,
    inputAudio: 0,
    output: 50,
    outputAudio: 0,
    reasoning: 20,
    fees: {},
    ranAt: ['service_tier:flex'],
    unknown: [],
  })
})
