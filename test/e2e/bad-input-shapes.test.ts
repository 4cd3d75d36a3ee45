/**
 * Rich requests of every format in which one value at a time has the wrong type, sent to models of
 * every format: each is served, or rejected with a 4xx status in the caller's format; there is never an
 * internal error, and no hold stays open.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  asking,
  type Format,
  formats,
  goodBody,
  type HostileGateway,
  hostileGateway,
  pathOf,
  postBytes,
  readRejection,
} from '../support/hostile-gateway.ts'
import { RawClient } from '../support/raw-client.ts'
import { everyNth, repeated } from '../support/sampled.ts'

let gateway: HostileGateway
before(async () => {
  gateway = await hostileGateway({
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null, countRequestsPerMinute: 1e6 },
  })
})
after(() => gateway.end())

const schema = { type: 'object', properties: { at: { type: 'string', enum: ['a', 'b'] } }, required: ['at'] }
const picture = 'data:image/png;base64,aGk='

/** Everything that a request of the format usually contains; the model is inserted later. */
const rich: Readonly<Record<Format, object>> = {
  chat: {
    model: '',
    messages: [
      { role: 'system', content: 'be short' },
      {
        role: 'user',
        name: 'one',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'image_url', image_url: { url: picture, detail: 'low' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'hm',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"a"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'look', description: 'looks', strict: true, parameters: schema },
      },
    ],
    tool_choice: { type: 'function', function: { name: 'look' } },
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
    stop: ['end'],
    temperature: 1,
    reasoning_effort: 'low',
    parallel_tool_calls: false,
    stream_options: { include_usage: true },
    stream: true,
    metadata: { a: 'b' },
    max_completion_tokens: 100,
  },
  messages: {
    model: '',
    system: [{ type: 'text', text: 'be short', cache_control: { type: 'ephemeral', ttl: '5m' } }],
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hello' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'hm' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'a' } },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            is_error: false,
            content: [{ type: 'text', text: 'seen' }],
          },
        ],
      },
    ],
    tools: [{ name: 'look', description: 'looks', input_schema: schema }],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    thinking: { type: 'enabled', budget_tokens: 1_024 },
    output_config: { effort: 'low', format: { type: 'json_schema', schema } },
    stop_sequences: ['end'],
    metadata: { user_id: 'a' },
    stream: true,
    max_tokens: 2_000,
  },
  responses: {
    model: '',
    instructions: 'be short',
    input: [
      {
        type: 'message',
        role: 'user',
        content: [
          { type: 'input_text', text: 'hello' },
          { type: 'input_image', image_url: picture, detail: 'low' },
        ],
      },
      { type: 'function_call', call_id: 'call_1', name: 'look', arguments: '{"at":"a"}' },
      { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'seen' }] },
      { type: 'custom_tool_call', call_id: 'call_2', name: 'patch', input: 'a' },
      { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
    ],
    tools: [
      { type: 'function', name: 'look', description: 'looks', strict: true, parameters: schema },
      { type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'a' } },
      {
        type: 'namespace',
        name: 'more',
        description: 'more',
        tools: [{ type: 'function', name: 'hear', parameters: schema }],
      },
    ],
    tool_choice: { type: 'function', name: 'look' },
    text: { format: { type: 'json_schema', name: 'answer', schema }, verbosity: 'low' },
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    parallel_tool_calls: false,
    store: false,
    truncation: 'disabled',
    temperature: 1,
    stream: true,
    metadata: { a: 'b' },
    max_output_tokens: 100,
  },
  gemini: {
    systemInstruction: { parts: [{ text: 'be short' }] },
    contents: [
      { role: 'user', parts: [{ text: 'hello' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }] },
      {
        role: 'model',
        parts: [
          { text: 'hm' },
          {
            functionCall: { id: 'a', name: 'look', args: { at: 'a' } },
            thoughtSignature: 'skip_thought_signature_validator',
          },
        ],
      },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'a', name: 'look', response: { output: 'seen' } } }],
      },
    ],
    tools: [{ functionDeclarations: [{ name: 'look', description: 'looks', parameters: schema }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['look'] } },
    safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }],
    generationConfig: {
      maxOutputTokens: 100,
      candidateCount: 1,
      temperature: 1,
      stopSequences: ['end'],
      responseMimeType: 'application/json',
      responseSchema: schema,
      thinkingConfig: { thinkingBudget: 64, includeThoughts: true },
    },
  },
}

const wrong: readonly string[] = [
  'null',
  '0',
  '1e999',
  '""',
  '"\\ud800"',
  '[]',
  '{}',
  '[null]',
  '["a",1]',
  '{"type":"text"}',
  '[{"type":"function"}]',
]

/** The JSON text of `value` with one value after the other in the place of each of its own. */
function* damaged(value: unknown): Generator<string> {
  for (const bad of wrong) yield bad
  if (Array.isArray(value)) {
    for (const [at, element] of value.entries()) {
      for (const inner of damaged(element)) {
        yield `[${value.map((one, index) => (index === at ? inner : JSON.stringify(one))).join(',')}]`
      }
    }
  } else if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
    for (const [at, [, element]] of members.entries()) {
      for (const inner of damaged(element)) {
        const texts = members.map(
          ([name, one], index) => [name, index === at ? inner : JSON.stringify(one)] as const,
        )
        yield `{${texts.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
      }
    }
  }
}

/** Paths of the format that read such a body. */
function addresses(format: Format, model: string): readonly string[] {
  const { path } = asking[format]
  switch (format) {
    case 'chat':
      return [path]
    case 'messages':
      return [path, `${path}/count_tokens`]
    case 'responses':
      return [path, `${path}/input_tokens`]
    case 'gemini': {
      const whole = pathOf(format, model)
      return [
        whole,
        whole.replace(':generate', ':streamGenerate'),
        whole.replace(':generateContent', ':countTokens'),
      ]
    }
  }
}

/** All cases of a format, each sent to one of the models and paths in turn. */
const atOnce = 8

for (const format of formats) {
  test(`${format}: a value of the wrong type is the caller's error, whichever format the model has`, async (context) => {
    const account = await gateway.account('1000')
    const counts = new Map<number, number>()
    // Each worker takes the next body from the one iterator.
    const bodies = everyNth(damaged(rich[format]), repeated(7, 3, 1))
    let asked = 0
    async function lane(): Promise<void> {
      let client = new RawClient(gateway.port)
      for (const body of bodies) {
        const { model } = asking[formats[asked % formats.length] ?? 'chat']
        const paths = addresses(format, model)
        const path = paths[Math.floor(asked / formats.length) % paths.length] ?? ''
        asked += 1
        const text = body.replace('"model":""', `"model":"${model}"`)
        client.send(postBytes(format, text, { key: account.key, path }))
        const answer = await client.answer()
        const shown = `${path} (${model}): ${text}\n${answer?.status} ${answer?.body}`
        assert.ok(answer !== undefined, shown)
        counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
        if (answer.status === 200) {
          assert.doesNotMatch(answer.body, /"code":"internal"|INTERNAL/, shown)
        } else {
          assert.ok(answer.status >= 400 && answer.status < 500, shown)
          if (!isUpstreams(answer.body)) assert.ok(readRejection(format, answer).message.length > 5, shown)
        }
        if (/^connection: close/im.test(answer.head)) client = new RawClient(gateway.port)
      }
      client.close()
    }
    await Promise.all(Array.from({ length: atOnce }, lane))
    context.diagnostic(
      `${asked} asked: ${[...counts].map(([status, count]) => `${count} × ${status}`).join(', ')}`,
    )
    assert.ok((counts.get(200) ?? 0) > 20 && (counts.get(400) ?? 0) > asked / 4)
    const { held, openHolds } = await gateway.balance(account.id)
    assert.deepEqual([held, openHolds], [0n, 0])
  })

  test(`${format}: the body without damage is valid`, async () => {
    const account = await gateway.account('10')
    const { model } = asking[format]
    const body = JSON.stringify(rich[format]).replace('"model":""', `"model":"${model}"`)
    const answer = await gateway.post(format, body, { key: account.key })
    assert.equal(answer?.status, 200, answer?.body)
    assert.equal((await gateway.post(format, goodBody(format)))?.status, 200)
  })
}

/** Rejected by the sandbox, with the provider's message: ours says who rejected it. */
function isUpstreams(body: string): boolean {
  return !/"source":"(?:gateway|upstream)"/.test(body)
}
