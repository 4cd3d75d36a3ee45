/**
 * Two servers behind the load balancer that is shipped, restarted one after the other under load: no request fails, none is sent
 * twice, and streams end whole. The balancer is a real nginx, which cannot ask whether a server is ready.
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
import { postgresIsMissing, startPostgres } from '../support/postgres-server.ts'

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
  writeFileSync(
    join(folder, 'nginx.conf'),
    `${user} daemon off; pid ${folder}/pid; events {} http { access_log off; ${temporary}\n${file}}`,
  )
  const child: ChildProcess = spawn(
    'nginx',
    ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    { stdio: 'ignore' },
  )
  await eventually('the balancer', () => connects(port), Boolean)
  return {
    origin: `http://127.0.0.1:${port}`,
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

test('rolling restarts behind nginx fail no request and repeat none', { skip }, async () => {
  const database = await startPostgres()
  const sandbox = await startSandbox({ clock: systemClock })
  const environment = {
    DATABASE_URL: await database.createDatabase(),
    TOLLGATE_SECRET: 'root secret of servers behind a balancer',
    // Longer than the balancer avoids a server that it could not reach: one of the two is always there.
    TOLLGATE_DRAIN_NOTICE_MS: '3000',
  }
  const yaml = `
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${sandbox.origin}', credential: any, models: all }
models:
  - { id: sandbox-stream, provider: sandbox, context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }
limits: { requestsPerMinute: none, tokensPerMinute: none, concurrent: none, eventLoopDelayMsMax: 1000000000, commitMsMax: 1000000000 }
`
  const ports = [await freePort(), await freePort()]
  const installations = ports.map(() => makeInstallation(yaml))
  const start = (at: number): Promise<GatewayProcess> => {
    const installation = installations[at]
    assert.ok(installation !== undefined)
    return installation.start({ environment: { ...environment, TOLLGATE_PORT: String(ports[at]) } })
  }
  const servers = [await start(0), await start(1)]
  const { key } =
    (await installations[0]?.ask('account.create', { email: 'ada@example.org', credit: '100' })) ?? {}
  const balancer = await startBalancer(ports)
  const counts = { sent: 0, failures: [] as string[], isOver: false }
  const before = sandbox.requests()
  const client = async (flow: string, stream: boolean): Promise<void> => {
    while (!counts.isOver) {
      counts.sent += 1
      const messages = [{ role: 'user', content: flow }]
      const body = { model: 'sandbox-stream', stream, max_tokens: 5_000, messages }
      const sent = new Sent(balancer.origin, { key: key ?? '', format: 'chat', body })
      const answer = await sent
        .whole()
        .catch((error: unknown) => ({ status: 0, text: String(error), broken: null }))
      const isWhole =
        answer.status === 200 && answer.broken === null && (!stream || answer.text.includes('[DONE]'))
      if (!isWhole) counts.failures.push(`${answer.status} ${answer.text.slice(0, 200)}`)
    }
  }
  const running = [
    ...Array.from({ length: clients }, () => client('tokens=2 rate=1000', false)),
    client('tokens=60 rate=20', true),
  ]
  for (let round = 0; round < roundsOfRestarts; round += 1) {
    for (const at of servers.keys()) {
      servers[at]?.signal('SIGTERM')
      assert.deepEqual(await servers[at]?.ended, { code: 0, signal: null })
      servers[at] = await start(at)
    }
  }
  counts.isOver = true
  await Promise.all(running)
  assert.deepEqual(counts.failures, [], balancer.log().slice(-3_000))
  assert.equal(sandbox.requests() - before, counts.sent, 'each was sent once')
  assert.ok(counts.sent > 100, `${counts.sent} requests`)
  await balancer.stop()
  for (const installation of installations) await installation.remove()
  await sandbox.close()
  await database.stop()
})
