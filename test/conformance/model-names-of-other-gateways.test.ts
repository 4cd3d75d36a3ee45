/** Base URLs and model names that users know from other gateways, through the official SDKs. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type RecordingHost, recordingHost } from '../support/recording-hosts.ts'

let host: RecordingHost
let gateway: TestGateway
let key: string
before(async () => {
  host = await recordingHost()
  gateway = await testGateway({
    openai: host.origin,
    anthropic: host.origin,
    google: host.origin,
    limits: { requestsPerMinute: null },
  })
  key = (await gateway.account('5')).key
})
after(async () => {
  await gateway.close()
  await host.close()
})

function openai(base: string): OpenAI {
  return new OpenAI({ baseURL: `${gateway.origin}${base}`, apiKey: key, maxRetries: 0 })
}

function anthropic(base: string): Anthropic {
  const baseURL = `${gateway.origin}${base}`
  return new Anthropic({ baseURL, apiKey: key, authToken: null, maxRetries: 0, logLevel: 'off' })
}

const messages = [{ role: 'user' as const, content: 'Hello' }]

const answersOpenai: readonly string[] = [
  ...['/v1', '/v1/', '', '/', '//v1', '/v1//', '/v1/v1', '/api/v1', '/api/v1/', '/openai', '/openai/v1'],
]

for (const base of answersOpenai) {
  test(`the OpenAI SDK gets its response with the base URL {origin}${base}`, async () => {
    const client = openai(base)
    const answer = await client.chat.completions.create({ model: 'sandbox-echo', messages })
    assert.equal(answer.choices[0]?.message.content, 'Hello')
    const response = await client.responses.create({ model: 'sandbox-echo', input: 'Hello' })
    assert.equal(response.output_text, 'Hello')
  })
}

const answersAnthropic: readonly string[] = [
  ...['', '/', '/v1', '/v1/', '/v1/alt', '/v1/alt/', '/v1/alt/v1', '/v1/v1', '/anthropic', '/anthropic/v1'],
]

for (const base of answersAnthropic) {
  test(`the Anthropic SDK gets its response with the base URL {origin}${base}`, async () => {
    const answer = await anthropic(base).messages.create({ model: 'sandbox-echo', max_tokens: 50, messages })
    assert.deepEqual(answer.content[0], { type: 'text', text: 'Hello' })
  })
}

test('the OpenAI SDK with a whole path as its base gets a 404 that names the correct base URL', async () => {
  for (const path of ['/v1/chat/completions', '/chat/completions', '/v1/responses', '/v2', '/api/openai']) {
    await assert.rejects(
      openai(path).chat.completions.create({ model: 'sandbox-echo', messages }),
      (thrown: unknown) => {
        assert.ok(thrown instanceof OpenAI.NotFoundError, `${path}: ${String(thrown)}`)
        assert.equal(thrown.code, 'unknown_path')
        assert.ok(thrown.message.includes(`${gateway.origin}/v1`), thrown.message)
        return true
      },
    )
  }
})

test('the Anthropic SDK with a whole path as its base gets a 404 that names the correct base URL', async () => {
  for (const path of ['/v1/messages', '/messages', '/v1/alt/v1/messages']) {
    await assert.rejects(
      anthropic(path).messages.create({ model: 'sandbox-echo', max_tokens: 50, messages }),
      (thrown: unknown) => {
        assert.ok(thrown instanceof Anthropic.NotFoundError, `${path}: ${String(thrown)}`)
        assert.ok(thrown.message.includes(`${gateway.origin}/v1/alt`), thrown.message)
        return true
      },
    )
  }
})

/** As the Gemini SDK sends it. */
async function generateContent(model: string): Promise<void> {
  const answer = await fetch(`${gateway.origin}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-goog-api-key': key },
    body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  })
  assert.equal(answer.status, 200, await answer.text())
}

const makers: readonly (readonly [brought: string, own: string])[] = [
  ['openai/gpt-4.1', 'gpt-4.1'],
  ['anthropic/claude-sonnet-4-5', 'claude-sonnet-4-5'],
  ['google/gemini-2.5-flash', 'gemini-2.5-flash'],
]

for (const [brought, own] of makers) {
  test(`${brought} is ${own} of its vendor, whichever SDK requests it`, async () => {
    const asks: readonly (() => Promise<unknown>)[] = [
      () => openai('/v1').chat.completions.create({ model: brought, messages }),
      () => anthropic('').messages.create({ model: brought, max_tokens: 50, messages }),
      () => generateContent(brought),
    ]
    for (const ask of asks) {
      const before = host.arrivals.length
      await ask()
      const { path, body } = host.arrivals[before] ?? assert.fail('it reached no provider')
      assert.ok(`${path} ${body}`.includes(own), path)
      assert.ok(!`${path} ${body}`.includes(brought), path)
    }
  })
}

test('a vendor prefix with a model of another vendor gets 404', async () => {
  await assert.rejects(
    openai('/v1').chat.completions.create({ model: 'anthropic/gpt-4.1', messages }),
    (thrown: unknown) => thrown instanceof OpenAI.NotFoundError && thrown.code === 'model_not_found',
  )
})
