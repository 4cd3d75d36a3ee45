/**
 * The cost of a hold and a settlement: CPU of all threads per request (user and system) and bytes written, in a closed loop
 * at several concurrencies, on the real store with durable commits. Prints one line each; decides nothing.
 *
 * `node bench/ledger.ts [requests per concurrency] [accounts] [--against FOLDER] [--grown FOLDER] [--postgres]`
 *
 * `--against`: the ledger of a second checkout, in the same process in turns of one slice; `--grown`: the embedded one on a
 * data folder, such as one of `bench/grow.ts`. `--postgres`: each on a database of a PostgreSQL server of the bench, which is
 * not synced to disk, and whose CPU does not count.
 */

import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../test/support/postgres-server.ts'
import {
  accountsOn,
  type OpenStore,
  openEmbedded,
  openPostgres,
  ownCheckout,
  type Slice,
  type Subject,
  slice,
  subjectOn,
} from './ledger-load.ts'
import { lowerQuartile, median } from './measure.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    grown: { type: 'string' },
    postgres: { type: 'boolean', default: false },
  },
})
const requests = Number(positionals[0] ?? 60_000)
const accountCount = Number(positionals[1] ?? 1_000)
const concurrencies = [1, 8, 64, 256]
/** The turns of each ledger at each concurrency. */
const slices = 12
/** Fewer requests are sent one at a time, because that takes long. */
const requestsAloneShare = 0.1
const percent = 100

function line({ name }: Subject, concurrency: number, turns: readonly Slice[]): string {
  const of = (figure: (turn: Slice) => number): number[] => turns.map(figure)
  const latencies = turns.flatMap((turn) => turn.latencies).sort((a, b) => a - b)
  const at = (share: number): string =>
    (latencies[Math.floor((latencies.length * share) / percent)] ?? 0).toFixed(2)
  const cpu = lowerQuartile(of(({ cpuMicros }) => cpuMicros)).toFixed(1)
  // The mean, because background writes are in few of the slices.
  const written = (
    of(({ kilobytes }) => kilobytes).reduce((sum, each) => sum + each, 0) / turns.length
  ).toFixed(1)
  const rate = median(of(({ perSecond }) => perSecond)).toFixed(0)
  return `${name}, concurrency ${String(concurrency).padStart(3)}: ${cpu.padStart(6)} µs CPU and ${written} kB written a request, ${rate} requests/s, hold + settle p50 ${at(50)} ms, p99 ${at(99)} ms`
}

const madeAccounts = (on: Pick<Subject, 'ledger' | 'nextId'>) => accountsOn(on, accountCount)

async function main(): Promise<void> {
  const server = values.postgres ? await startPostgres() : undefined
  const open = async (checkout: string): Promise<OpenStore> =>
    server === undefined ? openEmbedded(checkout) : openPostgres(checkout, await server.createDatabase())
  const subjects: Subject[] = []
  const add = async (name: string, store: OpenStore): Promise<void> => {
    subjects.push(await subjectOn(name, store, madeAccounts))
  }
  if (values.against !== undefined) await add('against', await open(resolve(values.against)))
  if (values.grown !== undefined) await add('grown', await openEmbedded(ownCheckout, resolve(values.grown)))
  await add('tollgate', await open(ownCheckout))
  for (const subject of subjects) await slice(subject, 64, Math.ceil(requests / 3))
  for (const concurrency of concurrencies) {
    const count = Math.ceil((requests / slices) * (concurrency === 1 ? requestsAloneShare : 1))
    const turns = new Map<Subject, Slice[]>(subjects.map((subject) => [subject, []]))
    for (let turn = 0; turn < slices; turn += 1) {
      for (const subject of turn % 2 === 0 ? subjects : subjects.toReversed())
        turns.get(subject)?.push(await slice(subject, concurrency, count))
    }
    for (const [subject, of] of turns) process.stdout.write(`${line(subject, concurrency, of)}\n`)
  }
  for (const subject of subjects) await subject.close()
  await server?.stop()
}

await main()
