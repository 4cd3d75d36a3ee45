/**
 * A mail server for tests: real SMTP over TCP on loopback, as far as a client needs it. Stores every e-mail, and lets a
 * test wait for the next one or reject some.
 */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import type { Lifetime } from './open-ledger.ts'

export interface Received {
  readonly from: string
  readonly to: readonly string[]
  readonly subject: string
  /** The decoded text. */
  readonly text: string
  /** The raw e-mail. */
  readonly raw: string
}

export interface MailSink {
  /** For SMTP_URL. */
  readonly url: string
  readonly emails: readonly Received[]
  /** The next e-mail to this address that was not returned yet; waits for it. */
  next(to: string): Promise<Received>
  /** Rejects this many of the next e-mails with this SMTP code. */
  reject(count: number, code: number): void
  close(): Promise<void>
}

export async function mailSink(context: Lifetime): Promise<MailSink> {
  const emails: Received[] = []
  const taken = new Set<Received>()
  const waiting = new Set<() => void>()
  const sockets = new Set<Socket>()
  const rejecting = { left: 0, code: 0 }
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    converse(socket, (email) => {
      if (rejecting.left > 0) {
        rejecting.left -= 1
        return rejecting.code
      }
      emails.push(email)
      for (const look of [...waiting]) look()
      return 250
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const sink: MailSink = {
    url: `smtp://127.0.0.1:${port}`,
    emails,
    next: (to) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = emails.find((email) => !taken.has(email) && email.to.includes(to))
          if (found === undefined) return
          taken.add(found)
          waiting.delete(look)
          resolve(found)
        }
        waiting.add(look)
        look()
      }),
    reject(count, code) {
      rejecting.left = count
      rejecting.code = code
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
  context.after(() => sink.close())
  return sink
}

/** Speaks SMTP on a connection: commands line by line, then an email until a line with only a dot. */
function converse(socket: Socket, take: (email: Received) => number): void {
  let rest = ''
  let email: string[] | null = null
  let from = ''
  let to: string[] = []
  const say = (line: string) => socket.write(`${line}\r\n`)
  say('220 sink')
  const command = (line: string): void => {
    const verb = line.slice(0, 4).toUpperCase()
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    if (verb === 'MAIL') from = address
    if (verb === 'RCPT') to.push(address)
    if (verb === 'DATA') email = []
    if (verb === 'QUIT') {
      say('221 bye')
      socket.end()
      return
    }
    say(verb === 'DATA' ? '354 go on' : verb === 'EHLO' ? '250 sink' : '250 ok')
  }
  socket.on('data', (piece) => {
    rest += piece.toString('latin1')
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      const line = rest.slice(0, end)
      rest = rest.slice(end + 2)
      if (email === null) command(line)
      else if (line !== '.') email.push(line.replace(/^\.\./, '.'))
      else {
        say(`${take(read(email.join('\r\n'), { from, to }))} done`)
        email = null
        to = []
      }
    }
  })
}

function read(raw: string, envelope: { from: string; to: readonly string[] }): Received {
  const cut = raw.indexOf('\r\n\r\n')
  const head = raw.slice(0, cut).replace(/\r\n[ \t]+/g, ' ')
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? ''
  const isQuoted = /quoted-printable/i.test(header('content-transfer-encoding'))
  const body = raw.slice(cut + 4)
  const bytes = isQuoted ? unquoted(body) : body
  const text = Buffer.from(bytes, 'latin1').toString('utf8').replace(/\r\n/g, '\n')
  return { ...envelope, to: [...envelope.to], subject: header('subject'), text, raw }
}

function unquoted(text: string): string {
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}
