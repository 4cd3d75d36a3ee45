/**
 * `node scripts/run.js bench/first-byte.ts [requests per second] [seconds] [rounds]`: the time until the first byte of a
 * response, at a fixed rate of requests whether or not earlier ones are answered, at the upstream itself, nginx, the Node relay and the
 * gateway, in turns. Each also prints what it adds to the upstream's time. The load runs on the same machine.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway } from './gateway.ts'
import { startNginx, startScript } from './programs.ts'
import { chatBody, chatPath } from './scenario.ts'

const [rate = 500, seconds = 5, rounds = 6] = process.argv.slice(2).map(Number)
const warmUpSeconds = 20
const tickMs = 1
const lastChunk = '0\r\n\r\n'

interface Target {
  readonly name: string
  readonly port: number
  readonly key: string
}

/** A load, and the end of its response: after a number of bytes, or with the last chunk. */
const loads = [
  { name: 'whole response', body: chatBody({}) },
  { name: 'stream', body: chatBody({ stream: true }, 'events=3 pause=0') },
]

/** A keep-alive connection that carries one request at a time. */
class Connection {
  readonly #socket: Socket
  isOpen = true
  #sentMs = 0
  #firstByteMs = 0
  #received = ''
  #answered: ((firstByteMs: number | null) => void) | undefined

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true })
    this.#socket.on('data', (chunk) => this.#take(chunk.toString('latin1')))
    this.#socket.on('error', () => this.#socket.destroy())
    this.#socket.on('close', () => {
      this.isOpen = false
      this.#answered?.(null)
    })
  }

  /** Milliseconds until the first byte, known at the end of the response; null: it was not answered with 200. */
  send(request: string): Promise<number | null> {
    this.#received = ''
    this.#sentMs = performance.now()
    this.#socket.write(request)
    return new Promise((resolve) => {
      this.#answered = resolve
    })
  }

  close(): void {
    this.#socket.destroy()
  }

  #take(chunk: string): void {
    if (this.#received === '') this.#firstByteMs = performance.now() - this.#sentMs
    this.#received += chunk
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const length = /\r\ncontent-length: (\d+)/i.exec(this.#received.slice(0, headEnd))?.[1]
    const isWhole =
      length === undefined
        ? this.#received.endsWith(lastChunk)
        : this.#received.length >= headEnd + 4 + Number(length)
    if (isWhole) this.#answered?.(this.#received.startsWith('HTTP/1.1 200') ? this.#firstByteMs : null)
  }
}

/** The times of all requests due within `forSeconds`; null: not answered with 200. */
async function timesAt({ port, key }: Target, body: string, forSeconds: number): Promise<(number | null)[]> {
  const request = `POST ${chatPath} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const idle: Connection[] = []
  const all = new Set<Connection>()
  const times: (number | null)[] = []
  const running = new Set<Promise<void>>()
  const began = performance.now()
  for (let sent = 0; sent < rate * forSeconds; ) {
    const due = Math.min(rate * forSeconds, ((performance.now() - began) / 1_000) * rate)
    for (; sent < due; sent += 1) {
      const connection = idle.pop() ?? new Connection(port)
      all.add(connection)
      const answer = connection.send(request).then((ms) => {
        times.push(ms)
        if (connection.isOpen) idle.push(connection)
        running.delete(answer)
      })
      running.add(answer)
    }
    await new Promise((resolve) => setTimeout(resolve, tickMs))
  }
  await Promise.all(running)
  for (const connection of all) connection.close()
  return times
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

/** Milliseconds of a small synced write next to the gateway's data. */
function syncTimes(): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-sync-'))
  const file = openSync(join(folder, 'file'), 'w')
  const times = Array.from({ length: 200 }, () => {
    const began = performance.now()
    writeSync(file, Buffer.alloc(4_096))
    fsyncSync(file)
    return performance.now() - began
  })
  closeSync(file)
  rmSync(folder, { recursive: true })
  return times.sort((a, b) => a - b)
}

const upstream = await startScript('upstream', './upstream.ts', [])
const nginx = await startNginx(upstream.port)
const relay = await startScript('node relay', './relay.ts', [`${upstream.port}`])
const gateway = await startGateway('tollgate', join(import.meta.dirname, '..'), {
  upstreamPort: upstream.port,
  accounts: 1,
})
const programs = [upstream, ...(nginx === undefined ? [] : [nginx]), relay, gateway]
try {
  const targets = programs.map(({ name, port }) => ({ name, port, key: gateway.keys[0] ?? '' }))
  for (const target of targets)
    for (const { body } of loads) await timesAt(target, body, warmUpSeconds / loads.length)
  const found = new Map<string, (number | null)[]>()
  for (let round = 0; round < rounds; round += 1)
    for (const load of loads)
      for (const target of targets) {
        const name = `${load.name}|${target.name}`
        found.set(name, [...(found.get(name) ?? []), ...(await timesAt(target, load.body, seconds))])
      }
  const syncs = syncTimes()
  console.log(
    `${rate} requests/s, ${rounds} × ${seconds} s each; a synced write of 4 kB: p50 ${quantile(syncs, 0.5).toFixed(2)} ms, p99 ${quantile(syncs, 0.99).toFixed(2)} ms\n`,
  )
  console.log(
    '| first byte, ms | p50 | p99 | added, p50 | added, p99 | rejected |\n|---|---:|---:|---:|---:|---:|',
  )
  for (const load of loads) {
    const outcomes = (name: string): (number | null)[] => found.get(`${load.name}|${name}`) ?? []
    const sorted = (name: string): number[] =>
      outcomes(name)
        .filter((ms) => ms !== null)
        .sort((a, b) => a - b)
    const base = sorted(upstream.name)
    for (const { name } of targets) {
      const times = sorted(name)
      const cells = [0.5, 0.99].map((part) => quantile(times, part))
      const added = [0.5, 0.99].map((part) => quantile(times, part) - quantile(base, part))
      console.log(
        `| ${load.name}, ${name} | ${[...cells, ...added].map((ms) => ms.toFixed(2)).join(' | ')} | ${outcomes(name).length - times.length} |`,
      )
    }
  }
} finally {
  for (const program of [...programs].reverse()) await program.stop()
}
