/**
 * The ledger on PostgreSQL under faults: several processes on one balance, connections that are cut during a commit, batches
 * that the server rolls back, a server that crashes, a process that misses its lease. Afterwards the books balance.
 */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import pg from 'pg'
import { Dice } from '../../../test/simulation/dice.ts'
import { plainDraft } from '../../../test/support/ledger-values.ts'
import {
  admit,
  assertBalanced,
  creditOf,
  isUnavailable,
  lockTable,
  newAccount,
  openProcess,
  settle,
  settlementOf,
  until,
  whenWaiting,
} from '../../../test/support/postgres-processes.ts'
import { postgresIsMissing, runSql, startPostgres } from '../../../test/support/postgres-server.ts'
import { type CutAt, openTcpProxy } from '../../../test/support/tcp-proxy.ts'

/** No process takes a slot, or takes one again, until it is released. */
async function lockSlots(url: string): Promise<{ release(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query("SELECT pg_advisory_lock(hashtext('tollgate process slots'))")
  return { release: () => client.end() }
}

/** When the first process's lease ends, and what time it is, on the database's clock. */
async function leaseEnds(url: string): Promise<readonly [end: number | undefined, now: number]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<[number | null, number]>({
    text: `SELECT (SELECT extract(epoch FROM lease_ends)::float8 FROM process WHERE id = 0), extract(epoch FROM now())::float8`,
    rowMode: 'array',
  })
  await client.end()
  const [end, now] = rows[0] ?? [null, 0]
  return [end ?? undefined, now]
}

suite('the ledger on PostgreSQL', { skip: postgresIsMissing ?? false }, () => {
  test('two processes admit a thousand requests for the money of ten: exactly ten', async (context) => {
    const first = await openProcess(context)
    const second = await openProcess(context, first.url)
    const account = await newAccount(first, 70n)
    const answers = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) => admit(index % 2 === 0 ? first : second, account, 7n)),
    )
    const held = answers.filter(({ kind }) => kind === 'held')
    assert.equal(held.length, 10)
    assert.equal(answers.filter(({ kind }) => kind === 'insufficient_funds').length, 990)
    const row = await second.ledger.account(account)
    assert.deepEqual([row?.posted, row?.held, row?.openHolds], [70n, 70n, 10])
    await assertBalanced(first)
  })

  test('a request that two processes settle is charged once', async (context) => {
    const first = await openProcess(context)
    const second = await openProcess(context, first.url)
    const account = await newAccount(first, 1_000n)
    for (let round = 0; round < 20; round += 1) {
      const id = first.nextId()
      await admit(first, account, 10n, id)
      const results = await Promise.all([settle(first, id, 10n), settle(second, id, 10n)])
      assert.deepEqual(results.map(({ kind }) => kind).sort(), ['already_settled', 'settled'])
    }
    assert.equal((await first.ledger.account(account))?.posted, 800n)
    await assertBalanced(first)
  })

  test('two processes give one credit for one reference', async (context) => {
    const first = await openProcess(context)
    const second = await openProcess(context, first.url)
    const accounts = [await newAccount(first, 1n), await newAccount(second, 1n)]
    const results = await Promise.all(
      [first, second].flatMap(({ ledger, nextId }) =>
        accounts.map((account) => ledger.credit({ ...creditOf(nextId(), account), reference: 'the same' })),
      ),
    )
    assert.equal(results.filter((result) => result.kind === 'credited' && result.created).length, 1)
    assert.equal(results.filter(({ kind }) => kind === 'conflict').length, 2)
    await assertBalanced(first)
  })

  for (const at of ['request', 'reply'] as const satisfies readonly CutAt[]) {
    test(`a connection that is cut at the ${at} of a commit: the batch is committed once`, async (context) => {
      const direct = await openProcess(context)
      const account = await newAccount(direct, 100n)
      const proxy = await openTcpProxy(direct.url)
      const on = await openProcess(context, proxy.url)
      context.after(proxy.close)
      const id = on.nextId()
      const isCut = proxy.cutNext('commit\0', at)
      assert.equal((await admit(on, account, 10n, id)).kind, 'held')
      await isCut
      const wasCutAgain = proxy.cutNext('commit\0', at)
      assert.equal((await settle(on, id, 4n)).kind, 'settled')
      await wasCutAgain
      const row = await direct.ledger.account(account)
      assert.deepEqual([row?.posted, row?.held, row?.openHolds], [96n, 0n, 0])
      await assertBalanced(direct)
    })
  }

  test('a settlement whose commit may have succeeded is not rejected, however long the database is away', async (context) => {
    const direct = await openProcess(context)
    const account = await newAccount(direct, 100n)
    const proxy = await openTcpProxy(direct.url)
    const on = await openProcess(context, proxy.url, { lanes: 1, outageMsMax: 100 })
    context.after(proxy.close)
    const id = on.nextId()
    await admit(on, account, 10n, id)
    const isCut = proxy.cutNext('commit\0', 'reply')
    const settling = settle(on, id, 4n)
    await isCut
    proxy.reject(true)
    await assert.rejects(admit(on, account, 1n), isUnavailable)
    proxy.reject(false)
    assert.equal((await settling).kind, 'settled')
    assert.equal((await direct.ledger.account(account))?.posted, 96n)
    await assertBalanced(direct)
  })

  for (const state of ['40P01', '40001']) {
    test(`a batch that is rolled back with ${state} is repeated`, async (context) => {
      const on = await openProcess(context)
      const account = await newAccount(on, 100n)
      await runSql(
        on.url,
        `CREATE SEQUENCE failures;
         CREATE FUNCTION fail_twice() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF nextval('failures') <= 2 THEN RAISE EXCEPTION 'on purpose' USING ERRCODE = '${state}'; END IF;
           RETURN NEW; END $$;
         CREATE TRIGGER fail_twice BEFORE INSERT ON hold FOR EACH ROW EXECUTE FUNCTION fail_twice()`,
      )
      assert.equal((await admit(on, account, 10n)).kind, 'held')
      assert.deepEqual((await on.ledger.account(account))?.openHolds, 1)
      await assertBalanced(on)
    })
  }

  test('a row that the database rejects fails alone in its batch', async (context) => {
    const on = await openProcess(context)
    const account = await newAccount(on, 100n)
    await runSql(on.url, 'ALTER TABLE hold ADD CHECK (amount <> 13)')
    const outcomes = await Promise.allSettled([1n, 13n, 2n, 3n].map((amount) => admit(on, account, amount)))
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.equal((await on.ledger.account(account))?.held, 6n)
    await assertBalanced(on)
  })

  test('a process that misses its lease cannot write any more, and its holds are closed once', async (context) => {
    const dead = await openProcess(context, undefined, { leaseMs: 600_000 })
    const account = await newAccount(dead, 100n)
    const id = dead.nextId()
    await admit(dead, account, 10n, id)
    await dead.ledger.checkpoint({ id, cost: 3n, draft: plainDraft })
    const other = await openProcess(context, dead.url)
    assert.equal(other.recovered, 0, 'it lives')
    await runSql(dead.url, "UPDATE process SET lease_ends = now() - interval '1 second' WHERE id = 0")
    other.clock.advance(5_000)
    while ((await other.ledger.receipt(id)) === undefined);
    await assert.rejects(settle(dead, id, 9n), isUnavailable)
    await assert.rejects(admit(dead, account, 1n), isUnavailable)
    const row = await other.ledger.account(account)
    assert.deepEqual([row?.posted, row?.held], [97n, 0n])
    assert.equal((await other.ledger.receipt(id))?.endReason, 'interrupted')
    await assertBalanced(other)
  })

  test('a read that waits does not end the lease of its process', async (context) => {
    const on = await openProcess(context, undefined, { leaseMs: 900 })
    const lock = await lockTable(on.url, 'account_profile')
    const read = assert.rejects(on.ledger.account(1n), isUnavailable)
    const [first] = await leaseEnds(on.url)
    await until(async () => (await leaseEnds(on.url))[1] > (first ?? 0))
    const [end, now] = await leaseEnds(on.url)
    await read
    await lock.release()
    assert.equal(await on.ledger.account(1n), undefined)
    assert.ok((end ?? 0) > now, 'it was renewed while the read waited')
  })

  test('a verification may take longer than a statement of a request, and holds up no read', async (context) => {
    const on = await openProcess(context, undefined, { statementMsMax: 300 })
    const account = await newAccount(on, 100n)
    const lock = await lockTable(on.url, 'receipt')
    const [, begun] = await leaseEnds(on.url)
    const verifying = assertBalanced(on)
    assert.equal((await on.ledger.account(account))?.posted, 100n)
    await until(async () => (await leaseEnds(on.url))[1] > begun + 1)
    await lock.release()
    await verifying
  })

  test('a settlement behind a batch that takes long can be taken back until it leaves; no more wait than the limit', async (context) => {
    const on = await openProcess(context, undefined, { waitingMax: 1 })
    const account = await newAccount(on, 100n)
    const id = on.nextId()
    await admit(on, account, 10n, id)
    const lock = await lockTable(on.url, 'account')
    const credit = on.ledger.credit(creditOf(on.nextId(), account))
    await whenWaiting(on.url)
    let isWithheld = false
    const take = () => (isWithheld ? null : settlementOf(on, id, 10n))
    const settled = on.ledger.settle({ id, take })
    isWithheld = true
    await assert.rejects(on.ledger.credit(creditOf(on.nextId(), account)), isUnavailable)
    await lock.release()
    assert.deepEqual(await settled, { kind: 'withdrawn' })
    await credit
    assert.equal((await settle(on, id, 7n)).kind, 'settled')
    assert.equal((await on.ledger.account(account))?.posted, 94n)
  })

  test('a process whose lease ended while the database was away admits requests again', async (context) => {
    const troubles: unknown[] = []
    const on = await openProcess(context, undefined, { leaseMs: 900 }, (error) => troubles.push(error))
    const account = await newAccount(on, 100n)
    const [known, unknown] = [on.nextId(), on.nextId()]
    for (const id of [known, unknown]) await admit(on, account, 10n, id)
    await on.ledger.checkpoint({ id: known, cost: 3n, draft: plainDraft })
    const other = await openProcess(context, on.url)
    // Otherwise it may take its slot again, and with it its requests, before the other one has closed them.
    const slots = await lockSlots(on.url)
    await runSql(on.url, 'DELETE FROM process WHERE id = 0')
    other.clock.advance(60_000)
    for (const id of [known, unknown]) {
      await until(async () => (await other.ledger.receipt(id)) !== undefined)
    }
    await slots.release()
    assert.equal(
      (await settle(on, known, 9n).catch(() => null))?.kind ?? 'already_settled',
      'already_settled',
    )
    await until(async () => (await admit(on, account, 1n).catch(() => null))?.kind === 'held')
    assert.equal((await settle(on, known, 9n)).kind, 'already_settled')
    assert.equal((await settle(on, unknown, 9n)).kind, 'already_settled')
    const row = await on.ledger.account(account)
    assert.deepEqual([row?.posted, row?.openHolds], [97n, 1])
    assert.match(troubles.join('\n'), /lease/)
    await assertBalanced(on)
  })

  test('an id of a provider belongs to one account, in one batch and over processes', async (context) => {
    const first = await openProcess(context)
    const second = await openProcess(context, first.url)
    const accounts = [await newAccount(first, 100n), await newAccount(first, 100n)] as const
    const answered = async (on: typeof first, account: bigint, object: string) => {
      const id = on.nextId()
      await admit(on, account, 10n, id)
      const providerObjects = [{ id: object, referencedScope: 'output' }] as const
      assert.equal((await on.ledger.settle({ ...settlementOf(on, id, 1n), providerObjects })).kind, 'settled')
    }
    const owners = async () =>
      (await runSql(first.url, 'SELECT id, account FROM provider_object ORDER BY id')).length
    await Promise.all(accounts.map((account) => answered(first, account, 'resp_1')))
    await Promise.all([answered(first, accounts[0], 'resp_2'), answered(second, accounts[1], 'resp_2')])
    assert.equal(await owners(), 2)
    await answered(first, accounts[0], 'resp_3')
    await answered(first, accounts[0], 'resp_3')
    await answered(second, accounts[1], 'resp_3')
    const third = `SELECT 1 FROM provider_object WHERE id = 'resp_3' AND account = ${accounts[0]}`
    assert.deepEqual([await owners(), (await runSql(first.url, third)).length], [3, 1])
  })

  test('a process whose statements the database rejects does not start, and says why', async (context) => {
    const on = await openProcess(context)
    await runSql(
      on.url,
      `CREATE FUNCTION has_no_such_feature() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'the feature is missing' USING ERRCODE = '0A000'; END $$`,
    )
    await runSql(
      on.url,
      'CREATE TRIGGER missing BEFORE INSERT ON process FOR EACH ROW EXECUTE FUNCTION has_no_such_feature()',
    )
    await assert.rejects(openProcess(context, on.url), (error) => {
      assert.match(String(error), /0A000.*the feature is missing/)
      return !isUnavailable(error)
    })
    await runSql(on.url, 'DROP TRIGGER missing ON process')
  })

  test('a process that looks for dead ones does not take itself for one', async (context) => {
    const on = await openProcess(context, undefined, { leaseMs: 600_000 })
    const dead = await openProcess(context, on.url, { leaseMs: 600_000 })
    const account = await newAccount(on, 100n)
    const [living, orphan] = [on.nextId(), dead.nextId()]
    await admit(on, account, 10n, living)
    await admit(dead, account, 10n, orphan)
    await runSql(on.url, "UPDATE process SET lease_ends = now() - interval '1 second'")
    on.clock.advance(60_000)
    await until(async () => (await on.ledger.receipt(orphan)) !== undefined)
    assert.equal((await settle(on, living, 4n)).kind, 'settled')
    await assertBalanced(on)
  })

  test('a process whose place was taken while its lease had ended does not write', async (context) => {
    const troubles: unknown[] = []
    const on = await openProcess(context, undefined, { leaseMs: 900 }, (error) => troubles.push(error))
    const account = await newAccount(on, 100n)
    await runSql(
      on.url,
      `DELETE FROM process WHERE id = 0; INSERT INTO process VALUES (0, 1, now() + interval '1 hour');
       INSERT INTO committed_batch SELECT 0, lane, 1, 0 FROM generate_series(0, 1) AS lane`,
    )
    await until(async () => {
      await leaseEnds(on.url)
      return troubles.length > 1
    })
    await assert.rejects(admit(on, account, 1n), isUnavailable)
    assert.equal((await on.ledger.account(account))?.held, 0n)
  })

  test('random requests of two processes while the server crashes and connections are cut: the books balance', async (context) => {
    const server = await startPostgres()
    const url = await server.createDatabase()
    const proxy = await openTcpProxy(url)
    const processes = [await openProcess(context, url), await openProcess(context, proxy.url)] as const
    context.after(proxy.close)
    context.after(server.stop)
    const accounts = await Promise.all(Array.from({ length: 8 }, () => newAccount(processes[0], 500n)))
    const settled = new Map<bigint, bigint>()
    const traffic = Array.from({ length: 16 }, async (_, worker) => {
      const dice = new Dice(worker + 1)
      for (let step = 0; step < 20; step += 1) {
        const on = processes[worker % 2] ?? processes[0]
        const id = on.nextId()
        const account = dice.pick(accounts) ?? 0n
        const held = await admit(on, account, dice.amount(0, 59), id)
        if (held.kind !== 'held') continue
        if (dice.chance(0.25)) await on.ledger.release(id)
        else {
          const result = await settle(on, id, dice.amount(0, 59))
          assert.equal(result.kind, 'settled', 'a hold that was acknowledged is there')
          if (result.kind === 'settled') settled.set(id, result.charged)
        }
      }
    })
    const faults = (async () => {
      await server.crash()
      proxy.cutAll()
      await server.crash()
    })()
    await Promise.all([...traffic, faults])
    const receipts = await Promise.all([...settled.keys()].map((id) => processes[0].ledger.receipt(id)))
    assert.deepEqual(
      receipts.map((receipt) => receipt?.charged),
      [...settled.values()],
      'what was acknowledged is there',
    )
    const report = await processes[0].ledger.verify()
    assert.deepEqual(report.drift, [])
    assert.equal(report.openHolds, 0)
  })
})
