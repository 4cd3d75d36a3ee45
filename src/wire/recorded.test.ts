/** What providers really sent and received, through both formats: read the same in any chunks, never changed, never taken for complete when cut. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FixtureCase, type FixtureProvider, fixtureCases } from '../../test/support/fixtures.ts'
import { repeated } from '../../test/support/sampled.ts'
import type { Dialect } from '../../test/support/wire-formats.ts'
import { anthropic } from './anthropic/index.ts'
import {
  type ExtractedFields,
  type ReadLimits,
  type TapOptions,
  type UsageTap,
  WireError,
} from './dialect.ts'
import { applyEdits } from './json/json.ts'
import { openaiChat } from './openai-chat/index.ts'
import type { Usage } from './usage.ts'

const limits: ReadLimits = { depthMax: 64, valuesMax: 250_000, integerMax: 1_000_000_000 }
const options: TapOptions = {
  usageEvent: 'drop',
  choices: 1,
  eventBytesMax: 1 << 20,
  sampleCharactersMax: 1_000,
}
const sampleCharactersMax = 1_000

interface Format {
  readonly provider: FixtureProvider
  readonly dialect: Dialect
  /** Another reading of the reported usage, over parsed objects. */
  readonly usageOf: (reports: readonly Record<string, unknown>[]) => Partial<Usage>
  /** A body with the model, the output limit and all caps of tools replaced, by way of objects. */
  readonly changed: (body: Record<string, unknown>) => Record<string, unknown>
  readonly ends: RegExp
}

type Loose = Record<string, Record<string, number> & number>

const formats: readonly Format[] = [
  {
    provider: 'openai-chat',
    dialect: openaiChat as Dialect,
    usageOf(reports) {
      const usage = (reports.at(-1) ?? {}) as Loose
      const prompt = usage.prompt_tokens ?? 0
      const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0
      const cacheWrite5m = usage.prompt_tokens_details?.cache_write_tokens ?? 0
      return {
        inputUncached: prompt - cacheRead - cacheWrite5m,
        cacheRead,
        cacheWrite5m,
        output: (usage.total_tokens ?? 0) - prompt,
        reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
      }
    },
    changed(body) {
      const limit = 'max_tokens' in body ? 'max_tokens' : 'max_completion_tokens'
      const options =
        body.stream === true
          ? { stream_options: { ...(body.stream_options as object), include_usage: true } }
          : {}
      return { ...body, ...options, model: 'other', [limit]: 7 }
    },
    ends: /data: \[DONE\]\n*$/,
  },
  {
    provider: 'anthropic',
    dialect: anthropic as Dialect,
    usageOf(reports) {
      const merged: Loose = {}
      for (const report of reports) {
        for (const [name, value] of Object.entries(report as Loose)) if (value !== null) merged[name] = value
      }
      const long = merged.cache_creation?.ephemeral_1h_input_tokens ?? 0
      return {
        inputUncached: merged.input_tokens ?? 0,
        cacheRead: merged.cache_read_input_tokens ?? 0,
        cacheWrite5m: (merged.cache_creation_input_tokens ?? 0) - long,
        cacheWrite1h: long,
        output: merged.output_tokens ?? 0,
        reasoning: merged.output_tokens_details?.thinking_tokens ?? 0,
      }
    },
    changed(body) {
      const tools = (body.tools as { type?: string }[] | undefined)?.map((tool) =>
        /^web_/.test(tool.type ?? '') ? { ...tool, max_uses: 2 } : tool,
      )
      return { ...body, ...(tools === undefined ? {} : { tools }), model: 'other', max_tokens: 7 }
    },
    ends: /event: message_stop\ndata: .*\n*$/,
  },
]

const nowhere = { model: null, stream: false }

/** Each case that has what a test needs, with its format. */
function each(
  wanted: (one: FixtureCase) => boolean,
  check: (format: Format, one: FixtureCase, name: string) => void,
): void {
  for (const format of formats) {
    for (const one of fixtureCases(format.provider)) {
      if (wanted(one)) check(format, one, `${format.provider}/${one.name}`)
    }
  }
}

const isRequest = ({ request, name }: FixtureCase) => request !== undefined && name !== 'count-tokens'
const parse = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>
const text = (body: Uint8Array, { start, end }: { start: number; end: number }) =>
  JSON.parse(Buffer.from(body.subarray(start, end)).toString()) as unknown

test('the facts of recorded requests are what the body says', () => {
  each(isRequest, ({ dialect }, { request }, name) => {
    const body = request!
    const facts: ExtractedFields = dialect.extractRequest(body, limits, nowhere)
    const parsed = parse(body)
    assert.equal(facts.model, parsed.model, name)
    assert.equal(text(body, facts.modelSpan!), parsed.model, name)
    assert.equal(facts.stream, parsed.stream ?? false, name)
    assert.equal(facts.outputLimit, parsed.max_completion_tokens ?? parsed.max_tokens ?? null, name)
    assert.equal(facts.choices, parsed.n ?? 1, name)
    const { start, end } = facts.conversationSpan
    const said = Buffer.from(body.subarray(start, end)).toString()
    const opening = (parsed.messages as { role: string }[]).find(({ role }) => role === 'user')
    assert.ok(said !== '' && JSON.stringify(opening).includes(said), name)
    for (const { span } of facts.media) {
      if (span === null) continue
      assert.match(Buffer.from(body.subarray(span.start, span.end)).toString(), /^[\w+/=\\]+$/, name)
      assert.equal(body[span.end], 0x22, name)
    }
  })
})

test('a splice changes the fields it names and no other byte', () => {
  each(isRequest, ({ dialect, changed }, { request }, name) => {
    const body = request!
    const facts = dialect.extractRequest(body, limits, nowhere)
    const edits = dialect.patchRequest(facts, { model: 'other', outputLimit: 7, serverToolUsesMax: 2 })
    const spliced = Buffer.concat(applyEdits(body, edits))
    assert.deepEqual(parse(spliced), changed(parse(body)), name)
    let from = 0
    let at = 0
    for (const edit of edits) {
      const length = edit.start - from
      assert.ok(spliced.subarray(at, at + length).equals(body.subarray(from, edit.start)), name)
      assert.equal(
        spliced.subarray(at + length, at + length + Buffer.byteLength(edit.text)).toString(),
        edit.text,
      )
      at += length + Buffer.byteLength(edit.text)
      from = edit.end
    }
    assert.ok(spliced.subarray(at).equals(body.subarray(from)), name)
  })
})

test('a request that needs no change goes as it came', () => {
  each(isRequest, ({ dialect }, { request }, name) => {
    const facts = dialect.extractRequest(request!, limits, nowhere)
    const edits = dialect.patchRequest(facts, {})
    assert.equal(edits.length, dialect.usageEvent(facts) === 'drop' ? 1 : 0, name)
  })
})

function watched(
  dialect: Dialect,
  stream: Uint8Array,
  chunkBytes: number,
  end: 'clean' | 'cut' | 'none' = 'clean',
): UsageTap {
  const watch = dialect.tapStream(options)
  let safe = 0
  for (let at = 0; at < stream.length; at += chunkBytes) {
    watch.push(stream.slice(at, at + chunkBytes))
    assert.ok(watch.relayableBytes >= safe && watch.relayableBytes <= at + chunkBytes)
    if (watch.relayableBytes > safe)
      assert.equal(
        Buffer.from(stream.subarray(watch.relayableBytes - 2, watch.relayableBytes)).toString(),
        '\n\n',
      )
    safe = watch.relayableBytes
  }
  if (end !== 'none') watch.end(end === 'cut')
  return watch
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
  state,
  relayableBytes,
  totalBytes,
  suppressedSpan,
  problem,
  rawUsage,
  sample: { text: sample.text, characters: sample.characters, events: sample.events },
})

const isStream = ({ kind }: FixtureCase) => kind === 'stream'
/** Recorded as cut by an error, or by a provider's end of the connection. */
const isErrorStream = (name: string) => name.includes('stream-error')

/** The objects in the data lines, without the protocol's end marker. */
function payloads(stream: Buffer): readonly Record<string, unknown>[] {
  return [...stream.toString().matchAll(/^data: ?(\{.*)$/gm)].map(
    ([, line]) => JSON.parse(line!) as Record<string, unknown>,
  )
}

test('recorded streams are read the same in chunks of any size', () => {
  each(isStream, ({ dialect, ends }, { response }, name) => {
    const whole = summary(watched(dialect, response, response.length))
    for (const chunkBytes of [1, 7, 64, 1_000]) {
      assert.deepEqual(summary(watched(dialect, response, chunkBytes)), whole, `${name} by ${chunkBytes}`)
    }
    assert.equal(whole.state, isErrorStream(name) ? 'failed' : 'complete', name)
    if (isErrorStream(name)) return
    assert.equal(whole.totalBytes, response.length, name)
    assert.doesNotMatch(response.subarray(0, whole.relayableBytes).toString(), ends, name)
    assert.match(response.subarray(whole.relayableBytes).toString(), ends, name)
  })
})

test('the usage of recorded streams and answers is what another reading finds', () => {
  each(isStream, ({ dialect, usageOf }, { response }, name) => {
    const reports = payloads(response).flatMap((payload) => {
      const message = payload.message as { usage?: object } | undefined
      // The output in message_start is a placeholder for a number that is not known yet.
      const opening = message?.usage === undefined ? undefined : { ...message.usage, output_tokens: null }
      return [payload.usage, opening].filter((usage) => usage !== null && usage !== undefined)
    }) as Record<string, unknown>[]
    const usage = dialect.toUsage(watched(dialect, response, 100).rawUsage)
    assert.partialDeepStrictEqual(usage, usageOf(reports), name)
    assert.deepEqual(usage.unknown, [], name)
  })
  each(
    ({ kind, name }) => kind === 'json' && name !== 'count-tokens',
    ({ dialect, usageOf }, { response }, name) => {
      const answer = dialect.extractResponse(response, sampleCharactersMax)
      assert.equal(answer.problem, null, name)
      const usage = parse(response).usage as Record<string, unknown>
      assert.partialDeepStrictEqual(dialect.toUsage(answer.rawUsage), usageOf([usage]), name)
      // A recording whose place was blotted out.
      const unknown = usage.inference_geo === '<GOOGLE_CLOUD_LOCATION>' ? ['inference_geo'] : []
      assert.deepEqual(dialect.toUsage(answer.rawUsage).unknown, unknown, name)
    },
  )
})

test('a stream cut after any event, or anywhere, is never complete', () => {
  each(isStream, ({ dialect }, { response }, name) => {
    const whole = watched(dialect, response, response.length)
    const mark = Buffer.byteLength(response.toString().trimEnd())
    const step = Math.max(1, Math.floor(response.length / repeated(200, 2_000)))
    for (let end = 0; end < mark; end += step) {
      const cut = watched(dialect, response.subarray(0, end), response.length, 'cut')
      assert.equal(cut.state, 'truncated', `${name} cut at ${end}`)
      assert.ok(cut.relayableBytes <= whole.relayableBytes, name)
    }
  })
})

test('the sample is the text that the deltas spell', () => {
  each(isStream, ({ dialect, provider }, { response }, name) => {
    if (provider !== 'anthropic') return
    const spelled = payloads(response)
      .flatMap((payload) => {
        const delta = payload.delta as Record<string, string> | undefined
        const block = payload.content_block as { input?: object; name?: string } | undefined
        return [
          delta?.thinking ?? delta?.text ?? delta?.partial_json ?? '',
          block?.input === undefined ? '' : block.name,
        ]
      })
      .join('')
    const { sample } = watched(dialect, response, 50)
    assert.equal(sample.text, spelled.slice(0, sampleCharactersMax), name)
    assert.equal(sample.characters, spelled.length, name)
  })
})

test('recorded errors keep their words', () => {
  each(
    ({ kind }) => kind === 'error',
    ({ dialect }, { response }, name) => {
      const { error } = parse(response) as { error: { message: string; type: string; code?: string | null } }
      assert.deepEqual(
        dialect.readError(response),
        { message: error.message, type: error.type, code: error.code ?? '' },
        name,
      )
      assert.equal(
        dialect.extractResponse(response, sampleCharactersMax).problem?.message,
        error.message,
        name,
      )
    },
  )
})

/** Up to four places where bytes are taken out and others put in. */
const damages = fc.array(
  fc.tuple(
    fc.nat(),
    fc.nat(40),
    fc.constantFrom('', '\n', '\n\n', '"', '{', '}', '\\', 'null', '0', '\u00e9', '\r'),
  ),
  { minLength: 1, maxLength: 4 },
)

function damaged(bytes: Buffer, all: readonly (readonly [number, number, string])[]): Buffer {
  return all.reduce((whole, [place, removed, added]) => {
    const at = place % (whole.length + 1)
    return Buffer.concat([whole.subarray(0, at), Buffer.from(added), whole.subarray(at + removed)])
  }, bytes)
}

test('damaged requests are read or refused with a reason, damaged streams and answers are never thrown at', () => {
  for (const { dialect, provider } of formats) {
    const recorded = fixtureCases(provider).filter(({ response }) => response.length < 20_000)
    if (recorded.length === 0) continue
    fc.assert(
      fc.property(
        fc.nat(recorded.length - 1),
        damages,
        fc.integer({ min: 1, max: 999 }),
        (index, all, chunkBytes) => {
          const { request, response, kind } = recorded[index]!
          const body = damaged(response, all)
          if (kind === 'stream') {
            const watch = dialect.tapStream(options)
            for (let at = 0; at < body.length; at += chunkBytes)
              watch.push(body.subarray(at, at + chunkBytes))
            watch.end()
            assert.ok(watch.relayableBytes <= watch.totalBytes && watch.totalBytes <= body.length)
            dialect.toUsage(watch.rawUsage)
          } else {
            dialect.readError(body)
            dialect.toUsage(dialect.extractResponse(body, sampleCharactersMax).rawUsage)
          }
          if (request === undefined) return
          try {
            dialect.extractRequest(damaged(request, all), limits, nowhere)
          } catch (error) {
            assert.ok(error instanceof WireError, String(error))
          }
        },
      ),
      { numRuns: 1_000 },
    )
  }
})
