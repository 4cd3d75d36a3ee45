/** Gemini usage: the last event counts, a missing count is 0, meters are disjoint, and odd values are flagged. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { noTokens } from '../../../contract/meters.ts'
import { fixtureCases } from '../../../test/support/fixtures.ts'
import type { Usage } from '../usage.ts'
import { geminiReport, readUsage, reportedTotals, toUsage } from './extract-usage.ts'

const nothing: Usage = {
  ...noTokens,
  fees: {},
  ranAt: [],
  unknown: [],
}

function reportOf(...events: object[]) {
  const draft = geminiReport()
  for (const usageMetadata of events) readUsage(draft, { usageMetadata })
  return draft.rawUsage()
}

const details = (modality: string, tokenCount: unknown) => [{ modality, tokenCount }]

const cases: [name: string, events: object[], usage: Partial<Usage>][] = [
  [
    'prompt and candidates',
    [{ promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 }],
    { inputUncached: 5, output: 3 },
  ],
  [
    'thoughts stand beside the candidates',
    [{ promptTokenCount: 5, candidatesTokenCount: 3, thoughtsTokenCount: 4, totalTokenCount: 12 }],
    { inputUncached: 5, output: 7, reasoning: 4 },
  ],
  [
    'the cache is in the prompt',
    [{ promptTokenCount: 10, cachedContentTokenCount: 8, totalTokenCount: 10 }],
    { inputUncached: 2, cacheRead: 8 },
  ],
  [
    'results of tools stand beside the prompt',
    [{ promptTokenCount: 10, toolUsePromptTokenCount: 7, totalTokenCount: 17 }],
    { inputUncached: 17 },
  ],
  [
    'audio in',
    [{ promptTokenCount: 10, promptTokensDetails: details('AUDIO', 4) }],
    { inputUncached: 6, inputAudio: 4 },
  ],
  [
    'audio in, some of it from the cache',
    [
      {
        promptTokenCount: 10,
        cachedContentTokenCount: 5,
        promptTokensDetails: details('AUDIO', 4),
        cacheTokensDetails: details('AUDIO', 3),
      },
    ],
    { inputUncached: 4, cacheRead: 5, inputAudio: 1 },
  ],
  [
    'audio out',
    [{ promptTokenCount: 1, candidatesTokenCount: 9, candidatesTokensDetails: details('AUDIO', 8) }],
    { inputUncached: 1, output: 1, outputAudio: 8 },
  ],
  [
    'the last event counts, also where it counts less',
    [
      { promptTokenCount: 5, candidatesTokenCount: 50, promptTokensDetails: details('AUDIO', 3) },
      { promptTokenCount: 6, candidatesTokenCount: 4, totalTokenCount: 10 },
    ],
    { inputUncached: 6, output: 4 },
  ],
  [
    'an event that takes back all of the output takes back nothing',
    [
      { promptTokenCount: 5, candidatesTokenCount: 50, thoughtsTokenCount: 7, totalTokenCount: 62 },
      { promptTokenCount: 6, totalTokenCount: 6 },
    ],
    { inputUncached: 6, output: 57, reasoning: 7 },
  ],
  [
    'an event that counts nothing changes nothing',
    [{ promptTokenCount: 5 }, { trafficType: 'ON_DEMAND' }],
    { inputUncached: 5 },
  ],
  [
    'a tier',
    [{ promptTokenCount: 1, serviceTier: 'PRIORITY' }],
    { inputUncached: 1, ranAt: ['service_tier:priority'] },
  ],
  [
    'the tier as Vertex AI names it',
    [{ promptTokenCount: 1, trafficType: 'ON_DEMAND_PRIORITY' }],
    { inputUncached: 1, ranAt: ['service_tier:priority'] },
  ],
  ['the usual traffic', [{ promptTokenCount: 1, trafficType: 'ON_DEMAND' }], { inputUncached: 1 }],
  ['bought capacity', [{ promptTokenCount: 1, trafficType: 'PROVISIONED_THROUGHPUT' }], { inputUncached: 1 }],
  ['the usual tier', [{ promptTokenCount: 1, serviceTier: 'standard' }], { inputUncached: 1 }],
  [
    'a total that is more',
    [{ promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 9 }],
    { inputUncached: 1, output: 1, unknown: ['totalTokenCount'] },
  ],
  [
    'a counter that nobody knows',
    [{ promptTokenCount: 1, videoTokenCount: 4 }],
    { inputUncached: 1, unknown: ['videoTokenCount'] },
  ],
  [
    'images out',
    [{ promptTokenCount: 1, candidatesTokenCount: 5, candidatesTokensDetails: details('IMAGE', 5) }],
    { inputUncached: 1, output: 5, unknown: ['candidatesTokensDetails.IMAGE'] },
  ],
  [
    'a medium that nobody knows',
    [{ promptTokenCount: 1, promptTokensDetails: details('SMELL', 1) }],
    { inputUncached: 1, unknown: ['promptTokensDetails.SMELL'] },
  ],
  [
    'more cached than sent',
    [{ promptTokenCount: 3, cachedContentTokenCount: 9 }],
    { cacheRead: 3, unknown: ['cachedContentTokenCount'] },
  ],
  ['less than nothing', [{ promptTokenCount: -3 }], { unknown: ['promptTokenCount'] }],
]

test('reports become disjoint classes', () => {
  for (const [name, events, usage] of cases) {
    assert.deepEqual(toUsage(reportOf(...events)), { ...nothing, ...usage }, name)
  }
})

const searched = (queries: readonly string[], usage: object) => ({
  candidates: [{ groundingMetadata: { webSearchQueries: queries } }],
  usageMetadata: { promptTokenCount: 1, ...usage },
})
const grounded: [
  name: string,
  events: Readonly<Record<string, unknown>>[],
  fees: Readonly<Record<string, number>>,
][] = [
  ['each search', [searched(['a', 'b'], {})], { web_search: 2 }],
  ['different searches', [searched(['a', 'b', 'a', '', ' '], {})], { web_search: 2 }],
  [
    'searches for pictures',
    [
      {
        candidates: [
          { groundingMetadata: { webSearchQueries: ['a'], imageSearchQueries: ['a', 'b', 'b', ''] } },
        ],
      },
    ],
    { web_search: 3 },
  ],
  [
    'events that repeat or add',
    [searched(['a'], {}), searched(['a', 'b'], {}), { usageMetadata: { promptTokenCount: 1 } }],
    { web_search: 2 },
  ],
  ['empty searches', [searched(['', ''], {})], {}],
  [
    'maps',
    [{ candidates: [{ groundingMetadata: { groundingChunks: [{ maps: {} }, { maps: {} }] } }] }],
    { google_maps: 1 },
  ],
]
for (const [name, events, fees] of grounded) {
  test(`grounding is charged by use: ${name}`, () => {
    const draft = geminiReport()
    for (const event of events) readUsage(draft, event)
    assert.deepEqual(toUsage(draft.rawUsage()).fees, fees)
  })
}

test('a total reveals output that is not counted separately', () => {
  const cases: [usage: object, input: boolean, output: boolean][] = [
    [{}, false, false],
    [{ trafficType: 'ON_DEMAND' }, false, false],
    [{ promptTokenCount: 0 }, true, false],
    [{ promptTokenCount: 4, totalTokenCount: 4 }, true, true],
    [{ promptTokenCount: 4, candidatesTokenCount: 0 }, true, true],
    [{ candidatesTokenCount: 2 }, false, true],
    [{ promptTokenCount: 1e12 }, false, false],
    [{ promptTokenCount: 4, candidatesTokenCount: 1e20, totalTokenCount: 9 }, true, false],
    [{ promptTokenCount: 4, candidatesTokenCount: '7', totalTokenCount: 9 }, true, false],
    [{ promptTokenCount: 4, candidatesTokenCount: null, totalTokenCount: 9 }, true, true],
    [{ promptTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 1e20 }, true, false],
    [{ promptTokenCount: 4, toolUsePromptTokenCount: 1e20, candidatesTokenCount: 5 }, false, true],
  ]
  for (const [usage, input, output] of cases) {
    assert.deepEqual(reportedTotals(reportOf(usage)), { input, output }, JSON.stringify(usage))
  }
})

test('whatever is reported, every class is a number that a bill can use', () => {
  const value = fc.oneof(fc.integer(), fc.double(), fc.constant(null), fc.string())
  const entry = fc.record({ modality: fc.constantFrom('AUDIO', 'TEXT', 'IMAGE', 'x'), tokenCount: value })
  const usage = fc.record(
    {
      promptTokenCount: value,
      candidatesTokenCount: value,
      thoughtsTokenCount: value,
      toolUsePromptTokenCount: value,
      cachedContentTokenCount: value,
      totalTokenCount: value,
      promptTokensDetails: fc.array(entry),
      cacheTokensDetails: fc.array(entry),
      candidatesTokensDetails: fc.array(entry),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(usage, { maxLength: 3 }), (events) => {
      const { fees, ranAt, unknown, ...classes } = toUsage(reportOf(...events))
      for (const [name, count] of Object.entries(classes)) {
        assert.ok(Number.isInteger(count) && count >= 0, `${name}: ${count}`)
      }
      assert.ok(classes.reasoning <= classes.output)
      assert.deepEqual([fees, ranAt, new Set(unknown).size], [{}, [], unknown.length])
    }),
  )
})

test('recorded totals are the sums of what was recorded', () => {
  for (const { name, kind, response } of fixtureCases('gemini')) {
    if (kind !== 'json') continue
    const draft = geminiReport()
    const body = JSON.parse(response.toString()) as { usageMetadata: Record<string, number> }
    readUsage(draft, body)
    const usage = toUsage(draft.rawUsage())
    assert.deepEqual(usage.unknown, [], name)
    const sum = usage.inputUncached + usage.cacheRead + usage.inputAudio + usage.output + usage.outputAudio
    assert.equal(sum, body.usageMetadata.totalTokenCount ?? 0, name)
  }
})
