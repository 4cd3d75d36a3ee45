/** Responses with embeddings: what they are charged for, in every spelling hosts have, and what is not a response. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Usage } from '../usage.ts'
import { openaiEmbeddings } from './index.ts'

const encoder = new TextEncoder()

function read(body: unknown) {
  return openaiEmbeddings.extractResponse(encoder.encode(JSON.stringify(body)), 100)
}

const data = [
  { object: 'embedding', index: 0, embedding: [0.25, -1e-7] },
  { object: 'embedding', index: 1, embedding: 'AACAPgAAgD4=' },
]

interface Row {
  readonly usage: unknown
  readonly input: number
  readonly isReported: boolean
  readonly unknown?: readonly string[]
}

const rows: readonly Row[] = [
  { usage: { prompt_tokens: 8, total_tokens: 8 }, input: 8, isReported: true },
  { usage: { prompt_tokens: 0, total_tokens: 0 }, input: 0, isReported: true },
  { usage: { prompt_tokens: 8 }, input: 8, isReported: true },
  { usage: { total_tokens: 9 }, input: 9, isReported: true },
  { usage: { prompt_tokens: null, total_tokens: 9 }, input: 9, isReported: true },
  {
    usage: { prompt_tokens: 8, total_tokens: 8, completion_tokens: 0, cost: 0.1 },
    input: 8,
    isReported: true,
  },
  {
    usage: { prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 },
    input: 11,
    isReported: true,
    unknown: ['completion_tokens', 'total_tokens'],
  },
  {
    usage: { prompt_tokens: -1, total_tokens: -1 },
    input: 0,
    isReported: false,
    unknown: ['total_tokens', 'prompt_tokens'],
  },
  { usage: { prompt_tokens: 'many' }, input: 0, isReported: false, unknown: ['prompt_tokens'] },
  { usage: 'none', input: 0, isReported: false, unknown: ['usage'] },
  { usage: undefined, input: 0, isReported: false },
]

test('input is all that is charged, and what is not known is named', () => {
  for (const { usage, input, isReported, unknown = [] } of rows) {
    const answer = read({ object: 'list', data, model: 'm', usage })
    const charged: Usage = openaiEmbeddings.toUsage(answer.rawUsage)
    const words = JSON.stringify(usage)
    assert.equal(answer.problem, null, words)
    assert.equal(charged.inputUncached, input, words)
    assert.equal(charged.output, 0, words)
    assert.deepEqual(charged.unknown, unknown, words)
    assert.deepEqual(
      openaiEmbeddings.reportedTotals(answer.rawUsage),
      { input: isReported, output: true },
      words,
    )
    assert.equal(answer.sample.events, 2)
    assert.equal(answer.sample.characters, 0)
  }
})

test('the tier an answer names is passed on, the default is not worth a word', () => {
  const servedOptions = (tier: string) =>
    openaiEmbeddings.toUsage(read({ data, service_tier: tier }).rawUsage).servedOptions
  assert.deepEqual(servedOptions('default'), [])
  assert.deepEqual(servedOptions('priority'), ['service_tier:priority'])
})

test('an invalid body with status 200 is a problem', () => {
  const problem = (body: unknown) => read(body).problem?.message
  assert.equal(problem({ error: { message: 'broken', type: 'server_error' } }), 'broken')
  assert.equal(problem({ object: 'list' }), 'The upstream response has no embeddings.')
  assert.equal(problem([]), 'The upstream response is not a JSON object.')
  assert.equal(problem({ data: [], error: null }), undefined)
})

test('errors are the words of chat clients, and nothing is ever streamed', () => {
  const body = openaiEmbeddings.errorBody({
    code: 'model_not_found',
    category: 'not_found',
    status: 404,
    message: 'No such model.',
    param: 'model',
    details: {},
    source: 'gateway',
    requestId: 'req_1',
  })
  const { error } = JSON.parse(body) as { error: Record<string, unknown> }
  assert.equal(error.type, 'invalid_request_error')
  assert.equal(error.code, 'model_not_found')
  assert.equal(openaiEmbeddings.tapStream, null)
  assert.equal(openaiEmbeddings.readError(encoder.encode('{"error":{"message":"no"}}')).message, 'no')
})
