/**
 * The playground's access to models: for signed-in users, from our own pages, in a role that may send requests, for their own
 * accounts. It costs what every request costs, and no key leaves the server.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import { type ControlAnswer, type ControlClient, sendTo } from '../support/control-client.ts'
import { testGateway } from '../support/gateway.ts'
import { creditTo, joined, type TwoTenants, twoTenants } from '../support/two-tenants.ts'

const tenants: TwoTenants = await twoTenants()
after(() => tenants.close())
const { gateway, account, members, stranger, operator } = tenants
const { origin } = gateway
await creditTo(gateway, account, 10_000_000_000n)

const path = '/api/play/v1/chat/completions'
const body = { model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] }

interface Played {
  readonly account?: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

function play(client: ControlClient, played: Played = {}): Promise<ControlAnswer> {
  const query = played.account === undefined ? '' : `?account=${encodeURIComponent(played.account)}`
  return client.send({
    method: 'POST',
    path: `${path}${query}`,
    headers: { 'content-type': 'application/json', ...played.headers },
    body: JSON.stringify(played.body ?? body),
  })
}

const codeOf = ({ body: answered }: ControlAnswer) => (answered as { error: { code: string } }).error.code

test("a signed-in user gets responses for their own account and for an organization's", async () => {
  for (const [member, asked] of [
    [stranger, undefined],
    [members.owner, account],
    [members.admin, account],
    [members.developer, account],
  ] as const) {
    const answer = await play(member.client, asked === undefined ? {} : { account: asked })
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.text, /Hello/)
  }
})

test('the receipts of an organization name the member who sent the request, and those of a key no one', async () => {
  for (const member of [members.developer, members.admin]) {
    for (const stream of [false, true]) await play(member.client, { account, body: { ...body, stream } })
  }
  const { key } = await members.owner.client.done('key.create', { account, name: 'for the member test' })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
  await sendTo(origin, { method: 'POST', path: '/v1/chat/completions', headers, body: JSON.stringify(body) })
  const listed = await members.owner.client.done('requests.list', { account, limit: 5 })
  const people = await Promise.all(
    [members.admin, members.developer].map(async ({ client }) => (await client.done('me.show', {})).person),
  )
  const [admin, developer] = people.map(({ id, name }) => ({ id, name }))
  assert.deepEqual(
    listed.map(({ member }) => member),
    [null, admin, admin, developer, developer],
  )
  const shown = await members.owner.client.done('request.show', { request: listed[3]?.id ?? '' })
  assert.deepEqual(shown.member, developer)
  const { text } = await members.owner.client.ask('requests.csv', { account })
  const [head = '', first = '', second = ''] = text.split('\r\n')
  const place = head.split(',').indexOf('member')
  assert.deepEqual(
    [first, second].map((line) => line.split(',')[place]),
    ['', admin?.name],
  )
})

test("a role without permission is rejected, and an operator cannot spend other accounts' balances", async () => {
  const rejected = await play(members.billing.client, { account })
  assert.deepEqual([rejected.status, codeOf(rejected)], [403, 'not_allowed'])
  const foreign = await play(operator.client, { account })
  assert.deepEqual([foreign.status, codeOf(foreign)], [404, 'account_not_found'])
})

test("another tenant's account looks like a missing one", async () => {
  const madeUp = `acct_${'0'.repeat(13)}`
  const [theirs, nobodys] = [
    await play(stranger.client, { account }),
    await play(stranger.client, { account: madeUp }),
  ]
  assert.equal(theirs.status, 404)
  assert.deepEqual(
    [theirs.status, theirs.text.replaceAll(account, 'it')],
    [nobodys.status, nobodys.text.replaceAll(madeUp, 'it')],
  )
  const byAddress = await play(stranger.client, { account: members.owner.email })
  assert.equal(byAddress.status, 404)
  assert.equal((await play(stranger.client, { account: 'no id' })).status, 400)
})

test('a key is not a session here, and a session is not a key on the data plane', async () => {
  const { key } = await stranger.client.done('key.create', { name: 'mine' })
  for (const authorization of [`Bearer ${key}`, `Bearer ${tenants.belongings.managementKey}`]) {
    const headers = { 'content-type': 'application/json', authorization, origin }
    const answer = await sendTo(origin, { method: 'POST', path, headers, body: JSON.stringify(body) })
    assert.deepEqual([answer.status, codeOf(answer)], [401, 'not_signed_in'])
  }
  const answer = await stranger.client.post('/v1/chat/completions', body)
  assert.deepEqual([answer.status, codeOf(answer)], [401, 'missing_api_key'])
})

for (const [name, headers] of [
  ['another origin', { origin: 'https://evil.example' }],
  ['an origin that hides', { origin: 'null' }],
  ['our host on another port', { origin: 'http://127.0.0.1:1' }],
  ['a browser that says another site', { 'sec-fetch-site': 'cross-site' }],
  ['a browser that says a sister of ours', { 'sec-fetch-site': 'same-site' }],
] as const) {
  test(`a request from ${name} is rejected and costs nothing`, async () => {
    const before = await stranger.client.done('account.show', {})
    const answer = await play(stranger.client, { headers })
    assert.deepEqual([answer.status, codeOf(answer)], [403, 'cross_site'])
    const { cookie } = stranger.client
    const silent = { 'content-type': 'application/json', cookie }
    const unsaid = await sendTo(origin, { method: 'POST', path, headers: silent, body: JSON.stringify(body) })
    assert.deepEqual([unsaid.status, codeOf(unsaid)], [403, 'cross_site'])
    assert.deepEqual(await stranger.client.done('account.show', {}), before)
  })
}

test('no page of another site may read the responses', async () => {
  const answer = await play(stranger.client)
  for (const name of Object.keys(answer.headers)) assert.ok(!name.startsWith('access-control-'), name)
  const asked = await stranger.client.send({ method: 'OPTIONS', path })
  assert.equal(asked.status, 405)
})

test('a response costs exactly what its receipt says, streamed or not, under the built-in key', async () => {
  for (const stream of [false, true]) {
    const before = await stranger.client.done('account.show', {})
    const answer = await play(stranger.client, { body: { ...body, stream } })
    assert.equal(answer.status, 200, answer.text)
    const id = answer.headers['x-request-id'] ?? ''
    const receipt = await stranger.client.done('request.show', { request: id })
    const after_ = await stranger.client.done('account.show', {})
    const { price } = await soldModel('sandbox-echo')
    const { usage } = receipt
    const cost = divideUp(
      BigInt(usage.inputUncached) * nano(price.input) + BigInt(usage.output) * nano(price.output),
      1_000_000n,
    )
    assert.ok(cost > 0n)
    assert.equal(nano(receipt.charged), cost)
    assert.equal(nano(before.posted) - nano(after_.posted), cost)
    assert.equal(after_.openHolds, 0)
    const keys = await stranger.client.done('key.list', {})
    const builtIn = keys.filter((key) => key.builtIn)
    assert.deepEqual(
      builtIn.map(({ id: key, name }) => [key, name]),
      [[receipt.key, 'Playground']],
    )
  }
})

async function soldModel(name: string): Promise<{ price: { input: string; output: string } }> {
  const { body: list } = await sendTo(origin, { method: 'GET', path: '/api/pricing' })
  const { data } = list as { data: { model: string; price: { input: string; output: string } }[] }
  const found = data.find(({ model }) => model === name)
  assert.ok(found !== undefined)
  return found
}

function nano(usd: string): bigint {
  const amount = parseUsd(usd)
  assert.ok(amount !== undefined, usd)
  return amount
}

const divideUp = (value: bigint, by: bigint) => (value + by - 1n) / by

test('the built-in key is shown, cannot be rotated or revoked, and can be given limits', async () => {
  const { client, account: own } = await tenants.signUp('careful')
  await creditTo(gateway, own, 1_000_000_000n)
  assert.equal((await play(client)).status, 200)
  const [key] = (await client.done('key.list', {})).filter(({ builtIn }) => builtIn)
  assert.ok(key !== undefined)
  for (const name of ['key.rotate', 'key.revoke'] as const) {
    assert.equal((await client.ask(name, { key: key.id })).status, 409)
  }
  await client.done('key.update', { key: key.id, models: ['sandbox-stream'] })
  const limited = await play(client)
  assert.deepEqual([limited.status, codeOf(limited)], [403, 'model_not_allowed'])
  await client.done('key.update', { key: key.id, disabled: true })
  const disabled = await play(client)
  assert.deepEqual([disabled.status, codeOf(disabled)], [403, 'key_disabled'])
  await client.done('key.update', { key: key.id, disabled: false, models: null })
  assert.equal((await play(client)).status, 200)
})

test('the list of models equals the one for keys, and no other endpoint exists here', async () => {
  const { key } = await stranger.client.done('key.create', { name: 'lists' })
  const byKey = await sendTo(origin, {
    method: 'GET',
    path: '/v1/models',
    headers: { authorization: `Bearer ${key}` },
  })
  const played = await stranger.client.send({ method: 'GET', path: '/api/play/v1/models' })
  assert.equal(played.status, 200)
  assert.deepEqual(played.body, byKey.body)
  assert.equal((await tenants.anyone.send({ method: 'GET', path: '/api/play/v1/models' })).status, 401)
  for (const elsewhere of [
    '/api/play',
    '/api/play/v1/responses',
    '/api/play/v1/messages',
    '/api/play/v1/credits',
  ]) {
    assert.equal((await stranger.client.post(elsewhere, body)).status, 404, elsewhere)
  }
})

test('neither the account nor the session of the user goes upstream', async () => {
  const seen: { readonly url: string; readonly headers: string }[] = []
  const upstream = createServer((request, response) => {
    seen.push({ url: request.url ?? '', headers: JSON.stringify(request.headers) })
    request.resume()
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"no","type":"invalid_request_error"}}')
  })
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
  const { port } = upstream.address() as AddressInfo
  const own = await testGateway({ openai: `http://127.0.0.1:${port}` })
  try {
    const { client, account: its } = await joined(own.origin, 'quiet')
    await creditTo(own, its, 1_000_000_000n)
    const answer = await client.send({
      method: 'POST',
      path: `${path}?account=${its}&x=secret`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, model: 'gpt-4.1' }),
    })
    assert.equal(answer.status, 400, answer.text)
    assert.deepEqual(
      seen.map(({ url }) => url),
      ['/v1/chat/completions'],
    )
    for (const { headers } of seen) {
      assert.ok(!/cookie|origin|acct_|sec-fetch/.test(headers), headers)
    }
  } finally {
    await own.close()
    upstream.close()
  }
})
