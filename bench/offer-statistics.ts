/** CPU of the statistics of offers for one request: an attempt and a settlement, over 1,000 offers at 40 upstreams. */
import { systemClock } from '../src/base/clock.ts'
import { openOfferStatistics } from '../src/usage/offer-statistics.ts'

const rounds = 1_000_000
const places = Array.from(
  { length: 1_000 },
  (_, index) => [`upstream-${index % 40}`, `model-${index}`] as const,
)
const statistics = openOfferStatistics({ clock: systemClock, limits: { offerStatisticsMax: 1_000 } })

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
