/**
 * Every operation over the real store, ledger, keys and catalog: its response, its errors, and
 * that every response matches the contract.
 */

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { noTokens } from '../../contract/meters.ts'
import {
  type ControlErrorBody,
  type OperationName,
  type OperationOutput,
  operations,
} from '../../contract/operations.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { insertUnitPrice, pricedLedger } from '../../test/support/priced-usage.ts'
import { formatId, parseId, systemRandom } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { readConfig } from '../config/config.ts'
import type { ReceiptDraft } from '../ledger/types.ts'
import { beginInstallation, endInstallation } from '../server/first-run.ts'
import { offlineStatus } from '../server/server-status.ts'
import { openServices, type Services } from '../server/services.ts'
import { dispatch } from './dispatch.ts'
import { isValidSetupToken } from './setup.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tollgate-control-'))
const clock = manualClock()
const logged: string[] = []
let services: Services

before(async () => {
  services = await open('main')
})

after(async () => {
  await services.close()
  rmSync(scratch, { recursive: true })
})

async function open(folder: string): Promise<Services> {
  const config = readConfig({ TOLLGATE_DATA: join(scratch, folder) }, scratch)
  assert.ok(config.kind === 'config')
  const log = createLog({ level: 'error', destination: { write: (line: string) => void logged.push(line) } })
  const opened = await openServices(config.config, {
    clock,
    random: systemRandom,
    log,
    sandboxOrigin: null,
    onLost: (error) => assert.fail(error),
  })
  assert.ok(opened.kind === 'open', opened.kind === 'open' ? '' : opened.messages.join(' '))
  return opened.services
}

const address = 'http://127.0.0.1:8080'

function ask(name: string, input: unknown, on: Services) {
  return dispatch(on.control(address, offlineStatus(clock)), { kind: 'local' }, name, input)
}

/** The output, after it was held against the contract. */
async function done<Name extends OperationName>(
  name: Name,
  input: unknown,
  on: Services = services,
): Promise<OperationOutput<Name>> {
  const { status, body } = await ask(name, input, on)
  assert.equal(status, 200, JSON.stringify(body))
  return operations[name].output.parse(body) as OperationOutput<Name>
}

type Rejection = ControlErrorBody['error'] & { readonly status: number }

async function rejected(name: string, input: unknown, on: Services = services): Promise<Rejection> {
  const { status, body } = await ask(name, input, on)
  const { error } = body as ControlErrorBody
  assert.equal(errors[error.code as ErrorCode].status, status)
  return { ...error, status }
}

let people = 0

async function newAccount(credit?: string) {
  people += 1
  const email = `person${people}@example.org`
  const made = await done('account.create', credit === undefined ? { email } : { email, credit })
  return { ...made, email }
}

function idOf(account: string): bigint {
  const id = parseId('acct', account)
  assert.ok(id !== undefined)
  return id
}

for (const [credit, balance] of [
  [undefined, '5.00'],
  ['0', '0.00'],
  ['1.50', '1.50'],
  ['0.000000001', '0.000000001'],
] as const) {
  test(`a new account has ${balance} USD when ${credit ?? 'nothing'} is said, and a key that works`, async () => {
    const made = await newAccount(credit)
    assert.equal(made.balance, balance)
    const shown = await done('account.show', { account: made.account })
    assert.deepEqual([shown.posted, shown.held, shown.available], [balance, '0.00', balance])
    assert.deepEqual([shown.email, shown.kind, shown.suspended], [made.email, 'personal', null])
    const identified = await services.access.identify(made.key)
    assert.ok(identified.kind === 'caller')
    assert.equal(identified.caller.account, idOf(made.account))
    assert.equal(identified.caller.policy.showBalance, true)
    assert.equal(identified.caller.accountRates.requestsPerMinute, 600)
  })
}

test('an e-mail address has one account, however it is written', async () => {
  const { email, account } = await newAccount()
  const error = await rejected('account.create', { email: ` ${email.toUpperCase()} ` })
  assert.deepEqual([error.status, error.code, error.param], [409, 'conflict', 'email'])
  assert.ok(error.message.includes(account))
  assert.equal((await done('account.show', { account: email.toUpperCase() })).account, account)
})

test('accounts are listed in pages, in the order in which they were made', async () => {
  const first = await newAccount()
  const second = await newAccount()
  const third = await newAccount()
  const page = await done('account.list', { limit: 2, after: first.account })
  assert.deepEqual(
    page.map(({ account }) => account),
    [second.account, third.account],
  )
})

test('credit is booked once for a reference', async () => {
  const { account, email } = await newAccount('1')
  const asked = { account: email, amount: '2.25', reference: 'invoice 1', note: 'by transfer' }
  const first = await done('credit', asked)
  assert.deepEqual([first.created, first.balance], [true, '3.25'])
  const again = await done('credit', { ...asked, account })
  assert.deepEqual(again, { ...first, created: false })
  const another = await done('credit', { ...asked, reference: 'invoice 2' })
  assert.deepEqual([another.created, another.balance], [true, '5.50'])
  const { account: stranger } = await newAccount()
  for (const contradiction of [
    { ...asked, amount: '2.26' },
    { ...asked, account: stranger },
  ]) {
    const error = await rejected('credit', contradiction)
    assert.deepEqual([error.code, error.param], ['conflict', 'reference'])
  }
  assert.equal((await done('account.show', { account })).posted, '5.50')
})

test('a hundred concurrent credits add up, each reference once', async () => {
  const { account } = await newAccount('0')
  const asked = Array.from({ length: 100 }, (_, index) => ({
    account,
    amount: '0.01',
    reference: `parallel ${index % 50}`,
  }))
  const results = await Promise.all(asked.map((one) => done('credit', one)))
  assert.equal(results.filter(({ created }) => created).length, 50)
  assert.equal((await done('account.show', { account })).posted, '0.50')
})

test('a key is created with its policy, listed, and revoked permanently', async () => {
  const { account } = await newAccount()
  const made = await done('key.create', {
    account,
    name: 'ci',
    expires: '2026-02-01T00:00:00Z',
    budget: { amount: '2', window: 'week' },
    models: ['sandbox-echo'],
    limits: { requestsPerMinute: 5, concurrent: null },
    onShortBalance: 'reject',
    showBalance: false,
    showCost: false,
    automaticCaching: 'always',
  })
  const [, row] = await done('key.list', { account })
  assert.ok(row !== undefined)
  assert.ok(made.key.startsWith(row.label))
  assert.deepEqual(
    { ...row, label: '', created: '' },
    {
      id: made.id,
      account,
      name: 'ci',
      label: '',
      created: '',
      expires: '2026-02-01T00:00:00.000Z',
      revoked: null,
      disabled: false,
      budget: { amount: '2.00', window: 'week' },
      models: ['sandbox-echo'],
      requiredTags: null,
      fallbacks: null,
      limits: { requestsPerMinute: 5, tokensPerMinute: null, concurrent: null },
      onShortBalance: 'reject',
      showBalance: false,
      showCost: false,
      automaticCaching: 'always',
      managed: [],
      builtIn: false,
      createdBy: null,
      lastUsed: null,
      spent: '0.00',
      spentInWindow: '0.00',
      replacedBy: null,
    },
  )
  assert.equal((await services.access.identify(made.key)).kind, 'caller')
  assert.deepEqual(await done('key.revoke', { key: made.id }), { id: made.id, revoked: true, already: false })
  assert.equal((await services.access.identify(made.key)).kind, 'revoked')
  assert.deepEqual(await done('key.revoke', { key: made.id }), { id: made.id, revoked: true, already: true })
  assert.notEqual((await done('key.list', { account }))[1]?.revoked, null)
})

test('a suspended account is resumed', async () => {
  const { account } = await newAccount()
  assert.notEqual((await done('account.suspend', { account })).suspended, null)
  assert.equal((await done('account.resume', { account })).suspended, null)
  assert.equal((await done('account.unrestrict', { account })).restricted, null)
})

const draft: ReceiptDraft = {
  provider: 'sandbox',
  upstream: 'sandbox',
  upstreamModel: 'sandbox-echo',
  upstreamRequestId: null,
  status: 200,
  endReason: 'complete',
  usageSource: 'reported',
  errorCode: null,
  ...noTokens,
  inputUncached: 10,
  cacheRead: 1,
  cacheWrite5m: 2,
  cacheWrite1h: 3,
  output: 20,
  reasoning: 5,
  fees: { web_search: 2 },
  ranAt: ['service_tier:flex'],
  unpricedUsage: false,
  implausible: null,
  inputBound: 'bytes',
  background: false,
  upstreamCost: 1_000n,
  outputLimit: 100,
  outputLowered: false,
  settledLate: false,
  startedMs: clock.wallMs(),
  firstByteMs: null,
  attempts: [
    {
      upstream: 'sandbox',
      status: 200,
      failure: null,
      startedMs: clock.wallMs(),
      firstByteMs: null,
      endedMs: clock.wallMs(),
    },
  ],
  person: null,
  ownKey: false,
  ownKeyFee: null,
  offerCost: null,
}
const noRates = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }

/** A request from hold to receipt; returns its id. */
async function request(account: bigint, cost: bigint): Promise<bigint> {
  const id = services.nextId()
  const nowMs = clock.wallMs()
  const held = await services.ledger.admit({
    id,
    account,
    key: 1n,
    nowMs,
    inputAmount: cost,
    inputTokens: 10,
    outputTokenAmount: 1n,
    outputWanted: 100,
    outputFloor: 1,
    onShortBalance: 'lower',
    patience: 'none',
    needsUnrestrictedAccount: false,
    accountLimits: noRates,
    keyLimits: noRates,
    keyBudget: null,
    priceVersion: 1n,
    model: 'sandbox-echo',
    format: 'openai-chat',
    streamed: true,
  })
  assert.equal(held.kind, 'held')
  await insertUnitPrice(services.store)
  const settled = await pricedLedger(services.ledger).settle({
    id,
    nowMs,
    cost,
    writtenOff: 0n,
    writeOffEntryId: services.nextId(),
    receipt: draft,
  })
  assert.equal(settled.kind, 'settled')
  return id
}

test('receipts are listed, the latest first, in pages', async () => {
  const { account, email } = await newAccount()
  const ids = []
  for (const cost of [1_000n, 2_000n, 3_000n]) {
    ids.unshift(formatId('req', await request(idOf(account), cost)))
  }
  const listed = await done('requests.list', { account: email })
  assert.deepEqual(
    listed.map(({ id, charged }) => [id, charged]),
    [
      [ids[0], '0.000003'],
      [ids[1], '0.000002'],
      [ids[2], '0.000001'],
    ],
  )
  const [receipt] = listed
  assert.equal(receipt?.account, account)
  assert.deepEqual(receipt?.usage.fees, { web_search: 2, unit: 3_000 })
  assert.equal(receipt?.settled, 'in_time')
  const page = await done('requests.list', { account, limit: 1, before: ids[0] })
  assert.deepEqual(
    page.map(({ id }) => id),
    [ids[1]],
  )
  assert.equal((await done('account.show', { account })).posted, '4.999994')
})

test('the ledger that all of this made is in order', async () => {
  const report = await done('ledger.verify', {})
  assert.deepEqual([report.ok, report.drift, report.openHolds], [true, [], 0])
  assert.ok(report.entries > 0 && report.accounts > 0)
})

test('models are listed with their prices, and what is not sold with the reason', async () => {
  const models = await done('models.list', {})
  const echo = models.find(({ model }) => model === 'sandbox-echo')
  assert.deepEqual([echo?.sold, echo?.details?.price.input], [true, '0.10'])
  const unsold = models.filter(({ sold }) => !sold)
  assert.ok(unsold.length > 0)
  assert.ok(unsold.every(({ reason, details }) => reason !== null && details === null))
})

test('of the test models, five are listed, and those that simulate failures on request', async () => {
  const testModels = async (input: { all?: boolean }) =>
    (await done('models.list', input)).flatMap(({ details }) => details?.testModel ?? [])
  assert.deepEqual(
    await testModels({}),
    Array.from({ length: 5 }, () => 'basic'),
  )
  assert.ok((await testModels({ all: true })).filter((kind) => kind === 'special').length > 20)
})

test('a model is added, repriced, disabled and enabled', async () => {
  const added = await done('models.add', {
    model: 'house-model',
    provider: 'sandbox',
    upstreamModel: 'sandbox-echo',
    contextTokens: 1_000,
    outputTokensMax: 100,
  })
  assert.deepEqual([added.sold, added.reason], [false, 'no price is known'])
  const price = {
    input: '1',
    output: '2',
    fees: { web_search: '0.01' },
    options: { 'service_tier:flex': '0.5' },
  }
  const priced = await done('models.price', { model: 'house-model', price })
  assert.equal(priced.details?.upstreamModel, 'sandbox-echo')
  assert.equal(priced.details?.price.output, '2.00')
  assert.deepEqual(priced.details?.price.options, { 'service_tier:flex': '0.5' })
  clock.advance(1_000)
  const dearer = await done('models.price', { model: 'house-model', price: { ...price, output: '3' } })
  assert.equal(dearer.details?.price.output, '3.00')
  assert.notEqual(dearer.details?.price.id, priced.details?.price.id)
  const later = { ...price, output: '9', effectiveFrom: '2027-01-01T00:00:00Z' }
  assert.equal(
    (await done('models.price', { model: 'house-model', price: later })).details?.price.output,
    '3.00',
  )
  const disabled = await done('models.disable', { model: 'house-model' })
  assert.deepEqual([disabled.sold, disabled.reason], [false, 'disabled by an administrator'])
  assert.equal((await done('models.enable', { model: 'house-model' })).sold, true)
})

test('a setup link is valid until the next one', async () => {
  const tokens = []
  for (let made = 0; made < 2; made += 1) {
    const { link } = await done('setup.link', {})
    assert.ok(link.startsWith(`${address}/console/setup?token=`))
    tokens.push(new URL(link).searchParams.get('token') ?? '')
  }
  const [older = '', newer = ''] = tokens
  assert.equal(await isValidSetupToken(services.settings, older), false)
  assert.equal(await isValidSetupToken(services.settings, newer), true)
  const stored = await services.store.database.selectFrom('setting').select('value').execute()
  assert.ok(stored.every(({ value }) => !value.includes(newer)))
})

const rejections: readonly [operation: string, input: unknown, code: string, param?: string][] = [
  ['account.delete', {}, 'unknown_path'],
  ['toString', {}, 'unknown_path'],
  ['', {}, 'unknown_path'],
  ['account.show', null, 'invalid_value'],
  ['account.show', 'ada@example.org', 'invalid_value'],
  ['account.show', {}, 'missing_field', 'account'],
  ['account.show', { account: 7 }, 'invalid_value', 'account'],
  ['account.show', { account: 'acct_0000000000001', all: true }, 'invalid_value', 'all'],
  ['account.show', { account: 'acct_0000000000001' }, 'account_not_found', 'account'],
  ['account.show', { account: 'nobody@example.org' }, 'account_not_found', 'account'],
  ['account.show', { account: 'local' }, 'account_not_found', 'account'],
  ['account.create', { email: 'nobody' }, 'invalid_value', 'email'],
  ['account.create', { email: 'x@example.org', credit: '-1' }, 'invalid_value', 'credit'],
  ['account.create', { email: 'x@example.org', credit: 1 }, 'invalid_value', 'credit'],
  ['account.list', { limit: 0 }, 'invalid_value', 'limit'],
  ['account.list', { limit: 1_001 }, 'invalid_value', 'limit'],
  ['account.suspend', { account: 'nobody@example.org' }, 'account_not_found', 'account'],
  ['credit', { account: 'nobody@example.org', amount: '1', reference: 'r' }, 'account_not_found', 'account'],
  ['credit', { account: 'nobody@example.org', amount: '0.00', reference: 'r' }, 'invalid_value', 'amount'],
  ['credit', { account: 'nobody@example.org', amount: '1' }, 'missing_field', 'reference'],
  ['credit', { account: 'nobody@example.org', amount: '1', reference: ' ' }, 'invalid_value', 'reference'],
  ['key.create', { account: 'nobody@example.org', name: 'x' }, 'account_not_found', 'account'],
  ['key.create', { account: 'local', name: 'x', budget: { amount: '1' } }, 'missing_field', 'budget.window'],
  ['key.create', { account: 'local', name: 'x', expires: 'soon' }, 'invalid_value', 'expires'],
  ['key.list', { account: 'nobody@example.org' }, 'account_not_found', 'account'],
  ['key.revoke', { key: 'key_0000000000001' }, 'key_not_found', 'key'],
  ['key.revoke', { key: 'acct_0000000000001' }, 'invalid_value', 'key'],
  ['models.price', { model: 'no-such', price: { input: '1', output: '2' } }, 'model_not_found', 'model'],
  ['models.price', { model: 'sandbox-echo', price: { input: '1' } }, 'missing_field', 'price.output'],
  ['models.disable', { model: 'no-such' }, 'model_not_found', 'model'],
  ['models.enable', { model: 'two words' }, 'invalid_value', 'model'],
  ['requests.list', { account: 'nobody@example.org' }, 'account_not_found', 'account'],
]

for (const [operation, input, code, param] of rejections) {
  test(`${operation} ${JSON.stringify(input)}: ${code}`, async () => {
    const error = await rejected(operation, input)
    assert.deepEqual([error.code, error.param], [code, param])
    assert.match(error.message, /\.$/)
  })
}

test('an expiry in the past is rejected', async () => {
  const { account } = await newAccount()
  const error = await rejected('key.create', { account, name: 'x', expires: '2025-12-31T23:59:59Z' })
  assert.deepEqual([error.code, error.param], ['invalid_value', 'expires'])
})

test('every change leaves a record without its secrets, every reading none', async () => {
  const folder = 'audited'
  const own = await open(folder)
  const made = await done('account.create', { email: 'audit@example.org' }, own)
  await done('account.show', { account: made.account }, own)
  await rejected('account.create', { email: 'audit@example.org' }, own)
  await rejected('account.create', { email: 'no address' }, own)
  const { link } = await done('setup.link', {}, own)
  const rows = await own.audit.list({ limit: 10, before: null, account: null, operation: null, actor: null })
  await own.close()
  const atMs = clock.wallMs()
  const change = { atMs, actor: 'local', account: null, address: null }
  const asked = { email: 'audit@example.org' }
  assert.deepEqual(
    rows.toReversed().map(({ id: _id, ...row }) => row),
    [
      { ...change, operation: 'account.create', input: asked, outcome: 'done' },
      { ...change, operation: 'account.create', input: asked, outcome: 'conflict' },
      { ...change, operation: 'setup.link', input: {}, outcome: 'done' },
    ],
  )
  const text = JSON.stringify(rows, (_name, value) => (typeof value === 'bigint' ? String(value) : value))
  for (const secret of [made.key, new URL(link).searchParams.get('token') ?? '']) {
    assert.ok(secret.length > 20 && !text.includes(secret))
  }
})

test('an internal error is logged under the ID that the response contains, and its details are not in the response', async () => {
  const own = await open('closed')
  await own.store.close()
  const error = await rejected('account.list', {}, own)
  assert.ok(error.status >= 500)
  assert.ok(error.requestId !== undefined)
  const line = logged.find((text) => text.includes(error.requestId ?? ''))
  assert.match(line ?? '', /"operation":"account\.list"/)
  await own.close()
})

test('the first start makes the local account with its credit, a key and a link; the second nothing', async () => {
  const own = await open('first')
  const start = await beginInstallation(own.control(address, offlineStatus(clock)))
  assert.ok(start.kind === 'first')
  assert.equal(start.balance, 5_000_000_000n)
  const local = await done('account.show', { account: 'local' }, own)
  assert.deepEqual([local.posted, local.email, local.name], ['5.00', null, 'local'])
  const identified = await own.access.identify(start.key)
  assert.ok(identified.kind === 'caller')
  assert.equal(identified.caller.account, idOf(local.account))
  assert.deepEqual(identified.caller.accountRates, noRates)
  const token = new URL(start.setupLink).searchParams.get('token') ?? ''
  assert.equal(await isValidSetupToken(own.settings, token), true)
  await endInstallation(own)
  await own.close()
  const reopened = await open('first')
  assert.deepEqual(await beginInstallation(reopened.control(address, offlineStatus(clock))), {
    kind: 'again',
  })
  assert.equal((await done('account.list', {}, reopened)).length, 1)
  assert.equal((await reopened.access.identify(start.key)).kind, 'caller')
  await reopened.close()
})

test('a first start whose key was not printed creates a replacement', async () => {
  const own = await open('untold')
  const control = own.control(address, offlineStatus(clock))
  const [unprinted, printed] = [await beginInstallation(control), await beginInstallation(control)]
  assert.ok(unprinted.kind === 'first' && printed.kind === 'first')
  assert.equal((await own.access.identify(unprinted.key)).kind, 'revoked')
  assert.equal((await own.access.identify(printed.key)).kind, 'caller')
  await own.close()
})

test('a first start that was cut off gives its money once', async () => {
  const own = await open('cut')
  const control = own.control(address, offlineStatus(clock))
  const cut = {
    ...control,
    access: { ...control.access, create: () => Promise.reject(new Error('cut off here')) },
  }
  await assert.rejects(beginInstallation(cut), /cut off here/)
  const start = await beginInstallation(control)
  assert.ok(start.kind === 'first')
  assert.equal(start.balance, 5_000_000_000n)
  assert.equal((await done('account.list', {}, own)).length, 1)
  await own.close()
})
