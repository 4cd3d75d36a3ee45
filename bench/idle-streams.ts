/**
 * The memory of an idle stream: the slope over 500, 1,000 and 2,000 open streams, each read after the garbage was
 * collected. The difference of two readings is not enough, since a heap grows in steps.
 */
import { connect, type Socket } from 'node:net'
import { residentBytes } from './machine.ts'
import type { Contender } from './measure.ts'
import { chatBody, chatPath } from './scenario.ts'

const counts = [500, 1_000, 2_000]
const openInParallel = 32
const settleMs = 1_500
const openMsMax = 30_000

/** Bytes of resident memory per idle stream; NaN if the streams did not open in time. */
export async function bytesPerIdleStream(contender: Contender): Promise<number> {
  const sockets: Socket[] = []
  const points: { readonly streams: number; readonly bytes: number }[] = []
  try {
    for (const count of counts) {
      const startedMs = performance.now()
      const more = async (): Promise<void> => {
        while (sockets.length < count && performance.now() - startedMs < openMsMax)
          await openStream(contender, sockets)
      }
      await Promise.all(Array.from({ length: openInParallel }, more))
      if (sockets.length < count) return Number.NaN
      points.push({ streams: sockets.length, bytes: await collectedBytes(contender) })
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  return slope(points)
}

/** Resolves with the first bytes of the stream; a rejected one is closed and not counted. */
function openStream({ program, gateway }: Contender, sockets: Socket[]): Promise<void> {
  const text = chatBody({ stream: true }, 'idle=1')
  const head = `POST ${chatPath} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${gateway?.keys[0] ?? 'none'}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`
  return new Promise((resolve) => {
    const socket = connect({ port: program.port, host: '127.0.0.1' }, () => socket.write(head + text))
    sockets.push(socket)
    const drop = (): void => {
      const at = sockets.indexOf(socket)
      if (at >= 0) sockets.splice(at, 1)
      socket.destroy()
      setTimeout(resolve, 50)
    }
    socket.once('error', drop)
    socket.once('data', (chunk) => {
      if (chunk.toString('latin1', 9, 12) === '200') resolve()
      else drop()
    })
  })
}

async function collectedBytes({ program }: Contender): Promise<number> {
  for (let times = 0; times < 2; times += 1) {
    for (const id of program.name === 'nginx' ? [] : program.processes) process.kill(id, 'SIGUSR2')
    await new Promise((resolve) => setTimeout(resolve, settleMs))
  }
  return residentBytes(program.processes)
}

/** Least squares. */
function slope(points: readonly { readonly streams: number; readonly bytes: number }[]): number {
  const meanStreams = points.reduce((sum, { streams }) => sum + streams, 0) / points.length
  const meanBytes = points.reduce((sum, { bytes }) => sum + bytes, 0) / points.length
  const above = points.reduce(
    (sum, { streams, bytes }) => sum + (streams - meanStreams) * (bytes - meanBytes),
    0,
  )
  const below = points.reduce((sum, { streams }) => sum + (streams - meanStreams) ** 2, 0)
  return above / below
}
