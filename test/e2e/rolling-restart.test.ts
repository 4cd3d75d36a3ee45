/**
 * Two servers behind the load balancer that is shipped, under load. Restarted one after the other: no request fails, none is sent
 * twice, and streams end whole. Killed: only what was in flight at the killed one fails. The balancer is a real nginx, which
 * cannot ask whether a server is ready.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { freePort } from '../support/free-port.ts'
import { type GatewayProcess, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { Sent } from '../support/paying-client.ts'
import { postgresIsMissing, sharedPostgres } from '../support/postgres-server.ts'

const shipped = readFileSync(new URL('../../deploy/nginx/balancer.conf', import.meta.url), 'utf8')
const nginxIsMissing =
  spawnSync('nginx', ['-v']).error === undefined ? undefined : 'nginx is not installed (package nginx-light)'
const skip = postgresIsMissing ?? nginxIsMissing ?? false
const clients = 8
const roundsOfRestarts = 2

function connects(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** The shipped file with these servers. */
async function startBalancer(servers: readonly number[]) {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-balancer-'))
  const port = await freePort()
  const [one, two] = servers
  const file = shipped
    .replace('one:8080', `127.0.0.1:${one}`)
    .replace('two:8080', `127.0.0.1:${two}`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
  // Its worker must be able to write where its master made the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join(' ')
  const served = join(folder, 'served')
  const log = `log_format servers '$upstream_addr'; access_log ${served} servers;`
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; pid ${folder}/pid; events {} http { ${log} ${temporary}\n${file}}`,
  )
  const child: ChildProcess = spawn(
    'nginx',
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    { stdio: 'ignore' },
  )
  await eventually('the balancer', () => connects(port), Boolean)
  /** How many requests a server has answered, whether or not another one was tried before. */
  const answersOf = (server: number | undefined): number =>
    readFileSync(served, 'utf8')
      .split('\n')
      .filter((tried) => tried.endsWith(`:${server}`)).length
  return {
    origin: `http://127.0.0.1:${port}`,
    /** Resolves once this server is chosen again. */
    async chooses(server: number | undefined): Promise<void> {
      const before = answersOf(server)
      await eventually('the server is chosen', async () => answersOf(server) > before, Boolean)
    },
    /** What it reports, except for ports that are closed. */
    log: () => readFileSync(join(folder, 'error.log'), 'utf8').replaceAll(/^.*\(111: .*\n/gm, ''),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Two servers on one database behind the balancer, with the provider that they ask. */
async function openServers(settings: Readonly<Record<string, string>>) {
  const database = await sharedPostgres()
  const sandbox = await startSandbox({ clock: systemClock })
  const environment = {
    DATABASE_URL: await database.createDatabase(),
    TOLLGATE_SECRET: 'root secret of servers behind a balancer',
    ...settings,
  }
  const yaml = `
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${sandbox.origin}', credential: any, models: all }
models:
  - { id: sandbox-stream, provider: sandbox, context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }
limits: { requestsPerMinute: none, tokensPerMinute: none, concurrent: none }
`
  const ports = [await freePort(), await freePort()]
  const installations = ports.map(() =>
    makeInstallation(yaml, {
      fixed: { modelListsPerMinute: 1_000_000, eventLoopDelayMsMax: 1e9, commitMsMax: 1e9 },
    }),
  )
  const [first] = installations
  assert.ok(first !== undefined)
  const start = (at: number): Promise<GatewayProcess> => {
    const installation = installations[at]
    assert.ok(installation !== undefined)
    return installation.start({ environment: { ...environment, TOLLGATE_PORT: String(ports[at]) } })
  }
  const servers = [await start(0), await start(1)]
  const { key } = await first.ask('account.create', { email: 'ada@example.org', credit: '100' })
  const balancer = await startBalancer(ports)
  return {
    ports,
    sandbox,
    servers,
    start,
    balancer,
    key: key ?? '',
    async close() {
      assert.deepEqual((await first.ask('ledger.verify', {})).drift, [])
      await balancer.stop()
      for (const installation of installations) await installation.remove()
      await sandbox.close()
    },
  }
}

type Servers = Awaited<ReturnType<typeof openServers>>

/** Clients that ask for an answer, one with a stream and one for a list of models, each again and again. */
function beginLoad({ balancer, key, sandbox }: Servers) {
  /** Failures of each client. */
  const failures: string[][] = []
  const before = sandbox.requests()
  let sent = 0
  let isOver = false
  async function client(ask: () => Promise<string | null>): Promise<void> {
    const failed: string[] = []
    failures.push(failed)
    while (!isOver) {
      const failure = await ask().catch(String)
      if (failure !== null) failed.push(failure)
    }
  }
  const chat = (content: string, stream: boolean) => async () => {
    sent += 1
    const messages = [{ role: 'user', content }]
    const body = { model: 'sandbox-stream', stream, max_tokens: 5_000, messages }
    const { status, broken, text } = await new Sent(balancer.origin, { key, format: 'chat', body }).whole()
    const isWhole = status === 200 && broken === null && (!stream || text.includes('[DONE]'))
    return isWhole ? null : `${status} ${text.slice(0, 200)}`
  }
  const models = async () => {
    const { status } = await fetch(`${balancer.origin}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return status === 200 ? null : `models ${status}`
  }
  const running = [
    ...Array.from({ length: clients }, () => client(chat('tokens=2 rate=1000', false))),
    client(chat('tokens=60 rate=20', true)),
    client(models),
  ]
  return {
    async end() {
      isOver = true
      await Promise.all(running)
      return { failures, sent, received: sandbox.requests() - before }
    },
  }
}

test('rolling restarts behind nginx fail no request and repeat none', { skip }, async () => {
  // Longer than the balancer avoids a server that it could not reach: one of the two is always there.
  const on = await openServers({ TOLLGATE_DRAIN_NOTICE_MS: '3000' })
  const { servers, start, balancer } = on
  const load = beginLoad(on)
  for (let round = 0; round < roundsOfRestarts; round += 1) {
    for (const at of servers.keys()) {
      servers[at]?.signal('SIGTERM')
      assert.deepEqual(await servers[at]?.ended, { code: 0, signal: null })
      servers[at] = await start(at)
    }
  }
  const { failures, sent, received } = await load.end()
  assert.deepEqual(failures.flat(), [], balancer.log().slice(-3_000))
  assert.equal(received, sent, 'each was sent once')
  assert.ok(sent > 100, `${sent} requests`)
  await on.close()
})

test('of a server that is killed behind nginx only what it had received fails, once, and is sent to no other', {
  skip,
}, async () => {
  const on = await openServers({})
  const { servers, start, balancer, ports } = on
  const load = beginLoad(on)
  await balancer.chooses(ports[0])
  servers[0]?.signal('SIGKILL')
  assert.deepEqual(await servers[0]?.ended, { code: null, signal: 'SIGKILL' })
  await balancer.chooses(ports[1])
  servers[0] = await start(0)
  await balancer.chooses(ports[0])
  const { failures, sent, received } = await load.end()
  for (const failed of failures) assert.ok(failed.length <= 1, failed.join('\n'))
  assert.deepEqual(failures.at(-1), [], 'what may be repeated is asked of the other server')
  assert.ok(received <= sent && received >= sent - failures.flat().length, `${received} of ${sent}`)
  await on.close()
})
