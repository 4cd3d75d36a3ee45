/** The export of a user's data contains everything as JSON, is created one at a time, and is sent in pieces. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseId } from '../../src/base/ids.ts'
import { testGateway } from '../support/gateway.ts'
import { joined } from '../support/two-tenants.ts'

/** More than one piece. */
const requestCount = 260

test('an export contains every request, and exports are created one after another', async (context) => {
  const gateway = await testGateway({ limits: { uniformAnswerMs: 1 } })
  context.after(() => gateway.close())
  const person = await joined(gateway.origin, 'ann')
  const account = parseId('acct', person.account) ?? assert.fail('an account')
  const { ledger, nextId } = gateway.gateway.services
  const given = { source: 'manual', reference: 'x', note: null, nowMs: 1 } as const
  await ledger.credit({ ...given, entryId: nextId(), account, amount: 1_000_000_000_000n })
  const { key } = await person.client.done('key.create', { name: 'mine' })
  for (let asked = 0; asked < requestCount; asked += 1) {
    const answer = await fetch(`${gateway.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: `word ${asked}` }] }),
    })
    assert.equal(answer.status, 200, await answer.text())
  }
  const both = await Promise.all([person.client.ask('me.export'), person.client.ask('me.export')])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 503])
  const { text } = both.find(({ status }) => status === 200) ?? assert.fail('one export')
  const content = JSON.parse(text) as Readonly<Record<string, unknown>>
  assert.deepEqual(Object.keys(content), [
    'exported',
    'person',
    'account',
    'keys',
    'providerKeys',
    'requests',
  ])
  assert.equal((content.person as { email: string }).email, person.email)
  const ids = (content.requests as readonly { id: string }[]).map(({ id }) => id)
  assert.equal(new Set(ids).size, requestCount)
})
