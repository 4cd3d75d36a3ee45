/**
 * Requests that name uploaded files: the account's own go to the upstream that stores them, with a hold by their size; others
 * are rejected with one message, and no provider is called.
 */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { Config } from '../../src/config/config.ts'
import { type FileHost, fileHost } from '../support/file-host.ts'
import { type TestAccount, testGateway } from '../support/gateway.ts'

const hosts = [await fileHost(), await fileHost()] as const
const [host, second] = hosts
const upstream = (name: string, provider: string, { origin }: FileHost): Config['upstreams'][number] => ({
  ...{ name, provider, url: origin, weight: 1, models: 'all' },
  credential: `credential-of-${name}`,
})
const gateway = await testGateway({
  upstreams: [
    upstream('openai-1', 'openai', host),
    upstream('openai-2', 'openai', second),
    upstream('anthropic-1', 'anthropic', host),
  ],
})
after(async () => {
  await gateway.close()
  for (const each of hosts) await each.close()
})

const usage = { prompt_tokens: 40, completion_tokens: 1, total_tokens: 41 }
const responsesUsage = {
  ...{ input_tokens: 40, input_tokens_details: { cached_tokens: 0 } },
  ...{ output_tokens: 1, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 41 },
}
const answers: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    ...{ id: 'c', object: 'chat.completion', created: 1, model: 'gpt-4.1', usage },
    choices: [{ index: 0, message: { role: 'assistant', content: 'A file.' }, finish_reason: 'stop' }],
  },
  '/v1/responses': {
    ...{ id: 'r', object: 'response', created_at: 1, model: 'gpt-4.1', status: 'completed', error: null },
    output: [
      {
        ...{ type: 'message', id: 'm', role: 'assistant', status: 'completed' },
        content: [{ type: 'output_text', text: 'A file.', annotations: [] }],
      },
    ],
    usage: responsesUsage,
  },
  '/v1/responses/input_tokens': { object: 'response.input_tokens', input_tokens: 40 },
  '/v1/messages': {
    ...{ id: 'm', type: 'message', role: 'assistant', model: 'claude-sonnet-4-6' },
    content: [{ type: 'text', text: 'A file.' }],
    ...{ stop_reason: 'end_turn', stop_sequence: null, usage: { input_tokens: 40, output_tokens: 1 } },
  },
  '/v1/messages/count_tokens': { input_tokens: 40 },
}
for (const each of hosts) each.answer = (path) => answers[path.split('?')[0] ?? ''] ?? {}

/** The whole context window of any of these models costs more. */
const small = '0.2'
let owner: TestAccount
let other: TestAccount
beforeEach(async () => {
  owner = await gateway.account(small)
  other = await gateway.account(small)
  for (const { arrivals } of hosts) arrivals.length = 0
})

const openaiOf = ({ key }: TestAccount) =>
  new OpenAI({ apiKey: key, baseURL: `${gateway.origin}/v1`, maxRetries: 0, logLevel: 'off' })
const anthropicOf = ({ key }: TestAccount) =>
  new Anthropic({ apiKey: key, baseURL: `${gateway.origin}/v1/alt`, maxRetries: 0, logLevel: 'off' })
const file = () => new File(['hello'], 'a.txt', { type: 'text/plain' })
const uploadTo = {
  openai: async (account: TestAccount) =>
    (await openaiOf(account).files.create({ file: file(), purpose: 'user_data' })).id,
  anthropic: async (account: TestAccount) =>
    (await anthropicOf(account).beta.files.upload({ file: file() })).id,
}

type Ask = (account: TestAccount, id: string) => Promise<unknown>
const cases: readonly (readonly [what: string, maker: keyof typeof uploadTo, path: string, ask: Ask])[] = [
  [
    'chat',
    'openai',
    '/v1/chat/completions',
    (account, file_id) =>
      openaiOf(account).chat.completions.create({
        model: 'gpt-4.1',
        messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }],
        max_completion_tokens: 100,
      }),
  ],
  [
    'Responses',
    'openai',
    '/v1/responses',
    (account, file_id) =>
      openaiOf(account).responses.create({
        model: 'gpt-4.1',
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_file', file_id },
              { type: 'input_image', file_id, detail: 'auto' },
            ],
          },
        ],
        max_output_tokens: 100,
      }),
  ],
  [
    'Messages',
    'anthropic',
    '/v1/messages',
    (account, file_id) =>
      anthropicOf(account).beta.messages.create({
        model: 'claude-sonnet-4-6',
        max_tokens: 100,
        messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id } }] }],
        betas: ['files-api-2025-04-14'],
      }),
  ],
  [
    'a count of Messages',
    'anthropic',
    '/v1/messages/count_tokens',
    (account, file_id) =>
      anthropicOf(account).beta.messages.countTokens({
        model: 'claude-sonnet-4-6',
        messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'file', file_id } }] }],
        betas: ['files-api-2025-04-14'],
      }),
  ],
]

const sent = () => hosts.flatMap(({ arrivals }) => arrivals)

for (const [what, maker, path, ask] of cases) {
  test(`${what}: an own file is referenced at the upstream that stores it`, async () => {
    const id = await uploadTo[maker](owner)
    const keeper = hosts.find(({ files, arrivals }) => files.has(id) && arrivals.length > 0)
    for (const { arrivals } of hosts) arrivals.length = 0
    for (let times = 0; times < 3; times += 1) await ask(owner, id)
    assert.deepEqual(
      sent().map((arrival) => arrival.path.split('?')[0]),
      [path, path, path],
    )
    assert.equal(keeper?.arrivals.length, 3)
    assert.match(sent()[0]?.body.toString() ?? '', new RegExp(`"file_id":"${id}"`))
    assert.equal((await gateway.balance(owner.id)).held, 0n)
  })

  test(`${what}: a file of another account is rejected like a missing one`, async () => {
    const id = await uploadTo[maker](owner)
    for (const { arrivals } of hosts) arrivals.length = 0
    const messageFor = async (account: TestAccount, named: string) => {
      const error: unknown = await ask(account, named).then(
        () => assert.fail('it was answered'),
        (thrown: unknown) => thrown,
      )
      const { status, message } = error as { status: number; message: string }
      return [status, /reference_not_owned/.test(JSON.stringify(error)), message.replaceAll(named, 'ID')]
    }
    const foreign = await messageFor(other, id)
    assert.deepEqual(foreign.slice(0, 2), [400, true])
    const strip = (answer: readonly unknown[]) => JSON.stringify(answer).replaceAll(/req_\w+/g, 'REQUEST')
    assert.equal(strip(foreign), strip(await messageFor(other, 'file-unknown')))
    assert.deepEqual(sent(), [])
    assert.equal((await gateway.balance(other.id)).held, 0n)
  })
}

test('a deleted file, and one at another vendor, are rejected', async () => {
  const client = openaiOf(owner)
  const id = await uploadTo.openai(owner)
  const parts = [{ type: 'file' as const, file: { file_id: id } }]
  const create = (model: string) =>
    client.chat.completions.create({ model, messages: [{ role: 'user', content: parts }] })
  await assert.rejects(create('claude-sonnet-4-6'), { status: 400, code: 'reference_not_owned' })
  await create('gpt-4.1')
  await client.files.delete(id)
  await assert.rejects(create('gpt-4.1'), { status: 400, code: 'reference_not_owned' })
})
