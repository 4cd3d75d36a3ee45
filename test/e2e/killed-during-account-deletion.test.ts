/** The server is killed while a user deletes their account: the next start completes that, or leaves everything unchanged. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ControlClient } from '../support/control-client.ts'
import { makeInstallation } from '../support/gateway-process.ts'
import { joined } from '../support/two-tenants.ts'

const cases = [
  { failpoint: 'after-commit-suspend:kill', left: 'somebody who goes on' },
  { failpoint: 'before-commit-assign:kill', left: 'nobody' },
] as const

suite('killed during account deletion', () => {
  for (const { failpoint, left } of cases) {
    test(`${failpoint}: ${left} is left`, async (context) => {
      const installation = makeInstallation()
      context.after(() => installation.remove())
      const first = await installation.start({ failpoint })
      const person = await joined(first.origin, 'leaving')
      const managing = await person.client.done('management-key.create', {
        name: 'reads',
        scopes: ['account:read'],
      })
      const made = await person.client.done('key.create', { name: 'works' })
      await assert.rejects(person.client.done('me.delete', { email: person.email }))
      await first.ended

      const second = await installation.start()
      const manager = new ControlClient(second.origin, managing.key)
      const models = await fetch(`${second.origin}/v1/models`, {
        headers: { authorization: `Bearer ${made.key}` },
      })
      const account = await installation.ask('account.show', { account: person.account })
      const reading = await manager.ask('account.show', {})
      if (left === 'nobody') {
        assert.deepEqual([account.email, account.name], [null, 'closed'])
        assert.notEqual(account.suspended, null)
        assert.deepEqual([models.status, reading.status], [401, 401])
      } else {
        assert.deepEqual([account.email, account.suspended], [person.email, null])
        assert.deepEqual([models.status, reading.status], [200, 200])
      }
    })
  }
})
