/**
 * After any internal failure with an open hold: the client gets an error, nothing is charged for what
 * can no longer be billed, no hold stays open, and the next request is served.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, meteredGateway } from '../support/metered-gateway.ts'
import { formats } from '../support/paying-client.ts'

const rows: readonly (readonly [failpoint: string, isBilled: boolean, isWhole: boolean])[] = [
  ['before-dispatch:fail', false, false],
  ['after-dispatch:fail', false, false],
  ['before-settle:fail', false, false],
  // The charge is found where its reply was lost, so the response is delivered.
  ['after-settle:fail', true, true],
  ['before-terminal-event:fail', true, false],
]

for (const [failpoint, isBilled, isWhole] of rows) {
  test(`${failpoint}: the client gets an error, and no hold stays open`, async () => {
    const gate = await meteredGateway({ failpoint, limits: { settleRetryMs: 50 } })
    const account = await gate.account('1')
    const [format = 'chat'] = formats
    const asked = {
      model: `${format}-stream`,
      max_tokens: 100,
      stream: true,
      messages: [{ role: 'user', content: 'tokens=20' }],
    }
    const broken = await gate.ask(account, asked).whole()
    assert.equal(/"error":\{/.test(broken.text), !isWhole, broken.text)
    assert.equal(broken.text.includes('[DONE]'), isWhole, broken.text)
    const { posted } = await eventually(
      'nothing is held',
      () => gate.balance(account.id),
      ({ openHolds }) => openHolds === 0,
    )
    assert.equal(posted < 1_000_000_000n, isBilled)
    const next = await gate.ask(account, asked).whole()
    assert.match(next.text, /\[DONE\]/)
    await gate.end()
  })
}
