/**
 * Many people sign up while requests are served: no sign-up fails and every person has a separate account, no
 * request fails, and charges add up. `bench/sign-ups.ts` measures the slowdown.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ControlClient, sendTo } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'

const people = 40
const atOnce = 5
const clients = 8

let gateway: TestGateway
before(async () => {
  gateway = await testGateway({
    environment: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' },
    // On a busy machine the sign-ups take long enough for more requests than a minute allows by default.
    limits: { requestsPerMinute: null, tokensPerMinute: null },
  })
})
after(() => gateway.close())

/** Each from a separate network, as real users are. */
async function signUp(number: number): Promise<ControlClient> {
  const browser = new ControlClient(gateway.origin)
  const answer = await browser.send({
    method: 'POST',
    path: '/api/auth/sign-up/email',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `10.0.${number}.1` },
    body: JSON.stringify({
      name: `Person ${number}`,
      email: `p${number}@example.org`,
      password: `a long password ${number}`,
    }),
  })
  assert.equal(answer.status, 200, answer.text)
  return browser
}

test(`${people} people sign up, ${atOnce} concurrently, next to ${clients} clients`, async (context) => {
  const { key, id } = await gateway.account('5')
  const body = JSON.stringify({
    model: 'sandbox-echo',
    messages: [{ role: 'user', content: 'Say it again.' }],
  })
  const load = { isOver: false, served: 0 }
  const client = async (): Promise<void> => {
    while (!load.isOver) {
      const answer = await sendTo(gateway.origin, {
        method: 'POST',
        path: '/v1/chat/completions',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
        body,
      })
      assert.equal(answer.status, 200, answer.text)
      load.served += 1
    }
  }
  const serving = Array.from({ length: clients }, client)
  const browsers: ControlClient[] = []
  const queue = Array.from({ length: people }, (_, number) => number)
  const arriving = Array.from({ length: atOnce }, async () => {
    for (let number = queue.shift(); number !== undefined; number = queue.shift()) {
      browsers[number] = await signUp(number)
    }
  })
  try {
    await Promise.all(arriving)
  } finally {
    load.isOver = true
  }
  await Promise.all(serving)
  context.diagnostic(`${load.served} requests were served meanwhile`)
  assert.ok(load.served >= clients)

  const accounts = new Set<string>()
  for (const browser of browsers) {
    const [own, ...others] = (await browser.done('me.show', {})).accounts
    assert.ok(own !== undefined && others.length === 0)
    accounts.add(own.account)
  }
  assert.equal(accounts.size, people)
  const { posted, held } = await gateway.balance(id)
  const rows = await gateway.gateway.services.ledger.receipts(id, 1_000_000, null)
  const charged = rows.reduce((sum, { charged }) => sum + charged, 0n)
  assert.deepEqual([posted, held, rows.length], [5_000_000_000n - charged, 0n, load.served])
})
