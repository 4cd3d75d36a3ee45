/**
 * A user who makes changes as fast as possible: bounded for each person and key, across all endpoints, without slowing
 * down other users. Reads continue.
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

test('a person and a key make a limited number of changes, valid or not, and other users continue', async () => {
  const [busy, calm] = [await joined(gateway.origin, 'busy'), await joined(gateway.origin, 'calm')]
  const { key } = await keyWith(busy, busy.account, scopes)
  const program = new ControlClient(gateway.origin, key)
  for (const client of [busy.client, program]) {
    const answers = await Promise.all(
      times(3 * perMinute).map((index) => client.ask('key.create', { name: index % 2 === 0 ? 'x' : '' })),
    )
    const done = answers.filter((answer) => !isSlowed(answer))
    // A new minute may begin in between.
    assert.ok(done.length >= perMinute / 2 && done.length <= 2 * perMinute, `${done.length} changes`)
    assert.equal((await client.ask('key.list')).status, 200)
  }
  assert.equal((await calm.client.ask('key.create', { name: 'x' })).status, 200)
})

test('changes through the identity endpoints count too', async () => {
  const { client } = await joined(gateway.origin, 'renaming')
  const answers: ControlAnswer[] = []
  for (const index of times(3 * perMinute)) {
    answers.push(await client.post('/api/auth/update-user', { name: `name ${index}` }))
  }
  assert.ok(answers.some(isSlowed))
  assert.equal((await client.ask('me.show')).status, 200)
})
