/**
 * Files that are uploaded through the gateway are stored at the provider and owned by the account: the official libraries
 * upload, list, retrieve, read and delete them, and another account's files look like missing ones.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { Config } from '../../src/config/config.ts'
import { fileHost } from '../support/file-host.ts'
import { type TestAccount, testGateway } from '../support/gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { rejectionIn } from '../support/paying-client.ts'

const host = await fileHost()
const upstream = (provider: string): Config['upstreams'][number] => ({
  name: `own-${provider}`,
  provider,
  url: host.origin,
  credential: `credential-of-${provider}`,
  weight: 1,
  models: 'all',
})
const upstreams = [upstream('openai'), upstream('anthropic')]
const gateway = await testGateway({
  upstreams,
  limits: { filesPerAccountMax: 3, fileBytesPerAccountMax: 100_000, fileBytesMax: 50_000 },
})
after(async () => {
  await gateway.close()
  await host.close()
})

let owner: TestAccount
let other: TestAccount
beforeEach(async () => {
  owner = await gateway.account('1')
  other = await gateway.account('1')
  host.arrivals.length = 0
  host.uploadStatus = 200
  host.uploadFields = {}
})

const openaiOf = ({ key }: TestAccount, origin = gateway.origin) =>
  new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0, logLevel: 'off' })
const anthropicOf = ({ key }: TestAccount) =>
  new Anthropic({ apiKey: key, baseURL: `${gateway.origin}/v1/alt`, maxRetries: 0, logLevel: 'off' })
const textFile = (text = 'hello') => new File([text], 'a.txt', { type: 'text/plain' })
const uploadOpenai = (account: TestAccount, text?: string) =>
  openaiOf(account).files.create({ file: textFile(text), purpose: 'user_data' })

test('the library of OpenAI uploads, lists, retrieves, reads and deletes a file', async () => {
  const client = openaiOf(owner)
  const file = await uploadOpenai(owner)
  const [arrival] = host.arrivals
  assert.equal(arrival?.headers.authorization, 'Bearer credential-of-openai')
  assert.match(arrival?.headers['content-type'] ?? '', /^multipart\/form-data; ?boundary=/)
  assert.match(arrival?.body.toString() ?? '', /\r\n\r\nhello\r\n[\s\S]*name="purpose"\r\n\r\nuser_data\r\n/)
  assert.equal((await client.files.retrieve(file.id)).filename, file.filename)
  assert.equal(await (await client.files.content(file.id)).text(), JSON.stringify({ content: file.id }))
  assert.deepEqual(
    (await client.files.list()).data.map(({ id }) => id),
    [file.id],
  )
  assert.deepEqual((await client.files.list({ purpose: 'batch' })).data, [])
  assert.deepEqual(await client.files.delete(file.id), { id: file.id, object: 'file', deleted: true })
  assert.equal(host.files.has(file.id), false)
  assert.deepEqual((await client.files.list()).data, [])
  assert.equal((await gateway.balance(owner.id)).posted, 1_000_000_000n)
})

test('the library of Anthropic does the same', async () => {
  const client = anthropicOf(owner)
  const file = await client.beta.files.upload({ file: textFile() })
  const [arrival] = host.arrivals
  assert.equal(arrival?.headers['x-api-key'], 'credential-of-anthropic')
  assert.equal(arrival?.headers['anthropic-beta'], 'files-api-2025-04-14')
  assert.equal((await client.beta.files.retrieveMetadata(file.id)).size_bytes, 5)
  assert.equal(await (await client.beta.files.download(file.id)).text(), JSON.stringify({ content: file.id }))
  assert.deepEqual(
    (await client.beta.files.list()).data.map(({ id }) => id),
    [file.id],
  )
  assert.equal((await client.beta.files.delete(file.id)).id, file.id)
  assert.equal(host.files.has(file.id), false)
})

test('a file whose upstream is removed during the upload is not sent there', async () => {
  const leaving = await testGateway({ offers: 'as configured', upstreams: [] })
  try {
    const operator = asking(controlOf(leaving), personActor('ada', { operator: true }))
    const put = { upstream: 'leaving', provider: 'openai', url: host.origin, models: 'all' }
    await operator.done('upstreams.put', { ...put, credential: 'credential-of-leaving' })
    const { key } = await leaving.account('1')
    assert.match(
      (
        await openaiOf({ ...owner, key }, leaving.origin).files.create({
          file: textFile(),
          purpose: 'user_data',
        })
      ).id,
      /^file-/,
    )
    host.arrivals.length = 0
    const uploading = request(`${leaving.origin}/v1/files`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        expect: '100-continue',
        'content-type': 'multipart/form-data; boundary=b',
        'content-length': '8',
      },
    })
    const answered = once(uploading, 'response')
    uploading.flushHeaders()
    await once(uploading, 'continue')
    await operator.done('upstreams.remove', { upstream: 'leaving' })
    uploading.end('--b--\r\n\n')
    const [response] = (await answered) as [IncomingMessage]
    response.resume()
    assert.equal(response.statusCode, 501)
    assert.deepEqual(host.arrivals, [])
  } finally {
    await leaving.close()
  }
})

test('each page begins where the previous one ended', async () => {
  const ids: string[] = []
  for (const text of ['a', 'b', 'c']) ids.unshift((await uploadOpenai(owner, text)).id)
  const listed: string[] = []
  for await (const { id } of openaiOf(owner).files.list({ limit: 2 })) listed.push(id)
  assert.deepEqual(listed, ids)
})

test("another account's file looks like a missing one, and its provider is not called", async () => {
  const { id } = await uploadOpenai(owner)
  host.arrivals.length = 0
  const ask = async (method: string, path: string) => {
    const headers = { authorization: `Bearer ${other.key}` }
    const answer = await fetch(`${gateway.origin}/v1/files/${path}`, { method, headers })
    return [answer.status, await answer.text()]
  }
  const asked: readonly (readonly [method: string, part: string])[] = [
    ['GET', ''],
    ['GET', '/content'],
    ['DELETE', ''],
  ]
  for (const [method, part] of asked) {
    const foreign = await ask(method, id + part)
    assert.deepEqual(foreign, await ask(method, `file-unknown${part}`))
    assert.equal(foreign[0], 404)
    assert.equal(rejectionIn(String(foreign[1])).code, 'file_not_found')
  }
  assert.deepEqual((await openaiOf(other).files.list()).data, [])
  assert.deepEqual(host.arrivals, [])
  assert.equal(host.files.has(id), true)
})

test('concurrent uploads cannot exceed a limit together', async () => {
  const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => uploadOpenai(owner)))
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3)
  await assert.rejects(uploadOpenai(owner), { status: 400, code: 'file_limit_reached' })
  assert.equal(host.arrivals.length, 3)
  const [first] = (await openaiOf(owner).files.list()).data
  await openaiOf(owner).files.delete(first?.id ?? '')
  await uploadOpenai(owner)
})

test('the bytes of an account and of one file are limited', async () => {
  await uploadOpenai(other, 'x'.repeat(49_000))
  await assert.rejects(uploadOpenai(other, 'x'.repeat(50_001)), { status: 413, code: 'body_too_large' })
})

test('a provider error is relayed with its message and counts as no upload', async () => {
  host.uploadStatus = 400
  for (let times = 0; times < 4; times += 1) await assert.rejects(uploadOpenai(owner), /bad purpose/)
  host.uploadStatus = 200
  await uploadOpenai(owner)
})

test('an upload that gets the ID of another file is rejected, and the other file remains', async () => {
  const { id } = await uploadOpenai(owner)
  host.uploadFields = { id }
  for (let times = 0; times < 4; times += 1)
    await assert.rejects(uploadOpenai(other), { status: 502, code: 'upstream_invalid' })
  await gateway.gateway.deps.background.drained()
  assert.equal(host.files.has(id), true)
  assert.equal((await openaiOf(owner).files.retrieve(id)).id, id)
  await assert.rejects(openaiOf(other).files.retrieve(id), { status: 404 })
  host.uploadFields = {}
  await uploadOpenai(other)
})

test('a file whose metadata is too long to be stored is deleted at the provider, and not counted', async () => {
  const before = new Set(host.files.keys())
  host.uploadFields = { filename: 'x'.repeat(20_000) }
  for (let times = 0; times < 4; times += 1) {
    await assert.rejects(uploadOpenai(owner), { status: 502, code: 'upstream_invalid' })
    await gateway.gateway.deps.background.drained()
  }
  assert.deepEqual(new Set(host.files.keys()), before)
  host.uploadFields = {}
  await uploadOpenai(owner)
})

test('an account without a balance cannot upload, is rejected before its body is read, and can still delete', async () => {
  const poor = await gateway.account('0')
  await assert.rejects(uploadOpenai(poor), { status: 402, code: 'insufficient_balance' })
  assert.deepEqual(host.arrivals, [])
  assert.deepEqual((await openaiOf(poor).files.list()).data, [])
})

const rejections: readonly (readonly [what: string, path: string, init: RequestInit, status: number])[] = [
  ['JSON', '/v1/files', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }, 415],
  ['another method', '/v1/files', { method: 'PUT' }, 405],
  ['a path beyond the id', '/v1/files/a/b', { method: 'GET' }, 404],
  ['an upload where no upstream keeps files', '/upload/v1beta/files', { method: 'POST' }, 501],
]
for (const [what, path, init, status] of rejections) {
  test(`${what} at ${path} is rejected with ${status}`, async () => {
    const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${owner.key}` }
    assert.equal((await fetch(gateway.origin + path, { ...init, headers })).status, status)
  })
}

test('a file that was being uploaded when the process died belongs to no account, and its quota is free again', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-files-'))
  try {
    const options = { upstreams, dataFolder, limits: { filesPerAccountMax: 1 } }
    const first = await testGateway({ ...options, failpoint: 'file-uploaded:fail' })
    const account = await first.account('1')
    // The provider has it; only the row of the upload exists, as after a crash.
    await assert.rejects(
      openaiOf(account, first.origin).files.create({ file: textFile(), purpose: 'user_data' }),
      {
        status: 500,
      },
    )
    await assert.rejects(
      openaiOf(account, first.origin).files.create({ file: textFile(), purpose: 'user_data' }),
      {
        code: 'file_limit_reached',
      },
    )
    await first.close()
    const second = await testGateway(options)
    const client = openaiOf(account, second.origin)
    assert.deepEqual((await client.files.list()).data, [])
    const orphan = [...host.files.keys()].at(-1) ?? ''
    await assert.rejects(client.files.retrieve(orphan), { status: 404 })
    await client.files.create({ file: textFile(), purpose: 'user_data' })
    await second.close()
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
})
