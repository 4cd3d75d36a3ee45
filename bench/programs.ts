/**
 * The programs under test, as child processes on free ports: started, found by the port that they print, and ended by
 * their own process ID.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Program {
  readonly name: string
  readonly port: number
  readonly processes: readonly number[]
  stop(): Promise<void>
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
/** Collects garbage on a signal, in Node programs, before their memory is read. */
const collector = ['--import', new URL('./collect-on-signal.ts', import.meta.url).href]

/** Without what npm and the launcher handed to this run: the program must not take it for its own. */
export function ownEnvironment(): NodeJS.ProcessEnv {
  const foreign = /^(npm_|TOLLGATE_|NODE_COMPILE_CACHE$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !foreign.test(name)))
}

/** A program of this repository, which prints its port. */
export async function startScript(
  name: string,
  script: string,
  parameters: readonly string[],
): Promise<Program> {
  const child = spawn(process.execPath, [...collector, here(script), ...parameters], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Number(await firstMatch(child, /^(\d+)/))
  return { name, port, processes: [child.pid ?? 0], stop: () => ended(child) }
}

/** The gateway of a checkout as `npm start` runs it, with its data in a new folder. */
export async function startServer(
  name: string,
  checkout: string,
  { upstreamPort, threads = 1 }: { readonly upstreamPort: number; readonly threads?: number },
): Promise<Program & { readonly dataFolder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-bench-'))
  const settings = join(folder, 'tollgate.yaml')
  const dataFolder = join(folder, 'data')
  writeFileSync(settings, gatewaySettings)
  const child = spawn(process.execPath, [...collector, join(checkout, 'bin/tollgate.js'), 'serve'], {
    cwd: folder,
    env: {
      ...ownEnvironment(),
      TOLLGATE_DATA: dataFolder,
      TOLLGATE_CONFIG: settings,
      TOLLGATE_PORT: '0',
      // Another checkout may be from before there were threads.
      ...(threads === 1 ? {} : { TOLLGATE_THREADS: `${threads}` }),
      TOLLGATE_LOG_LEVEL: 'error',
      OPENAI_API_KEY: 'bench',
      TOLLGATE_OPENAI_URL: `http://127.0.0.1:${upstreamPort}`,
      ANTHROPIC_API_KEY: 'bench',
      TOLLGATE_ANTHROPIC_URL: `http://127.0.0.1:${upstreamPort}`,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = Number(await firstMatch(child, /ready at http:\/\/127\.0\.0\.1:(\d+)/))
  return {
    name,
    port,
    dataFolder,
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
${['gpt-bench', 'claude-bench'].map((id) => `  - { id: ${id}, ${modelFields()} }`).join('\n')}
  - { id: responses-bench, provider: openai, offers: [openai], formats: [openai-responses], ${modelFields()} }
`

function modelFields(): string {
  return "context: 1000000, maxOutput: 4096, prices: [{ input: '0.15', cacheRead: '0.075', output: '0.60', source: made up for measuring }]"
}

/** A command, given its free port. */
export interface Command {
  readonly command: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A program of others; its output is shown where it ends before it answers. */
export async function startCommand(
  name: string,
  readyPath: string,
  make: (port: number) => Command,
): Promise<Program> {
  const port = await freePort()
  const { command, env = {} } = make(port)
  const [file = '', ...parameters] = command
  const child = spawn(file, parameters, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString()}`.slice(-outputCharsMax)
    })
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}: ${output}`)))
  })
  failed.catch(() => undefined)
  await Promise.race([untilAnswering(port, readyPath), failed])
  return { name, port, processes: [child.pid ?? 0, ...childrenOf(child)], stop: () => ended(child) }
}

function childrenOf({ pid }: ChildProcess): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return children === '' ? [] : children.split(' ').map(Number)
}

/** nginx as a plain proxy with keep-alive to the upstream; undefined where it is not installed. */
export async function startNginx(upstreamPort: number): Promise<Program | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-nginx-'))
  const port = await freePort()
  const settings = join(folder, 'nginx.conf')
  writeFileSync(settings, nginxSettings(folder, port, upstreamPort))
  const child = spawn('nginx', ['-p', folder, '-c', settings, '-e', join(folder, 'error.log')], {
    stdio: 'inherit',
  })
  await untilAnswering(port, '/')
  return {
    name: 'nginx',
    port,
    processes: [child.pid ?? 0, ...childrenOf(child)],
    async stop() {
      await ended(child)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function nginxSettings(folder: string, port: number, upstreamPort: number): string {
  // nginx's worker must be able to write to the folder that its master created.
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

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

const outputCharsMax = 4_000
const answerTries = 1_200
const betweenTriesMs = 50

/** Resolves once the address answers below 500; rejects after 60 s. */
export async function untilAnswering(port: number, path: string): Promise<void> {
  for (let tries = 0; tries < answerTries; tries += 1) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined)
    await response?.arrayBuffer()
    if (response !== undefined && response.status < 500) return
    await new Promise((resolve) => setTimeout(resolve, betweenTriesMs))
  }
  throw new Error(`nothing answered at port ${port}, ${path}`)
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
