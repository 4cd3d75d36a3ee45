/**
 * Every recorded response and stream into every other format: the format's checker finds no error, the official
 * library reads it, and it contains what the recording contains: text, reasoning, calls, the finish and the usage. However
 * a stream is cut into chunks, the output bytes are the same.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { plainIdCharactersMax, readId } from '../../src/wire/translation/reasoning-carriers.ts'
import type { Usage } from '../../src/wire/usage.ts'
import { callIdsIn, type Gist, gistOf } from '../support/answer-gist.ts'
import type { FixtureCase } from '../support/fixtures.ts'
import { libraries } from '../support/stream-libraries.ts'
import {
  answerInto,
  bytesOf,
  chunked,
  cost,
  type Format,
  formats,
  isFailing,
  othersThan,
  recordedAnswers,
  recordedStreams,
  streamInto,
  usageOfAnswer,
  watched,
} from '../support/translation.ts'

const pairs = formats.flatMap((from) => othersThan(from).map((to) => [from, to] as const))

/** Read wherever it is; null: the official library cannot read the recording itself. */
type Source = Gist | null

/** Streams of hosts that break their format so that its library fails: their translation must be readable. */
const unreadable: readonly string[] = [
  'openai-chat/stream-anthropic-compat-tool',
  'openai-responses/stream-item-id-rotation',
  'anthropic/stream-duplicate-message-start',
]
/** What ran at the provider is reported as text before the response. */
const withPrograms: readonly string[] = ['gemini/stream-code-execution']
/** Only Anthropic can be asked to resume after a pause. */
const paused: readonly string[] = ['anthropic/pause-turn']

function checkSays(name: string, source: Gist, translated: Gist): void {
  assert.deepEqual(translated.calls, source.calls, `${name}: calls`)
  assert.equal(translated.thinking, source.thinking, `${name}: thoughts`)
  assert.equal(translated.finish, paused.includes(name) ? 'end' : source.finish, `${name}: finish`)
  if (withPrograms.includes(name)) {
    assert.ok(translated.text.endsWith(source.text) && translated.text.includes('```'), `${name}: text`)
    return
  }
  // The explanation of a rejection may replace its text.
  const isExplained = source.finish === 'filter' && source.text === ''
  if (!isExplained) assert.equal(translated.text, source.text, `${name}: text`)
}

function checkIds(name: string, ids: readonly string[]): void {
  assert.equal(new Set(ids).size, ids.length, `${name}: ids are unique`)
  for (const id of ids) {
    const plain = readId(id).id
    assert.match(plain, /^[\w-]+$/, name)
    assert.ok(plain.length <= plainIdCharactersMax, `${name}: ${plain} is short`)
  }
}

/** The part of a usage that a format can express: without lifetimes, or without any cache writes, its sum stays. */
const expressible: Readonly<Record<ConversationFormat, (usage: Usage) => Partial<Usage>>> = {
  'openai-chat': shortLived,
  'openai-responses': shortLived,
  anthropic: (usage) => usage,
  gemini(usage) {
    const { inputUncached, cacheWrite5m, cacheWrite1h } = usage
    return {
      ...usage,
      inputUncached: inputUncached + cacheWrite5m + cacheWrite1h,
      cacheWrite5m: 0,
      cacheWrite1h: 0,
    }
  },
}

function shortLived(usage: Usage): Partial<Usage> {
  return { ...usage, cacheWrite5m: usage.cacheWrite5m + usage.cacheWrite1h, cacheWrite1h: 0 }
}

/** Fees, tiers and unknown meters are in the reported cost; counters of other formats have no fields for them. */
function checkUsage(name: string, to: Format, [source, translated]: readonly [Usage, Usage]): void {
  const { fees: used, servedOptions: _, unknown: __, ...counted } = expressible[to.name](source)
  const { fees, servedOptions, unknown, ...found } = translated
  assert.deepEqual(found, counted, `${name}: usage`)
  for (const [meter, uses] of Object.entries(fees)) assert.equal(uses, used?.[meter], `${name}: ${meter}`)
  assert.deepEqual([servedOptions, unknown], [[], []], `${name}: nothing is made up`)
}

for (const [from, to] of pairs) {
  test(`responses from ${from.name} to ${to.name} are valid and equivalent`, () => {
    for (const { name: own, response } of recordedAnswers(from)) {
      const name = `${from.name}/${own}`
      const text = answerInto(from, to, response)
      assert.equal(answerInto(from, to, response), text, `${name}: the same bytes each time`)
      const answer: unknown = JSON.parse(text)
      assert.deepEqual(to.rules.brokenAnswerRules(answer), [], `${name} to ${to.name}`)
      checkSays(name, gistOf(from.name, JSON.parse(response.toString())), gistOf(to.name, answer))
      checkIds(name, callIdsIn(to.name, answer))
      checkUsage(name, to, [usageOfAnswer(from, response), usageOfAnswer(to, bytesOf(text))])
      assert.ok(text.includes(`"cost":${cost}`), `${name}: the cost is told`)
    }
  })
}

async function sourceOf(from: Format, { name, response }: FixtureCase): Promise<Source> {
  const read = libraries[from.name](response.toString())
  if (!unreadable.includes(`${from.name}/${name}`)) return gistOf(from.name, await read)
  await assert.rejects(read, `${name}: the library reads it by now`)
  return null
}

for (const from of formats) {
  for (const recorded of recordedStreams(from)) {
    if (isFailing(recorded)) continue
    const name = `${from.name}/${recorded.name}`
    test(`${name} in every other format has its meaning`, async () => {
      const watch = watched(from, [recorded.response])
      assert.equal(watch.state, 'complete')
      const usage = from.wire.toUsage(watch.rawUsage)
      const source = await sourceOf(from, recorded)
      const all: Gist[] = []
      for (const to of othersThan(from)) {
        const text = streamInto(from, to, [recorded.response], { usage, cost })
        for (const size of [1, 7]) {
          const other = streamInto(from, to, chunked(recorded.response, size), { usage, cost })
          assert.equal(other, text, `${to.name} in chunks of ${size}`)
        }
        assert.deepEqual(to.rules.brokenStreamRules(text), [], `${name} to ${to.name}`)
        const answer = await libraries[to.name](text)
        const translated = gistOf(to.name, answer)
        checkIds(name, callIdsIn(to.name, answer))
        if (source !== null) checkSays(name, source, translated)
        all.push(translated)
        const back = watched(to, [bytesOf(text)])
        assert.equal(back.state, 'complete', `${name} to ${to.name}`)
        checkUsage(name, to, [usage, to.wire.toUsage(back.rawUsage)])
        assert.ok(text.includes(`"cost":${cost}`), `${name}: the cost is told`)
      }
      if (source === null) for (const translated of all) assert.deepEqual(translated, all[0])
    })
  }
}
