/**
 * CPU of the statistics of offers for one request, an attempt and a settlement, over 1,000 offers at 40 upstreams; and how long
 * the database's thread takes to add all of them, and to read them, as once in ten seconds and for an administrator.
 */
import { systemClock } from '../src/base/clock.ts'
import { limitDefaults } from '../src/config/config.ts'
import { openOfferStatistics } from '../src/usage/offer-statistics.ts'
import { openTestLedger } from '../test/support/open-ledger.ts'

const rounds = 1_000_000
const places = Array.from(
  { length: 1_000 },
  (_, index) => [`upstream-${index % 40}`, `model-${index}`] as const,
)
const closing: (() => void | Promise<void>)[] = []
const { store } = await openTestLedger({ after: (run) => void closing.push(run) }, { clock: systemClock })
const statistics = openOfferStatistics({
  ...{ store, clock: systemClock },
  limits: { ...limitDefaults, offerStatisticsFlushMs: 1_000_000 },
  onTrouble: (error) => process.stderr.write(`${String(error)}\n`),
})

function run(): number {
  const began = process.hrtime.bigint()
  for (let round = 0; round < rounds; round += 1) {
    const [upstream, model] = places[(round * 7) % places.length] ?? ['', '']
    statistics.attempted(upstream, model, false)
    statistics.settled(upstream, model, { firstByteMs: 300 + (round % 50), cost: 1_234_567n })
  }
  return Number(process.hrtime.bigint() - began) / rounds
}

run()
const best = Math.min(run(), run(), run())
process.stdout.write(`offer statistics: ${best.toFixed(0)} ns a request\n`)

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await work()
  process.stdout.write(`${what}: ${(performance.now() - began).toFixed(1)} ms\n`)
}
await timed('written, 1,000 offers', () => statistics.close())
await timed('read, 1,000 offers, day', () => statistics.sums('day', null))
for (const close of closing.reverse()) await close()
