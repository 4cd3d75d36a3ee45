/**
 * What OpenAI really sent and received in this format: read the same in any chunks, converted to the neutral form and
 * back without loss, and never taken for complete when cut. Legitimate differences are listed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FixtureCase, fixtureCases } from '../../../test/support/fixtures.ts'
import {
  brokenAnswerRules,
  brokenRequestRules,
  brokenStreamRules,
} from '../../../test/support/rules/openai-responses.ts'
import { type ReadLimits, type TapOptions, type UsageTap, WireError } from '../dialect.ts'
import { applyEdits } from '../json/json.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { Frame, ResponseEvent, ResponseOptions } from '../translation/neutral.ts'
import { openaiResponsesCodec as codec, openaiResponses as dialect } from './index.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000_000 }
const nowhere = { model: null, stream: false }
const options: TapOptions = {
  usageEvent: 'relay',
  choices: 1,
  eventBytesMax: 1 << 20,
  sampleCharactersMax: 1_000,
}
const capabilities: Capabilities = {
  sampling: 'all',
  temperatureMax: 2,
  topK: false,
  penalties: false,
  seed: false,
  stopsMax: 0,
  logprobs: true,
  thinking: 'effort',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh'],
  thinkingOff: 'none',
  budget: null,
  bindsThinking: false,
  signedCalls: false,
  forcedTools: true,
  prefill: false,
  midSystem: true,
  parallelSwitch: true,
  schemaOutput: true,
  schemaWithTools: true,
  cacheBreakpoints: true,
  resultMedia: true,
  inputs: ['text', 'image', 'document'],
  chatTools: 'always',
  outputTokensMax: 128_000,
}

type Loose = Record<string, unknown>
const cases = fixtureCases('openai-responses')
const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as Loose
const requests = cases.filter(({ request }) => request !== undefined)
const streams = cases.filter(({ kind }) => kind === 'stream')
const answers = cases.filter(({ kind }) => kind === 'json')

test('the facts of recorded requests are what the body says, and a splice changes nothing else', () => {
  for (const { name, request } of requests) {
    const parsed = parse(request!)
    const facts = dialect.extractRequest(request!, limits, nowhere)
    assert.deepEqual(
      facts.references?.map(({ id }) => id),
      'previous_response_id' in parsed ? [parsed.previous_response_id] : [],
      name,
    )
    assert.equal(facts.model, parsed.model, name)
    assert.equal(facts.stream, parsed.stream ?? false, name)
    assert.deepEqual(facts.options, [], name)
    const opening = (parsed.input as Loose[]).find(({ role }) => role === 'user')
    const { start, end } = facts.conversationSpan
    assert.ok(start < end && JSON.stringify(opening).includes(request!.subarray(start, end).toString()), name)
    const edits = dialect.patchRequest(facts, { model: 'other', outputLimit: 7, serverToolUsesMax: 2 })
    const spliced = parse(Buffer.concat(applyEdits(request!, edits)))
    assert.deepEqual(spliced, { ...parsed, model: 'other', max_output_tokens: 7 }, name)
    assert.deepEqual(codec.stripCarriers(request!, limits), [], name)
  }
})

function watched(stream: Uint8Array, chunkBytes: number): UsageTap {
  const watch = dialect.tapStream(options)
  for (let at = 0; at < stream.length; at += chunkBytes) watch.push(stream.slice(at, at + chunkBytes))
  watch.end()
  return watch
}

const summary = ({ state, relayableBytes, totalBytes, problem, rawUsage, sample }: UsageTap) => ({
  state,
  relayableBytes,
  totalBytes,
  problem,
  rawUsage,
  text: sample.text,
  characters: sample.characters,
  events: sample.events,
})

test('recorded streams are read the same in chunks of any size', () => {
  for (const { name, response } of streams) {
    const whole = summary(watched(response, response.length))
    for (const chunkBytes of [1, 7, 64, 1_000])
      assert.deepEqual(summary(watched(response, chunkBytes)), whole, name)
    assert.equal(whole.state, name === 'stream-error-failed' ? 'failed' : 'complete', name)
    if (whole.state === 'failed') {
      assert.equal(whole.problem?.code, 'insufficient_quota')
      assert.equal(dialect.problemStatus(whole.problem!), 429)
      continue
    }
    assert.equal(whole.totalBytes, response.length, name)
    const last = response.subarray(whole.relayableBytes).toString()
    assert.match(last, /^event: response\.completed\n/, name)
    const { usage } = (
      JSON.parse(/^data: (.*)$/m.exec(last)![1]!) as {
        response: {
          usage: { input_tokens: number; output_tokens: number; input_tokens_details: Record<string, number> }
        }
      }
    ).response
    const read = dialect.toUsage(watched(response, 100).rawUsage)
    assert.equal(read.output, usage.output_tokens, name)
    assert.equal(read.inputUncached + read.cacheRead + read.cacheWrite5m, usage.input_tokens, name)
    assert.equal(read.cacheRead, usage.input_tokens_details.cached_tokens, name)
    assert.deepEqual([read.unknown, read.fees], [[], {}], name)
  }
})

test('a recorded stream that is cut anywhere is never complete', () => {
  for (const { name, response } of streams) {
    const mark = Buffer.byteLength(response.toString().trimEnd())
    const failsAt = response.indexOf('event: response.failed')
    const step = Math.max(1, Math.floor(response.length / 300))
    for (let end = 0; end < mark; end += step) {
      const { state } = watched(response.subarray(0, end), response.length)
      if (failsAt !== -1 && end >= failsAt) assert.equal(state, 'failed', name)
      else assert.notEqual(state, 'complete', `${name} cut at ${end}`)
    }
  }
})

test('the sample is the text that the deltas spell', () => {
  for (const { name, response } of streams) {
    const spelled = [...response.toString().matchAll(/^data: (\{.*)$/gm)]
      .map(([, data]) => JSON.parse(data!) as { delta?: string; type: string; item?: { name?: string } })
      .map(
        ({ delta, type, item }) => delta ?? (type === 'response.output_item.added' ? (item?.name ?? '') : ''),
      )
      .join('')
    assert.equal(watched(response, 50).sample.characters, spelled.length, name)
    assert.equal(watched(response, 50).sample.text, spelled.slice(0, 1_000), name)
  }
})

test('recorded errors keep their words', () => {
  for (const { response } of cases.filter(({ kind }) => kind === 'error')) {
    const { error } = parse(response) as { error: { message: string; type: string; code: string | null } }
    assert.deepEqual(dialect.readError(response), {
      message: error.message,
      type: error.type,
      code: error.code ?? '',
    })
    assert.equal(dialect.extractResponse(response, 10).problem?.message, error.message)
  }
})

/** One way of writing what may be written in several; what is left out is what legitimately differs. */
function plainRequest(body: Loose): Loose {
  const {
    instructions,
    input,
    // None of these survives another format: nothing is stored, caches and contexts are the provider's.
    store: _store,
    prompt_cache_options: _caching,
    include: _include,
    stream,
    tools,
    tool_choice: choice,
    reasoning,
    text,
    ...rest
  } = body
  const { context: _context, summary: _summary, ...effort } = (reasoning ?? {}) as Loose
  const led: Loose[] =
    typeof instructions === 'string' && instructions !== ''
      ? [{ role: 'developer', content: instructions }]
      : []
  const items: Loose[] = typeof input === 'string' ? [{ role: 'user', content: input }] : (input as Loose[])
  const added = items
    .filter(({ type }) => type === 'additional_tools')
    .flatMap((item) => item.tools as Loose[])
  return {
    ...rest,
    stream: stream ?? false,
    input: [...led, ...items].filter(({ type }) => type !== 'additional_tools').map(plainItem),
    tools: [...((tools ?? []) as Loose[]), ...added].map(({ description, ...tool }) => ({
      ...tool,
      description: description ?? null,
    })),
    ...(choice === 'auto' || choice === undefined ? {} : { tool_choice: choice }),
    reasoning: effort,
    text: text === undefined || JSON.stringify(text) === '{"format":{"type":"text"}}' ? {} : text,
  }
}

function plainItem(item: Loose): Loose {
  const { id: _id, status: _status, namespace: _namespace, phase: _phase, ...rest } = item
  if (rest.type !== undefined && rest.type !== 'message') return rest
  const role = rest.role === 'system' ? 'developer' : rest.role
  const kind = role === 'assistant' ? 'output_text' : 'input_text'
  const content =
    typeof rest.content === 'string' ? [{ type: kind, text: rest.content }] : (rest.content as Loose[])
  // An image that does not say in how much detail is one of `auto`.
  return {
    role,
    content: content.map((part) => (part.type === 'input_image' ? { detail: 'auto', ...part } : part)),
  }
}

test('a recorded request comes back from neutral words as it was', () => {
  for (const { name, request } of requests) {
    const parsed = parse(request!)
    if ('previous_response_id' in parsed) continue
    const conversation = codec.decodeRequest(request!, limits, nowhere)
    const encoded = codec.encodeRequest(conversation, { model: conversation.model, capabilities })
    const body = JSON.parse(encoded.text) as Loose
    assert.deepEqual(brokenRequestRules(body, capabilities), [], name)
    assert.deepEqual(encoded.adjusted, [], name)
    assert.deepEqual(plainRequest(body), plainRequest(parsed), name)
  }
})

const frameOf = ({ request }: FixtureCase): Frame => {
  let responseOptions: ResponseOptions = { includeUsage: true, echo: [], tools: [], logprobs: false }
  try {
    if (request !== undefined) responseOptions = codec.decodeRequest(request, limits, nowhere).responseOptions
  } catch (error) {
    assert.ok(error instanceof WireError)
  }
  return { requestId: 'req_0abc', model: 'm', createdSeconds: 5, responseOptions }
}

/** Items without their ids, and without what only OpenAI knows of them. */
const plainOutput = (output: unknown) =>
  (output as Loose[]).map(({ id: _id, phase: _phase, status: _status, ...item }) => {
    if (item.type !== 'reasoning') {
      const content = (item.content as Loose[] | undefined)?.map((part) => ({ logprobs: [], ...part }))
      return content === undefined ? item : { ...item, content }
    }
    const summary = (item.summary as { text: string }[]).map(({ text }) => text).join('\n\n')
    return { type: item.type, summary }
  })

test('a recorded answer comes back from neutral words as it was', () => {
  for (const one of answers) {
    const usage = dialect.toUsage(dialect.extractResponse(one.response, 10).rawUsage)
    const answer = codec.decodeResponse(one.response, usage)
    const body = JSON.parse(codec.encodeResponse(answer, frameOf(one), { usage, cost: '0.1' })) as Loose
    assert.deepEqual(brokenAnswerRules(body), [], one.name)
    const recorded = parse(one.response)
    assert.deepEqual(plainOutput(body.output), plainOutput(recorded.output), one.name)
    const { cost, ...writtenUsage } = body.usage as Loose
    assert.equal(cost, 0.1)
    const was = recorded.usage as { input_tokens_details: Loose }
    assert.deepEqual(
      writtenUsage,
      { ...was, input_tokens_details: { cache_write_tokens: 0, ...was.input_tokens_details } },
      one.name,
    )
  }
})

function decoded(stream: Uint8Array, chunkBytes: number): readonly ResponseEvent[] {
  const decoder = codec.decodeStream(options.eventBytesMax)
  const events: ResponseEvent[] = []
  for (let at = 0; at < stream.length; at += chunkBytes)
    events.push(...decoder.push(stream.slice(at, at + chunkBytes)))
  events.push(...decoder.end())
  return events
}

test('a recorded stream comes back from neutral words as it was', () => {
  for (const one of streams) {
    const { name, response } = one
    const events = decoded(response, response.length)
    for (const chunkBytes of [1, 7, 333]) assert.deepEqual(decoded(response, chunkBytes), events, name)
    const watch = watched(response, response.length)
    if (watch.state === 'failed') continue
    const encoder = codec.encodeStream(frameOf(one))
    let sse = ''
    for (const event of events) sse += encoder.write(event)
    sse += encoder.close({ usage: dialect.toUsage(watch.rawUsage), cost: '0.1' })
    assert.deepEqual(brokenStreamRules(sse), [], name)
    const last = (text: string) =>
      (JSON.parse([...text.matchAll(/^data: (\{.*)$/gm)].at(-1)![1]!) as { response: Loose }).response
    assert.deepEqual(plainOutput(last(sse).output), plainOutput(last(response.toString()).output), name)
    const deltas = (text: string) => [...text.matchAll(/^event: (.*\.delta)$/gm)].map(([, type]) => type)
    // The gap between two parts of a summary is sent with its next text.
    assert.deepEqual(deltas(sse), deltas(response.toString()), name)
  }
})
