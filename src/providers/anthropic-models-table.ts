/**
 * The capabilities of Anthropic's models, by name, oldest first; one table of facts with their sources. A name without a row has
 * those of the newest model of its line (opus, sonnet, haiku), any other name those of the newest model. Unpublished facts of a new
 * model are those of the newest known one, and its row says so.
 */
import type { Capabilities } from '../wire/translation/capabilities.ts'
import { type CapabilityRow, plainModel } from './upstream-format.ts'

/** Version 2023-06-01 of the API, which is the one that sampling parameters still exist in. */
const claude3: Capabilities = {
  ...plainModel,
  temperatureMax: 1,
  topK: true,
  penalties: false,
  seed: false,
  // No limit is published; this one is that of the same models on Amazon Bedrock.
  stopsMax: 8_191,
  logprobs: false,
  thinkingOff: 'disabled',
  prefill: true,
  midSystem: false,
  schemaOutput: false,
  schemaWithTools: false,
  cacheBreakpoints: true,
  resultMedia: true,
  inputs: ['text', 'image', 'document'],
  outputTokensMax: 4_096,
}

function budgeted(outputTokensMax: number): Capabilities {
  // A budget must stay below `max_tokens`.
  return { ...claude3, thinking: 'budget', budget: { min: 1_024, max: outputTokensMax - 1 }, outputTokensMax }
}

const claude45: Capabilities = {
  ...budgeted(64_000),
  sampling: 'one_of',
  schemaOutput: true,
  schemaWithTools: true,
}

/** Budgets are deprecated here, so none is written. */
const claude46: Capabilities = {
  ...claude45,
  thinking: 'adaptive',
  efforts: ['low', 'medium', 'high', 'max'],
  budget: null,
  prefill: false,
  outputTokensMax: 128_000,
}

const opus47: Capabilities = {
  ...claude46,
  sampling: 'none',
  topK: false,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
}

const opus48: Capabilities = { ...opus47, midSystem: true }
const opus5: Capabilities = { ...opus48, thinksByDefault: true }
const fable5: Capabilities = { ...opus5, thinkingOff: null }
const newest: Capabilities = { ...fable5, bindsThinking: true, forcedTools: false }

const models = 'platform.claude.com/docs/en/about-claude/models/overview, 2026-11'
const thinking = 'platform.claude.com/docs/en/build-with-claude/extended-thinking, 2026-11'
const adaptive = 'platform.claude.com/docs/en/build-with-claude/adaptive-thinking, 2026-11'
const effort = 'platform.claude.com/docs/en/build-with-claude/effort, 2026-11'
const preserved =
  'platform.claude.com/docs/en/build-with-claude/extended-thinking (preserved thinking), 2026-11'

/** Matches these names, alone or followed by a version date or `latest`. */
const claude = (name: string) => new RegExp(`^claude-(?:${name})(?:-\\d{8}|-latest)?$`)

export const anthropicModels: readonly CapabilityRow[] = [
  { names: /^claude-3-7-/, takes: budgeted(64_000), source: thinking },
  { names: /^claude-3-5-/, takes: { ...claude3, outputTokensMax: 8_192 }, source: models },
  { names: /^claude-(?:[12]|instant|3)(?:[.-]|$)/, takes: claude3, source: models },
  { names: claude('sonnet-4|sonnet-4-0'), takes: budgeted(64_000), source: thinking },
  { names: claude('opus-4|opus-4-[01]'), takes: budgeted(32_000), source: thinking },
  {
    names: claude('opus-4-5'),
    takes: { ...claude45, efforts: ['low', 'medium', 'high'] },
    source: effort,
  },
  { names: claude('(?:sonnet|haiku)-4-5'), takes: claude45, source: thinking },
  // Recorded: 400 for the effort xhigh, and a forced tool together with adaptive thinking is accepted.
  { names: claude('(?:opus|sonnet)-4-6'), takes: claude46, source: adaptive },
  { names: claude('opus-4-7'), takes: opus47, source: adaptive },
  { names: claude('opus-4-8'), takes: opus48, source: adaptive },
  // Thinking is on unless it is switched off, which goes with an effort of high at most.
  { names: claude('opus-5|opus-5-0'), takes: opus5, source: adaptive },
  // Sampling parameters are taken at their defaults alone, which is the same as none.
  { names: claude('sonnet-5|sonnet-5-0'), takes: opus47, source: adaptive },
  { names: claude('fable-5|fable-5-0'), takes: fable5, source: adaptive },
  // 5.5 and later; whether system messages are allowed between the turns is not published: as opus.
  { names: /^claude-sonnet-/, takes: { ...newest, thinkingOff: 'between_tools' }, source: preserved },
  // 5.5 and every later one: what is published of it is little; all of it as the newest.
  { names: /^claude-haiku-/, takes: newest, source: preserved },
  // opus 5.5, fable 5.1 and 5.2, mythos, and all unknown models.
  { names: /^/, takes: newest, source: preserved },
]
