/** A page that is requested in the moment in which the server begins to listen gets a response. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { testGateway } from '../support/gateway.ts'
import { temporaryDirectory } from '../support/open-ledger.ts'

/** The first connection that the server accepts. */
async function connected(port: number): Promise<Socket> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const taken = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    if (taken) return socket
  }
}

const ask = (socket: Socket) => socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n')

/** Unfinished work of an earlier process delays the pages. */
const leftovers = 200

test('a request in the first moment gets a response', async (context) => {
  const dataFolder = temporaryDirectory(context)
  const first = await testGateway({ dataFolder })
  const { settings } = first.gateway.services
  for (let left = 0; left < leftovers; left += 1) await settings.put(`departure:nobody-${left}`, '[]')
  await first.close()
  const port = await freePort()
  const starting = testGateway({ dataFolder, environment: { TOLLGATE_PORT: String(port) } })
  const early = await connected(port)
  context.after(() => void early.destroy())
  const answers: string[] = []
  early.on('data', (bytes: Buffer) => answers.push(bytes.toString('latin1')))
  ask(early)
  const second = await starting
  context.after(() => second.close())
  assert.deepEqual(await second.gateway.services.settings.listByPrefix('departure:'), [])
  const late = connect(port, '127.0.0.1')
  ask(late)
  await once(late, 'data')
  late.destroy()
  assert.match(answers.join(''), /^HTTP\/1\.1 200 /)
})
