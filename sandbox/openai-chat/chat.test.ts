/** Chat Completions as the official library and a plain client see it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import OpenAI from 'openai'
import { manualClock } from '../../test/support/manual-clock.ts'
import { eventsIn, exchange, plainBody } from '../../test/support/sandbox-client.ts'
import { sandboxTokens } from '../request/tokens.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { wordsOf } from '../scenarios/words.ts'

const path = '/v1/chat/completions'
const clock = manualClock()
let sandbox: Sandbox
let client: OpenAI

before(async () => {
  sandbox = await startSandbox({ clock })
  client = new OpenAI({ apiKey: 'any', baseURL: `${sandbox.origin}/v1`, maxRetries: 0 })
})
after(() => sandbox.close())

test('echo, not streamed: the text, its usage and the id', async () => {
  const parts = [
    { type: 'text' as const, text: 'Hello ' },
    { type: 'text' as const, text: 'there, you' },
  ]
  const { data: answer, request_id } = await client.chat.completions
    .create(
      { model: 'sandbox-echo', messages: [{ role: 'user', content: parts }] },
      { headers: { 'x-request-id': 'echo-1' } },
    )
    .withResponse()
  assert.equal(request_id, 'echo-1')
  assert.match(answer.id, /^chatcmpl-[A-Za-z0-9]{22}$/)
  assert.equal(answer.created, Math.floor(clock.wallMs() / 1_000))
  assert.equal(answer.choices[0]?.message.content, 'Hello there, you')
  assert.equal(answer.choices[0]?.finish_reason, 'stop')
  const [input, output] = [
    sandboxTokens('Hello ') + sandboxTokens('there, you'),
    sandboxTokens('Hello there, you'),
  ]
  assert.equal(answer.usage?.prompt_tokens, input)
  assert.equal(answer.usage?.completion_tokens, output)
  assert.equal(answer.usage?.total_tokens, input + output)
  const logged = sandbox.logged('echo-1')
  assert.deepEqual(
    [
      logged?.inputTokens,
      logged?.outputTokens,
      logged?.reportedOutputTokens,
      logged?.finished,
      logged?.status,
    ],
    [input, output, output, true, 200],
  )
})

test('echo answers the last user message that has a text', async () => {
  const answer = await client.chat.completions.create({
    model: 'sandbox-echo',
    messages: [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'first' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'second' },
    ],
  })
  assert.equal(answer.choices[0]?.message.content, 'second')
})

for (const field of ['max_tokens', 'max_completion_tokens'] as const) {
  test(`${field} cuts the answer and says so`, async () => {
    const answer = await client.chat.completions.create({
      model: 'sandbox-stream',
      [field]: 5,
      messages: [{ role: 'user', content: 'go' }],
    })
    assert.equal(answer.choices[0]?.message.content, wordsOf(5).join(''))
    assert.equal(answer.choices[0]?.finish_reason, 'length')
    assert.equal(answer.usage?.completion_tokens, 5)
  })
}

test('a stream: one event a token, role first, finish, usage only when asked, [DONE]', async () => {
  const reply = await exchange(sandbox.origin, {
    path,
    body: plainBody('sandbox-stream', 'tokens=3', { stream_options: { include_usage: true } }),
  })
  assert.equal(reply.headers['content-type'], 'text/event-stream; charset=utf-8')
  const events = eventsIn(reply.body) as OpenAI.ChatCompletionChunk[]
  assert.deepEqual(
    events
      .slice(0, -2)
      .map((chunk) => [chunk.choices[0]?.delta, chunk.choices[0]?.finish_reason, chunk.usage]),
    [
      [{ role: 'assistant', content: '', refusal: null }, null, null],
      ...wordsOf(3).map((content) => [{ content }, null, null]),
      [{}, 'stop', null],
    ],
  )
  assert.deepEqual(events.at(-2)?.choices, [])
  assert.equal(events.at(-2)?.usage?.completion_tokens, 3)
  assert.equal(events.at(-1), '[DONE]')

  const silent = await exchange(sandbox.origin, { path, body: plainBody('sandbox-stream', 'tokens=3') })
  assert.ok(!silent.body.includes('"usage"'))
  assert.equal(eventsIn(silent.body).length, 6)
})

test('several choices cost several times', async () => {
  const request = {
    model: 'sandbox-stream:tokens=4',
    n: 3,
    messages: [{ role: 'user' as const, content: 'go' }],
  }
  const whole = await client.chat.completions.create(request)
  assert.deepEqual(
    whole.choices.map(({ index, message }) => [index, message.content]),
    [0, 1, 2].map((index) => [index, wordsOf(4).join('')]),
  )
  assert.equal(whole.usage?.completion_tokens, 12)

  const streamed = await client.chat.completions
    .stream({ ...request, stream_options: { include_usage: true } }, { headers: { 'x-request-id': 'three' } })
    .finalChatCompletion()
  assert.equal(streamed.choices.length, 3)
  assert.equal(streamed.usage?.completion_tokens, 12)
  assert.equal(sandbox.logged('three')?.outputTokens, 12)
})

test('reasoning is hidden and counted, also when nothing else fits the limit', async () => {
  const request = {
    model: 'sandbox-think:thinking=10:tokens=5',
    messages: [{ role: 'user' as const, content: 'go' }],
  }
  const whole = await client.chat.completions.create(request)
  assert.equal(whole.choices[0]?.message.content, wordsOf(5).join(''))
  assert.equal(whole.usage?.completion_tokens, 15)
  assert.equal(whole.usage?.completion_tokens_details?.reasoning_tokens, 10)

  const cut = await client.chat.completions.create({ ...request, max_completion_tokens: 10 })
  assert.equal(cut.choices[0]?.message.content, '')
  assert.equal(cut.choices[0]?.finish_reason, 'length')
  assert.equal(cut.usage?.completion_tokens_details?.reasoning_tokens, 10)

  const without = await client.chat.completions.create({ ...request, reasoning_effort: 'none' })
  assert.equal(without.usage?.completion_tokens, 5)
})
