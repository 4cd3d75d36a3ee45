/**
 * How long the operations behind the console's pages take on a data folder, such as one of `bench/grow.ts`, for its largest
 * account: the median and the slowest of nine calls. Prints one line each; decides nothing.
 *
 * `node bench/pages.ts FOLDER`
 */
import { scopes } from '../contract/operation.ts'
import type { OperationName } from '../contract/operations.ts'
import { assert } from '../src/base/assert.ts'
import { systemClock } from '../src/base/clock.ts'
import { formatId, systemRandom } from '../src/base/ids.ts'
import { readConfig } from '../src/config/config.ts'
import type { Actor } from '../src/control/actor.ts'
import { dispatch } from '../src/control/dispatch.ts'
import { openCommandServices } from '../src/server/services.ts'

const [folder = ''] = process.argv.slice(2)
const rounds = 9
const dayMs = 86_400_000

const read = readConfig({ TOLLGATE_DATA: folder, TOLLGATE_LOG_LEVEL: 'error' }, folder)
assert(read.kind === 'config', 'the folder alone is a valid configuration')
const opened = await openCommandServices(read.config, { clock: systemClock, random: systemRandom })
assert(opened.kind === 'open', 'the folder opens')
const { control } = opened

const largest = await largestAccount()
const account = formatId('acct', largest)
const key = formatId('key', largest + 1n)
/** The command line is not asked for what pages of an account show. */
const reader: Actor = {
  kind: 'management_key',
  id: 1n,
  label: 'bench',
  account: largest,
  scopes,
  address: null,
}
const ofAccount = new Set(['overview', 'usage', 'entries', 'invoice'])
const since = (days: number): string => new Date(systemClock.wallMs() - days * dayMs).toISOString()

const pages: readonly (readonly [operation: OperationName, input: Readonly<Record<string, unknown>>])[] = [
  ['overview.show', { account }],
  ['key.list', { account }],
  ['requests.list', { account, limit: 50 }],
  ['requests.list', { account, limit: 50, key }],
  ['requests.list', { account, limit: 50, outcome: 'failed' }],
  ['usage.show', { account, from: since(1), by: 'hour', group: 'none' }],
  ['usage.show', { account, from: since(30), by: 'day', group: 'model' }],
  ['usage.show', { account, from: since(30), by: 'day', group: 'key' }],
  ['usage.show', { account, from: since(365), by: 'month', group: 'model' }],
  ['entries.list', { account, limit: 50 }],
  ['invoice.list', { account }],
  ['account.list', { limit: 100 }],
  ['account.list', { limit: 100, search: 'user-999' }],
  ['audit.list', { limit: 50 }],
  ['losses.list', {}],
  ['system.show', {}],
]

for (const [operation, input] of pages) {
  const took: number[] = []
  let status = 0
  for (let round = 0; round < rounds; round += 1) {
    const startedMs = systemClock.monoMs()
    const actor = ofAccount.has(operation.split('.')[0] ?? '') ? reader : { kind: 'local' as const }
    const reply = await dispatch(control, actor, operation, input)
    took.push(systemClock.monoMs() - startedMs)
    status = reply.status
  }
  took.sort((a, b) => a - b)
  const [median = 0, slowest = 0] = [took[Math.floor(rounds / 2)], took.at(-1)]
  const { account: _, ...shown } = input
  process.stdout.write(
    `${operation} ${JSON.stringify(shown)}: ${status}, median ${median.toFixed(1)} ms, slowest ${slowest.toFixed(1)} ms\n`,
  )
}
await opened.close()

/** The first one has a tenth of all receipts. */
async function largestAccount(): Promise<bigint> {
  const [first] = await control.ledger.accounts(1, 0n, null)
  assert(first !== undefined, 'the folder has accounts')
  return first.id
}
