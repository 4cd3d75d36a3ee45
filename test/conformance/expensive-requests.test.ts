/**
 * The cost of reading a request is linear in its length, whatever it contains: twice the body takes about twice the CPU
 * time, and none takes many times what an ordinary conversation of its length takes. CPU time of one thread, so
 * that other load changes nothing; `npm run bench:parse` prints the figures.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitDefaults } from '../../src/config/config.ts'
import { readLimits } from '../../src/gateway/phases/decode.ts'
import { type ReadLimits, WireError } from '../../src/wire/format.ts'
import { expensiveBodies, parsedFormats } from '../support/expensive-bodies.ts'
import { threadCost } from '../support/thread-cost.ts'
import { wireFormats } from '../support/wire-formats.ts'

const limits = readLimits(limitDefaults)
const bytes = 400_000
const runMs = 12
const measurements = 4

/** The lowest of a few measurements of a ratio, since another program on the core can only make work look more expensive. */
function lowestRatio(bound: number, measure: () => number): number {
  let lowest = Number.POSITIVE_INFINITY
  for (let count = 0; count < measurements && lowest >= bound; count++) lowest = Math.min(lowest, measure())
  return lowest
}

function factsCost(format: (typeof parsedFormats)[number], body: Uint8Array, within: ReadLimits = limits) {
  return threadCost(() => {
    try {
      wireFormats[format].extractRequest(body, within, { model: 'm', stream: false })
    } catch (error) {
      assert.ok(error instanceof WireError)
    }
  }, runMs)
}

/** Without the bounds on numbers, so that what would be rejected is read to its end. */
const unbounded: ReadLimits = { ...limits, valuesMax: 2 ** 25, otherValuesMax: 2 ** 25, objectsMax: 2 ** 25 }

for (const format of parsedFormats) {
  test(`${format}: twice the body takes about twice the time`, (context) => {
    for (const { name, make } of expensiveBodies(format)) {
      const [body, twice] = [Buffer.from(make(bytes)), Buffer.from(make(2 * bytes))]
      const ratio = lowestRatio(4, () => {
        const one = factsCost(format, body, unbounded)
        const two = factsCost(format, twice, unbounded)
        context.diagnostic(`${name}: ${one.toFixed(2)} ms, then ${two.toFixed(2)} ms`)
        return two / Math.max(one, 0.5)
      })
      assert.ok(ratio < 4, `${name}: twice the body takes ${ratio.toFixed(1)} times as long`)
    }
  })
}

test('no body takes many times what the densest ordinary one of its length takes', (context) => {
  for (const format of parsedFormats) {
    const bodies = expensiveBodies(format)
    const honest = bodies.find(({ name }) => name === 'tiny messages')
    assert.ok(honest !== undefined)
    const base = factsCost(format, Buffer.from(honest.make(bytes)))
    for (const { name, make } of bodies) {
      const body = Buffer.from(make(bytes))
      const ratio = lowestRatio(4, () => factsCost(format, body) / base)
      if (ratio > 1) context.diagnostic(`${format}, ${name}: ${ratio.toFixed(1)} times ${base.toFixed(2)} ms`)
      assert.ok(ratio < 4, `${format}, ${name}: ${ratio} times ${base} ms`)
    }
  }
})

test('settings have few names and values, and objects few names; long parts of ordinary requests may be long', () => {
  const many = (count: number, piece: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => piece(index)).join(',')
  const read = (members: string) => {
    const body = Buffer.from(`{"model":"m","messages":[{"role":"user","content":"hello"}]${members}}`)
    return wireFormats['openai-chat'].extractRequest(body, limits, { model: null, stream: false })
  }
  const code = (members: string): string => {
    try {
      read(members)
      return 'read'
    } catch (error) {
      assert.ok(error instanceof WireError)
      return error.code
    }
  }
  const schema = `{"type":"object","properties":{${many(6_000, (at) => `"p${at}":{"type":"string"}`)}}}`
  const cases: readonly (readonly [what: string, members: string, expected: string])[] = [
    [
      'a tool of 6,000 fields',
      `,"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]`,
      'read',
    ],
    [
      'an answer format of 3,000 fields',
      `,"response_format":${schema.replace(/"p[3-5]\d{3}":.*(?=\}\}$)/, '"p":{}')}`,
      'read',
    ],
    ['19,000 stops', `,"stop":[${many(19_000, () => '1')}]`, 'read'],
    ['20,000 stops', `,"stop":[${many(20_000, () => '1')}]`, 'invalid_json'],
    ['300 settings', `,${many(300, (at) => `"n${at}":1`)}`, 'invalid_value'],
    ['200 settings', `,${many(200, (at) => `"n${at}":1`)}`, 'read'],
    ['300 settings that are not plain ASCII', `,${many(300, (at) => `"é${at}":1`)}`, 'invalid_value'],
    ['two settings that differ in case', ',"Abc":1,"aBC":2', 'ambiguous_field'],
    ['the same with an escape', ',"abc":1,"\\u0041bc":2', 'ambiguous_field'],
    ['100 settings and one twice', `,${many(100, (at) => `"n${at}":1`)},"N_50":2`, 'ambiguous_field'],
  ]
  for (const [what, members, expected] of cases) assert.equal(code(members), expected, what)
})
