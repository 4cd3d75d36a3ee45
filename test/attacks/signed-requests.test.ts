/**
 * No query or header from a caller makes the operator's signature invalid: a rejected signature is taken for a wrong credential,
 * which sets the upstream aside for everyone.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cloudPlaces, type Place, rejections } from '../support/cloud-place.ts'

const { place } = cloudPlaces()

const paths = { 'openai-chat': '/openai/v1/chat/completions', anthropic: '/anthropic/v1/messages' } as const

const bedrock = (): Promise<Place> =>
  place({
    provider: 'bedrock',
    credential: { accessKeyId: 'AK-1', secretAccessKey: 'a-secret-of-aws', region: 'eu-central-1' },
    facts: {
      route: (url) => {
        const path = url.split('?', 1)[0]
        if (path === paths['openai-chat']) return { format: 'chat' }
        return path === paths.anthropic ? { format: 'messages' } : null
      },
      mistake: () => '',
      rejections,
    },
  })

const targets = {
  'openai-chat': { path: '/v1/chat/completions', model: 'bedrock/openai.gpt-oss-120b' },
  anthropic: { path: '/v1/messages', model: 'bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0' },
} as const

async function post(
  { tollgate, account }: Place,
  format: keyof typeof targets,
  { query = '', headers = {} }: { query?: string; headers?: Readonly<Record<string, string>> },
): Promise<number> {
  const { path, model } = targets[format]
  const messages = [{ role: 'user', content: 'say text' }]
  const answer = await fetch(`${tollgate.origin}${path}${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, messages, max_tokens: 50 }),
  })
  await answer.text()
  return answer.status
}

const queries: readonly (readonly [written: string, format: keyof typeof targets])[] = [
  ['?api-version=%', 'openai-chat'],
  ['?api-version=%C3%28', 'openai-chat'],
  ['?api-version=a=b', 'openai-chat'],
  ['?api-version=a?b', 'openai-chat'],
  ['?beta=%E0%A4%A', 'anthropic'],
]

test('no query of a caller is part of the signature', async () => {
  const there = await bedrock()
  for (const [query, format] of queries) {
    const status = await post(there, format, { query })
    const { url } = there.cloud.requests.at(-1) ?? {}
    assert.deepEqual([query, status, url], [query, 200, paths[format]])
  }
})

const headers: readonly Readonly<Record<string, string>>[] = [
  { 'anthropic-version': '2023-06-01\u00e9' },
  { 'anthropic-version': 'a\tb' },
  { 'x-amz-date': '20200101T000000Z', 'x-amz-content-sha256': 'wrong', 'x-amz-security-token': 'wrong' },
  { tracestate: 'a=1\tb', traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` },
]

test('no header of a caller is part of the signature', async () => {
  const there = await bedrock()
  for (const written of headers) {
    assert.equal(await post(there, 'anthropic', { headers: written }), 200)
    const arrived = there.cloud.requests.at(-1)?.headers ?? {}
    assert.match(String(arrived.authorization), /SignedHeaders=content-type;host;x-amz-date, /)
    assert.doesNotMatch(JSON.stringify(arrived), /wrong|20200101/)
  }
})
