/**
 * Recorded exchanges of each format: requests are patched in the named fields alone, streams are read the same
 * in any chunks and never taken for complete when cut, and damage is never thrown at. What translations make of the same
 * recordings is in test/conformance/translation-*.test.ts.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FixtureCase, fixtureCases } from '../../test/support/fixtures.ts'
import { limits, rejection, tapOptions, tapped } from '../../test/support/neutral-values.ts'
import { repeated } from '../../test/support/sampled.ts'
import { codecs, wireFormats } from '../../test/support/wire-formats.ts'
import type { UsageTap } from './format.ts'
import type { ConversationFormat } from './format-names.ts'
import { applyEdits } from './json/json.ts'

type Body = Readonly<Record<string, unknown>>

interface Recorded {
  readonly messages: string
  readonly limitOf: (body: Body) => unknown
  /** The body with another model and an output limit of 3, and at most 2 uses of tools. */
  readonly changed: (body: Body) => Body
  /** Matches the terminal event of a stream. */
  readonly ends: RegExp
  /** Tokens of input and output in the last report. */
  readonly totals: (usage: Readonly<Record<string, number>>) => readonly [input: number, output: number]
}

const formats: Readonly<Record<ConversationFormat, Recorded>> = {
  'openai-chat': {
    messages: 'messages',
    limitOf: (body) => body.max_completion_tokens ?? body.max_tokens,
    changed(body) {
      const limit = 'max_tokens' in body ? 'max_tokens' : 'max_completion_tokens'
      const options = { stream_options: { ...(body.stream_options as object), include_usage: true } }
      return { ...body, ...(body.stream === true ? options : {}), model: 'other', [limit]: 3 }
    },
    ends: /data: \[DONE\]\n*$/,
    // A host counts reasoning only in the total.
    totals: ({ prompt_tokens: input = 0, total_tokens: total = 0 }) => [input, total - input],
  },
  'openai-responses': {
    messages: 'input',
    limitOf: (body) => body.max_output_tokens,
    changed: (body) => ({ ...body, model: 'other', max_output_tokens: 3 }),
    ends: /^event: response\.completed\n/,
    totals: ({ input_tokens: input = 0, output_tokens: output = 0 }) => [input, output],
  },
  anthropic: {
    messages: 'messages',
    limitOf: (body) => body.max_tokens,
    changed(body) {
      const tools = (body.tools as { type?: string }[] | undefined)?.map((tool) =>
        /^web_/.test(tool.type ?? '') ? { ...tool, max_uses: 2 } : tool,
      )
      return { ...body, ...(tools === undefined ? {} : { tools }), model: 'other', max_tokens: 3 }
    },
    ends: /event: message_stop\ndata: .*\n*$/,
    totals({ input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens: written, ...usage }) {
      return [(input_tokens ?? 0) + (read ?? 0) + (written ?? 0), usage.output_tokens ?? 0]
    },
  },
  gemini: {
    messages: 'contents',
    limitOf: ({ generationConfig }) => (generationConfig as Body | undefined)?.maxOutputTokens,
    changed: (body) => ({
      ...body,
      generationConfig: { ...(body.generationConfig as object), maxOutputTokens: 3 },
    }),
    ends: /"finishReason"|"blockReason"/,
    totals({ promptTokenCount = 0, toolUsePromptTokenCount = 0, totalTokenCount = 0 }) {
      const input = promptTokenCount + toolUsePromptTokenCount
      return [input, totalTokenCount - input]
    },
  },
}

const names = Object.keys(formats) as readonly ConversationFormat[]
const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as Body
const cut = (body: Uint8Array, { start, end }: { start: number; end: number }) =>
  Buffer.from(body.subarray(start, end)).toString()
const addressOf = (format: ConversationFormat) => ({
  model: format === 'gemini' ? 'gemini-x' : null,
  stream: false,
})
/** False where it refers to a cache of its provider. */
const isOwned = ({ name }: FixtureCase) => name !== 'explicit-cache'
const isRequest = (one: FixtureCase) => one.request !== undefined && one.name !== 'count-tokens'
const isAnswer = ({ kind, name }: FixtureCase) => kind === 'json' && name !== 'count-tokens'
const isStream = ({ kind }: FixtureCase) => kind === 'stream'
/** Recorded as cut by an error, or by a provider's end of the connection. */
const isFailing = ({ name }: FixtureCase) => name.includes('stream-error')

for (const format of names) {
  const { messages, limitOf, changed, ends, totals } = formats[format]
  const [wireFormat, codec] = [wireFormats[format], codecs[format]]
  const cases = fixtureCases(format)
  const address = addressOf(format)

  test(`${format}: the facts of recorded requests are what the body says, and a patch changes nothing else`, () => {
    for (const one of cases.filter(isRequest)) {
      const [{ name }, body] = [one, one.request!]
      if (!isOwned(one)) {
        assert.match(
          rejection(() => wireFormat.extractRequest(body, limits, address)),
          /^reference_not_owned/,
        )
        continue
      }
      const facts = wireFormat.extractRequest(body, limits, address)
      const parsed = parse(body)
      const { model, stream, outputLimit, choices } = facts
      assert.deepEqual(
        [model, stream, outputLimit, choices],
        [address.model ?? parsed.model, parsed.stream ?? false, limitOf(parsed) ?? null, parsed.n ?? 1],
        name,
      )
      const opening = (parsed[messages] as { role: string }[]).find(({ role }) => role === 'user')
      const span = cut(body, facts.conversationSpan)
      assert.ok(span !== '' && JSON.stringify(opening).includes(span), name)
      for (const { span } of facts.media)
        if (span !== null) assert.match(cut(body, span), /^[\w+/=\\-]+$/, name)
      const patches = wireFormat.patchRequest(facts, { model: 'other', outputLimit: 3, serverToolUsesMax: 2 })
      assert.deepEqual(parse(Buffer.concat(applyEdits(body, patches))), changed(parsed), name)
      const necessary = wireFormat.usageEvent(facts) === 'drop' ? 1 : 0
      assert.equal(wireFormat.patchRequest(facts, {}).length, necessary, name)
      assert.deepEqual(codec.stripCarriers(body, limits), [], name)
    }
  })

  const watched = (stream: Uint8Array, size?: number, isCut = false): UsageTap => {
    const tap = tapped(wireFormat.tapStream({ ...tapOptions, usageEvent: 'drop' }), stream, size)
    tap.end(isCut)
    return tap
  }
  const summary = ({
    state,
    relayableBytes,
    totalBytes,
    suppressedSpan,
    problem,
    rawUsage,
    sample,
  }: UsageTap) => ({
    ...{ state, relayableBytes, totalBytes, suppressedSpan, problem, rawUsage },
    ...{ text: sample.text, characters: sample.characters, events: sample.events },
  })

  test(`${format}: recorded streams are read the same in chunks of any size, and end with their terminal event`, () => {
    for (const one of cases.filter(isStream)) {
      const { name, response } = one
      const whole = summary(watched(response))
      for (const size of [1, 7, 64, 1_000])
        assert.deepEqual(summary(watched(response, size)), whole, `${name} by ${size}`)
      assert.equal(whole.state, isFailing(one) ? 'failed' : 'complete', name)
      if (isFailing(one)) continue
      assert.equal(whole.totalBytes, response.length, name)
      assert.doesNotMatch(response.subarray(0, whole.relayableBytes).toString(), ends, name)
      assert.match(response.subarray(whole.relayableBytes).toString(), ends, name)
    }
  })

  test(`${format}: a recorded stream that is cut anywhere is never complete`, () => {
    for (const { name, response } of cases.filter(isStream)) {
      const whole = watched(response)
      const mark = Buffer.byteLength(response.toString().trimEnd())
      const step = Math.max(1, Math.floor(response.length / repeated(100, 2_000)))
      for (let end = 0; end < mark; end += step) {
        const { state, relayableBytes } = watched(response.subarray(0, end), undefined, true)
        assert.notEqual(state, 'complete', `${name} cut at ${end}`)
        assert.ok(relayableBytes <= whole.relayableBytes, name)
      }
    }
  })

  test(`${format}: recorded usage is what the last report sums up to`, () => {
    const reported = (value: Body): Body => {
      const holder = (value.response ?? value.message ?? value) as Body
      const usage = (holder.usage ?? holder.usageMetadata ?? {}) as Body
      return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== null))
    }
    const last = (one: FixtureCase): Body => {
      if (isAnswer(one)) return reported(parse(one.response))
      const events = [...one.response.toString().matchAll(/^data: ?(\{.*)$/gm)]
      return Object.assign({}, ...events.map(([, data]) => reported(JSON.parse(data!) as Body)))
    }
    for (const one of cases.filter((found) => (isAnswer(found) || isStream(found)) && !isFailing(found))) {
      const usage = last(one) as Readonly<Record<string, number>>
      const raw = isAnswer(one)
        ? wireFormat.extractResponse(one.response, 10).rawUsage
        : watched(one.response).rawUsage
      const { inputUncached, cacheRead, cacheWrite5m, cacheWrite1h, inputAudio, output, outputAudio } =
        wireFormat.toUsage(raw)
      const found = [
        inputUncached + cacheRead + cacheWrite5m + cacheWrite1h + inputAudio,
        output + outputAudio,
      ]
      assert.deepEqual(found, totals(usage), one.name)
    }
  })

  test(`${format}: recorded errors keep their words`, () => {
    for (const { name, response } of cases.filter(({ kind }) => kind === 'error')) {
      const [body] = [JSON.parse(response.toString())].flat() as {
        error: { message: string; type?: string }
      }[]
      const { message, type } = body!.error
      assert.equal(wireFormat.extractResponse(response, 10).problem?.message, message, name)
      assert.partialDeepStrictEqual(wireFormat.readError(response), { message, ...(type && { type }) }, name)
    }
  })

  test(`${format}: damaged requests are read or rejected with a reason, damaged streams and answers are never thrown at`, () => {
    const recorded = cases.filter(({ response }) => response.length < 20_000)
    if (recorded.length === 0) return
    const check = (one: FixtureCase, all: readonly Damage[], size: number) => {
      const body = damaged(one.response, all)
      if (isStream(one)) {
        const { relayableBytes, totalBytes, rawUsage } = watched(body, size)
        assert.ok(relayableBytes <= totalBytes && totalBytes <= body.length)
        wireFormat.toUsage(rawUsage)
      } else {
        wireFormat.readError(body)
        wireFormat.toUsage(wireFormat.extractResponse(body, 1_000).rawUsage)
      }
      const { request } = one
      if (request !== undefined)
        rejection(() => wireFormat.extractRequest(damaged(request, all), limits, address))
    }
    fc.assert(fc.property(fc.constantFrom(...recorded), damages, fc.integer({ min: 1, max: 999 }), check), {
      numRuns: repeated(250, 1_000),
    })
  })
}

type Damage = readonly [place: number, removed: number, added: string]
const added = fc.constantFrom('', '\n', '\n\n', '"', '{', '}', '\\', 'null', '0', '\u00e9', '\r')
/** Up to four places where bytes are taken out and others put in. */
const damages = fc.array(fc.tuple(fc.nat(), fc.nat(40), added), { minLength: 1, maxLength: 4 })

function damaged(bytes: Buffer, all: readonly Damage[]): Buffer {
  return all.reduce((whole, [place, removed, words]) => {
    const start = place % (whole.length + 1)
    return Buffer.concat([whole.subarray(0, start), Buffer.from(words), whole.subarray(start + removed)])
  }, bytes)
}
