/** Recovery after a process is killed: nothing durable is lost, every hold is closed once. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { plainAsk, plainDraft } from '../../test/support/ledger-values.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { eventually } from '../../test/support/metered-gateway.ts'
import { openTestLedger, type TestLedger, temporaryDirectory } from '../../test/support/open-ledger.ts'
import { limitDefaults } from '../config/config.ts'
import { openForWriting } from '../store/sqlite/connection.ts'

const account = 11n
const start = 1_000_000n

async function withAccount(context: TestContext, dataDirectory: string): Promise<TestLedger> {
  const opened = await openTestLedger(context, { dataDirectory })
  await opened.ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  const credit = { entryId: 12n, account, amount: start, source: 'signup' as const, reference: 'x' }
  await opened.ledger.credit({ ...credit, nowMs: 1, note: null })
  return opened
}

const admit = ({ ledger }: TestLedger, id: bigint, inputAmount: bigint) =>
  ledger.admit({ ...plainAsk, id, account, key: 21n, inputAmount, model: 'left-open' })

test('holds of a killed process are charged at their checkpoint, or else released', async (context) => {
  const dataDirectory = temporaryDirectory(context)
  const first = await withAccount(context, dataDirectory)
  await admit(first, 1_001n, 500n)
  await admit(first, 1_002n, 300n)
  await admit(first, 1_003n, 200n)
  const draft = { ...plainDraft, provider: 'p', output: 7, upstreamCost: 90n, outputLimit: 64 }
  await first.ledger.checkpoint({ id: 1_001n, cost: 10n, draft })
  await first.ledger.checkpoint({ id: 1_001n, cost: 100n, draft })
  await first.ledger.checkpoint({ id: 1_002n, cost: 2n * start, draft })
  await first.shut()

  const second = await openTestLedger(context, { dataDirectory })
  assert.equal(second.recovered, 3)
  assert.notEqual(second.processSlot, first.processSlot)
  const row = await second.ledger.account(account)
  assert.deepEqual([row?.held, row?.openHolds], [0n, 0])
  const charged = await Promise.all([1_001n, 1_002n, 1_003n].map((id) => second.ledger.receipt(id)))
  assert.deepEqual(
    charged.map((receipt) => [receipt?.endReason, receipt?.charged, receipt?.writtenOff, receipt?.output]),
    [
      ['interrupted', 100n, 0n, 7],
      ['interrupted', 300n, 2n * start - 300n, 7],
      ['interrupted', 0n, 0n, 0],
    ],
  )
  assert.equal(charged[2]?.usageSource, 'none')
  assert.deepEqual((await second.ledger.verify()).drift, [])
  await second.shut()

  const third = await openTestLedger(context, { dataDirectory })
  assert.equal(third.recovered, 0)
})

test('a checkpoint of a version without one of the meters is charged', async (context) => {
  const dataDirectory = temporaryDirectory(context)
  const first = await withAccount(context, dataDirectory)
  await admit(first, 1_001n, 500n)
  const draft = { ...plainDraft, inputUncached: 3, output: 7, outputAudio: 5, reasoning: 2, person: 'ann' }
  await first.ledger.checkpoint({ id: 1_001n, cost: 100n, draft })
  await first.shut()
  const database = openForWriting(join(dataDirectory, 'tollgate.db'))
  database.exec(`UPDATE hold SET checkpoint_draft = json_remove(checkpoint_draft, '$.output_audio')`)
  database.close()

  const second = await openTestLedger(context, { dataDirectory })
  const receipt = await second.ledger.receipt(1_001n)
  const { inputUncached, output, outputAudio, reasoning, person } = receipt ?? {}
  assert.deepEqual([inputUncached, output, outputAudio, reasoning, person], [3, 7, 0, 2, 'ann'])
})

test('a hold that no request will close is closed by age, whatever the wall clock does', async (context) => {
  const clock = manualClock()
  const opened = await openTestLedger(context, { clock })
  const { ledger, nextId } = opened
  await ledger.createAccount({ id: account, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  const old = nextId()
  await admit(opened, old, 0n)
  clock.setWallMs(clock.wallMs() + 86_400_000)
  clock.advance(120_000)
  assert.ok((await ledger.running(old)) !== undefined, 'a clock that jumps ahead ends nothing')
  clock.setWallMs(clock.wallMs() - 2 * 86_400_000)
  clock.advance(limitDefaults.holdMsMax - 180_000)
  const young = nextId()
  await admit(opened, young, 0n)
  assert.ok((await ledger.running(old)) !== undefined)
  const receipt = () => {
    clock.advance(10_000)
    return ledger.receipt(old)
  }
  const { endReason } = (await eventually('the old one is closed', receipt, Boolean)) ?? {}
  assert.equal(endReason, 'interrupted')
  await opened.close()
  assert.ok((await ledger.running(young)) !== undefined)
})

/** Runs requests without end in another process, and prints each settlement once it is acknowledged. */
const loadProgram = `
  import { openTestLedger } from ${JSON.stringify(new URL('../../test/support/open-ledger.ts', import.meta.url).href)}
  import { plainAsk, plainDraft } from ${JSON.stringify(new URL('../../test/support/ledger-values.ts', import.meta.url).href)}
  const [dataDirectory, failpoints] = process.argv.slice(2)
  const { ledger, nextId } = await openTestLedger({ after: () => {} }, { dataDirectory, ...(failpoints ? { failpoints } : {}) })
  async function requests() {
    for (;;) {
      const id = nextId()
      const held = await ledger.admit({ ...plainAsk, id, account: 11n, key: 21n, inputAmount: 20n })
      if (held.kind !== 'held') return
      await ledger.checkpoint({ id, cost: 3n, draft: plainDraft })
      const settlement = { id, nowMs: 1, cost: 7n, writtenOff: 0n, writeOffEntryId: nextId(), receipt: plainDraft, providerObjects: [{ id: 'resp_' + id, referencedScope: 'all' }] }
      await ledger.settle(settlement)
      // A reader that is slow lets lines queue in this process, and those would be lost with it.
      await new Promise((written) => process.stdout.write(id + '\\n', written))
    }
  }
  await Promise.all(Array.from({ length: 32 }, requests))
`

interface Killed {
  readonly acknowledged: readonly bigint[]
  readonly signal: NodeJS.Signals | null
}

/** Ends at a failpoint, or after this many acknowledged settlements. */
async function runAndKill(dataDirectory: string, failpoint: string, killAfter: number): Promise<Killed> {
  const program = join(dataDirectory, 'load.ts')
  writeFileSync(program, loadProgram)
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  const child = spawn(process.execPath, [program, dataDirectory, failpoint], { stdio: [...stdio] })
  const exited = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  const acknowledged: bigint[] = []
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    // The last line may have been cut.
    const lines = (text + String(chunk)).split('\n')
    text = lines.pop() ?? ''
    acknowledged.push(...lines.map(BigInt))
    if (acknowledged.length >= killAfter) child.kill('SIGKILL')
  }
  const [, signal] = await exited
  return { acknowledged, signal }
}

test('killed while closing what another process left: the next one finishes it, once', async (context) => {
  const dataDirectory = temporaryDirectory(context)
  const first = await withAccount(context, dataDirectory)
  const ids = Array.from({ length: 1_200 }, (_, index) => 5_000n + BigInt(index))
  await Promise.all(ids.map((id) => admit(first, id, 10n)))
  await Promise.all(ids.map((id) => first.ledger.checkpoint({ id, cost: 4n, draft: plainDraft })))
  await first.shut()
  const { acknowledged, signal } = await runAndKill(dataDirectory, 'after-commit-settle:kill=2', 1_000_000)
  assert.deepEqual([acknowledged.length, signal], [0, 'SIGKILL'])

  const third = await openTestLedger(context, { dataDirectory })
  assert.ok(third.recovered > 0 && third.recovered < ids.length, `${third.recovered} were left`)
  const row = await third.ledger.account(account)
  assert.deepEqual([row?.posted, row?.held], [start - 4n * BigInt(ids.length), 0n])
  assert.deepEqual((await third.ledger.verify()).drift, [])
})
