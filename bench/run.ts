/**
 * `npm run bench`: the CPU time of all threads per request and per streamed event, next to floors measured in the same
 * interleaved run. Ratios hold on every machine; microseconds only on this one.
 *
 * `npm run bench -- [files of bench/scenarios…] [--against FOLDER] [--minutes 5] [--rounds N]`
 *
 * `--against`: a second checkout, measured in the same rounds. Without `--rounds`, rounds are repeated until the
 * minutes are over; on a busy machine there may be only one.
 */
import { readdirSync } from 'node:fs'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Gateway, proveLevels, startGateway } from './gateway.ts'
import { bytesPerIdleStream } from './idle-streams.ts'
import { startLoadGenerator } from './load-generator.ts'
import { residentBytes } from './machine.ts'
import { type Bench, type Contender, measureRound, measureSlice, Results } from './measure.ts'
import { type Program, startNginx, startScript } from './programs.ts'
import { chatBody, chatPath, type Scenario } from './scenario.ts'
import { type Columns, eventTable, requestTable, warnings } from './tables.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    minutes: { type: 'string', default: '5' },
    rounds: { type: 'string' },
  },
})
const untilMs = performance.now() + Number(values.minutes) * 60_000
/** Time to read memory at the end. */
const memoryMs = 20_000
const accountsTotal = 1_000
const idleStreams = 'idle-streams'

/** Every program gets this many of the same requests before it is measured, in turns of one step. */
const warmUp = { requests: 30_000, first: 5_000, step: 1_000, ofScenario: 3_000, slices: 4 }
const warmUpScenario: Scenario = {
  name: 'warm-up',
  connections: 64,
  requests: warmUp.step,
  path: chatPath,
  body: chatBody({}),
  isExact: true,
}
const firstRequests = `the first ${warmUp.first.toLocaleString('en-US')} requests`

async function chosenScenarios(): Promise<readonly Scenario[]> {
  const folder = new URL('./scenarios/', import.meta.url)
  const files = readdirSync(folder).map((file) => file.replace(/\.ts$/, ''))
  const unknown = positionals.find((name) => name !== idleStreams && !files.includes(name))
  if (unknown !== undefined) throw new Error(`${unknown}: one of ${[...files, idleStreams].join(', ')}`)
  const loaded = await Promise.all(
    files
      .filter((file) => positionals.length === 0 || positionals.includes(file))
      .map(async (file) => (await import(new URL(`${file}.ts`, folder).href)) as { scenarios: Scenario[] }),
  )
  return loaded
    .flatMap(({ scenarios }) => scenarios)
    .filter(({ onlyIfNamed }) => positionals.length > 0 || onlyIfNamed === undefined)
}

/** Floors first, the gateway of this checkout last. */
async function startContenders(
  upstreamPort: number,
  accounts: number,
  threadCounts: readonly number[] = [],
): Promise<Contender[]> {
  const nginx = await startNginx(upstreamPort)
  const floors = [
    ...(nginx === undefined ? [] : [nginx]),
    await startScript('node relay', './relay.ts', [`${upstreamPort}`]),
  ]
  const own = fileURLToPath(new URL('..', import.meta.url))
  const checkouts = [
    ...(values.against === undefined ? [] : [['against', resolve(values.against), 1] as const]),
    ...threadCounts.map((threads) => [`tollgate, ${threads} threads`, own, threads] as const),
    ['tollgate', own, 1] as const,
  ]
  const gateways: Gateway[] = []
  for (const [name, folder, threads] of checkouts)
    gateways.push(await startGateway(name, folder, { upstreamPort, accounts, threads }))
  return [
    ...floors.map((program) => ({ program })),
    ...gateways.map((gateway) => ({ program: gateway, gateway })),
  ]
}

async function warm(bench: Bench, results: Results, answered: Map<Program, number>): Promise<void> {
  for (let step = 0; step * warmUp.step < warmUp.requests; step += 1) {
    for (const contender of bench.contenders) {
      const slice = await measureSlice(bench, contender, warmUpScenario, step)
      answered.set(contender.program, (answered.get(contender.program) ?? 0) + slice.answered)
      if (step * warmUp.step < warmUp.first) results.add(firstRequests, contender.program.name, slice)
    }
  }
}

async function measureRounds(
  bench: Bench,
  scenarios: readonly Scenario[],
  results: Results,
): Promise<number> {
  // Loads differ in the code that they need, which is compiled and optimized by their first requests.
  const warming = scenarios.map((scenario) => ({
    ...scenario,
    requests: Math.max(scenario.requests, Math.min(warmUp.ofScenario, scenario.requests * warmUp.slices)),
    isExact: true as const,
  }))
  await measureRound(bench, warming, new Results(), 0)
  for (let round = 0; ; round += 1) {
    const startedMs = performance.now()
    await measureRound(bench, scenarios, results, round)
    const nowMs = performance.now()
    const isEnough =
      values.rounds === undefined
        ? nowMs + (nowMs - startedMs) > untilMs - memoryMs
        : round + 1 >= Number(values.rounds)
    if (isEnough) return round + 1
  }
}

/** In new processes: what the heap of an earlier load left free would hide what a stream takes. */
async function printMemory(upstreamPort: number, residentAfter: ReadonlyMap<string, number>): Promise<void> {
  const contenders = await startContenders(upstreamPort, 1)
  try {
    console.log(
      '\n| | resident MB after the run | resident MB at start | kB per idle stream |\n|---|---:|---:|---:|',
    )
    for (const contender of contenders) {
      const { name, processes } = contender.program
      const figures = [residentAfter.get(name) ?? Number.NaN, residentBytes(processes)].map((bytes) =>
        (bytes / 1e6).toFixed(0),
      )
      const perStream = (await bytesPerIdleStream(contender)) / 1_000
      console.log(`| ${[name, ...figures, perStream.toFixed(1)].join(' | ')} |`)
    }
  } finally {
    for (const { program } of contenders) await program.stop()
  }
}

async function main(): Promise<void> {
  const scenarios = await chosenScenarios()
  const upstream = await startScript('upstream', './upstream.ts', [])
  const generator = startLoadGenerator()
  let contenders: Contender[] = []
  try {
    const accounts = scenarios.some(({ keys }) => keys === 'all') ? accountsTotal : 1
    const threadCounts = [...new Set(scenarios.flatMap(({ threads }) => threads ?? []))]
    contenders = await startContenders(upstream.port, accounts, threadCounts)
    const bench = { contenders, generator, ownProcesses: [process.pid, generator.pid, ...upstream.processes] }
    const results = new Results()
    const answered = new Map<Program, number>()
    await warm(bench, results, answered)
    for (const { program, gateway } of contenders)
      if (gateway !== undefined) console.log(await proveLevels(gateway, answered.get(program) ?? 0))
    const rounds = await measureRounds(bench, scenarios, results)
    const names = contenders.map(({ program }) => program.name)
    const columns: Columns = { subject: names.at(-1) ?? '', others: names.slice(0, -1) }
    const rows = [{ name: firstRequests }, ...scenarios]
    console.log(
      `\n${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}; lower quartiles of the CPU time and medians of the rates of ${rounds} interleaved rounds after ${warmUp.requests} requests to each program\n`,
    )
    console.log(requestTable(results, rows, columns))
    const events = eventTable(results, scenarios, columns)
    if (events !== '') console.log(`\n${events}`)
    for (const warning of warnings(results, rows, columns)) console.log(`\n${warning}`)
    if (positionals.length > 0 && !positionals.includes(idleStreams)) return
    const resident = contenders.map(
      ({ program }) => [program.name, residentBytes(program.processes)] as const,
    )
    for (const { program } of contenders.splice(0)) await program.stop()
    await printMemory(upstream.port, new Map(resident))
  } finally {
    for (const { program } of contenders) await program.stop()
    await generator.stop()
    await upstream.stop()
  }
}

await main()
