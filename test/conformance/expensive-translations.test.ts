/**
 * The cost of translating a request or a response is linear in its length, whatever it repeats: four times the length takes
 * about four times the CPU time. CPU time of one thread, so that other load changes nothing.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { limitDefaults } from '../../src/config/config.ts'
import { readLimits } from '../../src/gateway/phases/decode.ts'
import { anthropic } from '../../src/providers/anthropic.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { EmulatedStream } from '../../src/wire/translation/emulation.ts'
import { shortHash } from '../../src/wire/translation/hash.ts'
import type { ResponseEvent } from '../../src/wire/translation/neutral.ts'
import { translateRequest } from '../../src/wire/translation/translate.ts'
import { threadCost } from '../support/thread-cost.ts'
import { frame } from '../support/translation.ts'
import { codecs, wireFormats } from '../support/wire-formats.ts'

const limits = readLimits(limitDefaults)
const model = 'claude-sonnet-4-5'
const growth = 4
/** The square of the growth is 16. */
const ratioMax = 9
const runMs = 12
const measurements = 4

function translationCost(from: ConversationFormat, to: ConversationFormat, body: Uint8Array): number {
  const address = { model: from === 'gemini' ? 'm' : null, stream: false }
  wireFormats[from].extractRequest(body, limits, address)
  const of = { from: codecs[from], to: codecs[to], toName: to, limits, address }
  const target = { model, capabilities: anthropic.capabilities(model) }
  return threadCost(() => translateRequest(body, { ...of, target }), runMs)
}

const many = (count: number, piece: (index: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at))
const list = (count: number, piece: (index: number) => string) => many(count, piece).join(',')

/** An ID whose carrier holds this much reasoning, which no upstream produced. */
function markedId(count: number): string {
  const thoughts = many(count, (at) => `[null,"${at.toString(36)}",0]`)
  const payload = Buffer.from(`[null,[${thoughts.join(',')}]]`).toString('base64url')
  return `c_tg1_${payload}${shortHash(payload).slice(0, 4)}`
}

const question = '{"role":"user","content":"a"}'
const chat = (members: string) => `{"model":"m",${members}}`
const chatTool = (name: string, parameters: string) =>
  `"tools":[{"type":"function","function":{"name":"${name}","parameters":${parameters}}}]`
const required = (count: number) => `{"type":"object","required":[${list(count, (at) => `"p${at}"`)}]}`

const shapes: readonly (readonly [
  what: string,
  from: ConversationFormat,
  to: ConversationFormat,
  make: (size: number) => string,
])[] = [
  [
    'alternatives that demand the same',
    'openai-chat',
    'anthropic',
    (size) =>
      chat(`"messages":[${question}],${chatTool('f', `{"anyOf":[${required(size)},${required(size)}]}`)}`),
  ],
  [
    'a namespace that is allowed again and again',
    'openai-responses',
    'anthropic',
    (size) => {
      const tools = list(size, (at) => `{"type":"function","name":"f${at}"}`)
      const allowed = list(size / 2, () => '{"type":"namespace","name":"n"}')
      return `{"model":"m","store":false,"input":"a","tools":[{"type":"namespace","name":"n","tools":[${tools}]}],"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[${allowed}]}}`
    },
  ],
  [
    'thoughts in an id',
    'anthropic',
    'openai-chat',
    (size) => {
      const id = markedId(size / 2)
      const call = `{"type":"tool_use","id":"${id}","name":"f","input":{}}`
      const result = `{"type":"tool_result","tool_use_id":"${id}","content":"x"}`
      return `{"model":"m","max_tokens":5,"messages":[${question},{"role":"assistant","content":[${call}]},{"role":"user","content":[${result}]}]}`
    },
  ],
  [
    'thoughts in an id beside thoughts',
    'gemini',
    'openai-chat',
    (size) => {
      const id = markedId(size / 2)
      const thoughts = list(size, (at) => `{"text":"t${at}","thought":true}`)
      const call = `{"functionCall":{"id":"${id}","name":"f","args":{}}}`
      const result = `{"functionResponse":{"id":"${id}","name":"f","response":{"output":"x"}}}`
      return `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[${thoughts},${call}]},{"role":"user","parts":[${result}]}]}`
    },
  ],
  [
    'a signature that is padded within',
    'gemini',
    'openai-chat',
    (size) => {
      const part = `{"text":"a","thoughtSignature":"${'='.repeat(6 * size)}x"}`
      return `{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[${part}]},{"role":"user","parts":[{"text":"a"}]}]}`
    },
  ],
  [
    'a long media type',
    'openai-chat',
    'openai-responses',
    (size) => {
      const document = `{"type":"document","source":{"type":"base64","media_type":"${'a'.repeat(6 * size)}!","data":"JVBERi0="}}`
      return chat(`"messages":[{"role":"user","content":[${document}]}]`)
    },
  ],
]

const openText: ResponseEvent = { kind: 'open', part: { kind: 'text' } }
const openCall: ResponseEvent = {
  kind: 'open',
  part: { kind: 'call', id: 'c', name: 'f', namespace: null, form: 'json', encrypted: null },
}

const answers: readonly (readonly [what: string, write: (size: number) => void])[] = [
  [
    'white space before the input of a forced call',
    (size) => {
      const stream = new EmulatedStream({ callOf: 'f', stops: [] })
      stream.push(openText)
      for (let at = 0; at < size; at += 1) stream.push({ kind: 'delta', text: ' '.repeat(8) })
    },
  ],
  [
    'white space in the input of a call to a Messages client',
    (size) => {
      const encoder = codecs.anthropic.encodeStream(frame)
      encoder.write(openCall)
      encoder.write({ kind: 'delta', text: `[${' '.repeat(6 * size)}1]` })
    },
  ],
]

for (const [what, from, to, make] of shapes) {
  test(`${from} to ${to}: ${what}: four times the body takes about four times the time`, (context) => {
    const [small, large] = [Buffer.from(make(1_500)), Buffer.from(make(growth * 1_500))]
    assertGrowth(context, {
      small: () => translationCost(from, to, small),
      large: () => translationCost(from, to, large),
    })
  })
}

for (const [what, write] of answers) {
  test(`responses: ${what}: four times the length takes about four times the time`, (context) => {
    assertGrowth(context, {
      small: () => threadCost(() => write(1_500), runMs),
      large: () => threadCost(() => write(growth * 1_500), runMs),
    })
  })
}

/** The lowest of a few measurements, since another program on the core can only make work look more expensive. */
function assertGrowth(context: TestContext, cost: { small: () => number; large: () => number }): void {
  let lowest = Number.POSITIVE_INFINITY
  for (let count = 0; count < measurements && lowest >= ratioMax; count += 1) {
    const [one, more] = [cost.small(), cost.large()]
    context.diagnostic(`${one.toFixed(2)} ms, then ${more.toFixed(2)} ms`)
    lowest = Math.min(lowest, more / Math.max(one, 0.5))
  }
  assert.ok(lowest < ratioMax, `${lowest.toFixed(1)} times as long`)
}
