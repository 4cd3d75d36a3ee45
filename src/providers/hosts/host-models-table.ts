/**
 * The capabilities of models that many hosts serve, by their names there: the vendor's own table if the name reveals the
 * vendor, else a separate row. A model without a row supports no effort, because hosts reject what they do not know.
 */
import type { Capabilities } from '../../wire/translation/capabilities.ts'
import { anthropicModels } from '../anthropic-models-table.ts'
import { googleModels } from '../google-models-table.ts'
import { openaiModels } from '../openai-models-table.ts'
import { type CapabilityRow, capabilitiesFrom, plainModel } from '../upstream-format.ts'

/** Defaults of servers for open models; images reach text-only models too, and are rejected there with the host's message. */
const open: Capabilities = {
  ...plainModel,
  stopsMax: 4,
  thinkingOff: null,
  schemaOutput: true,
  schemaWithTools: true,
  inputs: ['text', 'image', 'document'],
  outputTokensMax: 32_768,
}

const reasoning: Capabilities = { ...open, thinking: 'effort', efforts: ['low', 'medium', 'high'] }

/** Defaults of Converse for every model; the media and tools of a model are in its row. */
const converse: Capabilities = {
  ...open,
  temperatureMax: 1,
  penalties: false,
  seed: false,
  logprobs: false,
  midSystem: false,
  parallelSwitch: false,
  schemaOutput: false,
  schemaWithTools: false,
  forcedTools: false,
  inputs: ['text', 'document'],
  outputTokensMax: 4_096,
}
const converseSource =
  'docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html, 2026-11'

const cachingSource = `${converseSource}; userguide/prompt-caching.html, 2026-11`

/** Bedrock's models that have Converse alone; Nova's high effort is left out, since it takes no output limit. */
const converseRows: readonly CapabilityRow[] = [
  {
    names: /amazon\.nova-2/,
    takes: {
      ...converse,
      ...{ thinking: 'effort', efforts: ['low', 'medium'], forcedTools: true },
      inputs: ['text', 'image', 'document'],
    },
    source: 'docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html, 2026-11',
  },
  {
    names: /amazon\.nova-micro/,
    takes: { ...converse, forcedTools: true, cacheBreakpoints: true, inputs: ['text'] },
    source: cachingSource,
  },
  {
    names: /amazon\.nova/,
    takes: {
      ...converse,
      ...{ forcedTools: true, cacheBreakpoints: true },
      inputs: ['text', 'image', 'document'],
    },
    source: cachingSource,
  },
  {
    names: /meta\.llama(?:3-2-(?:11|90)b|4)|mistral\.pixtral/,
    takes: { ...converse, inputs: ['text', 'image', 'document'] },
    source: converseSource,
  },
  {
    names: /^(?:[a-z-]+\.)?(?:(?:ai21|amazon|cohere|meta|writer)\.|deepseek\.r1)/,
    takes: converse,
    source: converseSource,
  },
]

const rows: readonly CapabilityRow[] = [
  ...converseRows,
  { names: /gpt-oss/i, takes: reasoning, source: 'github.com/openai/gpt-oss, 2026-06' },
  {
    names:
      /deepseek|qwen-?3|qwq|kimi-k|glm-?(?:4\.[5-9]|5)|minimax-m|magistral|grok-(?:3-mini|4|build)|nemotron|mercury|mimo|thinking|reason|-r1/i,
    takes: reasoning,
    source: 'models.dev, models that reason, 2026-06',
  },
  { names: /^/, takes: open, source: 'docs.vllm.ai/en/latest/serving/openai_compatible_server, 2026-06' },
]

/** Makers whose own table knows the model, with how hosts write their names. */
const makers: readonly {
  readonly names: RegExp
  readonly rows: readonly CapabilityRow[]
  own(name: string): string
}[] = [
  { names: /^openai[/-](?!gpt-oss)/, rows: openaiModels, own: (name) => name },
  // Hosts write versions with a point.
  { names: /^anthropic[/-]/, rows: anthropicModels, own: (name) => name.replaceAll('.', '-') },
  { names: /^google\/(?=gemini)/, rows: googleModels, own: (name) => name },
  // Bedrock: `eu.anthropic.claude-haiku-4-5-20251001-v1:0`.
  {
    names: /^(?:[a-z]+\.)?anthropic\./,
    rows: anthropicModels,
    own: (name) => name.replace(/-v\d+(?::\d+)?$/, ''),
  },
  { names: /^openai\.(?!gpt-oss)/, rows: openaiModels, own: (name) => name },
  // Vertex writes versions behind an `@`; Azure names deployments like the models.
  {
    names: /^(?=claude-)/,
    rows: anthropicModels,
    own: (name) => name.replace('@default', '').replace('@', '-'),
  },
  { names: /^(?=gemini-)/, rows: googleModels, own: (name) => name },
  { names: /^(?=(?:gpt-(?!oss)|o\d|codex-mini))/, rows: openaiModels, own: (name) => name },
]

/** The capabilities of a model by its name at a host. */
export function hostedCapabilities(upstreamModel: string): Capabilities {
  const maker = makers.find(({ names }) => names.test(upstreamModel))
  if (maker === undefined) return capabilitiesFrom(rows, upstreamModel)
  const takes = capabilitiesFrom(maker.rows, maker.own(upstreamModel.replace(maker.names, '')))
  // Only OpenAI's own API rejects tools together with an effort in Chat Completions.
  return { ...takes, chatTools: 'always' }
}
