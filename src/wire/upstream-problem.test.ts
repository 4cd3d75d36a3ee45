/** What is read of an upstream's error besides its message: Google's reason and retry delay, from any content. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProblem } from './upstream-problem.ts'

const type = (name: string) => `type.googleapis.com/google.rpc.${name}`

const cases: readonly (readonly [
  what: string,
  body: unknown,
  reason?: string | undefined,
  retryAfterMs?: number,
])[] = [
  [
    'a reason and a wait',
    { error: { code: 429, details: [{ '@type': type('ErrorInfo'), reason: 'R' }, { retryDelay: '48s' }] } },
    'R',
    48_000,
  ],
  [
    'a wait in fractions, in an array',
    [{ error: { details: [{ retryDelay: '1.0005s' }] } }],
    undefined,
    1_001,
  ],
  ['a wait of nothing', { error: { details: [{ retryDelay: '0s' }] } }, undefined, 0],
  ['no wait', { error: { details: [{ retryDelay: 48 }, { retryDelay: '-1s' }, { retryDelay: '1e9s' }] } }],
  ['details that are none', { error: { details: { reason: 'R' } } }],
  ['details of anything', { error: { details: [null, 'R', 7, { reason: 7 }] } }],
  ['nothing', {}],
]

for (const [what, body, reason, retryAfterMs] of cases) {
  test(`an error with ${what}`, () => {
    const problem = readProblem(new TextEncoder().encode(JSON.stringify(body)))
    assert.deepEqual([problem.reason, problem.retryAfterMs], [reason, retryAfterMs])
  })
}
