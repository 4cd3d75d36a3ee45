/**
 * `npm run bench`: the CPU time of all threads per request and per streamed event, next to floors
 * measured in the same interleaved run. Ratios hold on every machine; microseconds only on this one.
 */
import { spawnSync } from 'node:child_process'
import { connect, type Socket } from 'node:net'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { cpuMicros, type Program, residentBytes, startGateway, startNginx, startScript } from './programs.ts'

const rounds = Number(process.env.BENCH_ROUNDS ?? 5)
const warmRequests = 30_000
const requestsPerRound = 30_000
const streamsPerRound = 1_500
const fewEvents = 4
const manyEvents = 68
const idleStreams = 1_000

interface Scenario {
  readonly name: string
  readonly connections: number
  readonly requests: number
  readonly body: string
  /** Where it is asked; the address of Chat Completions where it is left out. */
  readonly path?: string
}

const prompt = 'Tell me how a gateway counts what it relays, please. '.repeat(16)

const chatPath = '/v1/chat/completions'

/** Translated between formats: the proxies in the comparison pass them through. */
const ways = [
  { name: 'chat → Messages', path: chatPath, model: 'claude-bench' },
  { name: 'Messages → Responses', path: '/v1/messages', model: 'responses-bench' },
]

function body(fields: object, text = prompt): string {
  return JSON.stringify({
    model: 'gpt-bench',
    max_tokens: 256,
    ...fields,
    messages: [{ role: 'user', content: text }],
  })
}

const scenarios: readonly Scenario[] = [
  { name: 'json', connections: 64, requests: requestsPerRound, body: body({}) },
  { name: 'json, one connection', connections: 1, requests: 4_000, body: body({}) },
  { name: 'json, 100 kB', connections: 64, requests: 4_000, body: body({}, prompt.repeat(118)) },
  {
    name: `stream, ${fewEvents} events`,
    connections: 64,
    requests: streamsPerRound * 4,
    body: body({ stream: true }, `events=${fewEvents} `),
  },
  {
    name: `stream, ${manyEvents} events`,
    connections: 64,
    requests: streamsPerRound,
    body: body({ stream: true }, `events=${manyEvents} `),
  },
]

const translated: readonly Scenario[] = ways.flatMap(({ name, path, model }) => [
  {
    name: `json, ${name}`,
    connections: 64,
    requests: requestsPerRound / 2,
    body: body({ model }),
    path,
  },
  {
    name: `stream, ${name}, ${fewEvents} events`,
    connections: 64,
    requests: streamsPerRound * 4,
    body: body({ model, stream: true }, `events=${fewEvents} `),
    path,
  },
  {
    name: `stream, ${name}, ${manyEvents} events`,
    connections: 64,
    requests: streamsPerRound,
    body: body({ model, stream: true }, `events=${manyEvents} `),
    path,
  },
])

interface Measure {
  readonly micros: number
  readonly perSecond: number
}

/** One load run: CPU time per request of the program, and how many it served per second. */
function measure(program: Program, scenario: Scenario): Measure {
  const { connections, requests, body: text, path = chatPath } = scenario
  const cpuBefore = cpuMicros(program.processes)
  const startedMs = performance.now()
  const load = spawnSync(
    process.execPath,
    [
      fileURLToPath(new URL('./load.ts', import.meta.url)),
      `${program.port}`,
      `${connections}`,
      `${requests}`,
      text,
      program.key,
      path,
    ],
    { encoding: 'utf8' },
  )
  if (load.status !== 0) throw new Error(`${program.name}: ${load.stdout}${load.stderr}`)
  const seconds = (performance.now() - startedMs) / 1_000
  return { micros: (cpuMicros(program.processes) - cpuBefore) / requests, perSecond: requests / seconds }
}

function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** Bytes of memory that one more idle stream costs the program. */
async function memoryPerStream(program: Program): Promise<number> {
  const text = body({ stream: true }, 'idle=1')
  const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${program.key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`
  const sockets: Socket[] = []
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = connect({ port: program.port, host: '127.0.0.1' }, () => socket.write(head + text))
      socket.once('data', () => resolve())
      socket.once('error', reject)
      sockets.push(socket)
    })
  for (let count = 0; count < idleStreams / 2; count += 1) await open()
  const before = residentBytes(program.processes)
  for (let count = 0; count < idleStreams / 2; count += 1) await open()
  const after = residentBytes(program.processes)
  for (const socket of sockets) socket.destroy()
  return (after - before) / (idleStreams / 2)
}

const upstream = await startScript('upstream', './upstream.ts', [])
const programs: Program[] = []
try {
  const nginx = await startNginx(upstream.port)
  if (nginx !== undefined) programs.push(nginx)
  programs.push(await startScript('node relay', './relay.ts', [`${upstream.port}`]))
  programs.push(await startGateway(upstream.port))
  console.log(
    `${cpus()[0]?.model.trim()}, ${cpus().length} cores, Node ${process.version}; median of ${rounds} interleaved rounds`,
  )

  const measured = new Map<string, Measure[]>()
  for (const program of programs) measure(program, { ...scenarios[0]!, requests: warmRequests })
  for (let round = 0; round < rounds; round += 1) {
    for (const scenario of [...scenarios, ...translated]) {
      for (const program of programs) {
        const key = `${scenario.name}|${program.name}`
        const found = measure(program, scenario)
        measured.set(key, [...(measured.get(key) ?? []), found])
      }
    }
  }
  const micros = (scenario: string, program: string): number =>
    median((measured.get(`${scenario}|${program}`) ?? []).map((found) => found.micros))
  const perSecond = (scenario: string, program: string): number =>
    median((measured.get(`${scenario}|${program}`) ?? []).map((found) => found.perSecond))

  const columns = programs.map(({ name }) => `${name}: CPU µs | requests/s`)
  console.log(`\n| | ${columns.join(' | ')} |`)
  console.log(`|---|${programs.map(() => '---:|---:').join('|')}|`)
  for (const { name } of [...scenarios, ...translated]) {
    const cells = programs.map(
      (program) => `${micros(name, program.name).toFixed(1)} | ${perSecond(name, program.name).toFixed(0)}`,
    )
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
  const events = manyEvents - fewEvents
  for (const kind of ['stream', ...ways.map(({ name }) => `stream, ${name}`)]) {
    const perEvent = programs.map(({ name }) => {
      const many = micros(`${kind}, ${manyEvents} events`, name)
      return `${((many - micros(`${kind}, ${fewEvents} events`, name)) / events).toFixed(1)} |`
    })
    console.log(`| CPU µs per event, ${kind} | ${perEvent.join(' | ')} |`)
  }
  const memory: string[] = []
  for (const program of programs) memory.push(`${((await memoryPerStream(program)) / 1_024).toFixed(1)} |`)
  console.log(`| kB per idle stream | ${memory.join(' | ')} |`)
} finally {
  for (const program of programs) await program.stop()
  await upstream.stop()
}
