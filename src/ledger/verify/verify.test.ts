/** Verification finds every kind of tampering: each row is one, done with raw SQL directly on the database. */
import assert from 'node:assert/strict'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { plainAsk, plainDraft } from '../../../test/support/ledger-values.ts'
import { openTestLedger, type TestLedger, temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { insertCode, insertTopUp } from '../../../test/support/top-up-rows.ts'
import { openForReading, openForWriting } from '../../store/sqlite/connection.ts'
import { verify } from './verify.ts'

const driftLinesMax = 100

/** Two accounts with credit, settled requests (one with a loss, one for nothing), an open hold, and one that released its concurrency. */
async function sound(): Promise<string> {
  const { ledger, nextId, store, dataDirectory, shut } = await openTestLedger({ after })
  const accounts = [11n, 12n]
  for (const id of accounts) {
    await ledger.createAccount({ id, kind: 'personal', email: null, name: 'n', nowMs: 1 })
    const credit = { entryId: id + 100n, account: id, amount: 1_000n, nowMs: 1, note: null }
    await ledger.credit({ ...credit, source: 'manual', reference: `first of ${id}` })
  }
  const admit = (id: bigint, account: bigint, inputAmount: bigint) =>
    ledger.admit({ ...plainAsk, id, account, key: account + 10n, inputAmount })
  const settle = (id: bigint, cost: bigint) =>
    ledger.settle({
      id,
      nowMs: 1,
      cost,
      writtenOff: 0n,
      writeOffEntryId: nextId(),
      receipt: plainDraft,
      providerObjects: [{ id: `resp_${id}`, referencedScope: 'all' }],
    })
  await admit(1_001n, 11n, 100n)
  await settle(1_001n, 80n)
  await admit(1_002n, 11n, 100n)
  await settle(1_002n, 0n)
  await admit(1_003n, 12n, 100n)
  await settle(1_003n, 300n)
  await admit(1_004n, 11n, 50n)
  await admit(1_005n, 11n, 60n)
  await ledger.releaseConcurrency(1_005n)
  await payingAccount(store, ledger)
  assert.deepEqual(await ledger.verify(), {
    ok: true,
    accounts: 3,
    entries: 13,
    openHolds: 2,
    drift: [],
    receiptsFrom: null,
  })
  await shut()
  return dataDirectory
}

/**
 * A third account: a starting credit, a top-up with a refund that stays and one that came back, one in dispute that freezes it, a code that
 * was redeemed, and usage that was written off below zero.
 */
async function payingAccount(store: TestLedger['store'], ledger: TestLedger['ledger']): Promise<void> {
  const account = 13n
  await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  const start = { entryId: 300n, account, person: 'p', addressHash: new Uint8Array([2]), amount: 5n }
  await ledger.signupCredit({ ...start, perDayMax: 5n, nowMs: 1 })
  for (const [id, amount] of [
    [31n, 500n],
    [32n, 300n],
    [33n, 100n],
  ] as const) {
    await insertTopUp(store, { id, account, amount })
  }
  await ledger.payTopUp({ entryId: 301n, topUp: 31n, paymentIntent: 'pi_31', nowMs: 1 })
  await ledger.payTopUp({ entryId: 302n, topUp: 32n, paymentIntent: 'pi_32', nowMs: 1 })
  const back = { nowMs: 1, note: null, freeze: null }
  const [refund, dispute] = [{ source: 'refund' as const }, { source: 'dispute' as const }]
  await ledger.returnTopUp({ ...back, ...refund, entryId: 303n, topUp: 31n, reference: 're_1', amount: 200n })
  await ledger.returnTopUp({ ...back, ...refund, entryId: 304n, topUp: 31n, reference: 're_2', amount: 100n })
  await ledger.restoreTopUp({ ...refund, entryId: 305n, reference: 're_2', nowMs: 1 })
  const hash = new Uint8Array([1])
  await insertCode(store, { id: 41n, hash, amount: 50n, usesMax: 2 })
  await ledger.redeem({ entryId: 306n, hash, account, nowMs: 1 })
  const disputed = { ...dispute, entryId: 307n, topUp: 32n, reference: 'du_1', amount: 300n }
  await ledger.returnTopUp({ ...back, ...disputed, freeze: 'A payment is in dispute.' })
}

const loosen = `
  PRAGMA foreign_keys = OFF;
  PRAGMA ignore_check_constraints = ON;
  DROP TRIGGER entry_no_update; DROP TRIGGER entry_no_delete;
  DROP TRIGGER receipt_no_update; DROP TRIGGER receipt_no_delete;
`
const guards = /^trigger \w+: is missing$/

const tampering: readonly [text: string, sql: string, found: RegExp][] = [
  ['money appears', 'UPDATE account SET posted = posted + 1 WHERE id = 11', /^account 11: posted is 921/],
  [
    'money moves from one account to another',
    'UPDATE account SET posted = posted + CASE id WHEN 11 THEN 5 ELSE -5 END',
    /^account 12: posted is 895/,
  ],
  [
    'what an answer left is another account’s',
    "UPDATE provider_object SET account = 12 WHERE id = 'resp_1001'",
    /^provider object resp_1001: account 12 has no receipt 1001/,
  ],
  [
    'what an answer left is of no answer',
    "UPDATE provider_object SET receipt = 7 WHERE id = 'resp_1001'",
    /^provider object resp_1001: account 11 has no receipt 7/,
  ],
  [
    'money is held that no hold holds',
    'UPDATE account SET held = held + 1 WHERE id = 11',
    /^account 11: held is 111/,
  ],
  [
    'a hold holds more',
    'UPDATE hold SET amount = amount + 1 WHERE id = 1004',
    /^account 11: held is 110 .* sum to 111/,
  ],
  ['a hold vanishes', 'DELETE FROM hold WHERE id = 1004', /^account 11: held is 110 .* sum to 60/],
  [
    'a hold changes its account',
    'UPDATE hold SET account = 12 WHERE id = 1004',
    /^account 12: held is 0 .* sum to 50/,
  ],
  ['a hold changes its key', 'UPDATE hold SET key = 22 WHERE id = 1004', /^key 22: held is 0 .* sum to 50/],
  [
    'a count of holds is wrong',
    'UPDATE account SET open_holds = 3 WHERE id = 11',
    /^account 11: held is 110 in 3 holds/,
  ],
  [
    'a count of running requests is wrong',
    'UPDATE account SET running = 2 WHERE id = 11',
    /^account 11: .* \(2 running\)/,
  ],
  [
    'a hold counts as running again',
    'UPDATE hold SET concurrency_released = 0 WHERE id = 1005',
    /^key 21: .* \(1 running\).* \(2\)$/,
  ],
  ['a key holds more', 'UPDATE key_usage SET held = 0 WHERE key = 21', /^key 21: held is 0/],
  ['a key spent less', 'UPDATE key_usage SET spent = spent - 1 WHERE key = 21', /^key 21: spent is 79/],
  [
    'a key spent before it spent',
    'UPDATE key_usage SET spent_before_day = 81 WHERE key = 21',
    /^key 21: its budget windows/,
  ],
  [
    'a key changes its account',
    'UPDATE key_usage SET account = 12 WHERE key = 21',
    /^hold 1004: key 21 has no usage under account 11/,
  ],
  ['a key’s usage vanishes', 'DELETE FROM key_usage WHERE key = 22', /^receipt 1003: key 22 has no usage/],
  [
    'an entry grows',
    'UPDATE entry SET amount = amount - 1 WHERE id = 1001',
    /^account 11: posted is 920 .* sum to 919/,
  ],
  [
    'an entry and the balance grow alike',
    'UPDATE entry SET amount = amount - 1 WHERE id = 1001; UPDATE account SET posted = posted - 1 WHERE id = 11',
    /^receipt 1001: states 80 to account 11, its usage entry moved 81/,
  ],
  [
    'two entries change so that the sum stays',
    'UPDATE entry SET amount = amount + 1 WHERE id = 111; UPDATE entry SET amount = amount - 1 WHERE id = 1001',
    /^entry 111: leaves account 11 at 1000, its amount leaves it at 1001/,
  ],
  [
    'a balance after is wrong',
    'UPDATE entry SET balance_after = 919 WHERE id = 1001',
    /^entry 1001: leaves account 11 at 919/,
  ],
  [
    'an entry vanishes',
    'DELETE FROM entry WHERE id = 1001',
    /^account 11: posted is 920 with 2 entries.* sum to 1000 and are 1/,
  ],
  [
    'an entry vanishes and the balance follows',
    'DELETE FROM entry WHERE id = 1001; UPDATE account SET posted = 1000, entries = 1 WHERE id = 11',
    /^receipt 1001: states 80 to account 11, its usage entry moved 0/,
  ],
  [
    'entry and receipt vanish and the balance follows',
    'DELETE FROM entry WHERE id = 1001; DELETE FROM receipt WHERE id = 1001; UPDATE account SET posted = 1000, entries = 1 WHERE id = 11',
    /^key 21: spent is 80, its receipts and older hours sum to 0/,
  ],
  [
    'a credit vanishes and everything follows',
    'DELETE FROM entry WHERE id = 111; UPDATE account SET posted = -80, entries = 1 WHERE id = 11',
    /^account 11: is at -80 without a refund/,
  ],
  [
    'an entry changes its place',
    'UPDATE entry SET position = 3 WHERE id = 1001',
    /^entry 1001: is number 3 of account 11, number 2 is due/,
  ],
  [
    'an entry changes its account',
    'UPDATE entry SET account = 12 WHERE id = 111',
    /^account 11: posted is 920/,
  ],
  [
    'a write-off is recorded as a credit',
    "UPDATE entry SET kind = 'credit', counter = 'promo', source = 'x', reference = 'y' WHERE kind = 'write_off'",
    /^receipt 1003: states 200 written off, its entries wrote off 0/,
  ],
  [
    'usage goes to another counter',
    "UPDATE entry SET counter = 'promo' WHERE id = 1001",
    /^entry 1001: -80 against promo is no usage/,
  ],
  [
    'an entry of no known kind',
    "UPDATE entry SET kind = 'gift' WHERE id = 111",
    /^entry 111: 1000 against promo is no gift/,
  ],
  [
    'a credit that takes',
    "UPDATE entry SET kind = 'refund' WHERE id = 111",
    /^entry 111: 1000 against promo is no refund/,
  ],
  [
    'a reference is used twice',
    "DROP INDEX entry_source_reference; UPDATE entry SET reference = 'same' WHERE source IS NOT NULL",
    /^reference manual same: was used 2 times/,
  ],
  [
    'a receipt states less',
    'UPDATE receipt SET charged = 79 WHERE id = 1001',
    /^receipt 1001: states 79 to account 11/,
  ],
  [
    'a receipt shifts the loss',
    'UPDATE receipt SET charged = charged - 1, written_off = written_off + 1 WHERE id = 1003',
    /^receipt 1003: states 201 written off/,
  ],
  [
    'a receipt charges more than its hold',
    'UPDATE receipt SET hold = 79 WHERE id = 1001',
    /^receipt 1001: charges 80, its hold was 79$/,
  ],
  [
    'a key passes its budget',
    'UPDATE key_usage SET spent_max = 189 WHERE key = 21',
    /^key 21: has spent 80 and holds 110, its budget allowed 189$/,
  ],
  [
    'a receipt vanishes',
    'DELETE FROM receipt WHERE id = 1001',
    /^entry 1001 \(usage\): request 1001 has no receipt/,
  ],
  [
    'a receipt is missing from the list of its account',
    'DELETE FROM receipt_list WHERE id = 1001',
    /^receipt 1001: is missing from the list of account 11$/,
  ],
  [
    'a receipt is in the list of another account',
    'INSERT INTO receipt_list VALUES (12, 1001)',
    /^receipt 1001: is in the list of account 12, which has no such receipt$/,
  ],
  [
    'a receipt changes its account',
    'UPDATE receipt SET account = 12 WHERE id = 1001',
    /^entry 1001 \(usage\): request 1001 has no receipt/,
  ],
  [
    'a hold of a settled request comes back',
    'INSERT INTO hold SELECT 1001, account, key, process, 0, 0, 0, 0, 0, 1, model, format, 0, 1, NULL, NULL FROM hold WHERE id = 1004',
    /^hold 1001: is open although its request has a receipt/,
  ],
  [
    'more is held than there is',
    'UPDATE hold SET amount = 900 WHERE id = 1005; UPDATE account SET held = 950 WHERE id = 11; UPDATE key_usage SET held = 950 WHERE key = 21',
    /^account 11: holds 950, more than its 920/,
  ],
  [
    'a right to hold more than there is',
    'UPDATE account SET overdrawn = 5 WHERE id = 11',
    /^account 11: may hold 5 more/,
  ],
  [
    'the sums of an hour state more requests',
    'UPDATE usage_hour SET requests = requests + 1, charged = charged + 7 WHERE key = 21',
    /^usage of account 11, hour \d+, key 21, .*: requests by 1, charged by 7$/,
  ],
  [
    'the sums of an hour state fewer tokens',
    'UPDATE usage_hour SET output = output - 1 WHERE key = 22',
    /^usage of account 12, .*: output by -1$/,
  ],
  [
    'the sums of an hour vanish',
    'DELETE FROM usage_hour WHERE key = 22',
    /^usage of account 12, .*requests by -1/,
  ],
  [
    'the sums of an hour move to another one',
    'UPDATE usage_hour SET hour = hour + 1 WHERE key = 22',
    /^usage of account 12, .*requests by -1/,
  ],
  [
    'requests took longer',
    "UPDATE usage_hour SET latency = x'2001' WHERE key = 22",
    /^usage of account 12, .*: durations differ$/,
  ],
  [
    'requests began to answer sooner',
    "UPDATE usage_hour SET first_byte = x'0001' WHERE key = 22",
    /^usage of account 12, .*: times to the first byte differ$/,
  ],
  [
    'rejections are summed that were not counted',
    'UPDATE usage_hour SET rejected = 3 WHERE key = 21',
    /^usage of account 11, .*: has 3 rejections, by code they are 0$/,
  ],
  [
    'a top-up is marked paid without a payment',
    "UPDATE top_up SET state = 'paid', paid_ms = 1, payment_intent = 'pi_33' WHERE id = 33",
    /^top-up 33: is paid with 100, its entry credited 0/,
  ],
  [
    'a paid top-up waits again',
    "UPDATE top_up SET state = 'open', paid_ms = NULL, refunded = 0 WHERE id = 31",
    /^top-up 31: is open with 500, its entry credited 500/,
  ],
  [
    'a top-up grows',
    'UPDATE top_up SET amount = 501 WHERE id = 31',
    /^top-up 31: .* 501, its entry credited 500/,
  ],
  [
    'a top-up changes its account',
    'UPDATE top_up SET account = 11 WHERE id = 31',
    /^entry 301: payment pi_31 belongs to no top-up of its account/,
  ],
  ['a top-up vanishes', 'DELETE FROM top_up WHERE id = 31', /^entry 301: payment pi_31 belongs to no top-up/],
  [
    'a credit calls itself a payment',
    "UPDATE entry SET source = 'payment', counter = 'clearing' WHERE id = 111",
    /^entry 111: payment first of 11 belongs to no top-up/,
  ],
  [
    'less was refunded than was',
    'UPDATE top_up SET refunded = 100 WHERE id = 31',
    /^top-up 31: 100 refunded and 0 disputed, its returns sum to 200 and 0/,
  ],
  [
    'a refund that came back counts',
    "UPDATE top_up_return SET restored_entry = NULL WHERE reference = 're_2'",
    /^entry 305: refund re_2 returned belongs to no top-up/,
  ],
  [
    'a refund that stays came back',
    "UPDATE top_up_return SET restored_entry = 999 WHERE reference = 're_1'",
    /^refund re_1: 200 was given back, its entry gave 0/,
  ],
  [
    'a refund grows',
    "UPDATE top_up_return SET amount = 201 WHERE reference = 're_1'",
    /^refund re_1: is of 201, its entry took 200/,
  ],
  [
    'a refund is of another top-up',
    "UPDATE top_up_return SET top_up = 32 WHERE reference = 're_1'",
    /^top-up 31: 200 refunded and 0 disputed, its returns sum to 0 and 0/,
  ],
  [
    'a refund loses its row',
    "DELETE FROM top_up_return WHERE reference = 're_1'",
    /^entry 303: refund re_1 belongs to no top-up/,
  ],
  [
    'a disputed top-up is paid',
    "UPDATE top_up SET state = 'paid' WHERE id = 32",
    /^top-up 32: is paid with 0 refunded and 300 disputed/,
  ],
  [
    'an account is frozen for nothing',
    "INSERT INTO billing_setting (account, frozen) VALUES (11, 'so')",
    /^account 11: is suspended for a dispute, but no payment is disputed/,
  ],
  ['a code was used less', 'UPDATE redeem_code SET uses = 0', /^code 41: was used 0 times, its uses are 1/],
  [
    'a code gives more',
    'UPDATE redeem_code SET amount = 51',
    /^code 41: gives account 13 51, its entry gave 50/,
  ],
  ['a use vanishes', 'DELETE FROM code_use', /^entry 306: no account used the code/],
  [
    'usage leaves a balance below zero',
    'UPDATE entry SET balance_after = -1 WHERE id = 1003',
    /^entry 1003: -300 against revenue is no usage/,
  ],
  [
    'a starting credit is forgotten',
    'DELETE FROM signup_credit',
    /^account 13: was given 5 to start with, 0 of it for an address/,
  ],
  [
    'an address had a starting credit that no account got',
    "INSERT INTO signup_credit VALUES (x'09', 11, 5, 0)",
    /^account 11: was given 0 to start with, 5 of it for an address/,
  ],
  [
    'a credit is recorded as a payment',
    "UPDATE entry SET counter = 'clearing' WHERE id = 111",
    /^entry 111: 1000 against clearing is no credit/,
  ],
  [
    'a reversal is recorded as a credit',
    "UPDATE entry SET counter = 'promo' WHERE id = 305",
    /^entry 305: 100 against promo is no credit/,
  ],
  [
    'a refund goes to another counter',
    "UPDATE entry SET counter = 'refunds' WHERE id = 303",
    /^entry 303: -200 against refunds is no refund/,
  ],
  [
    'a right to hold more than a refund gave',
    'UPDATE account SET overdrawn = 1000000 WHERE id = 13',
    /^account 13: may hold 1000000 more/,
  ],
  ['a profile vanishes', 'DELETE FROM account_profile WHERE id = 12', /^account 12: has no profile/],
  ['an account vanishes', 'DELETE FROM account WHERE id = 12', /^entry 112: account 12 does not exist/],
]

/** Everything follows a charge that is one nano-USD too low, so that only its usage and its price contradict it. */
const consistentCharge = `
  UPDATE receipt SET charged = 79 WHERE id = 1001;
  UPDATE entry SET amount = -79, balance_after = balance_after + 1 WHERE id = 1001;
  UPDATE entry SET balance_after = balance_after + 1 WHERE account = 11 AND position > 2;
  UPDATE account SET posted = posted + 1 WHERE id = 11;
  UPDATE key_usage SET spent = 79, spent_before_day = min(79, spent_before_day),
    spent_before_week = min(79, spent_before_week), spent_before_month = min(79, spent_before_month) WHERE key = 21;
  UPDATE usage_hour SET charged = charged - 1 WHERE key = 21`

/** Changes to a receipt that charges 80 of a hold of 100, for 80 uses of a fee of 1, and to one that costs 300 with a hold of 100. */
const charges: readonly [text: string, sql: string, found: readonly RegExp[]][] = [
  [
    'a charge is lower than the usage costs, and everything follows',
    consistentCharge,
    [
      /^receipt 1001: charges 79, its usage costs 80 of a hold of 100$/,
      /^receipt 1001: charges 79 and writes off 0, its usage costs 80$/,
    ],
  ],
  [
    'usage grows',
    `UPDATE receipt SET fees = '{"unit":81}', upstream_cost = 81 WHERE id = 1001`,
    [
      /^receipt 1001: charges 80, its usage costs 81 of a hold of 100$/,
      /^receipt 1001: charges 80 and writes off 0, its usage costs 81$/,
    ],
  ],
  [
    'usage shrinks',
    `UPDATE receipt SET fees = '{"unit":79}', upstream_cost = 79 WHERE id = 1001`,
    [
      /^receipt 1001: charges 80, its usage costs 79 of a hold of 100$/,
      /^receipt 1001: charges 80 and writes off 0, its usage costs 79$/,
    ],
  ],
  [
    'usage above the hold shrinks',
    `UPDATE receipt SET fees = '{"unit":299}', upstream_cost = 299 WHERE id = 1003`,
    [/^receipt 1003: charges 100 and writes off 200, its usage costs 299$/],
  ],
  [
    'an upstream cost grows',
    'UPDATE receipt SET upstream_cost = 81 WHERE id = 1001',
    [/^receipt 1001: states an upstream cost of 81, its usage costs 80 at list price$/],
  ],
  [
    'an upstream cost grows at an offer with a cost of its own',
    `UPDATE receipt SET offer_cost = '500000/2000000', upstream_cost = 81 WHERE id = 1001`,
    [/^receipt 1001: states an upstream cost of 81, its usage costs 80 at its offer$/],
  ],
  [
    'an option is added that halves the price',
    `UPDATE price_version SET body = json_set(body, '$.options', json('{"half":{"numerator":"1","denominator":"2"}}'), '$.rates.output', '2000000', '$.listRates.output', '2000000') WHERE id = 1;
    UPDATE receipt SET ran_at = '["half"]', output = 81, upstream_cost = 161 WHERE id = 1001;
    UPDATE usage_hour SET output = output + 81 WHERE key = 21`,
    [
      /^receipt 1001: charges 80, its usage costs 161 of a hold of 100$/,
      /^receipt 1001: charges 80 and writes off 0, its usage costs 161$/,
    ],
  ],
  [
    'the price of more than one token of input',
    `UPDATE price_version SET body = json_set(body, '$.tiers', json('[{"aboveInputTokens":1,"rates":{"input":"3000000"}}]')) WHERE id = 1;
    UPDATE receipt SET input_uncached = 2 WHERE id = 1001;
    UPDATE usage_hour SET input_uncached = input_uncached + 2 WHERE key = 21`,
    [
      /^receipt 1001: charges 80, its usage costs 86 of a hold of 100$/,
      /^receipt 1001: charges 80 and writes off 0, its usage costs 86$/,
    ],
  ],
  [
    'a part of a nano-USD is rounded up',
    `UPDATE price_version SET body = json_set(body, '$.rates.output', '1') WHERE id = 1;
    UPDATE receipt SET output = 1 WHERE id = 1001; UPDATE usage_hour SET output = output + 1 WHERE key = 21`,
    [
      /^receipt 1001: charges 80, its usage costs 81 of a hold of 100$/,
      /^receipt 1001: charges 80 and writes off 0, its usage costs 81$/,
    ],
  ],
  [
    'a price vanishes',
    'UPDATE receipt SET price_version = 7 WHERE id = 1001',
    [/^receipt 1001: its price version 7 does not exist$/],
  ],
  [
    'a request that did not complete charges more than its usage costs',
    `UPDATE receipt SET fees = '{"unit":79}', upstream_cost = 79, end_reason = 'interrupted' WHERE id = 1001;
    UPDATE usage_hour SET errors = errors + 1 WHERE key = 21`,
    [/^receipt 1001: charges 80, its usage costs 79 of a hold of 100$/, /durations differ$/],
  ],
]

const directory = sound()

for (const [text, sql, found] of charges) {
  test(`only the charge contradicts: ${text}`, async (context) => {
    const path = join(temporaryDirectory(context), 'tollgate.db')
    cpSync(join(await directory, 'tollgate.db'), path)
    const database = openForWriting(path)
    database.exec(loosen)
    database.exec(sql)
    const lines = verify(database, driftLinesMax).drift.filter((line) => !guards.test(line))
    database.close()
    assert.equal(lines.length, found.length, lines.join('\n'))
    for (const [index, line] of lines.entries()) assert.match(line, found[index] ?? /^$/)
  })
}

for (const [text, sql, found] of tampering) {
  test(text, async (context) => {
    const path = join(temporaryDirectory(context), 'tollgate.db')
    cpSync(join(await directory, 'tollgate.db'), path)
    const database = openForWriting(path)
    database.exec(loosen)
    database.exec(sql)
    database.close()
    const reading = openForReading(path)
    const { ok, drift } = verify(reading, driftLinesMax)
    reading.close()
    assert.equal(ok, false)
    const lines = drift.filter((line) => !guards.test(line))
    assert.equal(drift.length - lines.length, 4, 'the missing triggers are reported as well')
    assert.ok(
      lines.some((line) => found.test(line)),
      `${found} in\n${lines.join('\n')}`,
    )
  })
}

test('the rows guard themselves: none of that is possible while the guards are there', async (context) => {
  const path = join(temporaryDirectory(context), 'tollgate.db')
  cpSync(join(await directory, 'tollgate.db'), path)
  const database = openForWriting(path)
  context.after(() => database.close())
  for (const [sql, reason] of [
    ['UPDATE entry SET note = 1', /entry rows are never changed/],
    ['DELETE FROM entry', /entry rows are never changed/],
    ['UPDATE receipt SET status = 1', /receipt rows are never changed/],
    ['DELETE FROM receipt', /receipt rows are removed by age only/],
    ['UPDATE account SET held = posted + 1', /CHECK/],
    ['UPDATE account SET held = -1', /CHECK/],
    ['UPDATE account SET running = open_holds + 1', /CHECK/],
    ['UPDATE key_usage SET held = -1', /CHECK/],
    ['UPDATE top_up SET refunded = amount + 1', /CHECK/],
    ["UPDATE top_up SET state = 'paid' WHERE id = 33", /CHECK/],
    ["UPDATE top_up SET payment_intent = 'pi_31' WHERE id = 33", /UNIQUE/],
    ['UPDATE redeem_code SET uses = uses_max + 1', /CHECK/],
    ['INSERT INTO code_use VALUES (41, 13, 999)', /UNIQUE/],
    [
      "INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, created_ms) VALUES (1, 11, 9, 'promo', 'credit', 5, 5, 1)",
      /CHECK/,
    ],
    [
      "INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, request, created_ms) VALUES (1, 11, 9, 'revenue', 'usage', -5, -5, 1, 1)",
      /CHECK/,
    ],
    [
      "INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, source, reference, created_ms) VALUES (1, 11, 9, 'promo', 'credit', 5, 5, 'manual', 'first of 11', 1)",
      /UNIQUE/,
    ],
    [
      "INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, source, reference, created_ms) VALUES (1, 99, 9, 'promo', 'credit', 5, 5, 'manual', 'x', 1)",
      /FOREIGN KEY/,
    ],
    [
      "INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, source, reference, created_ms) VALUES (1, 11, 9, 'promo', 'credit', 5.5, 5, 'manual', 'x', 1)",
      /cannot store REAL/,
    ],
  ] as const) {
    assert.throws(() => database.exec(sql), reason, sql)
  }
})

test('a long report is cut, and says so', async (context) => {
  const path = join(temporaryDirectory(context), 'tollgate.db')
  cpSync(join(await directory, 'tollgate.db'), path)
  const database = openForWriting(path)
  context.after(() => database.close())
  database.exec(loosen)
  const { drift } = verify(database, 3)
  assert.equal(drift.length, 4)
  assert.equal(drift[3], '… and 1 more')
})
