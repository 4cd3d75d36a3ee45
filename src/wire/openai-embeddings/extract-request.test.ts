/** Embeddings requests: every documented form of the input is accepted, others are named, a splice changes only the model. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type ReadLimits, WireError } from '../format.ts'
import { applyEdits } from '../json/json.ts'
import { openaiEmbeddings } from './index.ts'

const limits: ReadLimits = { depthMax: 8, valuesMax: 10_000, integerMax: 1_000_000_000 }
const address = { model: null, stream: false }
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** `taken`, the names of its options, or the error's code and pointer. */
function outcome(body: string): string {
  try {
    const { options } = openaiEmbeddings.extractRequest(encoder.encode(body), limits, address)
    return ['taken', ...options.map(({ name }) => name)].join(' ')
  } catch (error) {
    assert.ok(error instanceof WireError, String(error))
    return `${error.code} ${error.pointer}`
  }
}

const rows: readonly [members: Readonly<Record<string, unknown>>, outcome: string][] = [
  [{ input: 'text' }, 'taken'],
  [{ input: '' }, 'taken'],
  [{ input: ['one', 'two'] }, 'taken'],
  [{ input: [] }, 'taken'],
  [{ input: [15339, 1917, 0] }, 'taken'],
  [{ input: [[15339], [], [1, 2]] }, 'taken'],
  [{ input: 'text', dimensions: 256, encoding_format: 'base64', user: 'u', x_other: { a: 1 } }, 'taken'],
  [{ input: 'text', dimensions: null, encoding_format: null, stream: false, service_tier: 'auto' }, 'taken'],
  [{ input: 'text', service_tier: 'priority' }, 'taken service_tier:priority'],
  [{ input: 'text', background: true }, 'unpriced_option background'],
  [{}, 'missing_field input'],
  [{ input: null }, 'missing_field input'],
  [{ input: 5 }, 'invalid_value input'],
  [{ input: { text: 'a' } }, 'invalid_value input'],
  [{ input: [{ type: 'image_url' }] }, 'invalid_value input'],
  [{ input: ['one', 2] }, 'invalid_value input[1]'],
  [{ input: [1, 'two'] }, 'invalid_value input[1]'],
  [{ input: [1.5] }, 'invalid_value input[0]'],
  [{ input: [-1] }, 'invalid_value input[0]'],
  [{ input: [1_000_000_001] }, 'invalid_value input[0]'],
  [{ input: [[1], ['a']] }, 'invalid_value input[1][0]'],
  [{ input: [[1], 1] }, 'invalid_value input[1]'],
  [{ input: 'text', stream: true }, 'invalid_value stream'],
  [{ input: 'text', dimensions: 0 }, 'invalid_value dimensions'],
  [{ input: 'text', dimensions: '256' }, 'invalid_value dimensions'],
  [{ input: 'text', encoding_format: 1 }, 'invalid_value encoding_format'],
  [{ input: 'text', user: [] }, 'invalid_value user'],
  [{ input: 'text', model: '' }, 'invalid_value model'],
  [{ input: 'text', model: null }, 'missing_field model'],
]

test('what an input can be, and what names its place', () => {
  for (const [members, expected] of rows) {
    const body = JSON.stringify({ model: 'text-embedding-3-small', ...members })
    assert.equal(outcome(body), expected, body)
  }
  assert.equal(outcome('{"model":"m","input":"a","input":"b"}'), 'ambiguous_field input')
  assert.equal(outcome('{"model":"m","inpu\\u0074":"a"}'), 'ambiguous_field input')
  assert.equal(outcome('[]'), 'invalid_value undefined')
  assert.equal(outcome('{"model":"m","input":'), 'invalid_json undefined')
})

test('the facts: no stream, no output, the input tells conversations apart', () => {
  const body = '{"input":["a","b"],"model":"m"}'
  const facts = openaiEmbeddings.extractRequest(encoder.encode(body), limits, address)
  const { start, end } = facts.conversationSpan
  assert.equal(body.slice(start, end), '["a","b"]')
  assert.equal(body.slice(facts.modelSpan?.start, facts.modelSpan?.end), '"m"')
  assert.deepEqual(
    {
      stream: facts.stream,
      outputLimit: facts.outputLimit,
      choices: facts.choices,
      asIs: facts.canPassThrough,
    },
    { stream: false, outputLimit: 0, choices: 1, asIs: true },
  )
  assert.equal(openaiEmbeddings.usageEvent(facts), 'relay')
})

test('a splice replaces the model and nothing else', () => {
  const input = fc.oneof(fc.string({ unit: 'binary' }), fc.array(fc.string()), fc.array(fc.nat(200_000)))
  fc.assert(
    fc.property(input, fc.string({ minLength: 1 }), (value, model) => {
      const body = encoder.encode(JSON.stringify({ input: value, model: 'a', dimensions: 3 }))
      const facts = openaiEmbeddings.extractRequest(body, limits, address)
      const edits = openaiEmbeddings.patchRequest(facts, { model, outputLimit: 5, serverToolUsesMax: 1 })
      const spliced = applyEdits(body, edits).map((piece) => decoder.decode(piece))
      assert.equal(spliced.join(''), JSON.stringify({ input: value, model, dimensions: 3 }))
      assert.deepEqual(openaiEmbeddings.patchRequest(facts, {}), [])
    }),
  )
})
