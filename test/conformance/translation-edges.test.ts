/**
 * Odd requests that clients really send, from every format into every other one: each is carried as it is meant,
 * or refused with a message that names the field; nothing is made up and nothing is left out unsaid.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConversationFormat } from '../../src/wire/codec.ts'
import {
  bytesOf,
  type Format,
  formatOf,
  formats,
  type Outcome,
  othersThan,
  sandboxTarget,
  sent,
} from '../support/translation.ts'

function outcomeOf(from: Format, to: Format, body: unknown): Outcome {
  const address = { model: from.name === 'gemini' ? 'm' : null, stream: false }
  return sent(from, to, { name: 'edge', body: bytesOf(JSON.stringify(body)), address }, sandboxTarget)
}

/** The body that goes upstream; fails where the request is refused. */
function bodyFor(from: Format, to: Format, body: unknown): Record<string, unknown> {
  const outcome = outcomeOf(from, to, body)
  assert.ok(outcome.kind === 'sent', outcome.kind === 'refused' ? outcome.error.message : '')
  return JSON.parse(outcome.text) as Record<string, unknown>
}

const nothing: Readonly<Record<ConversationFormat, object>> = {
  'openai-chat': { model: 'm', messages: [] },
  'openai-responses': { model: 'm', input: [], instructions: 'Be brief.' },
  anthropic: { model: 'm', max_tokens: 99, messages: [], system: 'Be brief.' },
  gemini: { contents: [], systemInstruction: { parts: [{ text: 'Be brief.' }] } },
}

test('a request without a message is refused in every format, whatever it would be translated to', () => {
  for (const from of formats) {
    for (const to of othersThan(from)) {
      const outcome = outcomeOf(from, to, nothing[from.name])
      assert.ok(outcome.kind === 'refused', `${from.name} to ${to.name}`)
      const field = { 'openai-chat': 'messages', anthropic: 'messages', gemini: 'contents' }[
        from.name as string
      ]
      assert.equal(outcome.error.pointer, field ?? 'input')
      assert.equal(outcome.error.code, 'invalid_value')
    }
  }
})

/** A user who says nothing after an answer. */
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

test('an empty message at the end stays one, and is refused by name where a model takes none', () => {
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
        assert.ok(outcome.kind === 'refused', what)
        assert.match(outcome.error.message, /empty or only white space/, what)
      } else
        assert.deepEqual(lastOf[to.name]?.(bodyFor(from, to, silent[from.name])), expected[to.name], what)
    }
  }
})

test('white space between texts reaches every format', () => {
  const texts = ['Hello', '\n\n', 'World']
  const says: Readonly<Record<ConversationFormat, object>> = {
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
      const { messages, input, contents } = bodyFor(from, to, says[from.name])
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

test("the choice 'validated' is Gemini's own mode, and auto elsewhere, which is said", () => {
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

test('what cannot be said of tools is said to be left out', () => {
  const adjustedOf = (from: ConversationFormat, to: ConversationFormat, body: object) => {
    const outcome = outcomeOf(formatOf(from), formatOf(to), body)
    assert.ok(outcome.kind === 'sent', outcome.kind === 'refused' ? outcome.error.message : '')
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
