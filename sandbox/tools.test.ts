/** Models that call the requested tools, in every format and step by step, and the results they receive. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ConversationFormat } from '../src/wire/format-names.ts'
import { manualClock } from '../test/support/manual-clock.ts'
import { exchange } from '../test/support/sandbox-client.ts'
import { plainRequest, sandboxFormats } from '../test/support/sandbox-formats.ts'
import { isObject, type JsonObject, objectsIn } from './request/normalized-request.ts'
import { type Sandbox, startSandbox } from './sandbox.ts'
import { behaviors } from './scenarios/behaviors-table.ts'

let sandbox: Sandbox

before(async () => {
  sandbox = await startSandbox({ clock: manualClock() })
})
after(() => sandbox.close())

const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const names = ['Delete', 'Read', 'Bash']

interface ToolUse {
  readonly name: string
  readonly input: unknown
}

/** Format differences in a conversation with tools. */
interface FormatTestCase {
  readonly tools: object
  readonly calls: (answer: JsonObject) => readonly ToolUse[]
  readonly text: (answer: JsonObject) => string
  /** The body of the next step: the conversation, the answer to it, and `result` for every call. */
  readonly next: (body: JsonObject, answer: JsonObject, result: string) => JsonObject
}

function inner(value: unknown, ...path: readonly string[]): JsonObject {
  let found: unknown = value
  for (const name of path) found = isObject(found) ? found[name] : undefined
  return isObject(found) ? found : {}
}

const chatMessage = (answer: JsonObject): JsonObject => inner(objectsIn(answer.choices)[0], 'message')
const geminiParts = (answer: JsonObject): readonly JsonObject[] =>
  objectsIn(inner(objectsIn(answer.candidates)[0], 'content').parts)

function textsIn(parts: readonly JsonObject[]): string {
  return parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join('')
}

const talks: Readonly<Record<ConversationFormat, FormatTestCase>> = {
  'openai-chat': {
    tools: { tools: names.map((name) => ({ type: 'function', function: { name, parameters } })) },
    calls: (answer) =>
      objectsIn(chatMessage(answer).tool_calls).map((call) => {
        const { name, arguments: input } = inner(call, 'function')
        return { name: String(name), input: JSON.parse(String(input)) }
      }),
    text: (answer) => String(chatMessage(answer).content),
    next: (body, answer, result) => {
      const message = chatMessage(answer)
      const results = objectsIn(message.tool_calls).map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: result,
      }))
      return { ...body, messages: [...objectsIn(body.messages), message, ...results] }
    },
  },
  'openai-responses': {
    tools: {
      tools: names.map((name) => ({ type: 'function', name, parameters })),
      store: false,
      reasoning: { summary: 'auto' },
    },
    calls: (answer) =>
      objectsIn(answer.output)
        .filter(({ type }) => type === 'function_call')
        .map(({ name, arguments: input }) => ({ name: String(name), input: JSON.parse(String(input)) })),
    text: (answer) => textsIn(objectsIn(answer.output).flatMap(({ content }) => objectsIn(content))),
    next: (body, answer, result) => {
      const output = objectsIn(answer.output)
      const calls = output.filter(({ type }) => type === 'function_call')
      const results = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: result }))
      return { ...body, input: [...objectsIn(body.input), ...output, ...results] }
    },
  },
  anthropic: {
    tools: { tools: names.map((name) => ({ name, input_schema: parameters })) },
    calls: (answer) =>
      objectsIn(answer.content)
        .filter(({ type }) => type === 'tool_use')
        .map(({ name, input }) => ({ name: String(name), input })),
    text: (answer) => textsIn(objectsIn(answer.content)),
    next: (body, answer, result) => {
      const content = objectsIn(answer.content)
      const calls = content.filter(({ type }) => type === 'tool_use')
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: result }))
      const turns = [
        { role: 'assistant', content },
        { role: 'user', content: results },
      ]
      return { ...body, messages: [...objectsIn(body.messages), ...turns] }
    },
  },
  gemini: {
    tools: {
      tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: parameters })) }],
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    },
    calls: (answer) =>
      geminiParts(answer).flatMap(({ functionCall: call }) =>
        isObject(call) ? [{ name: String(call.name), input: call.args }] : [],
      ),
    text: (answer) => textsIn(geminiParts(answer)),
    next: (body, answer, result) => {
      const parts = geminiParts(answer)
      const results = parts.flatMap(({ functionCall: call }) =>
        isObject(call)
          ? [{ functionResponse: { name: call.name, id: call.id, response: { output: result } } }]
          : [],
      )
      const turns = [
        { role: 'model', parts },
        { role: 'user', parts: results },
      ]
      return { ...body, contents: [...objectsIn(body.contents), ...turns] }
    },
  },
}

async function send(path: string, body: JsonObject, id: string): Promise<JsonObject> {
  const reply = await exchange(sandbox.origin, { path, body, headers: { 'x-request-id': id } })
  assert.equal(reply.status, 200, reply.body)
  return JSON.parse(reply.body) as JsonObject
}

function begin(
  format: ConversationFormat,
  model: string,
  prompt: string,
): { path: string; body: JsonObject } {
  const { path, body } = plainRequest(format, model, prompt, { stream: false, more: talks[format].tools })
  return { path, body: body as JsonObject }
}

const shortNames: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  anthropic: 'messages',
  gemini: 'gemini',
}

for (const format of sandboxFormats) {
  const { calls, text, next } = talks[format]
  const models = ['tools', 'thinking-tools'].flatMap((kind) => [
    `sandbox-${kind}`,
    `sandbox-${shortNames[format]}-${kind}`,
  ])
  for (const model of models) {
    test(`${model} in ${format} calls the named tool, then quotes its result, and continues`, async () => {
      const prompt = 'Please: use Read {"path": "a \\"{b}\\".txt", "deep": {"list": [1, 2]}} and nothing else'
      const { path, body } = begin(format, model, prompt)
      const first = await send(path, body, `${model}-1`)
      assert.deepEqual(calls(first), [
        { name: 'Read', input: { path: 'a "{b}".txt', deep: { list: [1, 2] } } },
      ])
      const second = next(body, first, 'the text')
      const quoted = await send(path, second, `${model}-2`)
      assert.equal(text(quoted), 'The tool answered: the text')
      const reasons = model.includes('thinking')
      for (const id of [`${model}-1`, `${model}-2`]) {
        const logged = sandbox.logged(id)
        assert.equal(logged?.reportedOutputTokens, logged?.outputTokens)
        assert.equal(logged?.reasoningTokens, reasons ? 32 : 0)
      }
    })
  }

  test(`several calls in ${format} come together, also of the same tool`, async () => {
    const prompt = 'use Read {"path":"a"}\nuse Bash {"command":"ls"}\nuse Read {"path":"b"}'
    const { path, body } = begin(format, 'sandbox-thinking-tools', prompt)
    const answer = await send(path, body, 'several')
    assert.deepEqual(
      calls(answer).map(({ name }) => name),
      ['Read', 'Bash', 'Read'],
    )
    const quoted = await send(path, next(body, answer, 'ok'), 'several')
    assert.equal(text(quoted), 'The tool answered: ok | ok | ok')
  })

  test(`results in ${format} that ask for another call get it, step by step`, async () => {
    const { path, body } = begin(format, 'sandbox-thinking-tools', 'use Read {"path":"a"}')
    const first = await send(path, body, 'steps')
    const second = next(body, first, 'use Bash {"command":"ls"}')
    const step = await send(path, second, 'steps')
    assert.deepEqual(calls(step), [{ name: 'Bash', input: { command: 'ls' } }])
    assert.equal(text(await send(path, next(second, step, 'done'), 'steps')), 'The tool answered: done')
  })

  test(`without a call in the words ${format} echoes; a missing tool is reported`, async () => {
    for (const [prompt, expected] of [
      ['make use of it', 'make use of it'],
      ['use Read {"path":', 'use Read {"path":'],
      ['reuse Read {}', 'reuse Read {}'],
      ['use Write {}', 'Unknown tool Write. Tools: Delete, Read, Bash'],
    ] as const) {
      const { path, body } = begin(format, 'sandbox-tools', prompt)
      assert.equal(text(await send(path, body, 'echo')), expected)
    }
  })
}

/** Each format's request for an answer that follows a schema. */
const bound: Readonly<Record<ConversationFormat, JsonObject>> = {
  'openai-chat': {
    response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: parameters } },
  },
  'openai-responses': { text: { format: { type: 'json_schema', name: 'answer', schema: parameters } } },
  anthropic: { output_config: { format: { type: 'json_schema', schema: parameters } } },
  gemini: { generationConfig: { responseMimeType: 'application/json', responseJsonSchema: parameters } },
}

test('where a schema binds the answer, the input of a call that cannot be made is the answer', async () => {
  for (const format of sandboxFormats) {
    const { path, body } = begin(format, 'sandbox-tools', 'use Write {"path":"a"}')
    const answer = await send(path, { ...body, ...bound[format] }, 'bound')
    assert.equal(talks[format].text(answer), '{"path":"a"}', format)
  }
})

test('each format has its own models, and every other model supports all formats', () => {
  const fixed = behaviors.filter(({ formats }) => formats !== undefined)
  assert.deepEqual(
    fixed.map(({ name, formats }) => [name, formats]),
    sandboxFormats.flatMap((format) =>
      ['echo', 'tools', 'thinking-tools'].map((kind) => [`sandbox-${shortNames[format]}-${kind}`, [format]]),
    ),
  )
})
