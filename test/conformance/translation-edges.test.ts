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
  anthropic: { model: 'm', max_tokens: 9, messages: [], system: 'Be brief.' },
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
    max_tokens: 9,
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
      max_tokens: 9,
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
