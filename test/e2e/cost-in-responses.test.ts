/** The cost in a response of each format, for keys that ask for it, and a stream of Gemini's format as one array. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatUsd } from '../../contract/usd.ts'
import { parseId } from '../../src/base/ids.ts'
import {
  ask,
  at,
  type FormatClient,
  formatClients,
  type Json,
  streamedText,
} from '../support/format-clients.ts'
import { testGateway } from '../support/gateway.ts'

const gateway = await testGateway()
after(() => gateway.close())
const { ledger } = gateway.gateway.services

const models = ['sandbox-chat-echo', 'sandbox-responses-echo', 'sandbox-messages-echo', 'sandbox-gemini-echo']
const words = 'Grüße, 世界 🦉: an echo of "quotes", a \\ and\ntwo lines.'

async function billed(response: Response): Promise<{ charged: bigint; input: number; output: number }> {
  const id = parseId('req', response.headers.get('x-request-id') ?? '')
  assert.ok(id !== undefined)
  const receipt = await ledger.receipt(id)
  assert.ok(receipt !== undefined, 'the receipt is there with the last byte')
  assert.equal(receipt.endReason, 'complete')
  assert.equal(receipt.usageSource, 'reported')
  const metered = gateway.gateway.sandbox?.logged(response.headers.get('x-request-id') ?? '')
  assert.ok(metered !== undefined, 'the sandbox made the answer')
  const input = receipt.inputUncached + receipt.cacheRead + receipt.cacheWrite5m + receipt.cacheWrite1h
  assert.equal(input, metered.inputTokens)
  assert.equal(receipt.output, metered.outputTokens)
  return { charged: receipt.charged, input, output: receipt.output }
}

for (const client of formatClients) {
  test(`${client.format} in its own format includes the cost only for keys that ask for it`, async () => {
    const model = models.find((name) => name.includes(shortName(client))) ?? ''
    for (const showCost of [true, false]) {
      const { key } = await gateway.account('1', { showCost })
      for (const stream of [true, false]) {
        const response = await ask(gateway.origin, client, { key, model, text: words, stream })
        const text = await response.text()
        const cost = formatUsd((await billed(response)).charged)
        if (!showCost) assert.ok(!text.includes('"cost"'), text)
        else assert.equal(text.split(`"cost":${cost}`).length, 2, text)
        if (!stream) assert.equal(client.costOf(JSON.parse(text)), showCost ? Number(cost) : undefined)
        else assert.equal(streamedText(client, text), words)
      }
    }
  })
}

test('a Gemini client that does not ask for events gets one JSON array', async () => {
  const { key } = await gateway.account('1')
  for (const model of models) {
    const response = await fetch(`${gateway.origin}/v1beta/models/${model}:streamGenerateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: words }] }] }),
    })
    const chunks = (await response.json()) as Json[]
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    const gemini = formatClients.find(({ format }) => format === 'gemini')
    assert.equal(chunks.map((chunk) => gemini?.deltaOf(chunk)).join(''), words)
    assert.equal(at(chunks.at(-1), 'candidates', 0, 'finishReason'), 'STOP')
    await billed(response)
  }
})

/** As in the names of the sandbox's models. */
function shortName({ format }: FormatClient): string {
  const names = {
    'openai-chat': '-chat-',
    'openai-responses': '-responses-',
    anthropic: '-messages-',
    gemini: '-gemini-',
  } as const
  return names[format]
}
