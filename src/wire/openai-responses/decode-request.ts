/**
 * A Responses request in the neutral form. Must not decide what another format can carry.
 */

import type { UrlFields } from '../client-routes.ts'
import type { ReadLimits } from '../format.ts'
import { invalid } from '../json/fields.ts'
import { readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import { efforts } from '../translation/capabilities.ts'
import type {
  Conversation,
  OutputFormat,
  Reasoning,
  ResponseOptions,
  Sampling,
} from '../translation/neutral.ts'
import { ResponsesFieldList } from './decode-request-fields.ts'
import { ItemDecoder } from './decode-request-items.ts'
import { ResponsesToolDecoder, readToolChoice } from './decode-request-tools.ts'

const logprobsInclude = 'message.output_text.logprobs'
const alternativesMax = 20

/** Settings that the response object repeats. */
const echoed = [
  'instructions',
  'max_output_tokens',
  'max_tool_calls',
  'metadata',
  'parallel_tool_calls',
  'prompt_cache_key',
  'reasoning',
  'safety_identifier',
  'temperature',
  'text',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'truncation',
  'user',
]
/** Larger ones are not: they would be held while the answer runs, and sent three times. */
const echoedBytesMax = 16_384

/** Throws WireError; see `ClientCodec.decodeRequest`. */
export function decodeRequest(body: Uint8Array, limits: ReadLimits, _address: UrlFields): Conversation {
  return readJson(body, limits, (json) => {
    const root = new View(json, json.root)
    const model = root.get('model')
    if (model === undefined) throw invalid(json, json.root, 'an object with a model')
    return conversationOf(root, model.text(), limits)
  })
}

function conversationOf(root: View, model: string, { integerMax }: ReadLimits): Conversation {
  const fields = new ResponsesFieldList()
  fields.readBody(root)
  const cap = root.get('max_tool_calls')
  const usesMax = cap?.integer(0, integerMax) ?? null
  const tools = new ResponsesToolDecoder(fields, usesMax)
  const declared = root.get('tools')
  if (declared !== undefined) tools.read(declared)
  const items = new ItemDecoder(fields, tools)
  const instructions = root.get('instructions')
  if (instructions !== undefined) items.readInstructions(instructions)
  const input = root.get('input')
  if (input?.isList === true && input.items().length === 0)
    throw input.invalid('a string or an array of at least one item')
  if (input !== undefined) items.readInput(input)
  if (cap !== undefined && tools.providerTools.length > 0) fields.note('max_tool_calls', cap.pointer)
  const logprobs = readLogprobs(root)
  return {
    model,
    stream: root.get('stream')?.flag() ?? false,
    turns: items.turns,
    tools: tools.tools,
    providerTools: tools.providerTools,
    toolChoice: readToolChoice(root.get('tool_choice'), tools.tools),
    parallelCalls: root.get('parallel_tool_calls')?.flag() ?? null,
    outputLimit: root.get('max_output_tokens')?.integer(1, integerMax) ?? null,
    sampling: readSampling(root),
    stops: [],
    reasoning: readReasoning(root, items.effort),
    format: readFormat(items.format ?? root.get('text')?.get('format')),
    verbosity: root.get('text')?.get('verbosity')?.text() ?? null,
    user: (root.get('safety_identifier') ?? root.get('user'))?.text() ?? null,
    cacheKey: root.get('prompt_cache_key')?.text() ?? null,
    logprobs,
    fields: fields.list,
    responseOptions: responseOptionsOf(root, tools, logprobs !== null),
  }
}

function readSampling(root: View): Sampling {
  return {
    temperature: root.get('temperature')?.numeral() ?? null,
    topP: root.get('top_p')?.numeral() ?? null,
    topK: null,
    presencePenalty: null,
    frequencyPenalty: null,
    seed: null,
  }
}

/** An update among the items changes the effort from then on. */
function readReasoning(root: View, update: View | undefined): Reasoning {
  const reasoning = root.get('reasoning')
  const written = update ?? reasoning?.get('effort')
  const effort = efforts.find((known) => known === written?.text())
  if (written !== undefined && effort === undefined) throw written.invalid(`one of ${efforts.join(', ')}`)
  const summary = reasoning?.get('summary') ?? reasoning?.get('generate_summary')
  return { effort: effort ?? null, budget: null, summaries: summary === undefined ? null : true }
}

function readFormat(format: View | undefined): OutputFormat | null {
  const type = format?.get('type')?.text()
  if (format === undefined || type === 'text') return null
  if (type === 'json_object') return { kind: 'json' }
  const schema = format.get('schema')
  if (type !== 'json_schema' || schema === undefined) {
    throw format.invalid('a format of type text, json_object, or json_schema with a schema')
  }
  return {
    kind: 'schema',
    name: format.get('name')?.text() ?? null,
    description: format.get('description')?.text() ?? null,
    schema: schema.raw,
    strict: format.get('strict')?.flag() ?? null,
  }
}

function readLogprobs(root: View): number | null {
  const alternatives = root.get('top_logprobs')?.integer(0, alternativesMax) ?? 0
  const include = root.get('include')
  const isIncluded =
    include?.isList === true &&
    include.items().some((entry) => entry.isText && entry.text() === logprobsInclude)
  return isIncluded || alternatives > 0 ? alternatives : null
}

function responseOptionsOf(root: View, tools: ResponsesToolDecoder, logprobs: boolean): ResponseOptions {
  const echo: ResponseOptions['echo'][number][] = []
  for (const name of echoed) {
    const value = root.get(name)
    if (value === undefined) continue
    const { start, end } = value.span
    if (end - start <= echoedBytesMax) echo.push([name, value.raw])
  }
  return {
    includeUsage: true,
    echo,
    tools: tools.tools.map(({ name, namespace, form }) => ({ name, namespace, form })),
    logprobs,
  }
}
