/** Two servers on one data folder, without the lock that keeps the second one out: the first stops, and no sum is wrong. */
// embedded-database: servers on PostgreSQL may share one
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { makeInstallation } from '../support/gateway-process.ts'
import { Sent } from '../support/paying-client.ts'

const installation = makeInstallation('sandbox: on\nlimits: { drainMs: 500, closeMs: 500 }\n')
after(() => installation.remove())

test('the server that was there first stops serving, says why, and ends with an error; the ledger balances', async () => {
  const first = await installation.start()
  const { account, key } = await installation.ask('account.create', { email: 'a@b.org', credit: '5' })
  const body = (text: string) => ({
    model: 'sandbox-stream',
    stream: true,
    max_tokens: 500,
    messages: [{ role: 'user', content: text }],
  })
  const ask = (origin: string, text: string) =>
    new Sent(origin, { key, format: 'chat', body: body(text) }).whole()
  assert.equal((await ask(first.origin, 'tokens=3')).status, 200)

  rmSync(join(installation.dataFolder, 'lock.db'))
  const second = await installation.start()
  assert.equal((await ask(second.origin, 'tokens=3')).status, 200)
  const [rejected] = await Promise.all([
    // It may have detected the other one during its own work, and be gone.
    ask(first.origin, 'tokens=3').catch(() => null),
    ...Array.from({ length: 9 }, () => ask(second.origin, 'tokens=3')),
  ])
  assert.ok(rejected === null || rejected.status === 503, rejected?.text)
  assert.deepEqual(await first.ended, { code: 1, signal: null })
  assert.match(
    first.stdout() + first.stderr(),
    /"level":"fatal".*another process has taken over this data folder/,
  )

  assert.equal((await ask(second.origin, 'tokens=3')).status, 200)
  const receipts = await installation.ask('requests.list', { account, limit: 100 })
  assert.equal(receipts.filter(({ endReason }) => endReason === 'complete').length, 12)
  assert.deepEqual((await installation.ask('ledger.verify', {})).drift, [])
})
