/** Usage that no price covers is settled as far as it is known, flagged on the receipt, and reported to the operator. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createLog } from '../../src/base/log.ts'
import { ask, dialectClients } from '../support/dialect-clients.ts'
import { testGateway } from '../support/gateway.ts'

const lines: string[] = []
const log = createLog({ level: 'warn', destination: { write: (line) => lines.push(line) } })
const gate = await testGateway({ log })
after(() => gate.close())

const model = 'sandbox-odd-usage'
for (const client of dialectClients) {
  test(`${client.format}: the log names the request, the model and the meters`, async () => {
    const account = await gate.account('1')
    const headers = { authorization: `Bearer ${account.key}` }
    const text = 'value=-5 tokens=3'
    const response = await ask(gate.origin, client, { key: account.key, model, text, more: client.limit(50) })
    const id = response.headers.get('x-request-id')
    assert.equal(response.status, 200, await response.text())

    const entries = lines.map(
      (line) => JSON.parse(line) as { request?: string; model?: string; meters?: string[] },
    )
    const line = entries.find(({ request }) => request === id)
    assert.equal(line?.model, model)
    assert.ok((line?.meters ?? []).length > 0)
    const receipt = await fetch(`${gate.origin}/v1/generations/${id}`, { headers })
    const { data } = (await receipt.json()) as { data: { usage: { unpriced: boolean } } }
    assert.equal(data.usage.unpriced, true)
  })
}
