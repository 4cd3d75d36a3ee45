/** After signing in, users are redirected only to pages of the console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { safeNext } from './safe-next.ts'

const followed = [
  '/console',
  '/console/keys',
  '/console/usage?from=2026-11-01&group=model',
  '/console?account=acct_0000000000001',
  '/console/billing#entries',
]
const overview = '/console'
const rejected = [
  undefined,
  '',
  'https://example.org/console',
  '//example.org/console',
  '/\\example.org',
  '/console\\..\\..\\example.org',
  '/console/\n//example.org',
  'javascript:alert(1)',
  '/consolelike',
  '/api/auth/sign-out',
  '/console/sign-in?next=/console/sign-in',
  '/console/two-factor',
]

for (const wanted of followed) test(`${wanted} is followed`, () => assert.equal(safeNext(wanted), wanted))
for (const wanted of rejected) {
  test(`${JSON.stringify(wanted)} leads to the overview`, () => assert.equal(safeNext(wanted), overview))
}
