/** The console's files: caching, compression, and which paths are pages. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import fastify, { type FastifyInstance, type LightMyRequestResponse } from 'fastify'
import { consoleFiles } from './console-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-console-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const built = join(folder, 'built')
const script = 'export const answer = 42\n'.repeat(100)
write('index.html', '<!doctype html><title>Console</title>')
write('theme.js', 'document.title = "theme"')
write('favicon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
write('assets/page-Ab12.js', script)
writeFileSync(join(built, 'assets/page-Ab12.js.br'), brotliCompressSync(script))
writeFileSync(join(folder, 'secret.txt'), 'not for browsers')

function write(name: string, text: string): void {
  const path = join(built, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, text)
}

async function served(from: string): Promise<FastifyInstance> {
  const app = fastify()
  await app.register(consoleFiles(from))
  await app.ready()
  after(() => app.close())
  return app
}

const app = await served(built)
const get = (url: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> =>
  app.inject({ method: 'GET', url, headers })

for (const url of [
  '/console',
  '/console/',
  '/console/keys/key_1?account=a',
  '/console/admin/models',
  '/pricing',
]) {
  test(`${url} is the one page, asked for each time`, async () => {
    const answer = await get(url)
    assert.equal(answer.statusCode, 200)
    assert.match(answer.body, /<title>Console/)
    assert.match(String(answer.headers['content-type']), /^text\/html/)
    assert.equal(answer.headers['cache-control'], 'no-cache')
  })
}

test('a hashed file is cached permanently, and compressed where the browser supports it', async () => {
  const plain = await get('/console/assets/page-Ab12.js')
  const packed = await get('/console/assets/page-Ab12.js', { 'accept-encoding': 'br, gzip' })
  assert.equal(plain.body, script)
  assert.equal(packed.headers['content-encoding'], 'br')
  assert.equal(brotliDecompressSync(packed.rawPayload).toString(), script)
  for (const answer of [plain, packed]) {
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(String(answer.headers['content-type']), /javascript/)
    assert.match(String(answer.headers.vary), /accept-encoding/i)
  }
})

test('what has not changed is not sent again', async () => {
  const { headers } = await get('/console')
  const again = await get('/console', { 'if-none-match': String(headers.etag) })
  assert.deepEqual([again.statusCode, again.body], [304, ''])
})

for (const [url, type] of [
  ['/console/theme.js', 'javascript'],
  ['/console/favicon.svg', 'image/svg'],
  ['/favicon.ico', 'image/svg'],
] as const) {
  test(`${url} keeps its name, so it is asked for each time`, async () => {
    const answer = await get(url)
    assert.equal(answer.statusCode, 200)
    assert.match(String(answer.headers['content-type']), new RegExp(type))
    assert.equal(answer.headers['cache-control'], 'no-cache')
  })
}

for (const url of [
  '/console/assets/gone-1234.js',
  '/console/assets/',
  '/console/assets/..%2f..%2fsecret.txt',
  '/console/assets/%2e%2e/%2e%2e/secret.txt',
  '/console/assets/..%5c..%5csecret.txt',
]) {
  test(`${url} is not found`, async () => {
    const answer = await get(url)
    assert.ok([400, 403, 404].includes(answer.statusCode), String(answer.statusCode))
    assert.doesNotMatch(answer.body, /not for browsers|<title>Console/)
    assert.doesNotMatch(String(answer.headers['cache-control']), /immutable/)
  })
}

test('a console that is not built says how to build it, and is there once it is', async () => {
  const later = join(folder, 'later')
  const empty = await served(later)
  const before = await empty.inject('/console/keys')
  assert.equal(before.statusCode, 503)
  assert.match(before.body, /npm start/)
  assert.equal(before.headers['cache-control'], 'no-store')
  mkdirSync(later)
  writeFileSync(join(later, 'index.html'), '<!doctype html><title>Built</title>')
  const afterwards = await empty.inject('/console/keys')
  assert.deepEqual([afterwards.statusCode, afterwards.body], [200, '<!doctype html><title>Built</title>'])
})
