/**
 * Somebody who changes things as fast as they can: bounded for each person and key, wherever the changes are made, and
 * nobody else is slowed down. What is only read goes on.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { scopes } from '../../contract/operation.ts'
import { type ControlAnswer, ControlClient } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { joined, keyWith } from '../support/two-tenants.ts'

const perMinute = 20
let gateway: TestGateway
before(async () => {
  gateway = await testGateway({ limits: { changesPerMinute: perMinute, uniformAnswerMs: 1 } })
})
after(() => gateway.close())

const times = (count: number) => Array.from({ length: count }, (_none, index) => index)

function isSlowed({ status, headers, text }: ControlAnswer): boolean {
  if (status !== 429) return false
  assert.ok(text.includes('rate_limited') && Number(headers['retry-after']) > 0, text)
  return true
}

test('a person and a key make so many changes, good or bad, and others go on', async () => {
  const [busy, calm] = [await joined(gateway.origin, 'busy'), await joined(gateway.origin, 'calm')]
  const { key } = await keyWith(busy, busy.account, scopes)
  const program = new ControlClient(gateway.origin, key)
  for (const client of [busy.client, program]) {
    const answers = await Promise.all(
      times(3 * perMinute).map((index) => client.ask('key.create', { name: index % 2 === 0 ? 'x' : '' })),
    )
    const done = answers.filter((answer) => !isSlowed(answer))
    // A minute may begin anew meanwhile.
    assert.ok(done.length >= perMinute / 2 && done.length <= 2 * perMinute, `${done.length} changes`)
    assert.equal((await client.ask('key.list')).status, 200)
  }
  assert.equal((await calm.client.ask('key.create', { name: 'x' })).status, 200)
})

test('what is changed at the door of identity counts too', async () => {
  const { client } = await joined(gateway.origin, 'renaming')
  const answers: ControlAnswer[] = []
  for (const index of times(3 * perMinute)) {
    answers.push(await client.post('/api/auth/update-user', { name: `name ${index}` }))
  }
  assert.ok(answers.some(isSlowed))
  assert.equal((await client.ask('me.show')).status, 200)
})
