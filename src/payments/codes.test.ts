/** Redeeming codes: what they grant, to whom how often, and how slow guessing is (E9). Real ledger. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Lifetime } from '../../test/support/open-ledger.ts'
import {
  nanoPerCent,
  type PaymentScene,
  paymentScene,
  type SceneOptions,
} from '../../test/support/open-payments.ts'
import { TollgateError } from '../base/errors.ts'
import type { NewCode } from './types.ts'

const usd = (cents: number): bigint => BigInt(cents) * nanoPerCent
const plain: NewCode = { amount: usd(500), usesMax: 1, expiresMs: null, note: null }

async function scene(context: Lifetime, options: SceneOptions = {}): Promise<PaymentScene> {
  return paymentScene(context, options)
}

const attempt = async (
  { open }: PaymentScene,
  account: bigint,
  code: string,
  address: string | null = null,
) => {
  try {
    const { amount } = await open.payments.redeem({ account, code, address })
    return `gave ${amount / nanoPerCent}`
  } catch (error) {
    assert.ok(error instanceof TollgateError, String(error))
    return `${error.code}: ${error.details.message}`
  }
}

test('two hundred accounts concurrently and a code for one: one gets it', async (context) => {
  const on = await scene(context)
  const { code } = await on.open.payments.createCode(plain)
  const accounts = await Promise.all(Array.from({ length: 200 }, () => on.account()))
  const answers = await Promise.all(accounts.map((account) => attempt(on, account, code)))
  const count = (answer: string) => answers.filter((given) => given === answer).length
  assert.deepEqual(
    [count('gave 500'), count('code_not_valid: This code has reached its redemption limit.')],
    [1, 199],
  )
  const balances = await Promise.all(accounts.map((account) => on.posted(account)))
  assert.equal(
    balances.reduce((sum, posted) => sum + posted),
    usd(500),
  )
  const [listed] = await on.open.payments.codes()
  assert.deepEqual([listed?.uses, listed?.usesMax], [1, 1])
  assert.deepEqual(await on.drift(), [])
})

test('two hundred tabs of one account and a code for many: one gets it', async (context) => {
  const on = await scene(context, { limits: { codeTriesPerMinute: 1_000 } })
  const { code } = await on.open.payments.createCode({ ...plain, usesMax: 50 })
  const account = await on.account()
  const answers = await Promise.all(Array.from({ length: 200 }, () => attempt(on, account, code)))
  assert.equal(answers.filter((answer) => answer === 'gave 500').length, 1)
  assert.equal(await on.posted(account), usd(500))
  assert.deepEqual(await on.drift(), [])
})

test('a code is taken as people type it', async (context) => {
  const on = await scene(context)
  const { code } = await on.open.payments.createCode({ ...plain, usesMax: 4 })
  assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/)
  const typed = [
    code,
    code.toLowerCase(),
    code.replaceAll('-', ' '),
    code.replaceAll('0', 'O').replaceAll('1', 'l'),
  ]
  for (const text of typed) assert.equal(await attempt(on, await on.account(), text), 'gave 500')
})

test('a code that ended, expired or never was gives nothing', async (context) => {
  const on = await scene(context)
  const { payments } = on.open
  const account = await on.account()
  const ended = await payments.createCode(plain)
  assert.notEqual((await payments.revokeCode(ended.id))?.revokedMs, null)
  const expired = await payments.createCode({ ...plain, expiresMs: on.clock.wallMs() })
  const used = await payments.createCode({ ...plain, usesMax: 2 })
  await attempt(on, account, used.code)
  assert.deepEqual(
    [
      await attempt(on, account, ended.code),
      await attempt(on, account, expired.code),
      await attempt(on, account, used.code),
      await attempt(on, account, 'AAAA-AAAA-AAAA-AAAA'),
    ],
    [
      'code_not_valid: This code was revoked.',
      'code_not_valid: This code has expired.',
      'code_not_valid: This account has already redeemed this code.',
      'code_not_valid: Code not found. Check the spelling.',
    ],
  )
  assert.equal(await on.posted(account), usd(500))
  assert.equal(await payments.revokeCode(5n), undefined)
})

test('guessing is slow for an account and for an address, and possible again after a while', async (context) => {
  const on = await scene(context, { limits: { codeTriesPerMinute: 3 } })
  const [one, other] = [await on.account(), await on.account()]
  const tooMany = 'too_many_attempts: Too many codes were entered. Try again in a minute.'
  const answers: string[] = []
  for (let tries = 0; tries < 4; tries += 1)
    answers.push(await attempt(on, one, `guess ${tries}`, '192.0.2.1'))
  assert.deepEqual(
    answers.map((answer) => answer === tooMany),
    [false, false, false, true],
  )
  assert.equal(await attempt(on, other, 'guess', '192.0.2.1'), tooMany)
  assert.notEqual(await attempt(on, other, 'guess', '192.0.2.2'), tooMany)
  on.clock.setWallMs(on.clock.wallMs() + 120_000)
  assert.notEqual(await attempt(on, one, 'guess', '192.0.2.1'), tooMany)
})

test('the database holds no code', async (context) => {
  const on = await scene(context)
  const { code } = await on.open.payments.createCode({ ...plain, note: 'for a fair' })
  const rows = await on.on.store.database.selectFrom('redeem_code').selectAll().execute()
  const text = JSON.stringify(rows, (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
  assert.ok(!text.includes(code) && !text.includes(code.replaceAll('-', '')))
  assert.equal(rows[0]?.label, code.slice(0, 4))
})
