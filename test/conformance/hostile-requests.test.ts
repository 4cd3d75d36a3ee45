/**
 * Requests that no real client sends, translated to every other format: their cost is linear in their length, and they
 * end in a request or in an error that names a field, however many items they contain. Ratios within one run.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectorOf } from '../../src/providers/registry.ts'
import { WireError } from '../../src/wire/format.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import type { EncryptedReasoning } from '../../src/wire/translation/neutral.ts'
import { carrierId, tagged } from '../../src/wire/translation/reasoning-carriers.ts'
import { translateRequest } from '../../src/wire/translation/translate.ts'
import { costRatio } from '../support/cost-ratio.ts'
import { isExhaustiveRun, runSeed } from '../support/sampled.ts'
import { codecs } from '../support/wire-formats.ts'

const limits = { depthMax: 128, valuesMax: 8_000_000, integerMax: 1_000_000_000 }
const encoder = new TextEncoder()

const upstreams: Readonly<Record<ConversationFormat, readonly [provider: string, model: string]>> = {
  'openai-chat': ['openai', 'gpt-4.1'],
  'openai-responses': ['openai', 'gpt-5'],
  anthropic: ['anthropic', 'claude-sonnet-4-5'],
  gemini: ['google', 'gemini-3-pro'],
}
const formats = Object.keys(upstreams) as readonly ConversationFormat[]

function many(count: number, piece: (index: number) => object | string): string {
  return Array.from({ length: count }, (_, index) => JSON.stringify(piece(index))).join(',')
}

const claude = (index: number): EncryptedReasoning => ({ vendor: 'anthropic', data: `encrypted${index}` })
const marked = (index: number): string =>
  carrierId(`c${index}`, {
    encrypted: null,
    thoughts: [{ kind: 'thinking', text: `t${index}`, redacted: false, encrypted: claude(index) }],
  })

const user = '{"role":"user","content":"a"}'
const bodies = {
  'openai-chat': (messages: string, more = '') => `{"model":"m","messages":[${messages}]${more}}`,
  'openai-responses': (input: string, more = '') => `{"model":"m","input":[${input}]${more}}`,
  anthropic: (messages: string, more = '') => `{"model":"m","max_tokens":9,"messages":[${messages}]${more}}`,
  gemini: (_contents: string, more = '') => `{"contents":[{"role":"user","parts":[{"text":"a"}]}]${more}}`,
} as const satisfies Readonly<Record<ConversationFormat, unknown>>

interface Hostile {
  readonly name: string
  readonly from: ConversationFormat
  readonly body: (count: number) => string
}

const hostile: readonly Hostile[] = [
  {
    name: 'a choice among many tools',
    from: 'openai-chat',
    body(count) {
      const tools = many(count, (at) => ({ type: 'function', function: { name: `f${at}` } }))
      const allowed = `{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[${tools}]}}`
      return bodies['openai-chat'](user, `,"tools":[${tools}],"tool_choice":${allowed}`)
    },
  },
  {
    name: 'a choice among many tools',
    from: 'gemini',
    body(count) {
      const names = many(count, (at) => `f${at}`)
      const tools = many(count, (at) => ({ name: `f${at}` }))
      const calling = `{"mode":"ANY","allowedFunctionNames":[${names}]}`
      return bodies.gemini(
        '',
        `,"tools":[{"functionDeclarations":[${tools}]}],"toolConfig":{"functionCallingConfig":${calling}}`,
      )
    },
  },
  {
    name: 'many calls and their outputs',
    from: 'openai-responses',
    body(count) {
      const calls = many(count, (at) => ({
        type: 'function_call',
        call_id: `c${at}`,
        name: 'f',
        arguments: '{}',
      }))
      const outputs = many(count, (at) => ({
        type: 'function_call_output',
        call_id: `c${count - 1 - at}`,
        output: 'r',
      }))
      return bodies['openai-responses'](`${user},${calls},${outputs}`)
    },
  },
  {
    name: 'many thoughts, and many calls that carry them',
    from: 'openai-responses',
    body(count) {
      const thoughts = many(count, (at) => ({
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: `x${at}` }],
        encrypted_content: tagged(claude(at)),
      }))
      const calls = many(count, (at) => ({
        type: 'function_call',
        call_id: marked(at),
        name: 'f',
        arguments: '{}',
      }))
      const outputs = many(count, (at) => ({
        type: 'function_call_output',
        call_id: marked(at),
        output: 'r',
      }))
      return bodies['openai-responses'](`${user},${thoughts},${calls},${outputs}`)
    },
  },
]

/** More than a call accepts as arguments. */
const huge = 130_000

const crowds: readonly Hostile[] = [
  {
    name: 'many blocks that nobody knows',
    from: 'anthropic',
    body: (count) => bodies.anthropic(`{"role":"user","content":[${many(count, () => ({ type: 'odd' }))}]}`),
  },
  {
    name: 'many parts of one message',
    from: 'openai-responses',
    body: (count) =>
      bodies['openai-responses'](
        `{"role":"user","content":[${many(count, () => ({ type: 'input_text', text: 't' }))}]}`,
      ),
  },
  {
    name: 'many tools of free text',
    from: 'openai-responses',
    body: (count) =>
      bodies['openai-responses'](
        user,
        `,"tools":[${many(count, (at) => ({ type: 'custom', name: `f${at}` }))}]`,
      ),
  },
  {
    name: 'many searches at the provider',
    from: 'anthropic',
    body: (count) =>
      bodies.anthropic(
        user,
        `,"tools":[${many(count, (at) => ({ type: 'web_search_20250305', name: `web_search${at}` }))}]`,
      ),
  },
  {
    name: 'many fields that nobody knows',
    from: 'gemini',
    body: (count) =>
      bodies.gemini('', `,${Array.from({ length: count }, (_, at) => `"x${at}":1`).join(',')}`),
  },
]

function translate({ from, body }: Hostile, to: ConversationFormat, count: number): string {
  const [provider, model] = upstreams[to]
  const [own, upstream] = [codecs[from], codecs[to]]
  assert.ok(own !== null && upstream !== null)
  const { text, adjusted } = translateRequest(encoder.encode(body(count)), {
    from: own,
    to: upstream,
    toName: to,
    target: { model, capabilities: { ...connectorOf(provider).capabilities(model), outputTokensMax: 1_000 } },
    limits,
    address: { model: 'm', stream: false },
  })
  assert.ok(adjusted.length <= 256, 'what is told is bounded')
  return text
}

function others(format: ConversationFormat): readonly ConversationFormat[] {
  return formats.filter((other) => other !== format)
}

/** One of the other formats, in turn; all of them in an exhaustive run. */
function destinations(format: ConversationFormat, turn: number): readonly ConversationFormat[] {
  const all = others(format)
  return isExhaustiveRun ? all : all.filter((_, place) => place === (turn + runSeed) % all.length)
}

/** Four times as much may take this many times as long; quadratic work takes sixteen times. */
const fourfoldMax = 8

for (const [index, one] of hostile.entries()) {
  test(`${one.from}: the cost of ${one.name} is linear in their number`, () => {
    for (const to of destinations(one.from, index)) {
      translate(one, to, 1_000)
      const ratio = costRatio(fourfoldMax, {
        small: () => translate(one, to, 3_000),
        large: () => translate(one, to, 12_000),
      })
      assert.ok(ratio < fourfoldMax, `to ${to}: ${ratio.toFixed(1)} times the work for four times as many`)
    }
  })
}

for (const [index, one] of crowds.entries()) {
  test(`${one.from}: ${one.name} end in a request or in an error of the format`, () => {
    for (const to of destinations(one.from, index)) {
      try {
        assert.ok(translate(one, to, huge).startsWith('{'))
      } catch (error) {
        assert.ok(error instanceof WireError, `to ${to}: ${error}`)
      }
    }
  })
}
