/**
 * Every recorded stream, cut after each of its events and within them: a client gets a beginning
 * of the recording and an error in its own format, never an end that looks complete, neither in the bytes nor
 * to the official library; and the receipt agrees.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type Answer, bearer, type Receipt, receiptOf, send } from '../support/bytes-client.ts'
import type { FixtureCase } from '../support/fixtures.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import {
  addresses,
  headersOf,
  type RecordedDialect,
  recordedDialects,
  recordedModels,
  requestOf,
  servedCases,
} from '../support/recorded-models.ts'
import { type ReplayEnd, type ReplayUpstream, replayUpstream } from '../support/replay-upstream.ts'
import { sampled } from '../support/sampled.ts'

let upstream: ReplayUpstream
let tollgate: TestGateway

before(async () => {
  upstream = await replayUpstream()
  tollgate = await testGateway({
    openai: upstream.origin,
    anthropic: upstream.origin,
    models: recordedModels(),
    limits: { requestsPerMinute: null, tokensPerMinute: null },
  })
})
after(async () => {
  await tollgate.close()
  await upstream.close()
})

/** What only a complete response may contain. */
const successMarks: Readonly<Record<RecordedDialect, RegExp>> = {
  'openai-chat': /\[DONE\]|"finish_reason":\s*"/,
  anthropic: /message_stop|"stop_reason":\s*"/,
}
/** What only a response with content contains. */
const contentMarks: Readonly<Record<RecordedDialect, RegExp>> = {
  'openai-chat': /"content":"[^"]|"tool_calls"/,
  anthropic: /content_block_delta|tool_use/,
}
const errorFrames: Readonly<Record<RecordedDialect, RegExp>> = {
  'openai-chat': /data: (\{"error":.*\})\n\n$/,
  anthropic: /event: error\ndata: (\{"type":"error",.*\})\n\n$/,
}

/** Reads a stream with the official library, as received over the wire. */
const libraries: Readonly<Record<RecordedDialect, (bytes: Buffer) => Promise<unknown>>> = {
  'openai-chat': (bytes) =>
    new OpenAI({ apiKey: 'any', maxRetries: 0, fetch: answering(bytes) }).chat.completions
      .stream({ model: 'any', messages: [{ role: 'user', content: 'any' }] })
      .finalChatCompletion(),
  anthropic: (bytes) =>
    new Anthropic({ apiKey: 'any', maxRetries: 0, fetch: answering(bytes) }).messages
      .stream({ model: 'any', max_tokens: 1, messages: [{ role: 'user', content: 'any' }] })
      .finalMessage(),
}

function answering(bytes: Buffer): () => Promise<Response> {
  return () =>
    Promise.resolve(
      new Response(new Uint8Array(bytes), { status: 200, headers: { 'content-type': 'text/event-stream' } }),
    )
}

/** Of streams with this many cuts the library reads only some, since all take quadratic time. */
const manyCuts = 150

interface Cut {
  readonly bytes: number
  readonly end: ReplayEnd
}

/**
 * After each event and within each, closed cleanly and uncleanly in turn; but not at the end of the stream, nor cleanly behind
 * the finish of a chat, which is complete.
 */
function cutsOf({ response }: FixtureCase): readonly Cut[] {
  const ends = [...response.toString('latin1').matchAll(/\n\n/g)].map(({ index }) => index + 2)
  const last = response.toString('latin1').trimEnd().length
  const within = ends
    .map((end, index) => Math.floor((end + (ends[index - 1] ?? 0)) / 2))
    .filter((_, index) => ends.length < manyCuts || index % 4 === 0)
  return [...ends, ...within]
    .filter((bytes) => bytes < last)
    .map((bytes, index) => ({
      bytes,
      end: index % 2 === 0 && !isFinished(response.subarray(0, bytes)) ? 'complete' : 'closed',
    }))
}

function isFinished(stream: Buffer): boolean {
  return /"finish_reason": ?"/.test(stream.toString('latin1'))
}

async function ask(
  dialect: RecordedDialect,
  recorded: FixtureCase,
  of: { readonly key: string; readonly cut: Cut },
): Promise<{ answer: Answer; receipt: Receipt }> {
  upstream.play({
    status: 200,
    headers: headersOf(recorded),
    bytes: recorded.response.subarray(0, of.cut.bytes),
    // Content is read before what follows it: an error in the same chunk would replace it.
    chunkBytes: 512,
    end: of.cut.end,
  })
  const answer = await send(tollgate.origin, {
    path: addresses[dialect],
    headers: bearer(of.key),
    body: requestOf(dialect, recorded),
  })
  return { answer, receipt: await receiptOf(tollgate.origin, of.key, answer) }
}

const isStream = ({ kind, name }: FixtureCase) => kind === 'stream' && name !== 'stream-code-execution'

for (const dialect of recordedDialects) {
  for (const recorded of servedCases(dialect).filter(isStream)) {
    const isHealthy = !recorded.name.startsWith('stream-error-')
    test(`${dialect}/${recorded.name}: a cut stream is not a complete stream`, async () => {
      const { key } = await tollgate.account('1000')
      const cuts = sampled(cutsOf(recorded), 24, 48)
      for (const [index, cut] of cuts.entries()) {
        const at = `cut at ${cut.bytes} (${cut.end})`
        const { answer, receipt } = await ask(dialect, recorded, { key, cut })
        assert.equal(receipt.error, 'upstream_truncated', at)
        if (answer.status !== 200) {
          assert.equal(answer.status, 502, at)
          assert.equal(receipt.cost, '0.00', at)
          continue
        }
        assert.equal(receipt.status, 'upstream_truncated', at)
        const isSaying = contentMarks[dialect].test(answer.text)
        assert.equal(receipt.cost !== '0.00', isSaying, `${at}: who got content pays for it`)
        checkCut(dialect, recorded, answer)
        const isRead = cuts.length < manyCuts || index % 16 === 0
        if (isRead) await assert.rejects(libraries[dialect](answer.bytes), at)
      }
      if (isHealthy) await checkWhole(dialect, recorded, key)
    })
  }
}

/** Whole events from the recording's beginning, then the error. */
function checkCut(dialect: RecordedDialect, recorded: FixtureCase, answer: Answer): void {
  const frame = errorFrames[dialect].exec(answer.text)
  assert.ok(frame, `an error at the end: ${answer.text.slice(-200)}`)
  const { error } = JSON.parse(frame[1] ?? '') as { error: { code?: string; details?: { code: string } } }
  assert.equal(error.details?.code ?? error.code, 'upstream_truncated')
  const relayed = answer.text.slice(0, frame.index)
  assert.ok(recorded.response.toString('utf8').startsWith(relayed))
  assert.ok(relayed.endsWith('\n\n'))
  assert.doesNotMatch(answer.text, successMarks[dialect])
  assert.equal(answer.isCut, false)
}

/** The library reads what was relayed in the same way as the recording itself. */
async function checkWhole(dialect: RecordedDialect, recorded: FixtureCase, key: string): Promise<void> {
  const { answer, receipt } = await ask(dialect, recorded, {
    key,
    cut: { bytes: recorded.response.length, end: 'complete' },
  })
  assert.equal(receipt.status, 'complete')
  const [relayed, original] = [answer.bytes, recorded.response].map((bytes) => read(dialect, bytes))
  assert.deepEqual(await relayed, await original)
}

/** The library's result; odd recordings make it throw, then the message. */
async function read(dialect: RecordedDialect, bytes: Buffer): Promise<string> {
  try {
    const { usage: _usage, ...message } = (await libraries[dialect](bytes)) as { usage?: unknown }
    return JSON.stringify(message)
  } catch (error) {
    return String(error)
  }
}

for (const dialect of recordedDialects) {
  test(`${dialect}: a stream that fails upstream ends with the kind of the upstream's error, in our words`, async () => {
    const { key } = await tollgate.account('100')
    const failing = servedCases(dialect).filter(({ name }) => name.startsWith('stream-error-'))
    for (const recorded of failing) {
      const { answer, receipt } = await ask(dialect, recorded, {
        key,
        cut: { bytes: recorded.response.length, end: 'complete' },
      })
      const frame = errorFrames[dialect].exec(answer.text)
      assert.ok(frame, answer.text.slice(-300))
      const recordedFrame = recorded.response.toString('utf8').trimEnd().split('\n').at(-1) ?? ''
      const recordedError = JSON.parse(recordedFrame.slice('data: '.length)) as { error: { message: string } }
      assert.match(frame[1] ?? '', /"upstream_(?:error|overloaded)".*"source":"upstream"/)
      assert.ok(!frame[1]?.includes(recordedError.error.message), frame[1])
      assert.ok(recorded.response.toString('utf8').startsWith(answer.text.slice(0, frame.index)))
      assert.doesNotMatch(answer.text, successMarks[dialect])
      assert.equal(receipt.status, 'upstream_error')
      await assert.rejects(libraries[dialect](answer.bytes))
    }
  })

  test(`${dialect}: a truncated JSON response is an error`, async () => {
    const { key, id } = await tollgate.account('100')
    for (const recorded of servedCases(dialect).filter(({ kind }) => kind === 'json')) {
      const bytes = recorded.response.toString('latin1').trimEnd().length - 1
      for (const end of ['complete', 'closed'] as const) {
        const { answer, receipt } = await ask(dialect, recorded, { key, cut: { bytes, end } })
        assert.equal(answer.status, 502, `${recorded.name}: ${answer.text}`)
        assert.equal(receipt.cost, '0.00')
      }
    }
    assert.deepEqual(await tollgate.balance(id), { posted: 100_000_000_000n, held: 0n, openHolds: 0 })
  })
}
