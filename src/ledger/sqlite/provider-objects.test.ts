/** Provider objects: found with their receipt, only by its account, until they expire. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainAsk, plainDraft } from '../../../test/support/ledger-values.ts'
import { openTestLedger, type TestLedger } from '../../../test/support/open-ledger.ts'
import { limitDefaults } from '../../config/config.ts'
import { openForReading, prepare } from '../../store/sqlite/connection.ts'
import type { ProviderObject } from '../../wire/format.ts'
import type { ReceiptDraft } from '../types.ts'

const [account, other] = [11n, 12n]
const dayMs = 24 * 3_600_000
const startMs = Date.UTC(2026, 0, 1)

interface Answer {
  readonly account?: bigint
  readonly nowMs?: number
  readonly objects: readonly ProviderObject[]
  readonly receipt?: Partial<ReceiptDraft>
}

async function answered(opened: TestLedger, answer: Answer): Promise<bigint> {
  const { ledger, nextId } = opened
  const id = nextId()
  const { account: payer = account, nowMs = startMs, objects } = answer
  await ledger.admit({ ...plainAsk, id, account: payer, key: payer + 10n, nowMs })
  const settled = await ledger.settle({
    id,
    nowMs,
    cost: 0n,
    writtenOff: 0n,
    writeOffEntryId: nextId(),
    receipt: { ...plainDraft, ...answer.receipt },
    providerObjects: objects,
  })
  assert.equal(settled.kind, 'settled')
  return id
}

async function withAccounts(context: TestContext): Promise<TestLedger> {
  const opened = await openTestLedger(context)
  for (const id of [account, other]) {
    await opened.ledger.createAccount({ id, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  }
  return opened
}

const outputOf = (...ids: string[]): ProviderObject[] => ids.map((id) => ({ id, referencedScope: 'output' }))

function rowsIn({ dataDirectory }: TestLedger): number {
  const database = openForReading(join(dataDirectory, 'tollgate.db'))
  try {
    return Number(prepare(database, 'SELECT count(*) FROM provider_object').row()?.[0])
  } finally {
    database.close()
  }
}

test('an object is found immediately after its response, with the values of its receipt', async (context) => {
  const opened = await withAccounts(context)
  const receipt = await answered(opened, {
    objects: [
      { id: 'resp_1', referencedScope: 'all' },
      { id: 'msg_1', referencedScope: 'output' },
    ],
    receipt: {
      upstream: 'first',
      upstreamModel: 'm',
      inputUncached: 1,
      cacheRead: 20,
      cacheWrite5m: 300,
      cacheWrite1h: 4_000,
      inputAudio: 50_000,
      output: 7,
      outputAudio: 80,
      reasoning: 3,
    },
  })
  const answer = {
    receipt,
    upstream: 'first',
    upstreamModel: 'm',
    usageSource: 'reported',
    input: 54_321,
    output: 87,
    reasoning: 3,
  }
  assert.deepEqual(await opened.ledger.providerObjects(account, ['msg_1', 'none', 'resp_1'], startMs), [
    { id: 'msg_1', referencedScope: 'output', ...answer },
    { id: 'resp_1', referencedScope: 'all', ...answer },
  ])
  assert.deepEqual((await opened.ledger.verify()).drift, [])
})

test('an id belongs to the first account that gets it, until it cannot be referred to any more', async (context) => {
  const opened = await withAccounts(context)
  const first = await answered(opened, { objects: outputOf('msg_1', 'msg_2') })
  await answered(opened, { account: other, objects: outputOf('msg_1') })
  const found = async (payer: bigint, nowMs: number) =>
    (await opened.ledger.providerObjects(payer, ['msg_1', 'msg_2'], nowMs)).map(({ id, receipt }) => [
      id,
      receipt,
    ])
  const ofFirst = [
    ['msg_1', first],
    ['msg_2', first],
  ]
  assert.deepEqual(await found(account, startMs), ofFirst)
  assert.deepEqual(
    await found(other, startMs),
    [],
    'an upstream that repeats it gives it to no second account',
  )
  const lastMs = startMs + limitDefaults.providerObjectRetentionMs
  await answered(opened, { account: other, nowMs: lastMs, objects: outputOf('msg_1') })
  assert.deepEqual(await found(account, lastMs), ofFirst)
  const later = await answered(opened, { account: other, nowMs: lastMs + 1, objects: outputOf('msg_1') })
  assert.deepEqual(await found(other, lastMs + 1), [['msg_1', later]])
})

test('an id that a provider uses again is the newer answer’s', async (context) => {
  const opened = await withAccounts(context)
  await answered(opened, { objects: outputOf('msg_1') })
  const newer = await answered(opened, { objects: [{ id: 'msg_1', referencedScope: 'window' }] })
  const [row] = await opened.ledger.providerObjects(account, ['msg_1'], startMs)
  assert.deepEqual([row?.receipt, row?.referencedScope], [newer, 'window'])
  assert.equal(rowsIn(opened), 1)
})

test('what is older than the provider keeps it is not found, and goes as others come', async (context) => {
  const opened = await withAccounts(context)
  const { ledger } = opened
  const ids = Array.from({ length: 10 }, (_, index) => `msg_${index}`)
  await answered(opened, { objects: outputOf(...ids) })
  const lastMs = startMs + limitDefaults.providerObjectRetentionMs
  assert.equal((await ledger.providerObjects(account, ids, lastMs)).length, 10)
  assert.equal((await ledger.providerObjects(account, ids, lastMs + 1)).length, 0)
  await answered(opened, { nowMs: lastMs, objects: outputOf('young_0') })
  assert.equal(rowsIn(opened), 11)
  const left: number[] = []
  for (let day = 1; day <= 6; day += 1) {
    await answered(opened, { nowMs: lastMs + day * dayMs, objects: outputOf(`young_${day}`) })
    left.push(rowsIn(opened))
  }
  // Each row that comes takes two old ones with it, and no young one.
  assert.deepEqual(left, [10, 9, 8, 7, 6, 7])
  assert.equal((await ledger.providerObjects(account, ['young_0'], lastMs)).length, 1)
})

test('a repeated settlement keeps what the first one recorded', async (context) => {
  const opened = await withAccounts(context)
  const id = await answered(opened, { objects: outputOf('msg_1') })
  const again = await opened.ledger.settle({
    id,
    nowMs: startMs,
    cost: 0n,
    writtenOff: 0n,
    writeOffEntryId: opened.nextId(),
    receipt: plainDraft,
    providerObjects: outputOf('msg_2'),
  })
  assert.equal(again.kind, 'already_settled')
  assert.deepEqual((await opened.ledger.providerObjects(account, ['msg_1', 'msg_2'], startMs)).length, 1)
})
