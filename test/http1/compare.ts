/**
 * Compares our parser of responses with an HTTP library on the same bytes. Ours may reject what the library accepts; what
 * ours accepts, both must understand alike, however the bytes are divided into reads.
 */
import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import { Client } from 'undici'
import { ResponseParser } from '../../src/providers/http1/response-parser.ts'
import { type Meaning, pieces, responseOf } from './responses.ts'

interface Understood extends Meaning {
  readonly kind: 'complete'
}

interface Rejected {
  readonly kind: 'rejected'
  readonly reason: string
}

type Reading = Understood | Rejected

const overheadBytesMax = 16_384

/** Unambiguous responses that the library rejects or misreads. */
const peculiarities: readonly { readonly reason: RegExp; readonly response: RegExp }[] = [
  { reason: /^bad response$/, response: /^HTTP\/1\.1 100[ \r]/m },
  { reason: /does not match content-length/, response: /^content-length:.* \r$/im },
  // Fields about the length of a body mean nothing in its trailers.
  {
    reason: /Content-Length can't be present with Transfer-Encoding/,
    response: /^(?:(?!\r\ncontent-length:).)*\r\n\r\n.*\r\ncontent-length:/is,
  },
]

/** Throws where the parsers contradict each other; returns what ours made of the seed's response. */
export async function compareParsers(seed: number): Promise<string> {
  const { text, meaning } = responseOf(seed)
  const whole = readByParser([Buffer.from(text, 'latin1')])
  const divided = readByParser(pieces(seed, text))
  // Why it is rejected may depend on what is seen first.
  assert.deepEqual(
    divided.kind === 'rejected' ? divided.kind : divided,
    whole.kind === 'rejected' ? whole.kind : whole,
  )
  if (meaning !== null) assert.deepEqual(whole, { kind: 'complete', ...meaning })
  const library = await readByLibrary(pieces(seed + 1, text))
  if (whole.kind === 'complete') {
    if (isPeculiar(library, text)) return 'rejected by the library alone'
    assert.deepEqual(whole, library, 'the library understands it differently')
    return 'accepted'
  }
  return library.kind === 'complete' ? `rejected by ours alone: ${whole.reason}` : 'rejected by both'
}

function isPeculiar(library: Reading, text: string): boolean {
  if (library.kind === 'complete') return false
  return peculiarities.some(({ reason, response }) => reason.test(library.reason) && response.test(text))
}

function readByParser(reads: readonly Buffer[]): Reading {
  const parser = new ResponseParser(overheadBytesMax)
  let head: Omit<Meaning, 'body'> | undefined
  let body = ''
  let isComplete = false
  parser.begin({
    head(status, headers) {
      assert.equal(head, undefined, 'one head')
      head = { status, headers: Object.fromEntries(headers) }
    },
    chunk(bytes) {
      assert.ok(head !== undefined && !isComplete && bytes.length > 0)
      body += Buffer.from(bytes).toString('latin1')
    },
    end() {
      assert.ok(head !== undefined && !isComplete)
      isComplete = true
    },
  })
  for (const bytes of reads) {
    const fault = parser.read(bytes)
    if (fault !== undefined) return { kind: 'rejected', reason: fault }
    if (isComplete) break
  }
  if (!isComplete && !parser.finish()) return { kind: 'rejected', reason: 'incomplete' }
  assert.ok(head !== undefined)
  return { kind: 'complete', ...head, body }
}

/** The library reads a fake socket: it returns the response once a request is written to it. */
function readByLibrary(reads: readonly Buffer[]): Promise<Reading> {
  let isAsked = false
  const socket = Object.assign(
    new Duplex({
      read() {},
      write(_chunk, _encoding, done) {
        done()
        if (isAsked) return
        isAsked = true
        setImmediate(() => {
          for (const bytes of reads) this.push(bytes)
          this.push(null)
        })
      },
    }),
    { ref() {}, unref() {} },
  )
  let connections = 0
  const client = new Client('http://upstream.test', {
    connect(_options, callback) {
      connections += 1
      // Later, as a real socket connects.
      queueMicrotask(() => {
        if (connections === 1) callback(null, socket as never)
        else callback(new Error('one connection only'), null)
      })
    },
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return new Promise<Reading>((resolve) => {
    let head: Omit<Meaning, 'body'> | undefined
    let body = ''
    socket.once('close', () => setImmediate(() => resolve({ kind: 'rejected', reason: 'closed' })))
    client.dispatch(
      { method: 'POST', path: '/' },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, headers) {
          if (status >= 200) head = { status, headers: joined(headers) }
        },
        onResponseData(_controller, bytes) {
          body += bytes.toString('latin1')
        },
        onResponseEnd() {
          if (head !== undefined) resolve({ kind: 'complete', ...head, body })
        },
        onResponseError: (_controller, error) => resolve({ kind: 'rejected', reason: error.message }),
      },
    )
  }).finally(() => client.destroy(null, () => {}))
}

/** The library leaves spaces behind a value. */
function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [
      name,
      [values ?? '']
        .flat()
        .map((value) => value.replace(/[\t ]+$/, ''))
        .join(', '),
    ]),
  )
}
