/** Errors as Google's clients parse them, and the meaning of the API's own errors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCategory } from '../../../contract/errors.ts'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import { brokenAnswerRules, brokenStreamRules } from '../../../test/support/rules/gemini.ts'
import type { ClientError } from '../dialect.ts'
import { readProblem } from '../upstream-problem.ts'
import { errorBody, errorFrame, errorStatus, problemStatus } from './encode-error.ts'

const problem = (category: ErrorCategory, more: Partial<ClientError> = {}): ClientError => ({
  code: 'some_code',
  category,
  status: 400,
  message: 'No.',
  param: null,
  details: {},
  source: 'gateway',
  requestId: 'req_1',
  ...more,
})

const words: [category: ErrorCategory, status: number, expected: number, word: string][] = [
  ['invalid_request', 400, 400, 'INVALID_ARGUMENT'],
  ['context_too_long', 400, 400, 'INVALID_ARGUMENT'],
  ['authentication', 401, 401, 'UNAUTHENTICATED'],
  ['billing', 402, 402, 'FAILED_PRECONDITION'],
  ['permission', 403, 403, 'PERMISSION_DENIED'],
  ['not_found', 404, 404, 'NOT_FOUND'],
  ['timeout', 504, 504, 'DEADLINE_EXCEEDED'],
  ['too_large', 413, 413, 'INVALID_ARGUMENT'],
  ['rate_limit', 429, 429, 'RESOURCE_EXHAUSTED'],
  ['server', 500, 500, 'INTERNAL'],
  ['overloaded', 529, 503, 'UNAVAILABLE'],
]

test('each kind of problem has its word and its status', () => {
  for (const [category, status, expected, word] of words) {
    const error = problem(category, { status })
    const body = JSON.parse(errorBody(error)) as { error: { code: number; status: string } }
    assert.equal(errorStatus(error), expected, category)
    assert.equal(body.error.code, expected, category)
    assert.equal(body.error.status, word, category)
    assert.deepEqual(brokenAnswerRules(body), [], category)
    assert.deepEqual(brokenStreamRules(errorFrame(error)), [], category)
  }
})

test('what is not there at the moment has the word of its status', () => {
  const wordOf = (status: number) =>
    (JSON.parse(errorBody(problem('server', { status }))) as { error: { status: string } }).error.status
  assert.deepEqual([wordOf(500), wordOf(502), wordOf(503)], ['INTERNAL', 'INTERNAL', 'UNAVAILABLE'])
})

test('gateway-specific facts are in an ErrorInfo, as text', () => {
  const body = errorBody(
    problem('billing', {
      code: 'insufficient_balance',
      status: 402,
      param: 'contents',
      details: { needed: '0.1', affordableOutput: 12, limits: ['a', 'b'] },
      retryAfterMs: 1_500,
    }),
  )
  assert.deepEqual((JSON.parse(body) as { error: { details: unknown } }).error.details, [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'INSUFFICIENT_BALANCE',
      domain: 'tollgate',
      metadata: {
        source: 'gateway',
        requestId: 'req_1',
        param: 'contents',
        needed: '0.1',
        affordableOutput: '12',
        limits: 'a,b',
      },
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' },
  ])
})

test('an input that is too long is reported with the words that agents look for', () => {
  assert.match(errorBody(problem('context_too_long')), /exceeds the maximum number of tokens allowed\. No\./)
  const own = 'The input token count (9) exceeds the maximum number of tokens allowed (8).'
  const body = JSON.parse(errorBody(problem('context_too_long', { message: own }))) as {
    error: { message: string }
  }
  assert.equal(body.error.message, own)
})

test('recorded errors have the status they came with', () => {
  for (const { name, kind, status, response } of fixtureCases('gemini')) {
    if (kind === 'error') assert.equal(problemStatus(readProblem(response)), status, name)
  }
  assert.equal(problemStatus({ message: '', type: 'UNAVAILABLE', code: '' }), 503)
  assert.equal(problemStatus({ message: '', type: 'MALFORMED_FUNCTION_CALL', code: '' }), 500)
  assert.equal(problemStatus({ message: '', type: 'constructor', code: '' }), 500)
})
