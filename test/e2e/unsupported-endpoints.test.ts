/**
 * Endpoints of the providers' APIs that store state or work in the background answer 501 in their own format, with or
 * without a key, and say what to do instead.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { testGateway } from '../support/gateway.ts'

const gateway = await testGateway()
after(() => gateway.close())
const { key } = await gateway.account('1')

type Format = 'openai' | 'anthropic' | 'gemini'

const addresses: readonly (readonly [method: string, path: string, format: Format, instead: RegExp])[] = [
  ['POST', '/v1/batches', 'openai', /Send the requests individually/],
  ['GET', '/v1/batches/batch_1', 'openai', /Send the requests individually/],
  ['POST', '/v1/batches/batch_1/cancel', 'openai', /Send the requests individually/],
  ['POST', '/v1/messages/batches', 'anthropic', /Send the requests individually/],
  ['GET', '/v1/alt/v1/messages/batches/b_1/results', 'anthropic', /Send the requests individually/],
  ['POST', '/v1beta/models/gemini-3-pro:batchGenerateContent', 'gemini', /Send the requests individually/],
  ['GET', '/v1beta/batches/b-1', 'gemini', /Send the requests individually/],
  ['POST', '/v1/vector_stores', 'openai', /Send documents with the request/],
  ['POST', '/v1/vector_stores/vs_1/files', 'openai', /Send documents with the request/],
  ['POST', '/v1/conversations', 'openai', /previous_response_id/],
  ['POST', '/v1/assistants', 'openai', /Use the Responses API/],
  ['POST', '/v1/threads/thread_1/runs', 'openai', /Use the Responses API/],
  ['POST', '/v1beta/cachedContents', 'gemini', /with the same prefix/],
  ['GET', '/v1beta/cachedContents/c-1', 'gemini', /with the same prefix/],
  ['POST', '/v1/containers', 'openai', /needs no ID/],
  ['POST', '/v1/uploads', 'openai', /in one request/],
  ['POST', '/v1/images/generations', 'openai', /Image endpoints/],
  ['POST', '/v1/audio/speech', 'openai', /Audio endpoints/],
  ['POST', '/v1/videos', 'openai', /Video endpoints/],
  ['POST', '/v1/realtime/client_secrets', 'openai', /Realtime/],
  ['POST', '/v1/completions', 'openai', /chat\/completions/],
  ['POST', '/v1/complete', 'openai', /Messages API/],
  ['POST', '/v1/moderations', 'openai', /Moderations/],
  ['POST', '/v1/fine_tuning/jobs', 'openai', /Fine-tuning/],
  ['POST', '/v1/evals', 'openai', /evaluations/],
  ['POST', '/v1/alt/v1/skills', 'anthropic', /skills stored at the provider/],
  ['POST', '/v1/alt/v1/agents', 'anthropic', /Agents/],
  ['GET', '/v1/alt/v1/organizations/me', 'anthropic', /administration/],
  ['POST', '/v1beta/interactions', 'gemini', /generateContent/],
  ['GET', '/v1beta/operations/o-1', 'gemini', /Send the requests individually/],
  ['POST', '/v1beta/models/imagen-5:predict', 'gemini', /Image endpoints/],
  ['POST', '/v1beta/models/veo-4:predictLongRunning', 'gemini', /Video endpoints/],
]

const messageOf: Readonly<Record<Format, (body: never) => { message: string; code: unknown }>> = {
  openai: ({ error }: { error: { message: string; code: string } }) => error,
  anthropic: ({ error }: { error: { message: string; details: { code: string } } }) => ({
    message: error.message,
    code: error.details.code,
  }),
  gemini: ({ error }: { error: { message: string; details: { reason?: string }[] } }) => ({
    message: error.message,
    code: error.details.find(({ reason }) => reason !== undefined)?.reason,
  }),
}

for (const [method, path, format, instead] of addresses) {
  test(`${method} ${path} says what to do instead`, async () => {
    for (const headers of [{}, { authorization: `Bearer ${key}` }]) {
      const body = method === 'POST' ? '{}' : undefined
      const answer = await fetch(gateway.origin + path, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body }),
      })
      assert.equal(answer.status, 501)
      const { message, code } = messageOf[format]((await answer.json()) as never)
      assert.match(message, instead)
      assert.equal(String(code).toLowerCase(), 'not_supported')
    }
  })
}

test('a path that no provider has stays unknown', async () => {
  for (const path of ['/v1/nothing', '/v1/image', '/v1beta/agent', '/v1/alt/v1/skill']) {
    const answer = await fetch(gateway.origin + path, { method: 'POST', body: '{}' })
    assert.equal(answer.status, 404, path)
  }
})

test('the official libraries show the message', async () => {
  const openai = new OpenAI({ apiKey: key, baseURL: `${gateway.origin}/v1`, logLevel: 'off' })
  await assert.rejects(openai.conversations.create(), { status: 501, code: 'not_supported' })
  const anthropic = new Anthropic({ apiKey: key, baseURL: `${gateway.origin}/v1/alt`, logLevel: 'off' })
  await assert.rejects(anthropic.messages.batches.list(), /501.*Batches are not supported/)
})
