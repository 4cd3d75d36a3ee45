/**
 * Unusual requests that clients really send, from every format into every other one: each is carried with its meaning,
 * or rejected with a message that names the field; nothing is invented and nothing is omitted without a report.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { libraries } from '../support/stream-libraries.ts'
import {
  bytesOf,
  type Format,
  formatOf,
  formats,
  type Outcome,
  othersThan,
  sandboxTarget,
  sent,
  streamInto,
  targetsOf,
  watched,
} from '../support/translation.ts'

function outcomeOf(from: Format, to: Format, body: unknown): Outcome {
  const address = { model: from.name === 'gemini' ? 'm' : null, stream: false }
  return sent(from, to, { name: 'edge', body: bytesOf(JSON.stringify(body)), address }, sandboxTarget)
}

/** The body that goes upstream; fails where the request is rejected. */
function bodyFor(from: Format, to: Format, body: unknown): Record<string, unknown> {
  const outcome = outcomeOf(from, to, body)
  assert.ok(outcome.kind === 'sent', outcome.kind === 'rejected' ? outcome.error.message : '')
  return JSON.parse(outcome.text) as Record<string, unknown>
}

const nothing: Readonly<Record<ConversationFormat, object>> = {
  'openai-chat': { model: 'm', messages: [] },
  'openai-responses': { model: 'm', input: [], instructions: 'Be brief.' },
  anthropic: { model: 'm', max_tokens: 99, messages: [], system: 'Be brief.' },
  gemini: { contents: [], systemInstruction: { parts: [{ text: 'Be brief.' }] } },
}

test('a request without a message is rejected in every format, whatever it would be translated to', () => {
  for (const from of formats) {
    for (const to of othersThan(from)) {
      const outcome = outcomeOf(from, to, nothing[from.name])
      assert.ok(outcome.kind === 'rejected', `${from.name} to ${to.name}`)
      const field = { 'openai-chat': 'messages', anthropic: 'messages', gemini: 'contents' }[
        from.name as string
      ]
      assert.equal(outcome.error.pointer, field ?? 'input')
      assert.equal(outcome.error.code, 'invalid_value')
    }
  }
})

/** An empty user message after a response. */
const silent: Readonly<Record<ConversationFormat, object>> = {
  'openai-chat': {
    model: 'm',
    messages: [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: '' },
    ],
  },
  'openai-responses': {
    model: 'm',
    input: [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: '' },
    ],
  },
  anthropic: {
    model: 'm',
    max_tokens: 99,
    messages: [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: '' },
    ],
  },
  gemini: {
    contents: [
      { role: 'user', parts: [{ text: 'Hi.' }] },
      { role: 'model', parts: [{ text: 'Yes?' }] },
      { role: 'user', parts: [{ text: '' }] },
    ],
  },
}

test('an empty message at the end stays one, and is rejected by name where a model does not accept it', () => {
  const lastOf: Readonly<Record<string, (body: Record<string, unknown>) => unknown>> = {
    'openai-chat': ({ messages }) => (messages as unknown[]).at(-1),
    'openai-responses': ({ input }) => (input as unknown[]).at(-1),
    gemini: ({ contents }) => (contents as unknown[]).at(-1),
  }
  const expected: Readonly<Record<string, object>> = {
    'openai-chat': { role: 'user', content: '' },
    'openai-responses': { type: 'message', role: 'user', content: '' },
    gemini: { role: 'user', parts: [{ text: '' }] },
  }
  for (const from of formats) {
    for (const to of othersThan(from)) {
      const what = `${from.name} to ${to.name}`
      if (to.name === 'anthropic') {
        const outcome = outcomeOf(from, to, silent[from.name])
        assert.ok(outcome.kind === 'rejected', what)
        assert.match(outcome.error.message, /empty or contains only whitespace/, what)
      } else
        assert.deepEqual(lastOf[to.name]?.(bodyFor(from, to, silent[from.name])), expected[to.name], what)
    }
  }
})

test('white space between texts reaches every format', () => {
  const texts = ['Hello', '\n\n', 'World']
  const answers: Readonly<Record<ConversationFormat, object>> = {
    'openai-chat': {
      model: 'm',
      messages: [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }],
    },
    'openai-responses': {
      model: 'm',
      input: [{ role: 'user', content: texts.map((text) => ({ type: 'input_text', text })) }],
    },
    anthropic: {
      model: 'm',
      max_tokens: 99,
      messages: [{ role: 'user', content: texts.map((text) => ({ type: 'text', text })) }],
    },
    gemini: { contents: [{ role: 'user', parts: texts.map((text) => ({ text })) }] },
  }
  for (const from of formats) {
    for (const to of othersThan(from)) {
      const { messages, input, contents } = bodyFor(from, to, answers[from.name])
      const [turn] = (messages ?? input ?? contents) as { content?: object[]; parts?: object[] }[]
      const parts = (turn?.content ?? turn?.parts ?? []) as { text: string }[]
      assert.equal(parts.map(({ text }) => text).join(''), 'Hello\n\nWorld', `${from.name} to ${to.name}`)
    }
  }
})

const chatTool = {
  type: 'function',
  function: { name: 'look', parameters: { type: 'object', properties: {} } },
}
const messagesTool = { name: 'look', input_schema: { type: 'object', properties: {} } }
const asks = { model: 'm', messages: [{ role: 'user', content: 'Hi.' }] }

test("the choice 'validated' is Gemini's own mode, and auto elsewhere, which is reported", () => {
  const requests: Readonly<Record<ConversationFormat, object>> = {
    'openai-chat': { ...asks, tools: [chatTool], tool_choice: 'validated' },
    'openai-responses': {
      model: 'm',
      input: 'Hi.',
      tools: [{ type: 'function', name: 'look' }],
      tool_choice: 'validated',
    },
    anthropic: { ...asks, max_tokens: 99, tools: [messagesTool], tool_choice: { type: 'validated' } },
    gemini: {
      contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }],
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
      toolConfig: { functionCallingConfig: { mode: 'VALIDATED' } },
    },
  }
  for (const from of formats) {
    for (const to of othersThan(from)) {
      const what = `${from.name} to ${to.name}`
      const outcome = outcomeOf(from, to, requests[from.name])
      assert.ok(outcome.kind === 'sent', what)
      const body = JSON.parse(outcome.text) as { tool_choice?: unknown; toolConfig?: unknown }
      if (to.name === 'gemini') {
        assert.deepEqual(body.toolConfig, { functionCallingConfig: { mode: 'VALIDATED' } }, what)
        assert.deepEqual(outcome.adjusted, [], what)
      } else {
        assert.deepEqual(body.tool_choice, to.name === 'anthropic' ? { type: 'auto' } : 'auto', what)
        assert.deepEqual(
          outcome.adjusted.map(({ kind, field }) => `${kind}=${field}`),
          ['adapted=tool_choice'],
          what,
        )
      }
    }
  }
})

test('unsupported fields of tools are reported as omitted', () => {
  const adjustedOf = (from: ConversationFormat, to: ConversationFormat, body: object) => {
    const outcome = outcomeOf(formatOf(from), formatOf(to), body)
    assert.ok(outcome.kind === 'sent', outcome.kind === 'rejected' ? outcome.error.message : '')
    return outcome.adjusted.map(({ kind, field }) => `${kind}=${field}`)
  }
  const serial = {
    ...asks,
    max_tokens: 99,
    tools: [messagesTool],
    tool_choice: { type: 'auto', disable_parallel_tool_use: true },
  }
  assert.deepEqual(adjustedOf('anthropic', 'gemini', serial), [
    'dropped=tool_choice.disable_parallel_tool_use',
  ])
  assert.deepEqual(adjustedOf('anthropic', 'openai-responses', serial), [])
  const allowed = {
    contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }],
    tools: [{ functionDeclarations: [{ name: 'look' }] }, { googleSearch: {} }],
    toolConfig: { functionCallingConfig: { mode: 'AUTO', allowedFunctionNames: ['look'] } },
  }
  for (const to of ['anthropic', 'openai-chat'] as const) {
    assert.ok(adjustedOf('gemini', to, allowed).includes('dropped=tools[1].googleSearch'), to)
  }
  const { tool_choice: choice } = bodyFor(formatOf('gemini'), formatOf('openai-responses'), allowed)
  assert.deepEqual((choice as { tools: unknown }).tools, [
    { type: 'function', name: 'look' },
    { type: 'web_search' },
  ])
})

test('input that is an empty list is missing input, in histories and in responses', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '[]' } }
  const history = {
    model: 'm',
    messages: [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
    ],
    tools: [chatTool],
  }
  const chat = formatOf('openai-chat')
  const { messages } = bodyFor(chat, formatOf('anthropic'), history)
  assert.partialDeepStrictEqual((messages as { content: unknown[] }[])[1]?.content, [
    { type: 'tool_use', input: {} },
  ])
  const { contents } = bodyFor(chat, formatOf('gemini'), history)
  assert.partialDeepStrictEqual((contents as { parts: unknown[] }[])[1]?.parts, [
    { functionCall: { name: 'look', args: {} } },
  ])
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
  for (const pieces of [['[]'], ['[', ']'], ['{"a"', ':[]}']]) {
    const stream = [
      chunk({
        role: 'assistant',
        tool_calls: [{ index: 0, ...call, function: { name: 'look', arguments: '' } }],
      }),
      ...pieces.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join('')
    const usage = chat.wire.toUsage(watched(chat, [bytesOf(stream)]).rawUsage)
    const sse = streamInto(chat, formatOf('anthropic'), [bytesOf(stream)], { usage, cost: '0' })
    const message = (await libraries.anthropic(sse)) as { content: { input: unknown }[] }
    assert.deepEqual(
      message.content[0]?.input,
      pieces.join('') === '{"a":[]}' ? { a: [] } : {},
      pieces.join('|'),
    )
  }
})

test("types of Google's schemas by their numbers become names at every depth", () => {
  const parameters = {
    type: 6,
    properties: {
      a: { type: 1 },
      b: { type: 5, items: { type: 3 } },
      c: { type: 6, properties: { d: { type: 2, nullable: true } } },
    },
  }
  const body = {
    contents: [{ role: 'user', parts: [{ text: 'Hi.' }] }],
    tools: [{ functionDeclarations: [{ name: 'look', parameters }] }],
  }
  const { tools } = bodyFor(formatOf('gemini'), formatOf('openai-chat'), body)
  assert.deepEqual((tools as { function: { parameters: unknown } }[])[0]?.function.parameters, {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'array', items: { type: 'integer' } },
      c: { type: 'object', properties: { d: { type: ['number', 'null'], nullable: true } } },
    },
  })
})

test('a result without its call is rejected by its position, in every format', () => {
  const orphan = {
    model: 'm',
    input: [
      { role: 'user', content: 'Hi.' },
      {
        type: 'tool_search_call',
        call_id: 'call_s',
        execution: 'client',
        arguments: {},
        status: 'completed',
      },
      { type: 'function_call_output', call_id: 'call_s', output: 'look' },
    ],
  }
  for (const to of othersThan(formatOf('openai-responses'))) {
    const outcome = outcomeOf(formatOf('openai-responses'), to, orphan)
    assert.ok(outcome.kind === 'rejected', to.name)
    assert.equal(outcome.error.pointer, 'input[2]')
  }
  const messages = [
    { role: 'user', content: 'Hi.' },
    { role: 'tool', tool_call_id: 'x', content: 'seen' },
  ]
  const outcome = outcomeOf(formatOf('openai-chat'), formatOf('openai-responses'), { model: 'm', messages })
  assert.equal(outcome.kind, 'rejected')
})

test('comments and responses of the assistant are separated again where the model requires it', () => {
  const responses = formatOf('openai-responses')
  const target = targetsOf(responses).find(({ model }) => model === 'gpt-5.4')
  assert.ok(target !== undefined)
  const body = {
    model: 'm',
    messages: [
      { role: 'user', content: 'Hi.' },
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'seen' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'And?' },
    ],
  }
  const address = { model: null, stream: false }
  const outcome = sent(
    formatOf('openai-chat'),
    responses,
    { name: 'edge', body: bytesOf(JSON.stringify(body)), address },
    target,
  )
  assert.ok(outcome.kind === 'sent')
  const items = (JSON.parse(outcome.text) as { input: { role?: string; phase?: string }[] }).input
  assert.deepEqual(
    items.filter(({ role }) => role === 'assistant').map(({ phase }) => phase),
    ['commentary', 'final_answer'],
  )
})
