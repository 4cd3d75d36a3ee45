/** generateContent as a plain client sees it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { eventsIn, exchange, type Reply } from '../../test/support/sandbox-client.ts'
import { type JsonObject, objectsIn } from '../request/normalized-request.ts'
import { sandboxTokens } from '../request/tokens.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'
import { wordsOf } from '../scenarios/words.ts'

let sandbox: Sandbox

before(async () => {
  sandbox = await startSandbox({ clock: manualClock() })
})
after(() => sandbox.close())

interface Part extends JsonObject {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly functionCall?: { readonly name: string; readonly args: JsonObject; readonly id?: string }
}

interface Answer {
  readonly candidates: readonly [
    {
      readonly content: { readonly parts?: readonly Part[]; readonly role: string }
      readonly finishReason?: string
      readonly finishMessage?: string
    },
  ]
  readonly usageMetadata: Readonly<Record<string, number>>
  readonly modelVersion: string
  readonly responseId: string
}

const user = { role: 'user', parts: [{ text: 'go' }] }
const weather = {
  name: 'find_weather',
  parameters: {
    type: 'OBJECT',
    properties: { city: { type: 'STRING' }, days: { type: 'INTEGER' } },
    required: ['city', 'days'],
  },
}
const tools = [{ functionDeclarations: [weather] }]
const thoughts = { generationConfig: { thinkingConfig: { includeThoughts: true } } }

function send(model: string, method: string, body: object): Promise<Reply> {
  const path = `/v1beta/models/${model}:${method}`
  return exchange(sandbox.origin, { path, body, headers: { 'x-request-id': `${model}-${method}` } })
}

async function whole(model: string, body: object): Promise<Answer> {
  const reply = await send(model, 'generateContent', body)
  assert.equal(reply.status, 200, reply.body)
  return JSON.parse(reply.body) as Answer
}

async function streamed(model: string, body: object): Promise<readonly Answer[]> {
  const reply = await send(model, 'streamGenerateContent?alt=sse', body)
  assert.equal(reply.status, 200, reply.body)
  return eventsIn(reply.body) as readonly Answer[]
}

function partsOf(answers: readonly Answer[]): readonly Part[] {
  return answers.flatMap(({ candidates: [{ content }] }) => content.parts ?? [])
}

function textOf(answers: readonly Answer[]): string {
  return partsOf(answers)
    .map(({ text = '', thought = false }) => (thought ? '' : text))
    .join('')
}

test('echo, not streamed: the text and its usage', async () => {
  const body = {
    systemInstruction: { parts: [{ text: 'Be kind.' }] },
    contents: [{ role: 'user', parts: [{ text: 'Hello ' }, { text: 'there, you' }] }],
  }
  const answer = await whole('sandbox-echo', body)
  assert.equal(textOf([answer]), 'Hello there, you')
  assert.deepEqual(
    [answer.candidates[0].finishReason, answer.candidates[0].content.role, answer.modelVersion],
    ['STOP', 'model', 'sandbox-echo'],
  )
  const output = sandboxTokens('Hello there, you')
  const input = ['Be kind.', 'Hello ', 'there, you'].reduce((sum, text) => sum + sandboxTokens(text), 0)
  assert.deepEqual(
    [
      answer.usageMetadata.promptTokenCount,
      answer.usageMetadata.candidatesTokenCount,
      answer.usageMetadata.totalTokenCount,
    ],
    [input, output, input + output],
  )
  const logged = sandbox.logged('sandbox-echo-generateContent')
  assert.deepEqual(
    [logged?.inputTokens, logged?.outputTokens, logged?.reportedOutputTokens, logged?.finished],
    [input, output, output, true],
  )
})

test('a stream: one chunk a token, usage that grows, the reason in the last chunk alone', async () => {
  const reply = await send('sandbox-stream:tokens=3', 'streamGenerateContent?alt=sse', { contents: [user] })
  assert.equal(reply.headers['content-type'], 'text/event-stream')
  assert.ok(reply.body.startsWith('data: {"candidates": [{') && reply.body.endsWith('}\r\n\r\n'))
  const chunks = eventsIn(reply.body) as readonly Answer[]
  assert.deepEqual(
    chunks.map(({ candidates: [candidate], usageMetadata }) => [
      candidate.content.parts?.[0]?.text,
      candidate.finishReason,
      usageMetadata.candidatesTokenCount,
    ]),
    [...wordsOf(3).map((word, index) => [word, undefined, index + 1]), ['', 'STOP', 3]],
  )
  assert.equal(new Set(chunks.map(({ responseId }) => responseId)).size, 1)
})

test('the limit cuts the answer and says so', async () => {
  const body = { contents: [user], generationConfig: { max_output_tokens: 5 } }
  for (const answers of [[await whole('sandbox-stream', body)], await streamed('sandbox-stream', body)]) {
    assert.equal(textOf(answers), wordsOf(5).join(''))
    const last = answers.at(-1)
    assert.equal(last?.candidates[0].finishReason, 'MAX_TOKENS')
    assert.equal(last?.usageMetadata.candidatesTokenCount, 5)
  }
})

test('calls have no id where that is asked for', async () => {
  const answer = await whole('sandbox-tool:ids=no', { contents: [user], tools })
  assert.deepEqual(Object.keys(partsOf([answer])[0]?.functionCall ?? {}), ['name', 'args'])
})

test('thoughts are shown on request, signed at the end, and counted apart', async () => {
  const model = 'sandbox-think:thinking=10:tokens=5'
  for (const answers of [
    [await whole(model, { contents: [user], ...thoughts })],
    await streamed(model, { contents: [user], ...thoughts }),
  ]) {
    const parts = partsOf(answers)
    const shown = parts.filter(({ thought }) => thought === true).map(({ text }) => text)
    assert.equal(shown.join(''), wordsOf(10).join(''))
    assert.equal(textOf(answers), wordsOf(5).join(''))
    assert.equal(typeof parts.at(-1)?.thoughtSignature, 'string')
    const usage = answers.at(-1)?.usageMetadata
    assert.deepEqual([usage?.thoughtsTokenCount, usage?.candidatesTokenCount], [10, 5])
    const contents = [user, { role: 'model', parts }, user]
    assert.equal(textOf([await whole('sandbox-echo', { contents })]), 'go')
  }
  const hidden = await whole(model, { contents: [user] })
  assert.deepEqual([partsOf([hidden]).length, hidden.usageMetadata.thoughtsTokenCount], [1, 10])
  const off = { thinkingConfig: { thinkingBudget: 0 } }
  const without = await whole(model, { contents: [user], generationConfig: off })
  assert.equal(without.usageMetadata.thoughtsTokenCount, undefined)
})

test('snake_case and small letters are understood', async () => {
  const body = {
    contents: [user],
    tools: [{ function_declarations: [weather, { name: 'other' }] }],
    tool_config: { function_calling_config: { mode: 'any', allowed_function_names: ['other'] } },
  }
  const answer = await whole('sandbox-tool', body)
  assert.deepEqual(partsOf([answer])[0]?.functionCall?.name, 'other')
  const none = { ...body, tool_config: { function_calling_config: { mode: 'none' } } }
  assert.equal(textOf([await whole('sandbox-tool', none)]), 'No tool to call.')
})

test('countTokens counts what a request would be charged, of contents or of a whole request', async () => {
  const request = { contents: [user], tools, systemInstruction: { parts: [{ text: 'Be kind.' }] } }
  const plain = JSON.parse(
    (await send('sandbox-echo', 'countTokens', { contents: [user] })).body,
  ) as JsonObject
  assert.deepEqual(plain, {
    totalTokens: sandboxTokens('go'),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: sandboxTokens('go') }],
  })
  const full = { generateContentRequest: { model: 'models/sandbox-echo', ...request } }
  const counted = JSON.parse((await send('sandbox-echo', 'countTokens', full)).body) as JsonObject
  const answered = await whole('sandbox-echo', request)
  assert.equal(counted.totalTokens, answered.usageMetadata.promptTokenCount)
})

test('the key may be in a header or in the query', async () => {
  const path = '/v1beta/models/sandbox-echo:generateContent'
  for (const [query, key, status] of [
    ['', 'any', 200],
    ['?key=any', '', 200],
    ['?key=', '', 403],
    ['', '', 403],
  ] as const) {
    const headers = { authorization: '', 'x-goog-api-key': key }
    const reply = await exchange(sandbox.origin, {
      path: `${path}${query}`,
      body: { contents: [user] },
      headers,
    })
    assert.equal(reply.status, status)
  }
})

test('either version of the address will do, and a stream only as events', async () => {
  const body = { contents: [user] }
  for (const [path, status] of [
    ['/v1/models/sandbox-echo:generateContent', 200],
    ['/v1/models/sandbox-echo:streamGenerateContent?alt=sse', 200],
    ['/v1beta/models/sandbox-stream%3Atokens=3:generateContent', 200],
    ['/v1beta/models/sandbox-echo:streamGenerateContent', 400],
    ['/v1beta/models/sandbox-echo:embedContent', 404],
    ['/v1beta/models/gemini-x:generateContent', 404],
  ] as const) {
    const reply = await exchange(sandbox.origin, { path, body })
    assert.equal(reply.status, status, path)
    if (status !== 200) assert.match(reply.body, /"status": "(NOT_FOUND|INVALID_ARGUMENT)"/)
  }
})

test('an unknown field is reported with its position', async () => {
  const tool = { ...weather, parameters: { ...weather.parameters, additionalProperties: false } }
  const reply = await send('sandbox-echo', 'generateContent', {
    contents: [user],
    tools: [{ functionDeclarations: [tool] }],
  })
  const { error } = JSON.parse(reply.body) as { error: JsonObject }
  assert.match(
    String(error.message),
    /Unknown name "additionalProperties" at 'tools\[0\]\.function_declarations/,
  )
  assert.equal(objectsIn(error.details)[0]?.['@type'], 'type.googleapis.com/google.rpc.BadRequest')
})

test('contents of the model that follow each other are one turn, as libraries keep the chunks of a stream', async () => {
  const thoughtSignature = 'skip_thought_signature_validator'
  const call = { functionCall: { name: weather.name, args: {} } }
  const response = { functionResponse: { name: weather.name, response: { output: 'x' } } }
  const model = (part: JsonObject) => ({ role: 'model', parts: [part] })
  const thought = model({ text: 'hm', thought: true })
  const asking = [user, thought, model({ ...call, thoughtSignature }), model(call)]
  for (const [responses, status] of [
    [[response, response], 200],
    [[response], 400],
  ] as const) {
    const contents = [...asking, { role: 'user', parts: responses }]
    assert.equal((await send('sandbox-gemini-tools', 'generateContent', { contents })).status, status)
  }
})
