/** The connection from the CLI to a running server: who can reach it, and what a killed server leaves behind. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { type AdminReply, callServer, findServer, openAdminSocket, type ServerFile } from './admin-socket.ts'

const limits = { adminBytesMax: 64 * 1024, adminTimeoutMs: 10_000, adminConnectionsMax: 8 }
const scratch = mkdtempSync(join(tmpdir(), 'tollgate-admin-'))
after(() => rmSync(scratch, { recursive: true }))

let folders = 0
function dataFolder(name = ''): string {
  folders += 1
  const folder = join(scratch, `${folders}${name}`)
  mkdirSync(folder)
  return folder
}

function open(folder: string, answer = echo) {
  return openAdminSocket({ dataFolder: folder, address: 'http://127.0.0.1:1', handle: answer, limits })
}

async function echo(operation: string, input: unknown): Promise<AdminReply> {
  return { status: 200, body: { operation, input } }
}

function named(folder: string): ServerFile {
  const found = findServer(folder)
  assert.ok(found.kind === 'named', found.kind)
  return found.server
}

test('a call arrives with its name and input, and its answer comes back', async () => {
  const folder = dataFolder()
  const socket = await open(folder)
  const input = { account: 'ada@example.org', text: 'ä€😀', n: 1 }
  const call = await callServer(named(folder), 'account.show', input, limits)
  assert.deepEqual(call, {
    kind: 'answered',
    reply: { status: 200, body: { operation: 'account.show', input } },
  })
  await socket.close()
})

for (const [what, name] of [
  ['beside the data', ''],
  ['in a temp directory when its path would be too long', `-${'x'.repeat(120)}`],
] as const) {
  test(`the socket is ${what}, closed to other users, and leaves nothing behind`, async () => {
    const folder = dataFolder(name)
    const socket = await open(folder)
    assert.equal(name === '', socket.socketPath.startsWith(folder))
    assert.ok(Buffer.byteLength(socket.socketPath) <= 100)
    assert.equal(statSync(dirname(socket.socketPath)).mode & 0o777, 0o700)
    assert.equal(statSync(join(folder, 'server.json')).mode & 0o777, 0o600)
    const server = named(folder)
    assert.deepEqual(server, { pid: process.pid, socket: socket.socketPath, address: 'http://127.0.0.1:1' })
    const call = await callServer(server, 'x', null, limits)
    assert.equal(call.kind, 'answered')
    await socket.close()
    assert.equal(existsSync(join(folder, 'server.json')), false)
    assert.equal(existsSync(dirname(socket.socketPath)), false)
    assert.deepEqual(findServer(folder), { kind: 'none' })
    assert.deepEqual(await callServer(server, 'x', null, limits), { kind: 'gone' })
  })
}

test('what a killed server leaves behind is recognized, and the next server replaces it', async () => {
  const folder = dataFolder()
  const script = `
    import { openAdminSocket } from ${JSON.stringify(new URL('./admin-socket.ts', import.meta.url).href)}
    await openAdminSocket({
      dataFolder: ${JSON.stringify(folder)}, address: 'http://127.0.0.1:1',
      answer: async () => ({ status: 200, body: null }), limits: ${JSON.stringify(limits)},
    })
    process.kill(process.pid, 'SIGKILL')`
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  assert.equal(killed.signal, 'SIGKILL', killed.stderr)
  const stale = named(folder)
  assert.notEqual(stale.pid, process.pid)
  assert.deepEqual(await callServer(stale, 'x', {}, limits), { kind: 'gone' })
  const socket = await open(folder)
  assert.equal(named(folder).pid, process.pid)
  assert.equal((await callServer(named(folder), 'x', {}, limits)).kind, 'answered')
  await socket.close()
})

test('a socket in a folder that others can enter is not used', async () => {
  const folder = dataFolder()
  const socket = await open(folder)
  chmodSync(dirname(socket.socketPath), 0o755)
  assert.equal(findServer(folder).kind, 'unsafe')
  await socket.close()
})

for (const content of ['', '{', '[]', '{"pid":1}', '{"pid":"1","socket":"/x","address":""}']) {
  test(`server.json with "${content}" is not used`, () => {
    const folder = dataFolder()
    writeFileSync(join(folder, 'server.json'), content)
    assert.equal(findServer(folder).kind, 'unsafe')
  })
}

for (const [what, method, body, status] of [
  ['another method', 'GET', '', 405],
  ['no JSON', 'POST', '{', 400],
  ['an empty body', 'POST', '', 400],
  ['too much', 'POST', `"${'x'.repeat(limits.adminBytesMax)}"`, 413],
] as const) {
  test(`${what} is rejected with ${status}`, async () => {
    const folder = dataFolder()
    const socket = await open(folder, () => assert.fail('must not be called'))
    assert.equal(await rawStatus(socket.socketPath, method, body), status)
    await socket.close()
  })
}

test('closing waits for the call that runs', async () => {
  const folder = dataFolder()
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const socket = await open(folder, async () => {
    enter()
    await released
    return { status: 200, body: 'done' }
  })
  const call = callServer(named(folder), 'slow', {}, limits)
  await entered
  const closed = socket.close()
  release()
  assert.deepEqual(await call, { kind: 'answered', reply: { status: 200, body: 'done' } })
  await closed
})

test('a call that is cut off is not carried out', async () => {
  const folder = dataFolder()
  const socket = await open(folder, () => assert.fail('must not be called'))
  await new Promise<void>((resolve) => {
    const outgoing = request({ socketPath: socket.socketPath, method: 'POST', path: '/credit', agent: false })
    outgoing.setHeader('content-length', 100)
    outgoing.on('error', () => resolve())
    outgoing.write('{', () => outgoing.destroy(new Error('cut')))
  })
  await socket.close()
})

function rawStatus(socketPath: string, method: string, body: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ socketPath, method, path: '/x', agent: false }, (incoming) => {
      incoming.resume()
      resolve(incoming.statusCode)
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}
