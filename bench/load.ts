/**
 * The load: keep-alive connections that each send a prepared request, read the response to its end, and
 * send the next one. Bare sockets; counts bytes and fails for a response other than 200.
 * Arguments: port, connections, requests, body, key, path.
 */
import { connect } from 'node:net'

const [port = '', connections = '', requests = '', body = '', key = '', path = ''] = process.argv.slice(2)
const total = Number(requests)
const deadlineMs = 120_000

const request = Buffer.from(
  `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
)

let sent = 0
let finished = 0
let failed = 0
let bytes = 0

function finish(): void {
  process.stdout.write(`${JSON.stringify({ finished, failed, bytes })}\n`)
  process.exit(failed === 0 ? 0 : 1)
}

/** Whether the bytes so far are a whole answer. */
function isWhole(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd + 2))?.[1]
  return length === undefined ? text.endsWith('\r\n0\r\n\r\n') : text.length >= headEnd + 4 + Number(length)
}

function open(): void {
  const socket = connect({ port: Number(port), host: '127.0.0.1', noDelay: true })
  let text = ''
  const send = (): void => {
    if (sent >= total) {
      socket.destroy()
      return
    }
    sent += 1
    text = ''
    socket.write(request)
  }
  socket.on('connect', send)
  socket.on('error', () => {
    failed += 1
    finish()
  })
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
    bytes += chunk.length
    if (!isWhole(text)) return
    if (!text.startsWith('HTTP/1.1 200')) {
      failed += 1
      process.stderr.write(`${text.slice(0, 600)}\n`)
      finish()
    }
    finished += 1
    if (finished === total) finish()
    else send()
  })
}

setTimeout(() => {
  failed += 1
  process.stderr.write('the load did not end in time\n')
  finish()
}, deadlineMs).unref()
for (let count = 0; count < Number(connections); count += 1) open()
