/** Rate headers as each format's clients read them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rateHeaders, retryAfterSeconds } from './headers.ts'

const nowMs = Date.UTC(2026, 0, 31, 9, 5, 7)
const rates = {
  requests: { limit: 600, remaining: 599, resetMs: 1_000 },
  tokens: { limit: 2_000_000, remaining: 1_999_000, resetMs: 360_000 },
}

test('OpenAI', () => {
  assert.deepEqual(rateHeaders('openai', rates, nowMs), {
    'x-ratelimit-limit-requests': '600',
    'x-ratelimit-remaining-requests': '599',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-limit-tokens': '2000000',
    'x-ratelimit-remaining-tokens': '1999000',
    'x-ratelimit-reset-tokens': '6m0s',
  })
})

test('Anthropic', () => {
  assert.deepEqual(rateHeaders('anthropic', rates, nowMs), {
    'anthropic-ratelimit-requests-limit': '600',
    'anthropic-ratelimit-requests-remaining': '599',
    'anthropic-ratelimit-requests-reset': '2026-01-31T09:05:08Z',
    'anthropic-ratelimit-tokens-limit': '2000000',
    'anthropic-ratelimit-tokens-remaining': '1999000',
    'anthropic-ratelimit-tokens-reset': '2026-01-31T09:11:07Z',
  })
})

test('no limit, no header; a format without such headers has none', () => {
  assert.deepEqual(rateHeaders('openai', { requests: null, tokens: null }, nowMs), {})
  assert.deepEqual(rateHeaders('none', rates, nowMs), {})
  const names = Object.keys(rateHeaders('anthropic', { requests: rates.requests, tokens: null }, nowMs))
  assert.equal(names.length, 3)
})

for (const [ms, text] of [
  [0, '0ms'],
  [17, '17ms'],
  [999.5, '1000ms'],
  [1_000, '1s'],
  [59_001, '1m0s'],
  [61_000, '1m1s'],
  [119_999, '2m0s'],
] as const) {
  test(`${ms} ms is ${text}`, () => {
    const headers = rateHeaders(
      'openai',
      { requests: { limit: 1, remaining: 0, resetMs: ms }, tokens: null },
      0,
    )
    assert.equal(headers['x-ratelimit-reset-requests'], text)
  })
}

for (const [ms, seconds] of [
  [0, 1],
  [1, 1],
  [1_000, 1],
  [1_001, 2],
  [120_000, 120],
] as const) {
  test(`${ms} ms is Retry-After ${seconds}`, () => assert.equal(retryAfterSeconds(ms), seconds))
}
