/** Tools that other formats cannot name, or not with free text, return to the caller as it declared them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codecs, wireFormats } from '../../../test/support/wire-formats.ts'
import { sandboxCapabilities } from '../../providers/sandbox.ts'
import type { ConversationFormat } from '../format-names.ts'
import type { Usage } from '../usage.ts'
import type { CallPart, Frame, ResponseEvent } from './neutral.ts'
import { StreamTranslator, type TranslatedRequest, translateRequest, translateResponse } from './translate.ts'

const limits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }
const eventBytesMax = 1 << 20
const encoder = new TextEncoder()
const others = ['openai-chat', 'anthropic', 'gemini'] as const
const schema = { type: 'object', properties: { path: { type: 'string' } } }

/** What a caller of Responses can declare, and how its calls must come back. */
const declared = [
  {
    name: 'apply',
    namespace: null,
    form: 'text',
    declaration: { type: 'custom', name: 'apply', description: 'Applies a patch.' },
  },
  {
    name: 'n'.repeat(64),
    namespace: null,
    form: 'json',
    declaration: { type: 'function', name: 'n'.repeat(64), parameters: schema },
  },
  {
    name: '1st',
    namespace: null,
    form: 'json',
    declaration: { type: 'function', name: '1st', parameters: schema },
  },
  {
    name: 'read',
    namespace: 'files',
    form: 'json',
    declaration: {
      type: 'namespace',
      name: 'files',
      tools: [{ type: 'function', name: 'read', parameters: schema }],
    },
  },
] as const

const patch = '*** Begin "Patch" \\ é😀\n+{"input": "x"}\n*** End'
const usage: Usage = wireFormats['openai-chat'].toUsage({
  fields: {},
  servedOptions: [],
  unknown: [],
  outputShrank: false,
})
const tally = { usage, cost: '0.1' }

function translated(toName: ConversationFormat): TranslatedRequest {
  const body = { model: 'm', input: 'Hello.', tools: declared.map(({ declaration }) => declaration) }
  return translateRequest(encoder.encode(JSON.stringify(body)), {
    from: codecs['openai-responses'],
    to: codecs[toName],
    toName,
    target: { model: 'up', capabilities: sandboxCapabilities },
    limits,
    address: { model: null, stream: false },
  })
}

/** The upstream's calls of all of them, by the names it received, in its format. */
function upstreamCalls({ names }: TranslatedRequest): readonly CallPart[] {
  return declared.map(({ name, namespace, form }, index) => {
    const found = [...names].find(([, tool]) => tool.name === name && tool.namespace === namespace)
    const input = form === 'text' ? JSON.stringify({ input: patch }) : '{"path":"a"}'
    return {
      kind: 'call',
      id: `call_${index}`,
      name: found?.[0] ?? name,
      namespace: null,
      form: 'json',
      input,
      encrypted: null,
      pointer: '',
    }
  })
}

function frameOf(responseOptions: TranslatedRequest['responseOptions']): Frame {
  return { requestId: 'req_1', model: 'm', createdSeconds: 1, responseOptions: responseOptions }
}

const finish = { reason: 'calls', stopString: null, explanation: null } as const
const wanted = declared.map(({ name, namespace, form }) => ({
  name,
  namespace,
  form,
  input: form === 'text' ? patch : '{"path":"a"}',
}))

for (const to of others) {
  test(`an answer of ${to} calls the tools by their own names`, () => {
    const request = translated(to)
    const frame = frameOf(request.responseOptions)
    const body = codecs[to].encodeResponse(
      { parts: upstreamCalls(request), finish, usage, logprobs: null },
      frame,
      tally,
    )
    const answer = translateResponse(codecs[to], encoder.encode(body), usage, request.names)
    const calls = answer.parts.filter((part) => part.kind === 'call')
    assert.deepEqual(
      calls.map(({ name, namespace, form, input }) => ({ name, namespace, form, input })),
      wanted,
    )
  })

  test(`a stream of ${to} does too, however it is cut`, () => {
    const request = translated(to)
    const frame = frameOf(request.responseOptions)
    const upstream = codecs[to].encodeStream(frame)
    const events = upstreamCalls(request).flatMap((call): ResponseEvent[] => [
      { kind: 'open', part: call },
      ...Array.from(call.input, (text): ResponseEvent => ({ kind: 'delta', text })),
      { kind: 'close', encrypted: null },
    ])
    let sse = upstream.write({ kind: 'start' })
    for (const event of [...events, { kind: 'finish', finish } as const]) sse += upstream.write(event)
    const bytes = encoder.encode(sse + upstream.close(tally))
    for (const size of [1, 5, bytes.length]) {
      const names = request.names
      const way = new StreamTranslator(codecs[to], codecs['openai-responses'], {
        frame,
        names,
        eventBytesMax,
      })
      let text = ''
      for (let at = 0; at < bytes.length; at += size) text += way.push(bytes.subarray(at, at + size))
      text += way.end() + way.close(tally)
      assert.deepEqual(callsIn(text), wanted, `in chunks of ${size}`)
    }
  })
}

interface Item {
  readonly type: string
  readonly name: string
  readonly namespace?: string
  readonly arguments?: string
  readonly input?: string
}

/** What a Responses client reads of the last event. */
function callsIn(sse: string): unknown {
  const last = sse.split('\n\n').findLast((block) => block.includes('response.completed')) ?? ''
  const { response } = JSON.parse(last.slice(last.indexOf('data: ') + 6)) as { response: { output: Item[] } }
  return response.output.map(({ type, name, namespace, arguments: json, input }) => ({
    name,
    namespace: namespace ?? null,
    form: type === 'custom_tool_call' ? 'text' : 'json',
    input: json ?? input,
  }))
}

test('free text that a model did not wrap goes as it is', () => {
  const request = translated('openai-chat')
  const call = { ...upstreamCalls(request)[0], input: 'just text' } as CallPart
  const answer = { id: 'x', model: 'm', parts: [call], finish, usage, logprobs: null }
  const body = codecs['openai-chat'].encodeResponse(answer, frameOf(request.responseOptions), tally)
  const [part] = translateResponse(codecs['openai-chat'], encoder.encode(body), usage, request.names).parts
  assert.ok(part?.kind === 'call')
  assert.deepEqual([part.form, part.input], ['text', 'just text'])
})

test('each adjustment is reported once, and the report is bounded', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x_${index}`, 1]))
  const body = { model: 'm', input: 'Hello.', store: true, metadata: { a: 'b' }, ...many }
  const { adjusted } = translateRequest(encoder.encode(JSON.stringify(body)), {
    from: codecs['openai-responses'],
    to: codecs.anthropic,
    toName: 'anthropic',
    target: { model: 'up', capabilities: sandboxCapabilities },
    limits,
    address: { model: null, stream: false },
  })
  assert.equal(adjusted.length, 256)
  assert.equal(new Set(adjusted.map(({ kind, field }) => `${kind} ${field}`)).size, adjusted.length)
})
