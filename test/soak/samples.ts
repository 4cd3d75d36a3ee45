/** Measurements of a soak and their aggregation: samples of one process, latencies in slices, a slope. Pure except for reading /proc. */
import { readdirSync, readFileSync } from 'node:fs'

export interface Sample {
  /** Since the start of the soak. */
  readonly atMs: number
  readonly residentBytes: number
  readonly heapUsedBytes: number
  readonly openFiles: number
  readonly activeHandles: number
  readonly loopDelayP99Ms: number
  readonly loopDelayMaxMs: number
}

/** A request of the load. */
export interface Outcome {
  readonly atMs: number
  readonly tookMs: number
  /** undefined: succeeded. */
  readonly wrong: string | undefined
}

const bytesPerKilobyte = 1_024

/** Resident memory and open files of a process, from the system's own accounting. */
export function readProcess(pid: number): Pick<Sample, 'residentBytes' | 'openFiles'> {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return {
    residentBytes: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * bytesPerKilobyte,
    openFiles: readdirSync(`/proc/${pid}/fd`).length,
  }
}

/** The value of a metric without labels in Prometheus's text format; 0 where it is missing. */
export function metricIn(text: string, name: string): number {
  const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
  return found === undefined ? 0 : Number(found)
}

/** Change per hour by a least-squares fit of the samples; 0 for fewer than two. */
export function slopePerHour(samples: readonly Sample[], of: (sample: Sample) => number): number {
  const middle = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const times = samples.map(({ atMs }) => atMs / 3_600_000)
  const [time, value] = [middle(times), middle(samples.map(of))]
  const spread = times.reduce((sum, at) => sum + (at - time) ** 2, 0)
  if (spread === 0) return 0
  const together = samples.reduce(
    (sum, sample, index) => sum + (times[index]! - time) * (of(sample) - value),
    0,
  )
  return together / spread
}

/** The smallest number at or above this share of them; 0 for an empty list. */
export function rank(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

const columns = [
  'minutes',
  'requests',
  'failed',
  'median ms',
  'p99 ms',
  'resident MB',
  'heap MB',
  'files',
  'handles',
  'loop p99 ms',
  'loop max ms',
] as const

/** A Markdown table with a row for each time slice. */
export function table(samples: readonly Sample[], outcomes: readonly Outcome[], sliceMs: number): string {
  const rows = [columns.join(' | '), columns.map(() => '---:').join(' | ')]
  const endMs = samples.at(-1)?.atMs ?? 0
  for (let fromMs = 0; fromMs < endMs; fromMs += sliceMs) {
    const isIn = ({ atMs }: { readonly atMs: number }) => atMs >= fromMs && atMs < fromMs + sliceMs
    const seen = samples.filter(isIn)
    const asked = outcomes.filter(isIn)
    const last = seen.at(-1)
    if (last === undefined) continue
    const took = asked.map(({ tookMs }) => tookMs)
    rows.push(
      [
        `${fromMs / 60_000} to ${Math.round(Math.min(endMs, fromMs + sliceMs) / 60_000)}`,
        asked.length,
        asked.filter(({ wrong }) => wrong !== undefined).length,
        rank(took, 0.5).toFixed(1),
        rank(took, 0.99).toFixed(1),
        megabytes(last.residentBytes),
        megabytes(last.heapUsedBytes),
        last.openFiles,
        last.activeHandles,
        rank(
          seen.map(({ loopDelayP99Ms }) => loopDelayP99Ms),
          0.5,
        ).toFixed(1),
        Math.max(...seen.map(({ loopDelayMaxMs }) => loopDelayMaxMs)).toFixed(1),
      ].join(' | '),
    )
  }
  return rows.map((row) => `| ${row} |`).join('\n')
}

export const megabytes = (bytes: number): string => (bytes / bytesPerKilobyte ** 2).toFixed(1)
