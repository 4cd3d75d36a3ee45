/**
 * The tools and settings of a Gemini request in the neutral form. Numbers stay as they are written. Must not
 * look into schemas beyond their keywords.
 */

import type { View } from '../json/view.ts'
import { efforts } from '../translation/capabilities.ts'
import type {
  OutputFormat,
  ProviderTool,
  Reasoning,
  Sampling,
  Tool,
  ToolChoice,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { jsonSchemaOf } from './decode-request-schema.ts'
import { camelCase, enumWord, list, member } from './extract-request-fields.ts'
import { callerTool, meters } from './request-price-table.ts'

const logprobsMax = 20
const jsonType = 'application/json'

export function readTools(tools: View | undefined): {
  readonly tools: readonly Tool[]
  readonly providerTools: readonly ProviderTool[]
} {
  const found: Tool[] = []
  const providerTools: ProviderTool[] = []
  for (const tool of list(tools)) {
    for (const [name, value] of tool.members()) {
      const known = camelCase(name)
      if (value.isNull) continue
      if (known === callerTool) for (const declaration of list(value)) found.push(toolOf(declaration))
      else providerTools.push({ name: meterOf(known), usesMax: null, pointer: value.pointer })
    }
  }
  return { tools: found, providerTools }
}

function meterOf(name: string): string {
  return (Object.hasOwn(meters, name) ? meters[name]?.meter : undefined) ?? name
}

function toolOf(declaration: View): Tool {
  const own = declaration.get('parameters')
  const schema = member(declaration, 'parametersJsonSchema')
  const name = declaration.get('name')?.text()
  if (name === undefined) throw declaration.invalid('a function with a name')
  return {
    name,
    namespace: null,
    description: declaration.get('description')?.text() ?? null,
    form: 'json',
    schema: schema?.raw ?? (own === undefined ? null : jsonSchemaOf(own.raw)),
    format: null,
    strict: null,
    cache: null,
    pointer: declaration.pointer,
  }
}

export function readToolChoice(config: View | undefined): ToolChoice | null {
  const calling = member(config, 'functionCallingConfig')
  const mode = enumWord(calling?.get('mode')?.text() ?? '', 'mode_')
  const names = list(member(calling, 'allowedFunctionNames')).map((name) => name.text())
  const [name] = names
  switch (mode) {
    case 'none':
      return { kind: 'none' }
    case 'any':
      if (name === undefined) return { kind: 'required' }
      return names.length === 1
        ? { kind: 'one', name, namespace: null }
        : { kind: 'some', required: true, names }
    case 'auto':
    case 'validated':
      return names.length === 0 ? { kind: mode } : { kind: 'some', required: false, names }
    default:
      return null
  }
}

export function readSampling(config: View | undefined): Sampling {
  const numeral = (name: string) => member(config, name)?.numeral() ?? null
  return {
    temperature: numeral('temperature'),
    topP: numeral('topP'),
    topK: numeral('topK'),
    presencePenalty: numeral('presencePenalty'),
    frequencyPenalty: numeral('frequencyPenalty'),
    seed: numeral('seed'),
  }
}

export function readStops(config: View | undefined): readonly string[] {
  const stops = member(config, 'stopSequences')
  if (stops === undefined) return []
  return stops.isText ? [stops.text()] : stops.items().map((stop) => stop.text())
}

/** Thoughts are shown only to who asks for them. */
export function readReasoning(config: View | undefined, integerMax: number): Reasoning {
  const thinking = member(config, 'thinkingConfig')
  const word = enumWord(member(thinking, 'thinkingLevel')?.text() ?? '', 'thinking_level_')
  return {
    effort: efforts.find((effort) => effort === word) ?? null,
    budget: member(thinking, 'thinkingBudget')?.integer(-1, integerMax) ?? null,
    summaries: member(thinking, 'includeThoughts')?.flag() ?? false,
  }
}

/** null where the probabilities of tokens are not asked for. */
export function readLogprobs(config: View | undefined): number | null {
  if (member(config, 'responseLogprobs')?.flag() !== true) return null
  return config?.get('logprobs')?.integer(0, logprobsMax) ?? 0
}

/** The output format; throws WireError `untranslatable` for a type that no other format has. */
export function readFormat(config: View | undefined): OutputFormat | null {
  const texts = list(member(config, 'responseFormat')).flatMap((format) => format.get('text') ?? [])
  const newer = texts[0]
  const type = newer === undefined ? member(config, 'responseMimeType') : member(newer, 'mimeType')
  const own = member(config, 'responseSchema')
  const schema = newer?.get('schema')?.raw ?? member(config, 'responseJsonSchema')?.raw
  const written = type?.text().toLowerCase() ?? (newer?.get('schema') === undefined ? 'text/plain' : jsonType)
  if (written === 'text/plain') return null
  if (written !== jsonType && written !== 'application_json') {
    throw untranslatable(type?.pointer ?? 'generationConfig', 'only text and JSON are supported')
  }
  const found = schema ?? (own === undefined ? undefined : jsonSchemaOf(own.raw))
  if (found === undefined) return { kind: 'json' }
  return { kind: 'schema', name: null, description: null, schema: found, strict: null }
}
