/**
 * What providers store for accounts with a key of their own: responses are in the account's own account and reached with its key;
 * files are stored with the server's credential, or not at all where the account excludes it.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import OpenAI from 'openai'
import { formatId } from '../../src/base/ids.ts'
import { type TestAccount, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { asking, controlOf } from '../support/operators.ts'

/** Assembled here, so that nothing like a secret is in the repository. */
const ownCredential = ['own', 'key', '7'.repeat(16)].join('')
const operators = 'operators-credential'

interface Arrival {
  readonly credential: string
  readonly line: string
}
const arrivals: Arrival[] = []
const usage = {
  ...{ input_tokens: 40, input_tokens_details: { cached_tokens: 0 } },
  ...{ output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 41 },
}
const response = {
  ...{ id: 'resp_own', object: 'response', created_at: 1, model: 'gpt-4.1', status: 'completed' },
  ...{ store: true, error: null, usage },
  output: [
    {
      ...{ type: 'message', id: 'msg_own', role: 'assistant', status: 'completed' },
      content: [{ type: 'output_text', text: 'Stored.', annotations: [] }],
    },
  ],
}
const file = {
  id: 'file-operators',
  object: 'file',
  bytes: 5,
  created_at: 1,
  filename: 'a.txt',
  purpose: 'user_data',
}

const host = createServer((request, reply) => {
  const credential = String(request.headers.authorization).replace('Bearer ', '')
  const line = `${request.method} ${request.url?.split('?')[0]}`
  request.resume().on('end', () => {
    arrivals.push({ credential, line })
    const body = line.endsWith('/models')
      ? { object: 'list', data: [] }
      : line === 'POST /v1/files'
        ? file
        : line.startsWith('DELETE')
          ? { id: 'resp_own', object: 'response', deleted: true }
          : response
    reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
})
await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`

const folder = mkdtempSync(join(tmpdir(), 'tollgate-own-content-'))
writeFileSync(
  join(folder, 'tollgate.yaml'),
  `providerKeys: { accounts: all, fee: 10%, urls: { openai: '${origin}' } }\n`,
)
const gate = await testGateway({
  dataFolder: folder,
  upstreams: [
    { name: 'openai-1', provider: 'openai', url: origin, credential: operators, weight: 1, models: 'all' },
  ],
})
const local = asking(controlOf(gate), { kind: 'local' })
after(async () => {
  await gate.close()
  host.closeAllConnections()
  await new Promise((resolve) => host.close(resolve))
  rmSync(folder, { recursive: true })
})
beforeEach(() => void arrivals.splice(0))

async function accountWith(use: 'first' | 'only' | null): Promise<TestAccount> {
  const account = await gate.account('1')
  if (use !== null) await storeKey(account, use)
  arrivals.length = 0
  return account
}

const storeKey = (account: TestAccount, use: 'first' | 'only') =>
  local.done('provider-keys.put', {
    account: formatId('acct', account.id),
    ...{ provider: 'openai', credential: ownCredential, use },
  })

const clientOf = ({ key }: TestAccount) =>
  new OpenAI({ apiKey: key, baseURL: `${gate.origin}/v1`, maxRetries: 0, logLevel: 'off' })
const create = (account: TestAccount, more: object = {}) =>
  clientOf(account).responses.create({ model: 'gpt-4.1', input: 'Hello', max_output_tokens: 100, ...more })
const upload = (account: TestAccount) =>
  clientOf(account).files.create({ file: new File(['hello'], 'a.txt'), purpose: 'user_data' })
const withFile = { input: [{ role: 'user', content: [{ type: 'input_file', file_id: file.id }] }] }

for (const use of ['first', 'only'] as const) {
  test(`a response that is stored on an own key is shown, continued and deleted with it: ${use}`, async () => {
    const account = await accountWith(use)
    const { id } = await create(account, { store: true })
    await eventually(
      'the response is recorded',
      () => gate.gateway.services.ledger.providerObjects(account.id, [id], Date.now()),
      ({ length }) => length > 0,
    )
    assert.equal((await clientOf(account).responses.retrieve(id)).id, id)
    await create(account, { previous_response_id: id, store: false })
    await clientOf(account).responses.delete(id)
    assert.deepEqual(
      arrivals.map(({ line }) => line),
      ['POST /v1/responses', `GET /v1/responses/${id}`, 'POST /v1/responses', `DELETE /v1/responses/${id}`],
    )
    for (const { credential } of arrivals) assert.equal(credential, ownCredential)
  })
}

test('a response on an own key belongs to its account, and is out of reach without the key', async () => {
  const [account, other] = [await accountWith('first'), await accountWith('first')]
  const { id } = await create(account, { store: true })
  await eventually(
    'the response is recorded',
    () => gate.gateway.services.ledger.providerObjects(account.id, [id], Date.now()),
    ({ length }) => length > 0,
  )
  arrivals.length = 0
  await assert.rejects(clientOf(other).responses.retrieve(id), { status: 404 })
  await local.done('provider-keys.remove', { account: formatId('acct', account.id), provider: 'openai' })
  await assert.rejects(clientOf(account).responses.retrieve(id), { status: 404 })
  assert.deepEqual(arrivals, [])
})

test('with first, a file is stored by the server and requests that name it are the server’s, at its price', async () => {
  const account = await accountWith('first')
  await upload(account)
  await create(account, withFile)
  assert.deepEqual(
    arrivals.map(({ credential, line }) => [line, credential]),
    [
      ['POST /v1/files', operators],
      ['POST /v1/responses', operators],
    ],
  )
  const [receipt] = await eventually(
    'a receipt',
    () => gate.gateway.services.ledger.receipts(account.id, 10, null),
    ({ length }) => length > 0,
  )
  assert.deepEqual([receipt?.ownKey, receipt?.upstream], [false, 'openai-1'])
  assert.equal(receipt?.charged, receipt?.upstreamCost)
})

test('with only, no file leaves with the server’s credential, also one that was stored before', async () => {
  const account = await accountWith('only')
  await assert.rejects(upload(account), { status: 501, message: /set to only/ })
  assert.deepEqual(arrivals, [])
  const later = await accountWith(null)
  file.id = 'file-before'
  await upload(later)
  await storeKey(later, 'only')
  arrivals.length = 0
  const named = { input: [{ role: 'user', content: [{ type: 'input_file', file_id: file.id }] }] }
  await assert.rejects(create(later, named), { status: 501, message: /set to only/ })
  assert.deepEqual(arrivals, [])
})

test('every fee is what verification computes from the receipt', async () => {
  assert.deepEqual((await gate.gateway.services.ledger.verify()).drift, [])
})
