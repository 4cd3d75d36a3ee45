/**
 * A ledger on a database in a temporary directory, with the real threads and the default
 * limits, for tests. The directory and the store are removed when the test ends.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../src/base/clock.ts'
import { type Limits, limitDefaults } from '../../src/config/config.ts'
import { type OpenLedger, openLedger } from '../../src/ledger/ledger.ts'
import { threadEntries } from '../../src/server/thread-entries.ts'
import { openStore, type Store } from '../../src/store/store.ts'
import { manualClock } from './manual-clock.ts'
import { insertUnitPrice, pricedLedger } from './priced-usage.ts'

/** A test, or the hooks of a whole file. */
export interface Lifetime {
  after(run: () => void | Promise<void>): void
}

export interface TestLedgerOptions {
  readonly clock?: Clock
  /** To reopen a directory; default: a new one. */
  readonly dataDirectory?: string
  readonly failpoints?: string
  readonly limits?: Partial<Limits>
}

export interface TestLedger extends OpenLedger {
  readonly clock: Clock
  readonly store: Store
  readonly dataDirectory: string
  /** Closes both, so that the directory can be reopened. */
  shut(): Promise<void>
}

/** A directory that is removed when the test ends. */
export function temporaryDirectory(context: Lifetime): string {
  const directory = mkdtempSync(join(tmpdir(), 'tollgate-'))
  context.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export async function openTestLedger(
  context: Lifetime,
  options: TestLedgerOptions = {},
): Promise<TestLedger> {
  const clock = options.clock ?? manualClock()
  const limits: Limits = { ...limitDefaults, ...options.limits }
  const troubles: unknown[] = []
  const closing: (() => Promise<void>)[] = []
  const shut = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close()
    assert.deepEqual(troubles, [])
  }
  // Hooks run in the order in which they were set: the directory is removed after its databases were closed.
  context.after(shut)
  const dataDirectory = options.dataDirectory ?? temporaryDirectory(context)
  const opened = await openStore({
    dataDirectory,
    threads: threadEntries,
    clock,
    limits,
    onLost: (error) => troubles.push(error),
    failpoints: options.failpoints,
  })
  assert.equal(opened.kind, 'open', JSON.stringify(opened))
  assert.ok(opened.kind === 'open')
  const { store } = opened
  closing.push(store.close)
  const ledger = await openLedger(store, {
    clock,
    limits,
    onTrouble: (error) => troubles.push(error),
  })
  closing.push(ledger.close)
  await insertUnitPrice(store)
  return { ...ledger, ledger: pricedLedger(ledger.ledger), clock, store, dataDirectory, shut }
}
