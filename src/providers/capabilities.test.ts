/** Which capability row a name selects, and the most important facts of the rows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Capabilities } from '../wire/translation/capabilities.ts'
import { anthropicModels } from './anthropic-models-table.ts'
import { googleModels } from './google-models-table.ts'
import { openaiModels } from './openai-models-table.ts'
import { connectorOf } from './registry.ts'
import { capabilitiesFrom } from './upstream-format.ts'

const tables = { openai: openaiModels, anthropic: anthropicModels, google: googleModels }

type Provider = keyof typeof tables
type Case = readonly [Provider, names: string, Partial<Capabilities>]

const adaptive = { thinking: 'adaptive', budget: null, prefill: false, outputTokensMax: 128_000 } as const
const newestClaude = {
  ...adaptive,
  sampling: 'none',
  thinkingOff: null,
  forcedTools: false,
  bindsThinking: true,
  midSystem: true,
} as const
const newestOpenai = {
  sampling: 'none',
  thinking: 'effort',
  thinkingOff: null,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  chatTools: 'never',
} as const
const newestGemini = {
  thinking: 'level',
  efforts: ['low', 'medium', 'high'],
  signedCalls: true,
  schemaWithTools: true,
  outputTokensMax: 65_536,
} as const

/** Names that one row reads, separated by spaces. */
const cases: readonly Case[] = [
  [
    'anthropic',
    'claude-3-opus-20240229 claude-3-haiku-20240307',
    { thinking: 'none', outputTokensMax: 4_096 },
  ],
  [
    'anthropic',
    'claude-3-5-sonnet-20241022 claude-3-5-haiku-latest',
    { sampling: 'all', outputTokensMax: 8_192 },
  ],
  [
    'anthropic',
    'claude-3-7-sonnet-20250219 claude-3-7-sonnet-latest claude-sonnet-4-0 claude-sonnet-4-20250514',
    { sampling: 'all', thinking: 'budget', budget: { min: 1_024, max: 63_999 }, prefill: true },
  ],
  [
    'anthropic',
    'claude-opus-4-0 claude-opus-4-20250514 claude-opus-4-1 claude-opus-4-1-20250805',
    { thinking: 'budget', schemaOutput: false, outputTokensMax: 32_000 },
  ],
  [
    'anthropic',
    'claude-sonnet-4-5 claude-sonnet-4-5-20250929 claude-haiku-4-5-20251001 claude-haiku-4-5-latest',
    { sampling: 'one_of', thinking: 'budget', efforts: [], schemaOutput: true, prefill: true },
  ],
  [
    'anthropic',
    'claude-opus-4-5 claude-opus-4-5-20251101',
    { sampling: 'one_of', thinking: 'budget', efforts: ['low', 'medium', 'high'] },
  ],
  [
    'anthropic',
    'claude-opus-4-6 claude-sonnet-4-6',
    { ...adaptive, sampling: 'one_of', efforts: ['low', 'medium', 'high', 'max'], thinkingOff: 'disabled' },
  ],
  ['anthropic', 'claude-opus-4-7', { ...adaptive, sampling: 'none', topK: false, midSystem: false }],
  ['anthropic', 'claude-opus-4-8', { ...adaptive, sampling: 'none', midSystem: true, forcedTools: true }],
  [
    'anthropic',
    'claude-opus-5 claude-opus-5-20260924',
    { ...adaptive, thinkingOff: 'disabled', midSystem: true, forcedTools: true, bindsThinking: false },
  ],
  ['anthropic', 'claude-sonnet-5', { ...adaptive, sampling: 'none', midSystem: false, forcedTools: true }],
  ['anthropic', 'claude-fable-5', { ...adaptive, thinkingOff: null, midSystem: true, forcedTools: true }],
  [
    'anthropic',
    'claude-sonnet-5-5 claude-sonnet-5-5-20261111 claude-sonnet-7 claude-sonnet-latest',
    { ...newestClaude, thinkingOff: 'between_tools' },
  ],
  [
    'anthropic',
    'claude-opus-5-5 claude-opus-5-5-20261001 claude-fable-5-1 claude-fable-5-2 claude-mythos claude-haiku-5-5 claude-opus-6 claude-unheard-of',
    newestClaude,
  ],
  ['openai', 'gpt-3.5-turbo gpt-3.5-turbo-0125', { inputs: ['text'], outputTokensMax: 4_096 }],
  ['openai', 'gpt-4-turbo gpt-4-turbo-2024-04-09', { inputs: ['text', 'image'], outputTokensMax: 4_096 }],
  ['openai', 'gpt-4 gpt-4-0613', { inputs: ['text'], outputTokensMax: 8_192, schemaOutput: false }],
  [
    'openai',
    'gpt-4o gpt-4o-mini gpt-4o-2024-08-06 ft:gpt-4o-mini-2024-07-18:house::1 gpt-5-chat-latest gpt-5.3-chat-latest',
    { sampling: 'all', thinking: 'none', stopsMax: 4, schemaOutput: true, outputTokensMax: 16_384 },
  ],
  ['openai', 'gpt-4o-2024-05-13 chatgpt-4o-latest', { schemaOutput: false }],
  ['openai', 'gpt-4o-audio-preview gpt-audio', { inputs: ['text', 'audio'] }],
  ['openai', 'gpt-4.1 gpt-4.1-nano gpt-4.1-mini-2025-04-14', { sampling: 'all', outputTokensMax: 32_768 }],
  ['openai', 'o1 o1-2024-12-17 o1-pro', { sampling: 'none', stopsMax: 4, parallelSwitch: false }],
  ['openai', 'o3-mini o3-mini-2025-01-31', { inputs: ['text'], stopsMax: 4, outputTokensMax: 100_000 }],
  ['openai', 'o1-mini', { midSystem: false }],
  ['openai', 'o3 o3-pro o4-mini o4-mini-2025-04-16', { stopsMax: 0, efforts: ['low', 'medium', 'high'] }],
  ['openai', 'o3-deep-research o4-mini-deep-research', { efforts: ['medium'] }],
  [
    'openai',
    'gpt-5 gpt-5-mini gpt-5-nano-2025-08-07',
    {
      sampling: 'none',
      efforts: ['minimal', 'low', 'medium', 'high'],
      thinkingOff: null,
      chatTools: 'always',
    },
  ],
  ['openai', 'gpt-5-codex gpt-5.1-codex gpt-5.1-codex-mini', { efforts: ['low', 'medium', 'high'] }],
  ['openai', 'gpt-5-pro', { efforts: ['high'], outputTokensMax: 272_000 }],
  ['openai', 'gpt-5.1-chat-latest gpt-5.2-chat-latest', { sampling: 'none', efforts: ['medium'] }],
  [
    'openai',
    'gpt-5.1 gpt-5.1-2025-11-13',
    { sampling: 'without_reasoning', efforts: ['none', 'low', 'medium', 'high'], thinkingOff: 'none' },
  ],
  [
    'openai',
    'gpt-5.1-codex-max gpt-5.2-codex',
    { sampling: 'none', efforts: ['low', 'medium', 'high', 'xhigh'], thinkingOff: null },
  ],
  [
    'openai',
    'gpt-5.2 gpt-5.3-codex gpt-5.3-codex-spark',
    { efforts: ['none', 'low', 'medium', 'high', 'xhigh'], chatTools: 'always' },
  ],
  ['openai', 'gpt-5.2-pro gpt-5.4-pro', { efforts: ['medium', 'high', 'xhigh'], schemaOutput: false }],
  ['openai', 'gpt-5.5-pro', { efforts: ['medium', 'high', 'xhigh'], schemaOutput: true }],
  [
    'openai',
    'gpt-5.4 gpt-5.4-mini gpt-5.5 gpt-5.5-2026-04-23',
    { sampling: 'without_reasoning', chatTools: 'without_effort', cacheBreakpoints: false },
  ],
  [
    'openai',
    'gpt-5.6-sol gpt-6-sol gpt-6-luna gpt-6-sol-2026-08-01',
    {
      sampling: 'without_reasoning',
      chatTools: 'explicit_none',
      cacheBreakpoints: true,
      thinkingOff: 'none',
    },
  ],
  ['openai', 'llama-3.3-70b gemini-2.5-flash deepseek-chat omni', { thinking: 'none', chatTools: 'always' }],
  ['openai', 'gpt-6-astra gpt-6.1-sol gpt-6.2-luna gpt-7 o9 gpt-5.9 gpt-latest', newestOpenai],
  [
    'google',
    'gemini-1.5-pro gemini-2.0-flash gemini-2.0-flash-lite gemini-2.0-flash-001',
    { thinking: 'none', schemaWithTools: false, outputTokensMax: 8_192 },
  ],
  [
    'google',
    'gemini-2.5-flash gemini-2.5-flash-preview-09-2025',
    { thinking: 'budget', budget: { min: 0, max: 24_576 }, thinkingOff: 'zero', signedCalls: false },
  ],
  ['google', 'gemini-2.5-flash-lite', { budget: { min: 512, max: 24_576 }, thinkingOff: 'zero' }],
  [
    'google',
    'gemini-2.5-pro',
    { budget: { min: 128, max: 32_768 }, thinkingOff: null, schemaWithTools: false },
  ],
  ['google', 'gemini-3-pro-preview', { ...newestGemini, efforts: ['low', 'high'] }],
  [
    'google',
    'gemini-3-flash-preview gemini-3.1-flash-lite gemini-3.5-flash',
    { ...newestGemini, efforts: ['minimal', 'low', 'medium', 'high'] },
  ],
  [
    'google',
    'gemini-3.1-pro-preview gemini-3.7-flash gemini-3.8-flash gemini-4-argon gemini-flash-latest gemini-pro-latest gemini-9',
    newestGemini,
  ],
]

for (const [provider, names, takes] of cases) {
  for (const name of names.split(' ')) {
    test(`${provider} ${name}: ${Object.keys(takes).join(', ')}`, () => {
      const found = connectorOf(provider).capabilities(name)
      const picked = Object.keys(takes).map((field) => [field, found[field as keyof Capabilities]])
      assert.deepEqual(Object.fromEntries(picked), takes)
    })
  }
}

for (const [provider, rows] of Object.entries(tables)) {
  test(`${provider}: every row is reached by a name above, and names its source`, () => {
    const names = cases.filter(([of]) => of === provider).flatMap(([, list]) => list.split(' '))
    for (const [index, row] of rows.entries()) {
      const reached = names.some((name) => rows.findIndex((other) => other.names.test(name)) === index)
      assert.ok(reached, String(row.names))
      assert.match(row.source, /20\d\d-\d\d$/)
    }
  })

  test(`${provider}: what a row says does not contradict itself`, () => {
    for (const { names, takes } of rows) {
      const { thinking, efforts, budget, thinkingOff, schemaOutput, schemaWithTools } = takes
      assert.equal(thinking === 'budget', budget !== null, `${names}: a budget has bounds`)
      if (thinking === 'none') assert.deepEqual(efforts, [], `${names}: no effort without thinking`)
      if (thinking === 'effort' || thinking === 'level') assert.ok(efforts.length > 0, String(names))
      if (thinkingOff === 'none' && thinking !== 'none') assert.ok(efforts.includes('none'), String(names))
      if (takes.sampling === 'without_reasoning') assert.ok(efforts.includes('none'), String(names))
      assert.ok(schemaOutput || !schemaWithTools, String(names))
      assert.ok(budget === null || budget.max < takes.outputTokensMax, String(names))
      const order = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
      assert.deepEqual(
        [...efforts].sort((a, b) => order.indexOf(a) - order.indexOf(b)),
        efforts,
      )
    }
  })
}

test('a table whose last row does not fit every name is a broken invariant', () => {
  assert.throws(() => capabilitiesFrom([], 'anything'), /last row/)
})
