/**
 * The rules of the Responses format, as OpenAI documents them: what a request, a response and a stream must look
 * like to be accepted by OpenAI or by its clients. Each violated rule is one line. Must not know how anything was encoded.
 */
import type { Capabilities } from '../../../src/wire/translation/capabilities.ts'

type Loose = Readonly<Record<string, unknown>>

const isLoose = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Top-level members of a request: ResponseCreateParams of the openai library. */
const requestFields =
  'access_programs background context_management conversation image include input instructions max_output_tokens max_tool_calls metadata model moderation parallel_tool_calls previous_response_id prompt prompt_cache_key prompt_cache_options prompt_cache_retention reasoning safety_identifier service_tier store stream stream_options temperature text tool_choice tools top_logprobs top_p truncation user client_metadata'.split(
    ' ',
  )
const itemTypes =
  'message function_call function_call_output custom_tool_call custom_tool_call_output reasoning additional_tools configuration_update compaction compaction_trigger item_reference web_search_call file_search_call code_interpreter_call image_generation_call computer_call computer_call_output local_shell_call local_shell_call_output shell_call shell_call_output apply_patch_call apply_patch_call_output mcp_list_tools mcp_approval_request mcp_approval_response mcp_call tool_search_call tool_search_output program program_output'.split(
    ' ',
  )
const callTypes = ['function_call', 'custom_tool_call']
const outputTypes: Readonly<Record<string, string>> = {
  function_call_output: 'function_call',
  custom_tool_call_output: 'custom_tool_call',
}
const inputParts = ['input_text', 'input_image', 'input_file']
const outputParts = ['output_text', 'refusal']
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const idCharactersMax = 64
const idPattern = /^[\w-]{1,64}$/
const outputTokensMin = 16
/** An id with a carrier, or a tagged text. */
const marks = /_tg1_W|"tg1\.(anthropic|openai|google)\./

/** Mistakes that make OpenAI reject or misread a request; for requests that go upstream. */
export function brokenRequestRules(body: unknown, capabilities?: Capabilities): readonly string[] {
  if (!isLoose(body)) return ['the body is an object']
  const broken: string[] = []
  for (const name of Object.keys(body))
    if (!requestFields.includes(name)) broken.push(`${name} is no parameter`)
  if (text(body.model) === '') broken.push('model is named')
  if (marks.test(JSON.stringify(body))) broken.push('no mark of ours goes upstream')
  const tools = toolNames(body.tools, broken)
  inputRules(body.input, { broken, tools, capabilities })
  settingRules(body, broken)
  choiceRules(body, tools, broken)
  if (capabilities !== undefined) capabilityRules(body, capabilities, broken)
  return broken
}

interface Reading {
  readonly broken: string[]
  readonly tools: ReadonlySet<string>
  readonly capabilities: Capabilities | undefined
}

function toolNames(tools: unknown, broken: string[], namespace = ''): ReadonlySet<string> {
  const names = new Set<string>()
  if (tools === undefined) return names
  if (!Array.isArray(tools) || tools.length === 0) broken.push('tools is a list that is not empty')
  for (const tool of list(tools)) {
    if (!isLoose(tool)) {
      broken.push('a tool is an object')
      continue
    }
    const name = `${namespace}${text(tool.name)}`
    if (tool.type === 'namespace') {
      if (text(tool.description) === '') broken.push(`namespace ${name} has a description`)
      for (const inner of toolNames(tool.tools, broken, `${name}/`)) names.add(inner)
      continue
    }
    if (tool.type !== 'function' && tool.type !== 'custom') continue
    if (!idPattern.test(text(tool.name))) broken.push(`tool name ${name} has 1 to 64 letters, digits, _ or -`)
    if (names.has(name)) broken.push(`tool ${name} is declared once`)
    names.add(name)
    if (tool.type === 'function' && !isLoose(tool.parameters) && tool.parameters !== null)
      broken.push(`tool ${name} has parameters, an object or null`)
    if ('function' in tool) broken.push(`tool ${name} is flat`)
  }
  return names
}

function inputRules(input: unknown, reading: Reading): void {
  const { broken } = reading
  if (typeof input === 'string') return
  if (!Array.isArray(input) || input.length === 0) {
    broken.push('input is a string or a list that is not empty')
    return
  }
  const calls = new Map<string, string>()
  const open = new Set<string>()
  for (const [index, item] of input.entries()) {
    const where = `input[${index}]`
    if (!isLoose(item)) {
      broken.push(`${where} is an object`)
      continue
    }
    const type = text(item.type) || 'message'
    if (!itemTypes.includes(type)) broken.push(`${where} has a known type`)
    if (type === 'message') messageRules(item, where, reading)
    if (type === 'message' && item.role !== 'assistant' && open.size > 0)
      broken.push(`${where} comes after the outputs of all calls before it`)
    if (callTypes.includes(type)) callRules(item, where, reading, { calls, open })
    if (type in outputTypes) outputRules(item, where, reading, { calls, open })
    if (type === 'reasoning') reasoningRules(item, input[index + 1], where, broken)
  }
  for (const id of open) broken.push(`call ${id} has an output`)
}

function messageRules(item: Loose, where: string, { broken, capabilities }: Reading): void {
  const role = text(item.role)
  if (!['user', 'assistant', 'system', 'developer'].includes(role)) broken.push(`${where} has a known role`)
  if (typeof item.content === 'string') {
    if (item.content === '' && role !== 'user') broken.push(`${where} is not empty`)
    return
  }
  if (list(item.content).length === 0) broken.push(`${where} is not empty`)
  const allowed = role === 'assistant' ? outputParts : role === 'user' ? inputParts : inputParts.slice(0, 1)
  for (const part of list(item.content)) partRules(part, where, { broken, allowed, capabilities })
}

function partRules(
  part: unknown,
  where: string,
  of: { broken: string[]; allowed: readonly string[]; capabilities: Capabilities | undefined },
): void {
  const { broken, allowed, capabilities } = of
  if (!isLoose(part) || !allowed.includes(text(part.type))) {
    broken.push(`${where} has only parts of ${allowed.join(', ')}`)
    return
  }
  if (part.type === 'input_text' || part.type === 'output_text') {
    if (text(part.text) === '') broken.push(`${where} has no empty text`)
  }
  const inputs: readonly string[] | undefined = capabilities?.inputs
  if (part.type === 'input_image') {
    if (!/^(https?:\/\/|data:image\/[\w.+-]+;base64,[\w+/=]+$)/.test(text(part.image_url)) && !part.file_id)
      broken.push(`${where} has an image by http or data URL`)
    if (inputs?.includes('image') === false) broken.push(`${where} has no image for a model without eyes`)
  }
  if (part.type === 'input_file') {
    const given = ['file_data', 'file_url', 'file_id'].filter((name) => text(part[name]) !== '')
    if (given.length !== 1) broken.push(`${where} has a file in one of three ways`)
    if (text(part.file_data) !== '' && !/\.\w+$/.test(text(part.filename)))
      broken.push(`${where} has a file name with an extension`)
    if (inputs?.includes('document') === false)
      broken.push(`${where} has no file for a model that takes none`)
  }
}

interface Calls {
  readonly calls: Map<string, string>
  readonly open: Set<string>
}

function callRules(item: Loose, where: string, { broken }: Reading, { calls, open }: Calls): void {
  const id = text(item.call_id)
  if (!idPattern.test(id)) broken.push(`${where} has a call_id of 1 to ${idCharactersMax} characters`)
  if (!idPattern.test(text(item.name))) broken.push(`${where} has a name of 1 to 64 letters, digits, _ or -`)
  const input = item.type === 'function_call' ? item.arguments : item.input
  if (typeof input !== 'string') broken.push(`${where} has its input as a string`)
  calls.set(id, text(item.type))
  open.add(id)
}

function outputRules(item: Loose, where: string, reading: Reading, { calls, open }: Calls): void {
  const { broken, capabilities } = reading
  const id = text(item.call_id)
  if (calls.get(id) !== outputTypes[text(item.type)]) broken.push(`${where} answers a call of its kind`)
  open.delete(id)
  if (typeof item.output === 'string') return
  if (!Array.isArray(item.output)) broken.push(`${where} has an output, a string or parts`)
  for (const part of list(item.output)) partRules(part, where, { broken, allowed: inputParts, capabilities })
}

function reasoningRules(item: Loose, next: unknown, where: string, broken: string[]): void {
  if (!Array.isArray(item.summary)) broken.push(`${where} has a summary, a list`)
  const type = isLoose(next) ? text(next.type) || 'message' : ''
  const isFollowed =
    isLoose(next) && (type === 'message' ? next.role === 'assistant' : !(type in outputTypes))
  if (!isFollowed) broken.push(`${where} is followed by what was thought about`)
  const isNamed = text(item.id) !== ''
  if (isNamed && isLoose(next) && text(next.id) === '')
    broken.push(`${where} with an id is followed by an item with an id`)
}

function settingRules(body: Loose, broken: string[]): void {
  const limit = body.max_output_tokens ?? null
  if (limit !== null && !(Number.isInteger(limit) && (limit as number) >= outputTokensMin))
    broken.push(`max_output_tokens is a whole number from ${outputTokensMin} on`)
  for (const [name, most] of [
    ['temperature', 2],
    ['top_p', 1],
    ['top_logprobs', 20],
  ] as const) {
    const value = body[name] ?? null
    if (value !== null && !(typeof value === 'number' && value >= 0 && value <= most))
      broken.push(`${name} is a number from 0 to ${most}`)
  }
  const { effort = null } = isLoose(body.reasoning) ? body.reasoning : {}
  if (effort !== null && !efforts.includes(text(effort))) broken.push('reasoning.effort is a known effort')
  const { format, verbosity = null } = isLoose(body.text) ? body.text : {}
  if (verbosity !== null && !['low', 'medium', 'high'].includes(text(verbosity)))
    broken.push('text.verbosity is low, medium or high')
  if (isLoose(format) && format.type === 'json_schema') {
    if (!idPattern.test(text(format.name))) broken.push('text.format has a name')
    if (!isLoose(format.schema)) broken.push('text.format has a schema')
  }
  for (const name of ['safety_identifier', 'prompt_cache_key'])
    if (text(body[name]).length > idCharactersMax)
      broken.push(`${name} has at most ${idCharactersMax} characters`)
}

function choiceRules(body: Loose, tools: ReadonlySet<string>, broken: string[]): void {
  const choice = body.tool_choice ?? null
  if (choice === null) return
  if (list(body.tools).length === 0) broken.push('tool_choice comes with tools')
  const named = isLoose(choice) ? [choice, ...list(choice.tools).filter(isLoose)] : []
  for (const { type, name, namespace } of named) {
    if (type !== 'function' && type !== 'custom') continue
    const full = text(namespace) === '' ? text(name) : `${text(namespace)}/${text(name)}`
    if (!tools.has(full)) broken.push(`tool_choice names a declared tool, not ${full}`)
  }
}

function capabilityRules(body: Loose, capabilities: Capabilities, broken: string[]): void {
  const { effort = null } = isLoose(body.reasoning) ? body.reasoning : {}
  if (capabilities.thinking === 'none' && isLoose(body.reasoning))
    broken.push('reasoning is for models that reason')
  const known: readonly string[] = capabilities.efforts
  if (effort !== null && effort !== 'none' && !known.includes(text(effort)))
    broken.push(`reasoning.effort ${text(effort)} is one the model takes`)
  if (effort === 'none' && capabilities.thinkingOff === null && !known.includes('none'))
    broken.push('reasoning is not switched off where it cannot be')
  const isSampled = 'temperature' in body || 'top_p' in body
  const allows =
    capabilities.sampling !== 'none' && (capabilities.sampling !== 'without_reasoning' || effort === 'none')
  if (isSampled && !allows) broken.push('no sampling parameter for a model that refuses it')
  if (typeof body.temperature === 'number' && body.temperature > capabilities.temperatureMax)
    broken.push('temperature is one the model takes')
  if (typeof body.max_output_tokens === 'number' && body.max_output_tokens > capabilities.outputTokensMax)
    broken.push('max_output_tokens is not more than the model can')
  if (!capabilities.logprobs && 'top_logprobs' in body) broken.push('no logprobs of a model that tells none')
  if (!capabilities.cacheBreakpoints && JSON.stringify(body.input).includes('"prompt_cache_breakpoint"'))
    broken.push('no cache marks for a model that refuses them')
}

/** Mistakes in a whole response that a client's library would fail on, or miss. */
export function brokenAnswerRules(body: unknown): readonly string[] {
  if (!isLoose(body)) return ['the answer is an object']
  const broken: string[] = []
  if (body.object !== 'response') broken.push('object is response')
  if (!/^resp_/.test(text(body.id))) broken.push('id begins with resp_')
  if (text(body.model) === '') broken.push('model is named')
  if (typeof body.created_at !== 'number') broken.push('created_at is a number')
  const status = text(body.status)
  if (!['completed', 'incomplete', 'failed', 'in_progress'].includes(status))
    broken.push('status is a known one')
  if ((status === 'incomplete') !== isLoose(body.incomplete_details ?? null))
    broken.push('incomplete_details are there exactly when the answer is incomplete')
  if ((status === 'failed') !== isLoose(body.error ?? null))
    broken.push('error is there exactly when the answer failed')
  for (const name of [
    'instructions',
    'metadata',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'temperature',
    'top_p',
  ])
    if (!(name in body)) broken.push(`${name} is repeated`)
  if (!Array.isArray(body.output)) broken.push('output is a list')
  const ids = new Set<string>()
  for (const [index, item] of list(body.output).entries())
    outputItemRules(item, `output[${index}]`, ids, broken)
  if (status === 'completed' || status === 'incomplete') usageRules(body.usage, broken)
  return broken
}

function outputItemRules(item: unknown, where: string, ids: Set<string>, broken: string[]): void {
  if (!isLoose(item)) {
    broken.push(`${where} is an object`)
    return
  }
  const id = text(item.id)
  if (id === '' || ids.has(id)) broken.push(`${where} has an id of its own`)
  ids.add(id)
  if (!itemTypes.includes(text(item.type))) broken.push(`${where} has a known type`)
  if (item.type === 'message') {
    if (item.role !== 'assistant') broken.push(`${where} is by the assistant`)
    for (const part of list(item.content)) {
      if (!isLoose(part) || !outputParts.includes(text(part.type))) broken.push(`${where} has output parts`)
      else if (
        part.type === 'output_text' &&
        !(typeof part.text === 'string' && Array.isArray(part.annotations))
      )
        broken.push(`${where} has text and annotations`)
      else if (part.type === 'refusal' && typeof part.refusal !== 'string')
        broken.push(`${where} has a refusal's text`)
    }
  }
  if (item.type === 'reasoning' && !Array.isArray(item.summary)) broken.push(`${where} has a summary`)
  if (callTypes.includes(text(item.type))) {
    if (text(item.call_id) === '') broken.push(`${where} has a call_id`)
    if (text(item.name) === '') broken.push(`${where} has a name`)
    if (typeof (item.type === 'function_call' ? item.arguments : item.input) !== 'string')
      broken.push(`${where} has its input as a string`)
  }
}

function usageRules(usage: unknown, broken: string[]): void {
  if (!isLoose(usage)) {
    broken.push('usage is an object')
    return
  }
  const number = (value: unknown) => (typeof value === 'number' ? value : Number.NaN)
  const inside = isLoose(usage.input_tokens_details) ? usage.input_tokens_details : {}
  const thought = isLoose(usage.output_tokens_details) ? usage.output_tokens_details : {}
  const cached = number(inside.cached_tokens) + number(inside.cache_write_tokens ?? 0)
  if (!(cached <= number(usage.input_tokens))) broken.push('cached tokens are a part of input_tokens')
  if (!(number(thought.reasoning_tokens) <= number(usage.output_tokens)))
    broken.push('reasoning tokens are a part of output_tokens')
  if (number(usage.input_tokens) + number(usage.output_tokens) !== number(usage.total_tokens))
    broken.push('total_tokens is the sum')
}

interface StreamState {
  readonly broken: string[]
  /** By `output_index`: the added item, and its parts so far. */
  readonly items: Map<
    number,
    { readonly item: Loose; readonly spelled: Map<string, string>; done: Loose | null }
  >
}

const terminal = ['response.completed', 'response.incomplete', 'response.failed']
/** Event → the member of the item's part that its deltas build up and that it repeats in full. */
const spelledBy: Readonly<Record<string, string>> = {
  'response.output_text': 'text',
  'response.refusal': 'refusal',
  'response.function_call_arguments': 'arguments',
  'response.custom_tool_call_input': 'input',
  'response.reasoning_summary_text': 'text',
  'response.reasoning_text': 'text',
}

/** Mistakes in a stream of server-sent events that a client's library would fail on, or miss. */
export function brokenStreamRules(sse: string): readonly string[] {
  const state: StreamState = { broken: [], items: new Map() }
  const { broken } = state
  const events = readEvents(sse, broken)
  if (events[0]?.type !== 'response.created') broken.push('the stream begins with response.created')
  const last = events.at(-1)
  if (last === undefined || !terminal.includes(text(last.type)))
    broken.push('the stream ends with a terminal event')
  if (events.filter(({ type }) => terminal.includes(text(type))).length > 1)
    broken.push('there is one terminal event')
  numberRules(events, broken)
  const ids = new Set(
    events.filter(({ response }) => isLoose(response)).map(({ response }) => (response as Loose).id),
  )
  if (ids.size > 1) broken.push('the response keeps its id')
  for (const event of events) eventRules(event, state)
  if (last !== undefined && last.type !== 'response.failed' && isLoose(last.response))
    lastRules(last.response, state)
  return broken
}

function readEvents(sse: string, broken: string[]): readonly Loose[] {
  const events: Loose[] = []
  for (const block of sse.split(/\r?\n\r?\n/)) {
    const lines = block.split(/\r?\n/).filter((line) => line !== '' && !line.startsWith(':'))
    if (lines.length === 0) continue
    const name = lines
      .find((line) => line.startsWith('event:'))
      ?.slice(6)
      .trim()
    const data = lines.find((line) => line.startsWith('data:'))?.slice(5) ?? ''
    let value: unknown
    try {
      value = JSON.parse(data)
    } catch {
      broken.push(`an event has JSON, not ${data.slice(0, 40)}`)
      continue
    }
    if (!isLoose(value)) broken.push('an event has an object')
    else {
      if (name !== value.type) broken.push(`event ${name ?? '(unnamed)'} has the type ${text(value.type)}`)
      events.push(value)
    }
  }
  return events
}

/** Old recordings have no numbers; where there is one, all have one. Keep-alives are not counted. */
function numberRules(events: readonly Loose[], broken: string[]): void {
  const counted = events.filter(({ type }) => type !== 'keepalive')
  const numbers = counted.map(({ sequence_number: number }) => number)
  if (numbers.every((number) => number === undefined)) return
  if (!numbers.every((number, index) => number === index)) broken.push('sequence numbers rise by one from 0')
}

function eventRules(event: Loose, state: StreamState): void {
  const { broken, items } = state
  const type = text(event.type)
  const index = event.output_index as number
  if (type === 'response.output_item.added') {
    if (index !== items.size) broken.push(`output_index ${index} follows the one before`)
    if (isLoose(event.item)) items.set(index, { item: event.item, spelled: new Map(), done: null })
    return
  }
  if (event.output_index === undefined) return
  const entry = items.get(index)
  if (entry === undefined) {
    broken.push(`${type} has an item that was added`)
    return
  }
  if (entry.done !== null) broken.push(`${type} comes before its item is done`)
  if (type === 'response.output_item.done') {
    entry.done = isLoose(event.item) ? event.item : {}
    if (entry.item.id !== entry.done.id) broken.push('an item keeps its id')
    return
  }
  if (event.item_id !== entry.item.id) broken.push('an event names its item')
  const [, name = '', step = ''] = /^(.*)\.(delta|done)$/.exec(type) ?? []
  const member = spelledBy[name]
  if (member === undefined) return
  const key = `${name} ${String(event.content_index ?? event.summary_index ?? 0)}`
  if (step === 'delta') entry.spelled.set(key, (entry.spelled.get(key) ?? '') + text(event.delta))
  else if (text(event[member]) !== (entry.spelled.get(key) ?? ''))
    broken.push(`${type} tells what its deltas spelled`)
}

function lastRules(response: Loose, { broken, items }: StreamState): void {
  for (const [index, { done, item, spelled }] of items) {
    if (done === null) broken.push(`item ${index} is done`)
    else if (JSON.stringify(comparable(list(response.output)[index])) !== JSON.stringify(comparable(done)))
      broken.push(`the last word repeats item ${index} as it was done`)
    const whole = [...spelled.values()].join('')
    if (done !== null && callTypes.includes(text(item.type)) && whole !== text(done.arguments ?? done.input))
      broken.push(`item ${index} has the input that its deltas spelled`)
  }
  if (list(response.output).length !== items.size) broken.push('the last word has all items')
  for (const rule of brokenAnswerRules(response)) broken.push(rule)
}

/** With members sorted by name, and without content that is encrypted differently each time, so that only values are compared. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (!isLoose(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .filter((name) => name !== 'encrypted_content')
      .sort()
      .map((name) => [name, comparable(value[name])]),
  )
}
