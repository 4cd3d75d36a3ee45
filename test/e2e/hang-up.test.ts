/**
 * What a terminal does to a server in it when it is closed: the server shuts down in order, unless it was started to outlive
 * the terminal. Without a terminal the same signal asks for a reload (reload.test.ts).
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { findServer } from '../../src/server/admin-socket.ts'
import { makeInstallation, program } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'

const hasTerminals = spawnSync('script', ['--version']).status === 0
const skip = hasTerminals ? false : 'no `script` of util-linux, which makes terminals'

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Runs a server in a terminal of its own, and closes the terminal. */
async function serverOfClosedTerminal(words: (serve: string) => string) {
  const installation = makeInstallation('')
  const { folder, dataFolder } = installation
  const serve = `'${process.execPath}' '${program}' serve`
  const terminal = spawn('script', ['-qec', words(serve), '/dev/null'], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: process.env.PATH, TMPDIR: tmpdir(), TOLLGATE_DATA: dataFolder, TOLLGATE_PORT: '0' },
  })
  terminal.stdout.resume()
  const found = await eventually(
    'started',
    async () => (existsSync(dataFolder) ? findServer(dataFolder) : { kind: 'none' as const }),
    ({ kind }) => kind === 'named',
  )
  assert.ok(found.kind === 'named')
  const closed = once(terminal, 'exit')
  terminal.kill('SIGKILL')
  await closed
  return { installation, pid: found.server.pid, file: join(dataFolder, 'server.json') }
}

test('a server whose terminal is closed shuts down in order', { skip }, async () => {
  const { installation, pid, file } = await serverOfClosedTerminal((serve) => `exec ${serve}`)
  await eventually(
    'ended',
    async () => isAlive(pid),
    (alive) => !alive,
  )
  assert.ok(!existsSync(file), 'a server that shuts down in order removes its file')
  await installation.remove()
})

test('a server started with nohup continues', { skip }, async () => {
  const { installation, pid } = await serverOfClosedTerminal((serve) => `exec nohup ${serve}`)
  process.kill(pid, 'SIGHUP')
  assert.equal((await installation.ask('system.show', {})).draining, false)
  process.kill(pid, 'SIGTERM')
  await eventually(
    'ended',
    async () => isAlive(pid),
    (alive) => !alive,
  )
  await installation.remove()
})
