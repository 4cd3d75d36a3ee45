/**
 * The documented rules of Chat Completions, as checks over requests, responses and streams: each returns the
 * violated rules as text. Based on the SDK's types and recorded exchanges; shares no code
 * with the codecs under test.
 */
import type { Capabilities } from '../../../src/wire/translation/capabilities.ts'

type Members = Readonly<Record<string, unknown>>

const requestFields = [
  'messages',
  'model',
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'modalities',
  'moderation',
  'n',
  'parallel_tool_calls',
  'prediction',
  'presence_penalty',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'reasoning_effort',
  'response_format',
  'safety_identifier',
  'seed',
  'service_tier',
  'stop',
  'store',
  'stream',
  'stream_options',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
  'user',
  'verbosity',
  'web_search_options',
]
const messageFields: Readonly<Record<string, readonly string[]>> = {
  system: ['role', 'content', 'name'],
  developer: ['role', 'content', 'name'],
  user: ['role', 'content', 'name'],
  assistant: ['role', 'content', 'name', 'refusal', 'tool_calls', 'function_call', 'audio'],
  tool: ['role', 'content', 'tool_call_id'],
  function: ['role', 'content', 'name'],
}
const partTypes: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
}
const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']
const name = /^[a-zA-Z0-9_-]{1,64}$/
const callIdCharactersMax = 40
const shortTextCharactersMax = 64
const stopsMax = 4
const mark = /_tg1_|(^|")tg1\./

/** The rules that the body of a request violates; with `capabilities` also those of the model. */
export function brokenRequestRules(body: unknown, capabilities?: Capabilities): readonly string[] {
  if (!isObject(body)) return ['the body is an object']
  const rules = new Rules()
  for (const field of Object.keys(body)) {
    rules.must(requestFields.includes(field), `${field}: unknown parameter`)
  }
  rules.must(isText(body.model) && body.model !== '', 'model: a name')
  if (rules.must(isList(body.messages) && body.messages.length > 0, 'messages: a list that is not empty')) {
    messageRules(rules, body.messages as readonly unknown[])
  }
  toolRules(rules, body)
  settingRules(rules, body)
  if (capabilities !== undefined) modelRules(rules, body, capabilities)
  rules.must(!mark.test(JSON.stringify(body)), 'no mark of ours')
  return rules.broken
}

class Rules {
  readonly broken: string[] = []

  must(holds: boolean, rule: string): boolean {
    if (!holds && !this.broken.includes(rule)) this.broken.push(rule)
    return holds
  }
}

function messageRules(rules: Rules, messages: readonly unknown[]): void {
  let unanswered: string[] = []
  for (const [index, message] of messages.entries()) {
    const at = `messages[${index}]`
    if (!rules.must(isObject(message), `${at}: an object`)) continue
    const { role, content, tool_calls: calls } = message as Members
    if (!rules.must(isText(role) && Object.hasOwn(messageFields, role), `${at}.role: a known role`)) continue
    for (const field of Object.keys(message as Members)) {
      rules.must(messageFields[role as string]?.includes(field) === true, `${at}.${field}: unknown parameter`)
    }
    contentRules(rules, at, message as Members)
    if (role === 'tool') {
      const id = (message as Members).tool_call_id
      rules.must(isText(id) && unanswered.includes(id), `${at}: answers a call of the message before it`)
      unanswered = unanswered.filter((waiting) => waiting !== id)
      continue
    }
    rules.must(unanswered.length === 0, `${at}: only after every call was answered`)
    unanswered = role === 'assistant' && calls !== undefined ? callRules(rules, at, calls) : []
    rules.must(content !== undefined || role === 'assistant', `${at}.content: required`)
  }
  rules.must(unanswered.length === 0, 'messages: every call is answered')
}

function contentRules(rules: Rules, at: string, message: Members): void {
  const { role, content } = message
  if (role === 'assistant') {
    const says = [content, message.refusal, message.tool_calls, message.function_call, message.audio]
    rules.must(
      says.some((value) => value !== undefined && value !== null),
      `${at}: an assistant says or calls something`,
    )
    if (content === undefined || content === null) return
  }
  if (isText(content)) {
    // A user message may be empty, and the model answers: github.com/smg-project/smg/issues/2222.
    const mayBeEmpty = role !== 'system' && role !== 'developer'
    rules.must(content !== '' || mayBeEmpty, `${at}.content: not empty`)
    return
  }
  if (role === 'function' && content === null) return
  if (!rules.must(isList(content) && content.length > 0, `${at}.content: text or parts`)) return
  for (const [index, part] of (content as readonly unknown[]).entries()) {
    partRules(rules, `${at}.content[${index}]`, role as string, part)
  }
}

function partRules(rules: Rules, at: string, role: string, part: unknown): void {
  if (!rules.must(isObject(part), `${at}: an object`)) return
  const { type, text, refusal, image_url: image, input_audio: audio, file, ...more } = part as Members
  if (!rules.must(partTypes[role]?.includes(type as string) === true, `${at}.type: none for ${role}`)) return
  for (const field of Object.keys(more)) {
    rules.must(field === 'prompt_cache_breakpoint', `${at}.${field}: unknown parameter`)
  }
  const breakpoint = more.prompt_cache_breakpoint
  if (breakpoint !== undefined) {
    rules.must(
      type === 'text' && isObject(breakpoint) && breakpoint.mode === 'explicit',
      `${at}.prompt_cache_breakpoint: an explicit one on text`,
    )
  }
  if (type === 'text') rules.must(isText(text) && text !== '', `${at}.text: not empty`)
  if (type === 'refusal') rules.must(isText(refusal), `${at}.refusal: a text`)
  if (type === 'image_url') imageRules(rules, at, image)
  if (type === 'input_audio') {
    rules.must(
      isObject(audio) && isBase64(audio.data) && ['wav', 'mp3'].includes(audio.format as string),
      `${at}.input_audio: base64 data, wav or mp3`,
    )
  }
  if (type === 'file') {
    const isData =
      isObject(file) && isText(file.file_data) && /^data:[\w.+-]+\/[\w.+-]+;base64,/.test(file.file_data)
    const isKept = isObject(file) && isText(file.file_id)
    rules.must(isData || isKept, `${at}.file: a data URL or an id`)
    rules.must(!isData || isText((file as Members).filename), `${at}.file.filename: required with data`)
  }
}

function imageRules(rules: Rules, at: string, image: unknown): void {
  if (!rules.must(isObject(image) && isText(image.url), `${at}.image_url.url: a text`)) return
  const { url, detail } = image as Members
  const isData = /^data:image\/[\w.+-]+;base64,[A-Za-z0-9+/=]+$/.test(url as string)
  rules.must(isData || /^https?:\/\//.test(url as string), `${at}.image_url.url: an address or a data URL`)
  rules.must(
    detail === undefined || ['auto', 'low', 'high', 'original'].includes(detail as string),
    `${at}.image_url.detail: a known one`,
  )
}

/** The ids of the calls, which must be answered next. */
function callRules(rules: Rules, at: string, calls: unknown): string[] {
  if (!rules.must(isList(calls) && calls.length > 0, `${at}.tool_calls: a list that is not empty`)) return []
  const ids: string[] = []
  for (const [index, call] of (calls as readonly unknown[]).entries()) {
    const here = `${at}.tool_calls[${index}]`
    if (!rules.must(isObject(call), `${here}: an object`)) continue
    const { id, type, function: called, custom, ...more } = call as Members
    rules.must(Object.keys(more).length === 0, `${here}: unknown parameter ${Object.keys(more).join()}`)
    rules.must(
      isText(id) && id !== '' && id.length <= callIdCharactersMax,
      `${here}.id: 1 to ${callIdCharactersMax} characters`,
    )
    rules.must(!ids.includes(id as string), `${here}.id: no other call has it`)
    ids.push(String(id))
    const isFunction = isObject(called) && isName(called.name) && isText(called.arguments)
    const isCustom = isObject(custom) && isName(custom.name) && isText(custom.input)
    rules.must(
      (type === 'function' && isFunction) || (type === 'custom' && isCustom),
      `${here}: a function with arguments, or a custom tool with input, each with a name`,
    )
  }
  return ids
}

function toolRules(rules: Rules, body: Members): void {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = body
  if (tools === undefined) {
    rules.must(choice === undefined, 'tool_choice: only with tools')
    rules.must(parallel === undefined, 'parallel_tool_calls: only with tools')
    return
  }
  if (!rules.must(isList(tools) && tools.length > 0, 'tools: a list that is not empty')) return
  const names: unknown[] = []
  for (const [index, tool] of (tools as readonly unknown[]).entries()) {
    const at = `tools[${index}]`
    if (!rules.must(isObject(tool), `${at}: an object`)) continue
    const { type, function: declared, custom, ...more } = tool as Members
    rules.must(Object.keys(more).length === 0, `${at}: unknown parameter ${Object.keys(more).join()}`)
    const of = type === 'custom' ? custom : declared
    if (
      !rules.must(
        (type === 'function' || type === 'custom') && isObject(of),
        `${at}: a function or custom tool`,
      )
    )
      continue
    const { name: own, description, parameters, strict, format, ...other } = of as Members
    rules.must(isName(own), `${at}: a name of 1 to 64 letters, digits, _ and -`)
    rules.must(!names.includes(own), `${at}: no other tool has its name`)
    names.push(own)
    rules.must(Object.keys(other).length === 0, `${at}: unknown parameter ${Object.keys(other).join()}`)
    rules.must(description === undefined || isText(description), `${at}: a description is text`)
    rules.must(parameters === undefined || isObject(parameters), `${at}: parameters are an object`)
    rules.must(
      strict === undefined || strict === null || typeof strict === 'boolean',
      `${at}: strict is a flag`,
    )
    rules.must(format === undefined || (type === 'custom' && isObject(format)), `${at}: a format is custom's`)
  }
  choiceRules(rules, choice, names)
}

function choiceRules(rules: Rules, choice: unknown, names: readonly unknown[]): void {
  if (choice === undefined || ['none', 'auto', 'required'].includes(choice as string)) return
  const named = isObject(choice) ? [choice.function, choice.custom] : []
  const allowed = isObject(choice) && isObject(choice.allowed_tools) ? choice.allowed_tools : null
  if (allowed !== null) {
    rules.must(['auto', 'required'].includes(allowed.mode as string), 'tool_choice: a mode')
    named.push(
      ...(isList(allowed.tools) ? allowed.tools : []).map((tool) => (isObject(tool) ? tool.function : null)),
    )
  }
  const chosen = named.filter(isObject)
  rules.must(chosen.length > 0, 'tool_choice: a known one')
  for (const one of chosen) rules.must(names.includes(one.name), 'tool_choice: a declared tool')
}

function settingRules(rules: Rules, body: Members): void {
  const between = (field: string, min: number, max: number) => {
    const value = body[field]
    const isWithin = typeof value === 'number' && value >= min && value <= max
    rules.must(value === undefined || value === null || isWithin, `${field}: ${min} to ${max}`)
  }
  between('temperature', 0, 2)
  between('top_p', 0, 1)
  between('presence_penalty', -2, 2)
  between('frequency_penalty', -2, 2)
  between('top_logprobs', 0, 20)
  between('n', 1, 128)
  between('max_completion_tokens', 1, Number.MAX_SAFE_INTEGER)
  between('max_tokens', 1, Number.MAX_SAFE_INTEGER)
  for (const field of ['user', 'safety_identifier', 'prompt_cache_key']) {
    const value = body[field]
    const isShort = isText(value) && value !== '' && value.length <= shortTextCharactersMax
    rules.must(value === undefined || isShort, `${field}: 1 to ${shortTextCharactersMax} characters`)
  }
  rules.must(body.top_logprobs === undefined || body.logprobs === true, 'top_logprobs: only with logprobs')
  rules.must(
    body.stream_options === undefined || body.stream_options === null || body.stream === true,
    'stream_options: only when streaming',
  )
  const { stop, reasoning_effort: effort, verbosity, service_tier: tier } = body
  const stops = isList(stop) ? stop : [stop]
  const areStops =
    stops.length > 0 && stops.length <= stopsMax && stops.every((text) => isText(text) && text !== '')
  rules.must(stop === undefined || stop === null || areStops, `stop: 1 to ${stopsMax} texts`)
  rules.must(
    effort === undefined || effort === null || efforts.includes(effort as string),
    'reasoning_effort: a known one',
  )
  rules.must(
    verbosity === undefined || ['low', 'medium', 'high'].includes(verbosity as string),
    'verbosity: a known one',
  )
  rules.must(
    tier === undefined || ['auto', 'default', 'flex', 'scale', 'priority', 'fast'].includes(tier as string),
    'service_tier: a known one',
  )
  formatRules(rules, body.response_format)
}

function formatRules(rules: Rules, format: unknown): void {
  if (format === undefined) return
  if (!rules.must(isObject(format), 'response_format: an object')) return
  const { type, json_schema: schema } = format as Members
  if (type === 'text' || type === 'json_object') return
  rules.must(type === 'json_schema' && isObject(schema), 'response_format: a known type')
  if (!isObject(schema)) return
  rules.must(isName(schema.name), 'response_format: a name of 1 to 64 letters, digits, _ and -')
  rules.must(isObject(schema.schema), 'response_format: a schema')
}

/** Checks for valid fields that the model rejects. */
function modelRules(rules: Rules, body: Members, takes: Capabilities): void {
  const { temperature, top_p: topP, reasoning_effort: effort, stop, tools, tool_choice: choice } = body
  const isSampled = temperature !== undefined || topP !== undefined
  rules.must(!isSampled || takes.sampling !== 'none', 'temperature and top_p: not taken by the model')
  rules.must(
    !isSampled || takes.sampling !== 'without_reasoning' || effort === 'none',
    'temperature: only without reasoning',
  )
  rules.must(
    temperature === undefined || topP === undefined || takes.sampling !== 'one_of',
    'temperature and top_p cannot be combined',
  )
  rules.must(
    temperature === undefined || (temperature as number) <= takes.temperatureMax,
    'temperature: too high for the model',
  )
  const penalties = body.presence_penalty !== undefined || body.frequency_penalty !== undefined
  rules.must(!penalties || takes.penalties, 'penalties: not taken by the model')
  rules.must(body.seed === undefined || takes.seed, 'seed: not taken by the model')
  rules.must(body.logprobs === undefined || takes.logprobs, 'logprobs: not taken by the model')
  rules.must(
    stop === undefined || (isList(stop) ? stop.length : 1) <= takes.stopsMax,
    'stop: more than the model takes',
  )
  rules.must(effort === undefined || takes.thinking !== 'none', 'reasoning_effort: the model does not reason')
  rules.must(
    effort === undefined ||
      takes.efforts.some((taken) => taken === effort) ||
      (effort === 'none' && takes.thinkingOff !== null),
    'reasoning_effort: not one of the model',
  )
  if (tools !== undefined) {
    rules.must(takes.chatTools !== 'never', 'tools: not taken in this format')
    rules.must(takes.chatTools !== 'explicit_none' || effort === 'none', 'tools: only with the effort none')
    rules.must(
      takes.chatTools !== 'without_effort' || effort === undefined || effort === 'none',
      'tools: only without an effort',
    )
  }
  const mode = isObject(choice) && isObject(choice.allowed_tools) ? choice.allowed_tools.mode : choice
  const isForced = mode !== undefined && mode !== 'auto' && mode !== 'none'
  rules.must(!isForced || takes.forcedTools, 'tool_choice: cannot be forced')
  rules.must(body.parallel_tool_calls === undefined || takes.parallelSwitch, 'parallel_tool_calls: not taken')
  const isSchema = isObject(body.response_format) && body.response_format.type === 'json_schema'
  rules.must(!isSchema || takes.schemaOutput, 'response_format: no schemas')
  rules.must(
    !isSchema || tools === undefined || takes.schemaWithTools,
    'response_format: no schemas with tools',
  )
  mediaRules(rules, body, takes)
}

function mediaRules(rules: Rules, body: Members, takes: Capabilities): void {
  const text = JSON.stringify(body.messages ?? [])
  rules.must(
    !text.includes('"prompt_cache_breakpoint"') || takes.cacheBreakpoints,
    'prompt_cache_breakpoint: not taken',
  )
  for (const [type, medium] of [
    ['image_url', 'image'],
    ['input_audio', 'audio'],
    ['file', 'document'],
  ] as const) {
    rules.must(
      !text.includes(`"type":"${type}"`) || takes.inputs.includes(medium),
      `${type}: not taken by the model`,
    )
  }
  const roles = (isList(body.messages) ? body.messages : []).map((message) =>
    isObject(message) ? message.role : null,
  )
  const firstTurn = roles.findIndex((role) => role !== 'system' && role !== 'developer')
  const isLate = roles.some((role, index) => index > firstTurn && (role === 'system' || role === 'developer'))
  rules.must(firstTurn === -1 || !isLate || takes.midSystem, 'messages: instructions only at the beginning')
}

/** The rules that a whole response violates. */
export function brokenAnswerRules(body: unknown): readonly string[] {
  if (!isObject(body)) return ['the body is an object']
  const rules = new Rules()
  rules.must(body.object === 'chat.completion', 'object: chat.completion')
  rules.must(isText(body.id) && body.id !== '', 'id: a text')
  rules.must(Number.isInteger(body.created), 'created: seconds')
  rules.must(isText(body.model) && body.model !== '', 'model: a name')
  usageRules(rules, body.usage)
  if (!rules.must(isList(body.choices) && body.choices.length > 0, 'choices: a list that is not empty'))
    return rules.broken
  for (const [index, choice] of (body.choices as readonly unknown[]).entries()) {
    if (rules.must(isObject(choice), `choices[${index}]: an object`))
      choiceOfRules(rules, index, choice as Members)
  }
  return rules.broken
}

function choiceOfRules(rules: Rules, index: number, choice: Members): void {
  const at = `choices[${index}]`
  const { message, finish_reason: finish } = choice
  rules.must(choice.index === index, `${at}.index: ${index}`)
  rules.must(finishReasons.includes(finish as string), `${at}.finish_reason: a known one`)
  if (!rules.must(isObject(message), `${at}.message: an object`)) return
  const { role, content, refusal, tool_calls: calls, annotations } = message as Members
  rules.must(role === 'assistant', `${at}.message.role: assistant`)
  rules.must(isText(content) || content === null, `${at}.message.content: a text or null`)
  rules.must(isText(refusal) || refusal === null, `${at}.message.refusal: a text or null`)
  if (calls !== undefined) callRulesOfAnswer(rules, `${at}.message`, calls)
  rules.must(finish !== 'tool_calls' || calls !== undefined, `${at}: finished with calls, so it has some`)
  rules.must(
    calls === undefined || finish === 'tool_calls' || finish === 'length' || finish === 'stop',
    `${at}: calls end with tool_calls`,
  )
  annotationRules(rules, at, annotations)
}

/** Checks calls as in requests, except that our carriers may make ids long. */
function callRulesOfAnswer(rules: Rules, at: string, calls: unknown): void {
  const own = new Rules()
  callRules(own, at, calls)
  const vendor = /\.id: 1 to|unknown parameter extra_content$/
  for (const rule of own.broken) rules.must(vendor.test(rule), rule)
  for (const call of isList(calls) ? calls : []) {
    rules.must(isObject(call) && isText(call.id) && call.id !== '', `${at}.tool_calls: each has an id`)
  }
}

function annotationRules(rules: Rules, at: string, annotations: unknown): void {
  if (annotations === undefined) return
  rules.must(isList(annotations), `${at}: annotations are a list`)
  for (const one of isList(annotations) ? annotations : []) {
    const cited =
      isObject(one) && one.type === 'url_citation' && isObject(one.url_citation) ? one.url_citation : {}
    const isWhole = isText(cited.url) && isText(cited.title)
    const isPlaced = Number.isInteger(cited.start_index) && Number.isInteger(cited.end_index)
    rules.must(isWhole && isPlaced, `${at}: an annotation has url, title and place`)
  }
}

function usageRules(rules: Rules, usage: unknown): void {
  if (usage === undefined || usage === null) return
  if (!rules.must(isObject(usage), 'usage: an object')) return
  const { prompt_tokens: input, completion_tokens: output, total_tokens: total } = usage as Members
  const counts = [input, output, total].map((value) => (Number.isInteger(value) ? (value as number) : -1))
  if (
    !rules.must(
      counts.every((count) => count >= 0),
      'usage: three counts',
    )
  )
    return
  rules.must(counts[0]! + counts[1]! === counts[2]!, 'usage: the total is the sum')
  const { prompt_tokens_details: read, completion_tokens_details: written } = usage as Members
  for (const [details, count] of [
    [read, counts[0]!],
    [written, counts[1]!],
  ] as const) {
    for (const part of Object.values(isObject(details) ? details : {})) {
      rules.must(typeof part !== 'number' || part <= count, 'usage: a part is no more than the whole')
    }
  }
}

/** The rules that a stream violates; `sse` is all of it. */
export function brokenStreamRules(sse: string): readonly string[] {
  const rules = new Rules()
  const events = sse
    .replaceAll('\r\n', '\n')
    .split('\n\n')
    .flatMap((block) => block.split('\n').filter((line) => line.startsWith('data:')))
    .map((line) => line.slice('data:'.length).trim())
  rules.must(events.at(-1) === '[DONE]', 'the last event is [DONE]')
  rules.must(events.filter((text) => text === '[DONE]').length === 1, '[DONE] comes once')
  const chunks = events.filter((text) => text !== '[DONE]').map(asJson)
  const state = new StreamRules(rules)
  for (const chunk of chunks) {
    if (rules.must(isObject(chunk), 'every event is a JSON object')) state.chunk(chunk as Members)
  }
  state.end()
  return rules.broken
}

interface StreamedCall {
  readonly index: unknown
  id: string
  name: string
  text: string
  isCustom: boolean
}

class StreamRules {
  private readonly rules: Rules
  private head: Members | null = null
  private hasChoice = false
  private hasFinish = false
  private hasUsage = false
  private finish: unknown = null
  private readonly calls: StreamedCall[] = []

  constructor(rules: Rules) {
    this.rules = rules
  }

  chunk(chunk: Members): void {
    const { rules } = this
    rules.must(chunk.error === undefined, 'no error')
    rules.must(!this.hasUsage, 'nothing follows the usage chunk')
    rules.must(chunk.object === 'chat.completion.chunk', 'object: chat.completion.chunk')
    rules.must(isText(chunk.id) && chunk.id !== '' && isText(chunk.model), 'a chunk has an id and a model')
    rules.must(Number.isInteger(chunk.created), 'created: seconds')
    this.head ??= chunk
    for (const field of ['id', 'model', 'created']) {
      rules.must(chunk[field] === this.head[field], `${field} is the same in every chunk`)
    }
    if (!rules.must(isList(chunk.choices), 'choices: a list')) return
    const choices = chunk.choices as readonly unknown[]
    if (isObject(chunk.usage)) this.usage(chunk, choices.length)
    else rules.must(choices.length > 0, 'a chunk without usage has a choice')
    for (const choice of choices)
      if (rules.must(isObject(choice), 'a choice is an object')) this.choice(choice as Members)
  }

  private usage(chunk: Members, choices: number): void {
    usageRules(this.rules, chunk.usage)
    this.rules.must(choices === 0, 'the usage chunk has no choice')
    this.rules.must(this.hasFinish, 'usage comes after the finish')
    this.hasUsage = true
  }

  private choice(choice: Members): void {
    const { rules } = this
    const { delta, finish_reason: finish } = choice
    rules.must(choice.index === 0, 'one choice, with index 0')
    if (!rules.must(isObject(delta), 'a choice has a delta')) return
    const said = delta as Members
    rules.must(this.hasChoice || said.role === 'assistant', 'the first chunk tells the role')
    this.hasChoice = true
    rules.must(!this.hasFinish, 'no delta after the finish')
    for (const call of isList(said.tool_calls) ? said.tool_calls : []) {
      if (rules.must(isObject(call), 'a call is an object')) this.call(call as Members)
    }
    if (finish === null || finish === undefined) return
    rules.must(finishReasons.includes(finish as string), 'finish_reason: a known one')
    this.hasFinish = true
    this.finish = finish
  }

  private call(call: Members): void {
    const { rules } = this
    const { index, id, type, function: called, custom } = call
    const named = isObject(called) ? called : isObject(custom) ? custom : {}
    const last = this.calls.at(-1)
    if (last === undefined || last.index !== index) {
      rules.must(index === this.calls.length, 'calls are counted from 0')
      rules.must(isText(id) && id !== '', 'the first piece of a call has an id')
      rules.must(type === 'function' || type === 'custom', 'the first piece of a call has a type')
      rules.must(isName(named.name), 'the first piece of a call has a name')
      rules.must(!this.calls.some((known) => known.id === id), 'each call has an id of its own')
      this.calls.push({
        index,
        id: String(id),
        name: String(named.name),
        text: '',
        isCustom: isObject(custom),
      })
    }
    const open = this.calls.at(-1)
    const piece = named.arguments ?? named.input ?? ''
    if (rules.must(isText(piece), 'arguments are text') && open !== undefined) open.text += piece as string
  }

  end(): void {
    const { rules, calls, finish } = this
    rules.must(this.head !== null, 'there is a chunk')
    rules.must(this.hasFinish, 'it finishes')
    rules.must(finish !== 'tool_calls' || calls.length > 0, 'finished with calls, so it has some')
    rules.must(
      calls.length === 0 || finish === 'tool_calls' || finish === 'length',
      'calls end with tool_calls',
    )
    for (const call of calls) {
      const isWhole = call.isCustom || finish !== 'tool_calls' || isObject(asJson(call.text))
      rules.must(isWhole, 'arguments are a JSON object')
    }
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isName(value: unknown): boolean {
  return isText(value) && name.test(value)
}

function isBase64(value: unknown): boolean {
  return isText(value) && value !== '' && /^[A-Za-z0-9+/]*={0,2}$/.test(value)
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
