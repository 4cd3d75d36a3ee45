/** Streams of events over real sockets: what is sent, when they end, and who gets none. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, test } from 'node:test'
import { topics } from '../../contract/events.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { Changes } from '../base/changes.ts'
import { limitDefaults } from '../config/config.ts'
import { EventStreams, type EventStreamsLimits, type StreamOpening } from './event-streams.ts'

const account = 1n
const limits: EventStreamsLimits & { readonly changesGatherMs: number } = {
  ...limitDefaults,
  eventStreamsMax: 3,
  eventStreamsPerWatcherMax: 2,
  eventStreamsPerNetworkMax: 2,
}

let clock: ReturnType<typeof manualClock>
let changes: Changes
let streams: EventStreams
let server: Server
let may: () => Promise<boolean>
const openings: StreamOpening[] = []
const sockets: Socket[] = []

beforeEach(async () => {
  clock = manualClock()
  changes = new Changes(clock, limits)
  streams = new EventStreams(clock, limits)
  may = async () => true
  openings.length = 0
  server = createServer((request, response) => {
    const [name = '', network = name] = (request.url ?? '').slice(1).split('/')
    const watcher = {
      name,
      network,
      account,
      watch: (listener: Parameters<Changes['watch']>[1]) => changes.watch(account, listener),
      isStillAuthorized: () => may(),
    }
    const open = (): void => {
      const opening = streams.open(watcher, response, { 'x-test': 'kept' })
      openings.push(opening)
      if (opening !== 'open') response.writeHead(503).end(opening)
    }
    if (network === 'gone') response.once('close', open)
    else open()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

interface Reader {
  readonly socket: Socket
  readonly text: () => string
  readonly closed: Promise<unknown>
}

/** Opens a stream and waits until `shows` appears in it. */
async function watch(name: string, shows = 'event: ready'): Promise<Reader> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  let text = ''
  socket.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  socket.write(`GET /${name} HTTP/1.1\r\nHost: a\r\n\r\n`)
  const reader = { socket, text: () => text, closed: once(socket, 'close') }
  await until(() => text.includes(shows))
  return reader
}

async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 100_000 && !condition(); turn += 1) await new Promise(setImmediate)
  assert.ok(condition())
}

test('silence is broken by comments', async () => {
  const reader = await watch('a')
  for (let times = 0; times < 3; times += 1) {
    clock.advance(limits.eventsKeepAliveMs)
    await new Promise(setImmediate)
  }
  await until(() => (reader.text().match(/^:$/gm) ?? []).length === 3)
})

test('a watcher has so many streams, all of them together so many, and places come back', async () => {
  const first = await watch('a')
  await watch('a')
  await watch('a', 'full')
  await watch('b')
  await watch('c', 'full')
  assert.deepEqual(openings, ['open', 'open', 'full', 'open', 'full'])
  first.socket.destroy()
  await until(() => streams.count === 2)
  await watch('a')
})

test('a client with many users has as many streams as its network allows, and ended streams do not count', async () => {
  const first = await watch('a/office')
  await watch('b/office')
  await watch('c/office', 'full')
  await watch('c/home')
  first.socket.destroy()
  await until(() => streams.count === 2)
  await watch('c/office')
})

test('a client that disconnects before its stream begins does not count', async () => {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  const asked = once(server, 'request')
  socket.write('GET /a/gone HTTP/1.1\r\nHost: a\r\n\r\n')
  await asked
  socket.destroy()
  await until(() => openings.length === 1)
  assert.equal(streams.count, 0)
  await watch('a')
  await watch('a')
})

test('a reader that does not read is disconnected, and nothing is buffered for it', async () => {
  const reader = await watch('a')
  reader.socket.pause()
  let published = 0
  for (; streams.count > 0 && published < 1_000_000; published += 1) {
    changes.publish(account, topics, BigInt(published))
    clock.advance(limits.changesGatherMs)
    if (published % 256 === 0) await new Promise(setImmediate)
  }
  assert.equal(streams.count, 0, `${published} events were taken`)
  changes.publish(account, ['balance'])
  clock.advance(limits.changesGatherMs)
})
