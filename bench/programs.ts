/**
 * The programs under test, as child processes: started, found by the port that they print, measured by
 * the kernel's accounting, and ended by their own process ID.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Program {
  readonly name: string
  readonly port: number
  readonly key: string
  readonly processes: readonly number[]
  stop(): Promise<void>
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const clockTicksPerSecond = 100

/** CPU time of all threads of the processes so far, microseconds. */
export function cpuMicros(processes: readonly number[]): number {
  let ticks = 0
  for (const id of processes) {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return (ticks / clockTicksPerSecond) * 1_000_000
}

/** Resident memory of the processes, bytes. */
export function residentBytes(processes: readonly number[]): number {
  let kilobytes = 0
  for (const id of processes) {
    kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0)
  }
  return kilobytes * 1_024
}

/** A program of ours that prints its port. */
export async function startScript(
  name: string,
  script: string,
  parameters: readonly string[],
): Promise<Program> {
  const child = spawn(process.execPath, [here(script), ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Number(await firstMatch(child, /^(\d+)/))
  return { name, port, key: 'none', processes: [child.pid ?? 0], stop: () => ended(child) }
}

/** The gateway with everything on: keys, limits, holds, settlements, durable receipts. */
export async function startGateway(upstreamPort: number): Promise<Program> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const settings = join(folder, 'tollgate.yaml')
  writeFileSync(settings, gatewaySettings)
  const environment = {
    ...process.env,
    TOLLGATE_DATA: join(folder, 'data'),
    TOLLGATE_CONFIG: settings,
    TOLLGATE_PORT: '0',
    TOLLGATE_LOG_LEVEL: 'warn',
    OPENAI_API_KEY: 'bench',
    TOLLGATE_OPENAI_URL: `http://127.0.0.1:${upstreamPort}`,
    ANTHROPIC_API_KEY: 'bench',
    TOLLGATE_ANTHROPIC_URL: `http://127.0.0.1:${upstreamPort}`,
  }
  const main = here('../src/main.ts')
  const child = spawn(process.execPath, [main, 'serve'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Number(await firstMatch(child, /ready at http:\/\/127\.0\.0\.1:(\d+)/))
  const made = spawnSync(
    process.execPath,
    [main, 'account', 'create', '--email', 'bench@example.org', '--credit', '1000000', '--json'],
    { env: environment, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(made.stderr)
  const { key } = JSON.parse(made.stdout) as { key: string }
  return {
    name: 'tollgate',
    port,
    key,
    processes: [child.pid ?? 0],
    async stop() {
      await ended(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Rates are on, and out of the way: every request is counted against them. */
const gatewaySettings = `limits:
  requestsPerMinute: 100000000
  tokensPerMinute: 1000000000
  concurrent: 100000
models:
  - id: gpt-bench
    context: 128000
    maxOutput: 4096
    prices:
      - input: '0.15'
        cacheRead: '0.075'
        output: '0.60'
        source: made up for measuring
  - id: responses-bench
    provider: openai
    upstreams: [openai]
    dialects: [openai-responses]
    context: 128000
    maxOutput: 4096
    prices:
      - input: '0.15'
        cacheRead: '0.075'
        output: '0.60'
        source: made up for measuring
  - id: claude-bench
    context: 128000
    maxOutput: 4096
    prices:
      - input: '0.15'
        cacheRead: '0.075'
        output: '0.60'
        source: made up for measuring
`

/** nginx as a plain proxy with keep-alive to the upstream; undefined where it is not installed. */
export async function startNginx(upstreamPort: number): Promise<Program | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-nginx-'))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const settings = join(folder, 'nginx.conf')
  writeFileSync(settings, nginxSettings(folder, port, upstreamPort))
  const child = spawn('nginx', ['-p', folder, '-c', settings, '-e', join(folder, 'error.log')], {
    stdio: 'inherit',
  })
  await untilListening(port)
  const workers = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
    .trim()
    .split(' ')
    .map(Number)
  return {
    name: 'nginx',
    port,
    key: 'none',
    processes: [child.pid ?? 0, ...workers],
    async stop() {
      await ended(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function nginxSettings(folder: string, port: number, upstreamPort: number): string {
  // Its worker must be able to write where its master made the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  return `${user} daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 8192; }
http {
  access_log off; client_body_buffer_size 1m; client_max_body_size 40m; keepalive_requests 100000000;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream model { server 127.0.0.1:${upstreamPort}; keepalive 256; keepalive_requests 100000000; }
  server { listen 127.0.0.1:${port};
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } }
}
`
}

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error('nginx did not begin to listen')
}

function firstMatch(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.once('exit', (code) => reject(new Error(`it ended with ${code} before it was ready: ${text}`)))
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const found = pattern.exec(text)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    child.once('exit', () => resolve())
    child.kill('SIGTERM')
  })
}
