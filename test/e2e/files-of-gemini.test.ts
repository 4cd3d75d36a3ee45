/**
 * Files in Google's format: uploaded in parts to a URL that needs no key, as Google's libraries do, or in one request;
 * listed, retrieved, deleted and referenced by the account that uploaded them, and by no other.
 */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { type TestAccount, testGateway } from '../support/gateway.ts'
import { geminiFileHost } from '../support/gemini-file-host.ts'
import { rejectionIn } from '../support/paying-client.ts'

const host = await geminiFileHost()
const gateway = await testGateway({
  upstreams: [
    {
      ...{ name: 'own-google', provider: 'google', url: host.origin, weight: 1, models: 'all' },
      credential: 'credential-of-google',
    },
  ],
  limits: { filesPerAccountMax: 3, fileBytesMax: 50_000 },
})
after(async () => {
  await gateway.close()
  await host.close()
})

let owner: TestAccount
let other: TestAccount
beforeEach(async () => {
  owner = await gateway.account('0.1')
  other = await gateway.account('0.1')
  host.arrivals.length = 0
  host.uploadOrigin = null
})

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string | Uint8Array
}
const ask = async (account: TestAccount | null, address: string, asked: Asked = {}) => {
  const key = account === null ? {} : { 'x-goog-api-key': account.key }
  const url = address.startsWith('/') ? gateway.origin + address : address
  const { method = 'GET', headers, body } = asked
  const answer = await fetch(url, {
    method,
    headers: { ...key, ...headers },
    ...(body === undefined ? {} : { body: Buffer.from(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: () => JSON.parse(text) as Answer }
}
interface Answer {
  readonly file: { readonly name: string; readonly uri: string }
  readonly files: readonly { readonly name: string }[]
  readonly nextPageToken?: string
}

const start = (account: TestAccount, length: number | string, metadata: object = {}) =>
  ask(account, '/upload/v1beta/files', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': String(length),
      'x-goog-upload-header-content-type': 'application/pdf',
    },
    body: JSON.stringify(metadata),
  })
const part = (address: string, command: string, offset: number, body: string | Uint8Array = '') =>
  ask(null, address, {
    method: 'POST',
    headers: { 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) },
    body,
  })
const addressOf = ({ headers }: { headers: Headers }) => headers.get('x-goog-upload-url') ?? ''

async function uploaded(account: TestAccount, content = 'hello'): Promise<Answer['file']> {
  const address = addressOf(await start(account, content.length, { file: { displayName: 'a' } }))
  return (await part(address, 'upload, finalize', 0, content)).json().file
}

test('a file is uploaded in parts, listed, retrieved, named in a request and deleted', async () => {
  const started = await start(owner, 10, { file: { display_name: 'a.pdf' } })
  assert.equal(started.status, 200)
  const address = addressOf(started)
  assert.ok(address.startsWith(`${gateway.origin}/upload/v1beta/files?upload_id=`), address)
  assert.equal(address.includes(owner.key) || address.includes(host.origin), false)
  const first = await part(address, 'upload', 0, 'hello')
  assert.deepEqual([first.status, first.headers.get('x-goog-upload-status')], [200, 'active'])
  assert.equal((await part(address, 'query', 0)).headers.get('x-goog-upload-size-received'), '5')
  const last = await part(address, 'upload, finalize', 5, 'world')
  assert.equal(last.headers.get('x-goog-upload-status'), 'final')
  const { file } = last.json()
  assert.equal(host.files.get(file.name)?.toString(), 'helloworld')
  assert.equal(host.arrivals[0]?.headers['x-goog-api-key'], 'credential-of-google')
  const listed = (await ask(owner, '/v1beta/files')).json()
  assert.deepEqual(
    listed.files.map(({ name }) => name),
    [file.name],
  )
  for (const version of ['v1beta', 'v1'])
    assert.equal((await ask(owner, `/${version}/${file.name}`)).status, 200)
  const generate = (account: TestAccount) =>
    ask(account, '/v1beta/models/gemini-2.5-flash:generateContent', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        contents: [
          { role: 'user', parts: [{ fileData: { mimeType: 'application/pdf', fileUri: file.uri } }] },
        ],
        generationConfig: { maxOutputTokens: 100 },
      }),
    })
  assert.equal((await generate(owner)).status, 200)
  const arrivals = host.arrivals.length
  const foreign = await generate(other)
  assert.deepEqual([foreign.status, rejectionIn(foreign.text).code], [400, 'reference_not_owned'])
  assert.equal(host.arrivals.length, arrivals)
  assert.equal((await ask(owner, `/v1beta/${file.name}`, { method: 'DELETE' })).text, '{}')
  assert.equal(host.files.has(file.name), false)
  assert.equal((await generate(owner)).status, 400)
})

test('a file is uploaded in one multipart request', async () => {
  const multipart = (metadata: string) =>
    ask(owner, '/upload/v1beta/files', {
      method: 'POST',
      headers: {
        'content-type': 'multipart/related; boundary=b',
        'x-goog-upload-protocol': 'multipart',
      },
      body: `--b\r\nContent-Type: application/json\r\n\r\n${metadata}\r\n--b\r\nContent-Type: text/plain\r\n\r\nhello\r\n--b--`,
    })
  const { file } = (await multipart('{"file":{"displayName":"a"}}')).json()
  assert.match(host.files.get(file.name)?.toString() ?? '', /hello/)
  const chosen = await multipart('{"file":{"name":"files/mine"}}')
  assert.deepEqual([chosen.status, rejectionIn(chosen.text).code], [400, 'invalid_value'])
  assert.equal((await multipart('nothing')).status, 400)
  assert.equal(host.arrivals.length, 1)
})

test('each page begins where the previous one ended', async () => {
  const names: string[] = []
  for (const content of ['a', 'b', 'c']) names.unshift((await uploaded(owner, content)).name)
  const first = (await ask(owner, '/v1beta/files?pageSize=2')).json()
  const rest = (await ask(owner, `/v1beta/files?pageSize=2&pageToken=${first.nextPageToken}`)).json()
  assert.deepEqual(
    [...first.files, ...rest.files].map(({ name }) => name),
    names,
  )
  assert.equal(rest.nextPageToken, undefined)
})

test("another account's file and upload look like missing ones", async () => {
  const { name } = await uploaded(owner)
  const address = addressOf(await start(owner, 5))
  host.arrivals.length = 0
  for (const method of ['GET', 'DELETE']) {
    const [foreign, unknown] = [
      await ask(other, `/v1beta/${name}`, { method }),
      await ask(other, '/v1beta/files/x', { method }),
    ]
    const said = ({ text }: typeof foreign) => text.replace(/"req_\w+"/, '')
    assert.deepEqual([foreign.status, said(foreign)], [404, said(unknown)])
  }
  assert.deepEqual((await ask(other, '/v1beta/files')).json().files, [])
  const changed = address.replace(/upload_id=.{4}/, 'upload_id=AAAA')
  assert.equal((await part(changed, 'upload, finalize', 0, 'hello')).status, 401)
  const known = await ask(other, changed, {
    method: 'POST',
    headers: { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' },
    body: 'hello',
  })
  assert.equal(known.status, 404)
  assert.deepEqual(host.arrivals, [])
})

test('an upload ends with its last part, when it is canceled, and with the key that began it', async () => {
  const ended = addressOf(await start(owner, 5))
  assert.equal((await part(ended, 'upload, finalize', 0, 'hello')).status, 200)
  assert.equal((await part(ended, 'upload, finalize', 0, 'hello')).status, 404)
  const cancelled = addressOf(await start(owner, 5))
  assert.equal((await part(cancelled, 'cancel', 0)).status, 200)
  assert.equal((await part(cancelled, 'upload, finalize', 0, 'hello')).status, 404)
  const begun = addressOf(await start(owner, 5))
  await gateway.gateway.deps.access.revoke(owner.keyId)
  assert.equal((await part(begun, 'upload, finalize', 0, 'hello')).status, 401)
})

test('uploaded data must match its announced size, and the announced size counts', async () => {
  const address = addressOf(await start(owner, 5))
  const sent = host.arrivals.length
  for (const [offset, body] of [
    [0, 'hello!'],
    [5, '!'],
    [-1, ''],
  ] as const)
    assert.equal((await part(address, 'upload, finalize', offset, body)).status, 400)
  assert.equal(host.arrivals.length, sent)
  for (const length of ['', 'x', '-1']) assert.equal((await start(owner, length)).status, 400)
  assert.equal((await start(owner, 50_001)).status, 413)
  await start(owner, 5)
  await start(owner, 5)
  const full = await start(owner, 5)
  assert.deepEqual([full.status, rejectionIn(full.text).code], [400, 'file_limit_reached'])
  assert.equal((await part(address, 'upload, finalize', 0, 'hello')).status, 200)
})

test('an account without a balance cannot begin an upload, and neither can a request with a chosen name', async () => {
  const poor = await gateway.account('0')
  assert.equal((await start(poor, 5)).status, 402)
  const chosen = await start(owner, 5, { file: { name: 'files/mine' } })
  assert.deepEqual([chosen.status, rejectionIn(chosen.text).code], [400, 'invalid_value'])
  assert.equal((await start(owner, 5, [] as object)).status, 200)
  assert.equal(host.arrivals.length, 1)
})

test('an upload that the upstream would continue at another URL is rejected, and uses no quota', async () => {
  host.uploadOrigin = 'http://127.0.0.1:9'
  for (let times = 0; times < 4; times += 1) {
    const rejected = await start(owner, 5)
    assert.deepEqual([rejected.status, rejectionIn(rejected.text).code], [502, 'upstream_invalid'])
  }
  host.uploadOrigin = null
  assert.equal((await start(owner, 5)).status, 200)
})
