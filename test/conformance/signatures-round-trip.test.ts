/**
 * Google's signatures of calls return on their calls, through clients of every other format: streamed and whole,
 * large ones too, also where a client joins blocks. Those of texts are dropped, so that an answer ends with its text.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TranslationTarget } from '../../src/wire/translation/neutral.ts'
import type { Usage } from '../../src/wire/usage.ts'
import { isLoose, type Loose, listed } from '../support/answer-gist.ts'
import { eventsIn, libraries } from '../support/stream-libraries.ts'
import {
  answerInto,
  bytesOf,
  cost,
  type Format,
  formatOf,
  othersThan,
  sent,
  streamInto,
  targetsOf,
  watched,
} from '../support/translation.ts'

const gemini = formatOf('gemini')
const clients = othersThan(gemini)
const target = targetsOf(gemini).find(({ model }) => model === 'gemini-3-flash-preview') as TranslationTarget
const signature = 'c2lnbmF0dXJl'
/** More than fits into 8 KiB of an ID in base64. */
const large = btoa('s'.repeat(9_000))

type Part = Readonly<Record<string, unknown>>

function chunk(parts: readonly Part[], finishReason?: string): Loose {
  return {
    candidates: [{ content: { role: 'model', parts }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
    modelVersion: target.model,
    responseId: 'r1',
  }
}

/** The response as the client's library has it. */
async function received(
  client: Format,
  chunks: readonly (readonly Part[])[],
  isStream: boolean,
): Promise<Loose> {
  if (!isStream) {
    const whole = chunk(chunks.flat(), 'STOP')
    return JSON.parse(answerInto(gemini, client, bytesOf(JSON.stringify(whole)))) as Loose
  }
  const events = chunks.map((parts, at) => chunk(parts, at === chunks.length - 1 ? 'STOP' : undefined))
  const bytes = bytesOf(events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(''))
  const usage: Usage = gemini.wire.toUsage(watched(gemini, [bytes]).rawUsage)
  const sse = streamInto(gemini, client, [bytes], { usage, cost })
  const answer = (await libraries[client.name](sse)) as Loose
  if (client.name !== 'openai-chat') return answer
  // The library retains only the last entry; clients that return them collect them.
  const details = eventsIn(sse)
    .flatMap((event) => listed(event, 'choices'))
    .flatMap(({ delta }) => listed(delta, 'reasoning_details'))
  const [choice] = listed(answer, 'choices')
  const message = { ...(choice?.message as Loose), reasoning_details: details }
  return { ...answer, choices: [{ ...choice, message }] }
}

/** What the response is made of, in order. */
function kindsOf(client: Format, answer: Loose): readonly unknown[] {
  if (client.name === 'openai-responses') return listed(answer, 'output').map(({ type }) => type)
  if (client.name === 'anthropic') return listed(answer, 'content').map(({ type }) => type)
  const message = listed(answer, 'choices')[0]?.message as Loose
  const { role: _role, ...said } = message
  return Object.keys(said).filter(
    (name) => (typeof said[name] === 'string' && said[name] !== '') || listed(said, name).length > 0,
  )
}

type Change = (blocks: readonly Loose[]) => readonly Loose[]

/** The next request, which contains the response and the results of its calls. */
function nextRequest(client: Format, answer: Loose, change: Change = (blocks) => blocks): Loose {
  const hello = { role: 'user', content: 'Hello.' }
  const more = { role: 'user', content: 'And?' }
  if (client.name === 'openai-chat') {
    const message = listed(answer, 'choices')[0]?.message as Loose
    const results = listed(message, 'tool_calls').map(({ id }) => ({
      role: 'tool',
      tool_call_id: id,
      content: 'x',
    }))
    return { model: 'm', messages: [hello, message, ...results, more] }
  }
  if (client.name === 'openai-responses') {
    const output = listed(answer, 'output')
    const results = output.flatMap(({ type, call_id }) =>
      type === 'function_call' ? [{ type: 'function_call_output', call_id, output: 'x' }] : [],
    )
    return { model: 'm', input: [hello, ...output, ...results, more] }
  }
  const content = change(listed(answer, 'content'))
  const results = content.flatMap(({ type, id }) =>
    type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: id, content: 'x' }] : [],
  )
  const user = { role: 'user', content: [...results, { type: 'text', text: 'And?' }] }
  return { model: 'm', max_tokens: 9_000, messages: [hello, { role: 'assistant', content }, user] }
}

interface ReturnedSignature {
  readonly parts: readonly Part[]
  readonly adjusted: readonly string[]
}

/** The parts of the model's turn as Google receives them again, without IDs. */
function returned(client: Format, request: Loose): ReturnedSignature {
  const body = bytesOf(JSON.stringify(request))
  const outcome = sent(
    client,
    gemini,
    { name: 'next', body, address: { model: null, stream: false } },
    target,
  )
  assert.ok(outcome.kind === 'sent', outcome.kind === 'rejected' ? outcome.error.message : '')
  const turns = listed(JSON.parse(outcome.text), 'contents').filter(({ role }) => role === 'model')
  const parts = turns
    .flatMap((turn) => listed(turn, 'parts'))
    .map((part) => {
      if (!isLoose(part.functionCall)) return part
      const { id: _id, ...functionCall } = part.functionCall
      return { ...part, functionCall }
    })
  return { parts, adjusted: outcome.adjusted.map(({ kind, field }) => `${kind}=${field}`) }
}

const calls = { functionCall: { name: 'look', args: { at: 1 } } }
const cases: readonly [what: string, chunks: readonly (readonly Part[])[], back: readonly Part[]][] = [
  ['a text', [[{ text: 'Yes.', thoughtSignature: signature }]], [{ text: 'Yes.' }]],
  [
    'a text behind a thought',
    [[{ text: 'Hm.', thought: true }], [{ text: 'Yes.', thoughtSignature: signature }]],
    [{ text: 'Yes.' }],
  ],
  [
    'a call behind a thought',
    [[{ text: 'Hm.', thought: true }], [{ ...calls, thoughtSignature: signature }]],
    [{ ...calls, thoughtSignature: signature }],
  ],
  ['a call', [[{ ...calls, thoughtSignature: signature }]], [{ ...calls, thoughtSignature: signature }]],
  [
    'a text and a call',
    [[{ text: 'Let me see.' }], [{ ...calls, thoughtSignature: signature }]],
    [{ text: 'Let me see.' }, { ...calls, thoughtSignature: signature }],
  ],
  [
    'a large one on a call',
    [[{ ...calls, thoughtSignature: large }]],
    [{ ...calls, thoughtSignature: large }],
  ],
]

test('signatures of calls return on their calls', async () => {
  for (const client of clients) {
    for (const [what, chunks, back] of cases) {
      for (const isStream of [false, true]) {
        const answer = await received(client, chunks, isStream)
        const { parts, adjusted } = returned(client, nextRequest(client, answer))
        const name = `${what}, ${client.name}, ${isStream ? 'streamed' : 'whole'}`
        assert.deepEqual(parts, back, name)
        assert.deepEqual(adjusted, [], name)
      }
    }
  }
})

/** Each form in which Google signs a text: on it, on its last piece, behind it. */
const signedTexts: readonly (readonly (readonly Part[])[])[] = [
  [[{ text: 'Yes!', thoughtSignature: signature }]],
  [[{ text: 'Yes' }], [{ text: '!', thoughtSignature: signature }]],
  [[{ text: 'Yes!' }], [{ text: '', thoughtSignature: signature }]],
  [[{ text: 'Yes!' }], [{ text: '', thought: true, thoughtSignature: signature }]],
]

test('a signed text is the last of an answer, and nothing else is in it', async () => {
  const only = {
    'openai-chat': ['content'],
    'openai-responses': ['message'],
    anthropic: ['text'],
    gemini: [],
  } as const
  for (const client of clients) {
    for (const chunks of signedTexts) {
      for (const isStream of [false, true]) {
        const answer = await received(client, chunks, isStream)
        const name = `${client.name}, ${isStream ? 'streamed' : 'whole'}: ${JSON.stringify(chunks)}`
        assert.deepEqual(kindsOf(client, answer), only[client.name], name)
        assert.deepEqual(returned(client, nextRequest(client, answer)).parts, [{ text: 'Yes!' }], name)
      }
    }
  }
})

test('a chat client that preserves only known fields returns large signatures in the IDs of calls', async () => {
  const chat = formatOf('openai-chat')
  const answer = await received(chat, [[{ ...calls, thoughtSignature: large }]], false)
  const message = listed(answer, 'choices')[0]?.message as Loose
  const lean = listed(message, 'tool_calls').map((call) => ({
    id: call.id,
    type: call.type,
    function: call.function,
  }))
  const request = nextRequest(chat, {
    choices: [{ message: { role: 'assistant', content: null, tool_calls: lean } }],
  })
  assert.deepEqual(returned(chat, request).parts, [{ ...calls, thoughtSignature: large }])
})

test('a client that joins blocks of reasoning, or puts a text behind them, returns the signature on the call only', async () => {
  const messages = formatOf('anthropic')
  const chunks = [[{ text: 'Hm.', thought: true }], [{ ...calls, thoughtSignature: signature }]]
  const between: Change = (blocks) =>
    blocks.flatMap((block) =>
      block.type === 'tool_use' ? [{ type: 'text', text: 'Calling.' }, block] : [block],
    )
  const joined: Change = (blocks) => {
    const thoughts = blocks.filter(({ type }) => type === 'thinking')
    const thinking = thoughts.map((block) => block.thinking).join('')
    const one = { type: 'thinking', thinking, signature: thoughts.at(-1)?.signature }
    return [one, ...blocks.filter(({ type }) => type !== 'thinking')]
  }
  for (const isStream of [false, true]) {
    const answer = await received(messages, chunks, isStream)
    const call = { ...calls, thoughtSignature: signature }
    assert.deepEqual(returned(messages, nextRequest(messages, answer, between)).parts, [
      { text: 'Calling.' },
      call,
    ])
    assert.deepEqual(returned(messages, nextRequest(messages, answer, joined)).parts, [call])
  }
})

test('a call that no Google model made gets the placeholder signature, which is reported', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }
  const chat = formatOf('openai-chat')
  const request = nextRequest(chat, { choices: [{ message: { role: 'assistant', tool_calls: [call] } }] })
  const { parts, adjusted } = returned(chat, request)
  assert.equal(parts[0]?.thoughtSignature, 'skip_thought_signature_validator')
  assert.deepEqual(adjusted, ['adapted=messages[1].tool_calls[0].function'])
})
