/**
 * Opens one connection to an upstream: plain or TLS, always verified, within a time limit. It must
 * not use HTTP, and never falls back from TLS to plain text.
 */
import net from 'node:net'
import tls from 'node:tls'
import type { Clock } from '../base/clock.ts'

export type ConnectTrouble = 'refused' | 'connect_timeout' | 'dns' | 'tls' | 'reset'

class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly trouble: ConnectTrouble

  constructor(trouble: ConnectTrouble, message: string, cause?: unknown) {
    super(message, { cause })
    this.trouble = trouble
  }
}

export interface ConnectTarget {
  readonly secure: boolean
  /** Without brackets around an IPv6 address. */
  readonly hostname: string
  readonly port: number
}

/** The last TLS session of an origin, so that the next handshake is short. */
export interface SessionMemory {
  session: Buffer | undefined
}

export interface ConnectInput {
  readonly target: ConnectTarget
  readonly connectMs: number
  readonly clock: Clock
  readonly memory: SessionMemory
}

/** Null: the socket can be used. */
export type Connected = (error: ConnectError | null) => void

/** Where an origin points; throws for anything that is not `http(s)://host[:port]`. */
export function connectTarget(origin: string): ConnectTarget {
  const url = new URL(origin)
  const secure = url.protocol === 'https:'
  if (!secure && url.protocol !== 'http:') throw new TypeError(`not an HTTP origin: ${origin}`)
  const hostname = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  return { secure, hostname, port: url.port === '' ? (secure ? 443 : 80) : Number(url.port) }
}

/** Calls `connected` once, later; the socket is returned immediately so that it can be destroyed in between. */
export function connect(connecting: ConnectInput, connected: Connected): net.Socket {
  const { target, clock, connectMs } = connecting
  const socket = target.secure ? openSecure(connecting) : openPlain(target)
  let reached = false
  let settled = false
  const timer = clock.after(connectMs, () =>
    finish(new ConnectError('connect_timeout', `no connection within ${connectMs} ms`)),
  )
  function finish(error: ConnectError | null): void {
    if (settled) return
    settled = true
    timer.cancel()
    if (error === null) {
      connected(null)
    } else {
      socket.destroy()
      connected(error)
    }
  }
  socket.once('connect', () => {
    reached = true
    if (!target.secure) finish(null)
  })
  socket.once('secureConnect', () => finish(null))
  // Stays for the life of the socket: a late error must not end the process; who uses the socket listens too.
  socket.on('error', (error: NodeJS.ErrnoException) => finish(connectError(error, reached)))
  socket.once('close', () => finish(new ConnectError('reset', 'closed while connecting')))
  return socket
}

function openPlain(target: ConnectTarget): net.Socket {
  return net.connect({ host: target.hostname, port: target.port, noDelay: true, keepAlive: true })
}

function openSecure({ target, memory }: ConnectInput): net.Socket {
  const socket = tls.connect({
    host: target.hostname,
    port: target.port,
    ALPNProtocols: ['http/1.1'],
    // Said aloud, so that no environment variable can turn it off.
    rejectUnauthorized: true,
    ...(net.isIP(target.hostname) === 0 ? { servername: target.hostname } : {}),
    ...(memory.session === undefined ? {} : { session: memory.session }),
  })
  socket.setNoDelay(true)
  socket.setKeepAlive(true)
  socket.on('session', (session) => {
    memory.session = session
  })
  return socket
}

const troubleByCode: Readonly<Record<string, ConnectTrouble>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ETIMEDOUT: 'connect_timeout',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
}

/** After TCP is connected, a failure before the connection is usable is one of the TLS handshake. */
function connectError(error: NodeJS.ErrnoException, reached: boolean): ConnectError {
  const known = error.code === undefined ? undefined : troubleByCode[error.code]
  const message = `${error.code ?? error.name}: ${error.message}`
  return new ConnectError(known ?? (reached ? 'tls' : 'refused'), message, error)
}
