/**
 * Mistake 10 of other gateways: the operator's account at a host is empty, which hosts say with many statuses. The caller is served
 * elsewhere and does not learn of it, the operator is notified once, and the host is left alone.
 */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createLog } from '../../src/base/log.ts'
import { testGateway } from '../support/gateway.ts'
import { type HostFacts, imitateHost, type Rejection } from '../support/host-imitation.ts'

interface EmptyAccount {
  readonly provider: string
  readonly facts: HostFacts
  readonly rejection: Rejection
}

const limit = 'max_tokens' as const
const accounts: readonly EmptyAccount[] = [
  {
    provider: 'deepseek',
    facts: { path: '/chat/completions', limit },
    rejection: { status: 402, body: { error: { message: 'Insufficient Balance of account 7' } } },
  },
  {
    provider: 'zai',
    facts: { path: '/api/paas/v4/chat/completions', limit },
    rejection: { status: 429, body: { error: { code: '1113', message: 'account 7 has no balance' } } },
  },
  {
    provider: 'moonshot',
    facts: { path: '/v1/chat/completions', limit },
    rejection: {
      status: 429,
      body: { error: { type: 'exceeded_current_quota_error', message: 'account 7 is suspended' } },
    },
  },
  {
    provider: 'minimax',
    facts: { path: '/v1/chat/completions', limit },
    rejection: {
      status: 200,
      body: { base_resp: { status_code: 1008, status_msg: 'balance of account 7' } },
    },
  },
  {
    provider: 'alibaba',
    facts: { path: '/compatible-mode/v1/chat/completions', limit },
    rejection: {
      status: 400,
      body: { error: { code: 'Arrearage', message: 'overdue payment of account 7' } },
    },
  },
]

const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

interface RejectingHost {
  readonly origin: string
  requests: number
}

async function rejectingHost({ status, body }: Rejection): Promise<RejectingHost> {
  const host = { origin: '', requests: 0 }
  const server = createServer((request, response) => {
    host.requests += 1
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  closing.push(
    () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  )
  return host
}

for (const { provider, facts, rejection } of accounts) {
  test(`mistake 10: ${provider}: another account serves, and the empty one is left alone`, async () => {
    const empty = await rejectingHost(rejection)
    const paid = await imitateHost(facts, 'key-of-paid')
    closing.push(paid.close)
    const log: string[] = []
    const upstream = (name: string, url: string) => ({
      ...{ name, provider, url, credential: `key-of-${name}`, weight: 1, models: 'all' as const },
    })
    const tollgate = await testGateway({
      upstreams: [upstream('empty', empty.origin), upstream('paid', paid.origin)],
      models: [
        {
          id: `${provider}/a-model`,
          context: 100_000,
          maxOutput: 8_000,
          prices: [{ input: '1', output: '2' }],
        },
      ],
      log: createLog({ level: 'error', destination: { write: (line: string) => void log.push(line) } }),
    })
    closing.push(tollgate.close)
    const { key } = await tollgate.account('5')
    for (const _ of [1, 2, 3]) {
      const answer = await fetch(`${tollgate.origin}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-tollgate-route': 'order=empty',
        },
        body: JSON.stringify({ model: `${provider}/a-model`, messages: [{ role: 'user', content: 'text' }] }),
      })
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      assert.match(text, /hello/)
      assert.doesNotMatch(text, /account 7/)
    }
    assert.deepEqual([empty.requests, paid.requests.length], [1, 3])
    assert.equal(log.length, 1, log.join(''))
    assert.match(log[0] ?? '', /"upstream":"empty".*upstream_unavailable/)
  })
}
