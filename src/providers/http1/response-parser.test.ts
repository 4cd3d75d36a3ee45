/** Responses that the parser rejects although a more tolerant one would guess, and responses that it accepts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestHead } from '../send.ts'
import { ResponseParser } from './response-parser.ts'

const limitBytes = 1_000
const ok = 'HTTP/1.1 200 OK\r\n'
const inChunks = `${ok}transfer-encoding: chunked\r\n\r\n`

const rejected: Readonly<Record<string, string>> = {
  'content-length and transfer-encoding': `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`,
  'the same length twice': `${ok}content-length: 5\r\nContent-Length: 5\r\n\r\nhello`,
  'a list of lengths': `${ok}content-length: 5, 5\r\n\r\nhello`,
  'a signed length': `${ok}content-length: +5\r\n\r\nhello`,
  'a negative length': `${ok}content-length: -5\r\n\r\nhello`,
  'a hexadecimal length': `${ok}content-length: 0x5\r\n\r\nhello`,
  'a length with a fraction': `${ok}content-length: 5.0\r\n\r\nhello`,
  'an empty length': `${ok}content-length:\r\n\r\nhello`,
  'a length beyond all numbers': `${ok}content-length: 99999999999999999999\r\n\r\nhello`,
  'a length after a tab': `${ok}content-length:\t5\r\n\r\nhello`,
  'a folded header': `${ok}x-a: b\r\n c\r\ncontent-length: 0\r\n\r\n`,
  'a folded length': `${ok}content-length:\r\n 5\r\n\r\nhello`,
  'a folded first header': `${ok} x-a: b\r\ncontent-length: 0\r\n\r\n`,
  'a space before the colon': `${ok}content-length : 5\r\n\r\nhello`,
  'a header without a name': `${ok}: 5\r\n\r\n`,
  'a header without a colon': `${ok}content-length 5\r\n\r\n`,
  'a name with a quote': `${ok}x"y: 5\r\n\r\n`,
  'a line that ends with LF': `${ok}x-a: b\ncontent-length: 0\r\n\r\n`,
  'a head that ends with LF': 'HTTP/1.1 200 OK\ncontent-length: 0\n\n',
  'a line that ends with CR': `${ok}x-a: b\rcontent-length: 5\r\n\r\nhello`,
  'a NUL in a value': `${ok}x-a: b\0c\r\n\r\n`,
  'a delete character in a value': `${ok}x-a: b\x7f\r\n\r\n`,
  'an empty line before the status': `\r\n${ok}content-length: 0\r\n\r\n`,
  'a lower-case version': 'http/1.1 200 OK\r\n\r\n',
  'version 2': 'HTTP/2.0 200 OK\r\n\r\n',
  'version 1.2': 'HTTP/1.2 200 OK\r\n\r\n',
  'a status of two digits': 'HTTP/1.1 20 OK\r\n\r\n',
  'a status of four digits': 'HTTP/1.1 2000 OK\r\n\r\n',
  'a status below 100': 'HTTP/1.1 099 OK\r\n\r\n',
  'two spaces before the status': 'HTTP/1.1  200 OK\r\n\r\n',
  'another coding': `${ok}transfer-encoding: gzip\r\n\r\n`,
  'another coding before chunked': `${ok}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
  'chunked twice': `${ok}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  'identity as a coding': `${ok}transfer-encoding: identity\r\n\r\n`,
  'an empty coding': `${ok}transfer-encoding:\r\n\r\n`,
  'chunked with a vertical tab': `${ok}transfer-encoding:\x0bchunked\r\n\r\n0\r\n\r\n`,
  'chunks in version 1.0': 'HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
  'a switch of protocols': 'HTTP/1.1 101 Switching\r\n\r\n',
  'an interim response with a length': `HTTP/1.1 103 Hints\r\ncontent-length: 5\r\n\r\nhello${ok}\r\n`,
  'an interim response that closes': `HTTP/1.1 103 Hints\r\nconnection: close\r\n\r\n${ok}\r\n`,
  'an empty chunk size': `${inChunks}\r\nhello\r\n0\r\n\r\n`,
  'a chunk size after a space': `${inChunks} 5\r\nhello\r\n0\r\n\r\n`,
  'a chunk size before a space': `${inChunks}5 \r\nhello\r\n0\r\n\r\n`,
  'a chunk size with a prefix': `${inChunks}0x5\r\nhello\r\n0\r\n\r\n`,
  'a signed chunk size': `${inChunks}+5\r\nhello\r\n0\r\n\r\n`,
  'a chunk size of too many digits': `${inChunks}000000005\r\nhello\r\n0\r\n\r\n`,
  'a chunk size beyond all numbers': `${inChunks}ffffffffffffffff5\r\nhello\r\n`,
  'a chunk size that ends with LF': `${inChunks}5\nhello\r\n0\r\n\r\n`,
  'a chunk size that ends with CR': `${inChunks}5\rhello\r\n0\r\n\r\n`,
  'a chunk that is longer than its size': `${inChunks}4\r\nhello\r\n0\r\n\r\n`,
  'a chunk that ends with LF': `${inChunks}5\r\nhello\n0\r\n\r\n`,
  'a chunk extension with LF': `${inChunks}5;a\nhello\r\n0\r\n\r\n`,
  'a chunk extension without a name': `${inChunks}5;\r\nhello\r\n0\r\n\r\n`,
  'a malformed trailer': `${inChunks}0\r\nno trailer\r\n\r\n`,
  'a trailer that ends with LF': `${inChunks}0\r\nx-a: b\n\r\n\r\n`,
  'a long head': `${ok}x-a: ${'b'.repeat(limitBytes)}\r\n\r\n`,
  'a long head without an end': `${ok}x-a: ${'b'.repeat(limitBytes)}`,
  'interim responses without an end': 'HTTP/1.1 103 Hints\r\n\r\n'.repeat(limitBytes),
  'a long chunk extension': `${inChunks}5;${'a'.repeat(limitBytes)}`,
  'chunk extensions without an end': inChunks + '1;a\r\nx\r\n'.repeat(limitBytes),
  'trailers without an end': `${inChunks}0\r\n${'x-a: b\r\n'.repeat(limitBytes)}`,
}

const accepted: Readonly<Record<string, string>> = {
  'no reason': 'HTTP/1.1 200\r\ncontent-length: 5\r\n\r\nhello',
  'an empty reason': 'HTTP/1.1 200 \r\ncontent-length: 5\r\n\r\nhello',
  'values without a space': `${ok}content-length:5\r\n\r\nhello`,
  'spaces around values': `${ok}content-length:   5  \r\nx-a: \t b \t\r\n\r\nhello`,
  'a continue that was not requested': `HTTP/1.1 100 Continue\r\n\r\n${ok}content-length: 5\r\n\r\nhello`,
  'chunks with extensions and trailers': `${inChunks}2;a=b;c="d\\"e"\r\nhe\r\n03\r\nllo\r\n0\r\nx-a: b\r\nx-c: d\r\n\r\n`,
  'a length in the trailers': `${inChunks}5\r\nhello\r\n0\r\ncontent-length: 4\r\n\r\n`,
  'chunks in upper case': `${ok}Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
}

for (const [what, text] of Object.entries(rejected)) {
  test(`rejected: ${what}`, () => {
    for (const bytesPerRead of [text.length, 1, 7]) {
      const { fault, isComplete } = read(text, bytesPerRead)
      assert.ok(fault !== undefined && !isComplete, `in reads of ${bytesPerRead} bytes`)
    }
  })
}

for (const [what, text] of Object.entries(accepted)) {
  test(`accepted: ${what}`, () => {
    for (const bytesPerRead of [text.length, 1, 7]) {
      assert.deepEqual(read(text, bytesPerRead), {
        fault: undefined,
        isComplete: true,
        body: 'hello',
        isReusable: true,
      })
    }
  })
}

test('a connection is reused only where nothing else can follow on it', () => {
  const whole = `content-length: 5\r\n\r\nhello`
  const reusable: Readonly<Record<string, boolean>> = {
    [`${ok}${whole}`]: true,
    [`${ok}connection: keep-alive\r\n${whole}`]: true,
    [`${ok}connection: close\r\n${whole}`]: false,
    [`${ok}connection: keep-alive\r\nconnection: Close\r\n${whole}`]: false,
    [`${ok}connection: x-close\r\n${whole}`]: true,
    [`HTTP/1.0 200 OK\r\nconnection: keep-alive\r\n${whole}`]: false,
    [`${ok}${whole}more`]: false,
    [`${inChunks}0\r\n\r\nmore`]: false,
    'HTTP/1.1 204 No Content\r\n\r\n': true,
    'HTTP/1.1 204 No Content\r\ntransfer-encoding: chunked\r\n\r\n': false,
  }
  for (const [text, expected] of Object.entries(reusable)) {
    const { isComplete, isReusable } = read(text, text.length)
    assert.deepEqual([isComplete, isReusable], [true, expected], text)
  }
})

test('a listener that stops the parser receives nothing else of the same read', () => {
  const parser = new ResponseParser(limitBytes)
  const received: string[] = []
  parser.begin({
    head: () => received.push('head'),
    chunk(bytes) {
      received.push(Buffer.from(bytes).toString())
      parser.stop()
    },
    end: () => received.push('end'),
  })
  assert.equal(parser.read(Buffer.from(`${inChunks}2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`)), undefined)
  assert.deepEqual(received, ['head', 'he'])
})

test('the head of a request has its length and nothing that another writer could add to', () => {
  const request = {
    origin: 'http://a',
    method: 'POST',
    path: '/v1/x?y=z',
    headers: ['x-a', 'b'],
    body: [],
  } as const
  const head =
    'POST /v1/x?y=z HTTP/1.1\r\nhost: a\r\nconnection: keep-alive\r\nx-a: b\r\ncontent-length: 7\r\n\r\n'
  assert.deepEqual(requestHead('a', request, 7), { kind: 'head', text: head })
  for (const name of [
    'Host',
    'content-length',
    'Connection',
    'transfer-encoding',
    'expect',
    'x y',
    '',
    'x:',
  ]) {
    assert.equal(requestHead('a', { ...request, headers: [name, '1'] }, 0).kind, 'invalid', name)
  }
  for (const path of ['', 'x', '/a b', '/a\r\n', '/\x7f', '/\u0130']) {
    assert.equal(requestHead('a', { ...request, path }, 0).kind, 'invalid', path)
  }
})

function read(text: string, bytesPerRead: number) {
  const parser = new ResponseParser(limitBytes)
  const bytes = Buffer.from(text, 'latin1')
  const seen = { body: '', isComplete: false }
  parser.begin({
    head() {},
    chunk(chunk) {
      seen.body += Buffer.from(chunk).toString('latin1')
    },
    end() {
      seen.isComplete = true
    },
  })
  let fault: string | undefined
  for (let at = 0; at < bytes.length && fault === undefined && !seen.isComplete; at += bytesPerRead) {
    fault = parser.read(bytes.subarray(at, at + bytesPerRead))
  }
  return { ...seen, fault, isReusable: parser.isReusable }
}
