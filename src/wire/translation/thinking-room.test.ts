/** A small output limit keeps room for an answer at models that think, in whichever terms a model is asked to think. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codecs } from '../../../test/support/wire-formats.ts'
import { anthropicModels } from '../../providers/anthropic-models-table.ts'
import { googleModels } from '../../providers/google-models-table.ts'
import { openaiModels } from '../../providers/openai-models-table.ts'
import { capabilitiesFrom } from '../../providers/upstream-format.ts'
import type { ConversationFormat } from '../format-names.ts'
import { translateRequest } from './translate.ts'

const rows = {
  anthropic: anthropicModels,
  gemini: googleModels,
  'openai-responses': openaiModels,
  'openai-chat': openaiModels,
}
const limits = { depthMax: 64, valuesMax: 10_000, integerMax: 1_000_000_000 }

type Body = Record<string, Record<string, Record<string, unknown>> | undefined>

/** What the request says about thinking, in the member of each format. */
const thinkingIn: Readonly<Record<ConversationFormat, (body: Body) => unknown>> = {
  anthropic: ({ thinking, output_config }) =>
    thinking?.budget_tokens ?? output_config?.effort ?? thinking?.type,
  gemini: ({ generationConfig }) =>
    generationConfig?.thinkingConfig?.thinkingBudget ?? generationConfig?.thinkingConfig?.thinkingLevel,
  'openai-responses': ({ reasoning }) => reasoning?.effort,
  'openai-chat': ({ reasoning_effort }) => reasoning_effort,
}

function asked(toName: ConversationFormat, model: string, settings: object) {
  const from = toName === 'openai-chat' ? 'openai-responses' : 'openai-chat'
  const limit = from === 'openai-chat' ? 'max_completion_tokens' : 'max_output_tokens'
  const { max, effort } = { max: undefined, effort: undefined, ...settings }
  const body = {
    model: 'm',
    [limit]: max,
    ...(from === 'openai-chat'
      ? { messages: [{ role: 'user', content: 'Hello.' }], reasoning_effort: effort }
      : { input: 'Hello.', reasoning: { effort } }),
  }
  const { text, adjusted } = translateRequest(new TextEncoder().encode(JSON.stringify(body)), {
    from: codecs[from],
    to: codecs[toName],
    toName,
    target: { model, capabilities: capabilitiesFrom(rows[toName], model) },
    limits,
    address: { model: null, stream: false },
  })
  return {
    thinking: thinkingIn[toName](JSON.parse(text) as Body),
    isSaid: adjusted.some(({ field }) => field === 'reasoning'),
  }
}

const cases: readonly [
  to: ConversationFormat,
  model: string,
  settings: object,
  thinking: unknown,
  isSaid: boolean,
][] = [
  // Nothing was said about thinking, and the model thinks.
  ['gemini', 'gemini-2.5-pro', { max: 4_000 }, 3_000, true],
  ['gemini', 'gemini-2.5-pro', { max: 100 }, 128, true],
  ['gemini', 'gemini-2.5-flash', { max: 100 }, 75, true],
  ['gemini', 'gemini-2.5-flash', { max: 60_000 }, undefined, false],
  ['gemini', 'gemini-2.5-flash', {}, undefined, false],
  ['gemini', 'gemini-3-pro', { max: 200 }, 'LOW', true],
  ['gemini', 'gemini-3-flash', { max: 200 }, 'MINIMAL', true],
  ['gemini', 'gemini-3-pro', { max: 8_000 }, undefined, false],
  ['anthropic', 'claude-opus-5', { max: 200 }, 'disabled', true],
  ['anthropic', 'claude-fable-5', { max: 200 }, 'low', true],
  ['anthropic', 'claude-opus-5', { max: 8_000 }, undefined, false],
  ['openai-responses', 'gpt-5', { max: 200 }, 'minimal', true],
  ['openai-chat', 'gpt-5', { max: 200 }, 'minimal', true],
  ['openai-responses', 'gpt-5.6', { max: 200 }, 'none', true],
  ['openai-responses', 'gpt-5', { max: 8_000 }, undefined, false],
  // The model thinks only where it is asked to.
  ['gemini', 'gemini-2.5-flash-lite', { max: 100 }, undefined, false],
  ['anthropic', 'claude-opus-4-8', { max: 200 }, undefined, false],
  ['openai-responses', 'gpt-5.1', { max: 200 }, undefined, false],
  ['openai-chat', 'gpt-4o', { max: 200 }, undefined, false],
  // A budget was asked for, in words.
  ['gemini', 'gemini-2.5-flash', { max: 8_000, effort: 'high' }, 6_000, true],
  ['gemini', 'gemini-2.5-flash', { max: 8_000, effort: 'low' }, 1_024, false],
  ['gemini', 'gemini-2.5-flash-lite', { max: 400, effort: 'high' }, 0, true],
  ['gemini', 'gemini-2.5-flash', { max: 100, effort: 'none' }, 0, false],
  ['anthropic', 'claude-sonnet-4-5', { max: 8_000, effort: 'high' }, 6_000, false],
  ['anthropic', 'claude-sonnet-4-5', { max: 1_300, effort: 'high' }, 'disabled', true],
  // An effort that was asked for stays.
  ['gemini', 'gemini-3-pro', { max: 200, effort: 'high' }, 'HIGH', false],
  ['openai-responses', 'gpt-5', { max: 200, effort: 'high' }, 'high', false],
]

test('an output limit keeps room for an answer where a model thinks', () => {
  for (const [to, model, settings, thinking, isSaid] of cases) {
    assert.deepEqual(asked(to, model, settings), { thinking, isSaid }, `${model} ${JSON.stringify(settings)}`)
  }
})
