/** Compressed request bodies: the upstream gets what was compressed, and a body that was made to be large costs nothing. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import {
  formats,
  goodBody,
  type HostileGateway,
  hostileGateway,
  readRejection,
} from '../support/hostile-gateway.ts'

const bodyBytesMax = 2 * 1024 * 1024
const encodings: readonly (readonly [name: string, compress: (text: string) => Buffer])[] = [
  ['gzip', gzipSync],
  ['X-GZip', gzipSync],
  ['deflate', deflateSync],
  ['br', (text) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ['ZSTD', zstdCompressSync],
]

let gateway: HostileGateway
before(async () => {
  gateway = await hostileGateway({ limits: { bodyBytesMax, requestsPerMinute: null, tokensPerMinute: null } })
})
after(() => gateway.end())

const headersOf = (encoding: string) => `Content-Encoding: ${encoding}\r\n`
const long = (characters: number): string => {
  let text = ''
  for (let word = 0; text.length < characters; word += 1) text += `${(word * 2_654_435_761) % 4_294_967_296} `
  return text
}

for (const format of formats) {
  test(`${format}: a body is served in every encoding`, async () => {
    const account = await gateway.account('3')
    const body = goodBody(format)
    const last = () => gateway.sandbox.requestLog().at(-1)
    const plain = await gateway.post(format, body, { key: account.key })
    assert.equal(plain?.status, 200, plain?.body)
    const sent = last()?.body
    assert.ok(sent !== undefined)
    const { posted } = await gateway.balance(account.id)
    for (const [at, [encoding, compress]] of encodings.entries()) {
      const headers = headersOf(encoding)
      const answer = await gateway.post(format, compress(body), { key: account.key, headers })
      assert.equal(answer?.status, 200, `${encoding}: ${answer?.body}`)
      assert.deepEqual(last()?.body, sent, encoding)
      assert.equal(last()?.headers?.['content-encoding'], undefined)
      const cost = 3_000_000_000n - posted
      assert.equal((await gateway.balance(account.id)).posted, posted - BigInt(at + 1) * cost, encoding)
    }
  })
}

test('what cannot be decompressed, or is too large then, is rejected and nothing is kept', async () => {
  const account = await gateway.account('3')
  const body = goodBody('chat')
  const padded = `${body.slice(0, -1)}${' '.repeat(bodyBytesMax - 1_000)}}`
  const large = `${body.slice(0, -1)},"user":"${long(bodyBytesMax)}"}`
  for (const [encoding, compress] of encodings) {
    const whole = compress(`${body}${' '.repeat(999)}`)
    const corrupt = Buffer.from(whole).fill(0xff, 8, 20)
    for (const [bytes, status, code, message] of [
      [whole.subarray(0, -5), 400, 'invalid_json', /cannot be decompressed/],
      [corrupt, 400, 'invalid_json', /cannot be decompressed/],
      [Buffer.from(body), 400, 'invalid_json', /cannot be decompressed/],
      [compress(padded), 413, 'body_too_large', /more than 100 times its size/],
      [compress(large), 413, 'body_too_large', /too large for this endpoint/],
    ] as const) {
      const headers = headersOf(encoding)
      const rejection = readRejection(
        'chat',
        await gateway.post('chat', bytes, { key: account.key, headers }),
      )
      assert.deepEqual(
        [rejection.status, rejection.code],
        [status, code],
        `${encoding}: ${rejection.message}`,
      )
      assert.match(rejection.message, message)
    }
  }
  await gateway.assertUntouched(account, '3')
  await gateway.assertServes()
})
