/**
 * An upstream that repeats the request's headers in its error: a caller sees neither the operator's credential nor the values
 * of the headers that the operator configured.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { customHostOf } from '../../contract/custom-hosts.ts'
import { testGateway } from '../support/gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'

const hidden = {
  credential: ['key', '7'.repeat(20)].join('-'),
  header: ['gate', '8'.repeat(20)].join('-'),
  account: '1'.repeat(12),
}
/** In the error of the next request. */
let longAnswer = ''
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const model = `arn:aws:bedrock:us-east-1:${hidden.account}:inference-profile/m`
    const message = `cannot read ${JSON.stringify(request.headers)} of ${model} ${longAnswer}`
    const answer = { error: { type: 'invalid_request_error', code: null, message } }
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const gate = await testGateway({
  models: [{ id: 'echo/m', context: 8_192, maxOutput: 1_024, prices: [{ input: '1', output: '1' }] }],
  upstreams: [
    {
      ...{ name: 'echo', provider: 'echo', credential: hidden.credential, weight: 1 },
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      custom: customHostOf('custom', {
        formats: ['openai-chat', 'anthropic'],
        headers: { 'x-gate-secret': hidden.header, 'x-team': 'a' },
      }),
    },
  ],
  offers: 'as configured',
})
const account = await gate.account('5')
after(async () => {
  await gate.close()
  server.close()
})

for (const [what, path, more] of [
  ['in its own format', '/v1/chat/completions', {}],
  ['in a stream', '/v1/chat/completions', { stream: true }],
  ['translated', '/v1/responses', { input: 'hello' }],
  ['counting tokens', '/v1/messages/count_tokens', {}],
  ['in another format', '/v1/messages', {}],
] as const) {
  test(`an error that repeats the headers, ${what}`, async () => {
    const messages = 'input' in more ? {} : { messages: [{ role: 'user', content: 'hello' }] }
    const answer = await fetch(gate.origin + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'echo/m', max_tokens: 9, ...messages, ...more }),
    })
    const text = `${await answer.text()}${JSON.stringify([...answer.headers])}`
    if (what !== 'counting tokens') assert.match(text, /cannot read/)
    for (const secret of Object.values(hidden)) assert.ok(!text.includes(secret), text)
  })
}

test('an error of almost 1 MiB that looks like the beginning of an account ID everywhere', async () => {
  longAnswer = 'org-'.repeat(250_000)
  const answer = await fetch(`${gate.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'echo/m', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] }),
  })
  assert.deepEqual([answer.status, (await answer.text()).includes(longAnswer)], [400, true])
})

test('the headers of an upstream that is added are in no file and not in the audit log', async () => {
  const operator = asking(controlOf(gate), personActor('ada', { operator: true }))
  const added = ['added', '9'.repeat(20)].join('-')
  await operator.done('upstreams.put', {
    ...{ upstream: 'added', provider: 'custom', url: 'http://127.0.0.1:9', saveAnyway: true },
    ...{ formats: ['openai-chat'], headers: { 'x-gate-secret': added }, models: [] },
  })
  const shown = JSON.stringify(await operator.done('audit.list', {}))
  assert.match(shown, /"x-gate-secret":"\(not stored\)"/)
  assert.ok(!shown.includes(added))
  for (const file of readdirSync(gate.dataFolder, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    assert.ok(!readFileSync(join(file.parentPath, file.name)).includes(added), file.name)
  }
})
