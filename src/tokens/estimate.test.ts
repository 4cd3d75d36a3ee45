/**
 * Estimates compared with reported counts: every recorded request with a tool of the caller's is within 15 % of the
 * input that its provider reported, except for those that contradict other recordings, which are named with the reason.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type FixtureCase, type FixtureProvider, fixtureCases } from '../../test/support/fixtures.ts'
import { codecs, wireFormats } from '../../test/support/wire-formats.ts'
import { systemClock } from '../base/clock.ts'
import { limitDefaults } from '../config/config.ts'
import { threadEntries } from '../server/thread-entries.ts'
import type { UrlFields } from '../wire/client-routes.ts'
import type { Conversation } from '../wire/translation/neutral.ts'
import type { Usage } from '../wire/usage.ts'
import { type Counter, openCounter } from './count.ts'
import { estimateInput, inputLoad } from './estimate.ts'

const providers: readonly FixtureProvider[] = ['anthropic', 'gemini', 'openai-chat', 'openai-responses']
const limits = {
  depthMax: limitDefaults.jsonDepthMax,
  valuesMax: limitDefaults.jsonValuesMax,
  integerMax: limitDefaults.integerMax,
}
const errorMax = 0.15

/** Recordings that no estimate can meet together with the others of the same model. */
const contradicted: Readonly<Record<string, string>> = {
  'anthropic/parallel-tools-4-t1':
    'a tool prompt of 271 tokens, where the maker publishes 496 and 11 recordings have 496',
  'anthropic/parallel-tools-4-t2': 'the same conversation',
  'openai-responses/stream-tool-t1': '215 tokens more than the same tool costs in tool-gpt-4o-t1',
  'openai-responses/stream-tool-t2': 'the same conversation',
}

let counter: Counter
before(() => {
  // A budget of time that no busy machine uses up.
  const limits = { ...limitDefaults, countMs: 600_000 }
  counter = openCounter({ clock: systemClock, limits, entry: threadEntries.counter })
})
after(() => counter.close())

interface Recorded {
  readonly name: string
  readonly provider: FixtureProvider
  readonly model: string
  readonly conversation: Conversation
  readonly reported: number
}

function recorded(provider: FixtureProvider): readonly Recorded[] {
  return fixtureCases(provider).flatMap((one) => {
    if (one.request === undefined || one.kind === 'error') return []
    const model = one.model || modelOf(one.request)
    const address: UrlFields = { model, stream: one.kind === 'stream' }
    const conversation = codecs[provider].decodeRequest(one.request, limits, address)
    const reported = inputOf(provider, one)
    if (conversation.tools.length === 0 || reported === 0) return []
    return [{ name: `${provider}/${one.name}`, provider, model, conversation, reported }]
  })
}

function modelOf(request: Buffer): string {
  return (JSON.parse(request.toString()) as { model: string }).model
}

function inputOf(provider: FixtureProvider, one: FixtureCase): number {
  const format = wireFormats[provider]
  const usage = format.toUsage(
    one.kind === 'stream' ? streamed(provider, one) : format.extractResponse(one.response, 0).rawUsage,
  )
  return inputTokens(usage)
}

function streamed(provider: FixtureProvider, one: FixtureCase) {
  const watch = wireFormats[provider].tapStream({
    usageEvent: 'relay',
    choices: 1,
    eventBytesMax: limitDefaults.eventBytesMax,
    sampleCharactersMax: 0,
  })
  watch.push(one.response)
  watch.end()
  return watch.rawUsage
}

function inputTokens(usage: Usage): number {
  return usage.inputUncached + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.inputAudio
}

async function errorOf({ conversation, model, provider, reported }: Recorded): Promise<number> {
  const load = inputLoad(conversation, { model, format: provider })
  const { tokens, source } = await estimateInput(counter, load, 1n)
  assert.equal(source, 'counted')
  return (tokens - reported) / reported
}

for (const provider of providers) {
  const cases = recorded(provider)
  if (cases.length === 0) continue
  test(`${provider}: every request with a tool is estimated within 15 %`, async (context) => {
    let worst = { name: '', error: 0 }
    for (const one of cases) {
      const error = await errorOf(one)
      if (Object.hasOwn(contradicted, one.name)) {
        assert.ok(Math.abs(error) > errorMax, `${one.name} is met and needs no excuse`)
        continue
      }
      assert.ok(Math.abs(error) <= errorMax, `${one.name}: ${(error * 100).toFixed(1)} %`)
      if (Math.abs(error) > Math.abs(worst.error)) worst = { name: one.name, error }
    }
    context.diagnostic(`${cases.length} requests, worst: ${worst.name} ${(worst.error * 100).toFixed(1)} %`)
  })
}
