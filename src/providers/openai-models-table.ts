/**
 * The capabilities of OpenAI's models, by name, oldest first; one table of facts with their sources. A name of OpenAI's
 * without a row has those of the newest. What only one of the two APIs supports is listed for the one that a caller of another
 * format is served through: Responses for models that reason, Chat Completions for the others.
 */
import type { Capabilities } from '../wire/translation/capabilities.ts'
import { type CapabilityRow, plainModel } from './upstream-format.ts'

const gpt4: Capabilities = {
  ...plainModel,
  stopsMax: 4,
  thinkingOff: 'none',
  schemaOutput: false,
  schemaWithTools: false,
  inputs: ['text'],
  outputTokensMax: 8_192,
}

const gpt4o: Capabilities = {
  ...gpt4,
  schemaOutput: true,
  schemaWithTools: true,
  inputs: ['text', 'image', 'document'],
  outputTokensMax: 16_384,
}

/** `stop` came to be rejected with o3 and o4-mini. */
const o1: Capabilities = {
  ...gpt4o,
  sampling: 'none',
  penalties: false,
  logprobs: false,
  thinking: 'effort',
  thinksByDefault: true,
  efforts: ['low', 'medium', 'high'],
  thinkingOff: null,
  parallelSwitch: false,
  resultMedia: true,
  outputTokensMax: 100_000,
}

const o3: Capabilities = { ...o1, stopsMax: 0 }

const gpt5: Capabilities = {
  ...o3,
  efforts: ['minimal', 'low', 'medium', 'high'],
  parallelSwitch: true,
  outputTokensMax: 128_000,
}

const gpt51: Capabilities = {
  ...gpt5,
  thinksByDefault: false,
  sampling: 'without_reasoning',
  efforts: ['none', 'low', 'medium', 'high'],
  thinkingOff: 'none',
}

const gpt52: Capabilities = { ...gpt51, efforts: ['none', 'low', 'medium', 'high', 'xhigh'] }
const gpt54: Capabilities = { ...gpt52, chatTools: 'without_effort', phases: true }
const gpt56: Capabilities = {
  ...gpt54,
  thinksByDefault: true,
  chatTools: 'explicit_none',
  cacheBreakpoints: true,
}

/** `max` is taken by Responses alone. */
const newest: Capabilities = {
  ...gpt56,
  sampling: 'none',
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  thinkingOff: null,
  chatTools: 'never',
}

/** A model that always reasons, with these efforts. */
function always(takes: Capabilities, efforts: Capabilities['efforts']): Capabilities {
  return { ...takes, sampling: 'none', thinksByDefault: true, efforts, thinkingOff: null }
}

const models = 'developers.openai.com/api/docs/models, 2026-11'
const reasoning = 'developers.openai.com/api/docs/guides/reasoning, 2026-11'
const checklist = 'developers.openai.com/api/docs/guides/deployment-checklist, 2026-11'
const structured = 'developers.openai.com/api/docs/guides/structured-outputs, 2026-11'

/** Matches these names, models fine-tuned from them, and suffixes after a dash: a date, `mini`, `codex`. */
const named = (name: string) => new RegExp(`^(?:ft:)?(?:${name})(?:[-:]|$)`)

export const openaiModels: readonly CapabilityRow[] = [
  { names: named('gpt-3\\.5'), takes: { ...gpt4, outputTokensMax: 4_096 }, source: models },
  {
    names: named('gpt-4-turbo|gpt-4-vision|gpt-4-1106|gpt-4-0125'),
    takes: { ...gpt4, inputs: ['text', 'image'], outputTokensMax: 4_096 },
    source: models,
  },
  { names: named('gpt-4'), takes: gpt4, source: models },
  {
    names: named('gpt-4o-audio|gpt-4o-mini-audio|gpt-audio'),
    takes: { ...gpt4o, schemaOutput: false, schemaWithTools: false, inputs: ['text', 'audio'] },
    source: models,
  },
  {
    names: named('gpt-4o-2024-05-13|chatgpt-4o'),
    takes: { ...gpt4o, schemaOutput: false, schemaWithTools: false },
    source: structured,
  },
  { names: named('gpt-4o|gpt-4\\.5'), takes: gpt4o, source: models },
  { names: named('gpt-4\\.1'), takes: { ...gpt4o, outputTokensMax: 32_768 }, source: models },
  { names: named('o3-mini'), takes: { ...o1, inputs: ['text'] }, source: reasoning },
  {
    names: named('o1-mini|o1-preview'),
    takes: { ...o1, inputs: ['text'], midSystem: false },
    source: reasoning,
  },
  { names: named('o1'), takes: o1, source: reasoning },
  { names: named('o3-deep-research|o4-mini-deep-research'), takes: always(o3, ['medium']), source: models },
  { names: named('o3|o4'), takes: o3, source: reasoning },
  { names: named('gpt-5-chat'), takes: gpt4o, source: models },
  {
    names: named('gpt-5-pro'),
    takes: { ...always(gpt5, ['high']), outputTokensMax: 272_000 },
    source: models,
  },
  { names: named('gpt-5-codex'), takes: always(gpt5, ['low', 'medium', 'high']), source: models },
  { names: named('gpt-5'), takes: gpt5, source: reasoning },
  { names: named('gpt-5\\.[12]-chat'), takes: always(gpt51, ['medium']), source: models },
  {
    names: named('gpt-5\\.1-codex-max|gpt-5\\.2-codex'),
    takes: always(gpt51, ['low', 'medium', 'high', 'xhigh']),
    source: models,
  },
  { names: named('gpt-5\\.1-codex'), takes: always(gpt51, ['low', 'medium', 'high']), source: models },
  { names: named('gpt-5\\.1'), takes: gpt51, source: reasoning },
  {
    names: named('gpt-5\\.[24]-pro'),
    takes: {
      ...always(gpt54, ['medium', 'high', 'xhigh']),
      schemaOutput: false,
      schemaWithTools: false,
    },
    source: models,
  },
  { names: named('gpt-5\\.5-pro'), takes: always(gpt54, ['medium', 'high', 'xhigh']), source: models },
  { names: named('gpt-5\\.3-chat'), takes: gpt4o, source: models },
  { names: named('gpt-5\\.[23]'), takes: gpt52, source: reasoning },
  // Recorded: 400 for function tools with an effort on Chat Completions.
  { names: named('gpt-5\\.[45]'), takes: gpt54, source: checklist },
  // The default effort counts too, so that only an explicit `none` lets tools pass.
  { names: named('gpt-5\\.6|gpt-6-sol|gpt-6-luna'), takes: gpt56, source: checklist },
  // A name that is not OpenAI's is served by a compatible host, and those speak chat first of all.
  {
    names: /^(?!(?:ft:)?(?:gpt|chatgpt|codex|o\d))/,
    takes: gpt4o,
    source: 'docs/operate/models.md, 2026-11',
  },
  // gpt-6-astra, 6.1, 6.2, and all unknown models.
  { names: /^/, takes: newest, source: checklist },
]
