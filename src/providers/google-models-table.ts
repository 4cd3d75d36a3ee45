/**
 * The capabilities of Google's models, by name, oldest first; one table of facts with their sources. A name without a
 * row, and one that always means the latest (`gemini-flash-latest`), has those of the newest. Unpublished facts
 * of the newest are those of the generation before it, and its row says so.
 */
import type { Capabilities } from '../wire/translation/capabilities.ts'
import { type CapabilityRow, plainModel } from './upstream-format.ts'

const gemini20: Capabilities = {
  ...plainModel,
  topK: true,
  stopsMax: 5,
  logprobs: false,
  thinkingOff: 'zero',
  midSystem: false,
  parallelSwitch: false,
  schemaOutput: true,
  schemaWithTools: false,
  inputs: ['text', 'image', 'audio', 'document'],
  outputTokensMax: 8_192,
}

/** Penalties are answered with `Penalty is not enabled for this model` by some of these, so none is sent. */
const flash25: Capabilities = {
  ...gemini20,
  penalties: false,
  thinking: 'budget',
  thinksByDefault: true,
  budget: { min: 0, max: 24_576 },
  outputTokensMax: 65_536,
}

/** A call in the history must carry its signature: recorded, 400 without it. */
const flash3: Capabilities = {
  ...flash25,
  thinking: 'level',
  efforts: ['minimal', 'low', 'medium', 'high'],
  thinkingOff: null,
  budget: null,
  signedCalls: true,
  schemaWithTools: true,
  resultMedia: true,
}

const newest: Capabilities = { ...flash3, efforts: ['low', 'medium', 'high'] }

const thinking = 'ai.google.dev/gemini-api/docs/thinking, 2026-11'
const models = 'ai.google.dev/gemini-api/docs/models, 2026-11'

export const googleModels: readonly CapabilityRow[] = [
  { names: /^gemini-(?:1|2\.0|pro$|pro-vision)(?:[.-]|$)/, takes: gemini20, source: models },
  {
    names: /^gemini-2\.5-pro(?:-|$)/,
    takes: { ...flash25, thinkingOff: null, budget: { min: 128, max: 32_768 } },
    source: thinking,
  },
  {
    names: /^gemini-2\.5-flash-lite(?:-|$)/,
    takes: { ...flash25, thinksByDefault: false, budget: { min: 512, max: 24_576 } },
    source: thinking,
  },
  { names: /^gemini-2\.5-/, takes: flash25, source: thinking },
  { names: /^gemini-3-pro(?:-|$)/, takes: { ...flash3, efforts: ['low', 'high'] }, source: thinking },
  { names: /^gemini-3(?:\.[15])?-flash(?:-|$)/, takes: flash3, source: thinking },
  // 3.1-pro and every later one, 3.7-flash, 3.8-flash and later: MINIMAL is rejected, or not in the list.
  { names: /^gemini-3(?:\.|-|$)/, takes: newest, source: thinking },
  // gemini-4-argon and all unknown models: that it takes sampling parameters is not published; as 3. Its
  // answers end at 32,768 tokens where they are not streamed.
  { names: /^/, takes: newest, source: models },
]
