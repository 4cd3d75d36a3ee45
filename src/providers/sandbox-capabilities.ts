/** The capabilities of the sandbox's models: everything, so that each field can be tried. */
import type { Capabilities } from '../wire/translation/capabilities.ts'

export const sandboxCapabilities: Capabilities = {
  sampling: 'all',
  temperatureMax: 2,
  topK: true,
  penalties: true,
  seed: true,
  stopsMax: 16,
  logprobs: true,
  thinking: 'none',
  efforts: [],
  thinkingOff: 'none',
  budget: null,
  bindsThinking: false,
  // Its generateContent demands them as Google's newer models do.
  signedCalls: true,
  forcedTools: true,
  prefill: true,
  midSystem: true,
  parallelSwitch: true,
  schemaOutput: true,
  schemaWithTools: true,
  cacheBreakpoints: true,
  resultMedia: true,
  inputs: ['text', 'image', 'audio', 'document'],
  chatTools: 'always',
  outputTokensMax: 200_000,
}
