/**
 * The documented rules of the Gemini format (generateContent): which of them a request, a response or a stream
 * violates, as sentences. For tests of encoders of this format; it must not import the code under test.
 * Sources: the types of @google/genai 3.1 and what the API answered in recorded exchanges.
 */
import type { Capabilities } from '../../../src/wire/translation/capabilities.ts'

type Fields = Readonly<Record<string, unknown>>
type Say = (rule: string) => void

const bodyNames = new Set(
  'contents systemInstruction tools toolConfig safetySettings cachedContent generationConfig serviceTier labels store continuationToken modelArmorConfig'.split(
    ' ',
  ),
)
const settingNames = new Set(
  'temperature topP topK candidateCount maxOutputTokens stopSequences presencePenalty frequencyPenalty seed responseLogprobs logprobs responseMimeType responseSchema responseJsonSchema responseFormat responseModalities mediaResolution speechConfig imageConfig thinkingConfig audioTimestamp enableEnhancedCivicAnswers routingConfig modelSelectionConfig enableAffectiveDialog audioTranscriptionConfig translationConfig'.split(
    ' ',
  ),
)
/** The possible kinds of a part; each part contains exactly one of these. */
const kinds =
  'text inlineData fileData functionCall functionResponse executableCode codeExecutionResult toolCall toolResponse'.split(
    ' ',
  )
const modelKinds = new Set(['functionCall', 'executableCode', 'codeExecutionResult', 'toolCall'])
const partNames = new Set([
  ...kinds,
  ...'thought thoughtSignature videoMetadata mediaResolution partMetadata mediaProcessing speechMetadata audioTranscription'.split(
    ' ',
  ),
])
const finishes = new Set(
  'STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL IMAGE_SAFETY UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS IMAGE_PROHIBITED_CONTENT NO_IMAGE IMAGE_RECITATION IMAGE_OTHER CONTINUATION MALFORMED_RESPONSE FINISH_REASON_UNSPECIFIED'.split(
    ' ',
  ),
)
const modes = new Set(['AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED'])
const levels = new Set(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'THINKING_LEVEL_UNSPECIFIED'])
const namePattern = /^[A-Za-z_][\w.:-]{0,127}$/
const base64Pattern = /^[A-Za-z0-9+/_-]+={0,2}$/
const idPattern = /^[\w.:-]{1,64}$/
const ourMarks = /_tg1_W|^tg1\.|^dGcxL/
const stopsMax = 5
const functionsMax = 512

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isGiven = (value: unknown) => value !== undefined && value !== null
const isWhole = (value: unknown): value is number => Number.isInteger(value)

/** The API accepts each of its names in both spellings; names chosen by the caller are never looked up through this. */
function read(fields: Fields, name: string): unknown {
  return fields[name] ?? fields[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)]
}

const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

function sayUnknown(fields: Fields, known: ReadonlySet<string>, at: string, say: Say): void {
  for (const name of Object.keys(fields)) if (!known.has(camel(name))) say(`${at}: unknown name ${name}`)
}

/** The rules that `body`, sent to a model of these `capabilities`, violates; empty for a valid body. */
export function brokenRequestRules(body: unknown, capabilities?: Capabilities): readonly string[] {
  const broken: string[] = []
  const say: Say = (rule) => broken.push(rule)
  if (!isFields(body)) return ['the body is not an object']
  sayUnknown(body, bodyNames, 'body', say)
  const declared = checkTools(read(body, 'tools'), say)
  checkToolConfig(read(body, 'toolConfig'), declared, say)
  checkInstruction(read(body, 'systemInstruction'), say)
  checkContents(read(body, 'contents'), capabilities, say)
  checkSettings(read(body, 'generationConfig'), capabilities, say)
  if (isGiven(read(body, 'cachedContent'))) {
    for (const name of ['systemInstruction', 'tools', 'toolConfig']) {
      if (isGiven(read(body, name))) say(`${name} beside cachedContent`)
    }
  }
  if (capabilities?.schemaWithTools === false && declared.size > 0) {
    const config = read(body, 'generationConfig')
    if (
      isFields(config) &&
      (isGiven(read(config, 'responseJsonSchema')) || isGiven(read(config, 'responseSchema')))
    )
      say('a schema beside tools')
  }
  return broken
}

function checkTools(tools: unknown, say: Say): ReadonlySet<string> {
  const declared = new Set<string>()
  if (!isGiven(tools)) return declared
  if (!isList(tools) || tools.length === 0) {
    say('tools: no list, or an empty one')
    return declared
  }
  for (const [index, tool] of tools.entries()) {
    const at = `tools[${index}]`
    if (!isFields(tool) || Object.keys(tool).length === 0) {
      say(`${at}: no tool`)
      continue
    }
    const functions = read(tool, 'functionDeclarations')
    if (!isGiven(functions)) continue
    if (!isList(functions) || functions.length === 0) say(`${at}: no function declarations`)
    else for (const one of functions) checkFunction(one, declared, at, say)
  }
  if (declared.size > functionsMax) say('tools: too many functions')
  return declared
}

function checkFunction(one: unknown, declared: Set<string>, at: string, say: Say): void {
  if (!isFields(one)) return say(`${at}: a function that is not an object`)
  const { name } = one
  if (!isText(name) || !namePattern.test(name)) return say(`${at}: the name ${String(name)}`)
  if (declared.has(name)) say(`${at}: two functions ${name}`)
  declared.add(name)
  if (isGiven(one.description) && !isText(one.description)) say(`${at}: the description of ${name}`)
  const own = one.parameters
  const schema = read(one, 'parametersJsonSchema')
  if (isGiven(own) && isGiven(schema)) say(`${at}: two schemas of ${name}`)
  if (isGiven(schema) && !isFields(schema)) say(`${at}: a schema of ${name} that is not an object`)
  if (isGiven(own) && (!isFields(own) || String(own.type).toUpperCase() !== 'OBJECT'))
    say(`${at}: parameters of ${name} that are not an object`)
}

function checkToolConfig(config: unknown, declared: ReadonlySet<string>, say: Say): void {
  if (!isGiven(config)) return
  if (!isFields(config)) return say('toolConfig: no object')
  const calling = read(config, 'functionCallingConfig')
  if (!isGiven(calling)) return
  if (!isFields(calling)) return say('functionCallingConfig: no object')
  const mode = String(calling.mode ?? 'MODE_UNSPECIFIED').toUpperCase()
  if (!modes.has(mode)) say(`mode: ${mode}`)
  if (declared.size === 0 && (mode === 'ANY' || mode === 'VALIDATED')) say(`mode ${mode} without functions`)
  const names = read(calling, 'allowedFunctionNames')
  if (!isGiven(names)) return
  if (!isList(names)) return say('allowedFunctionNames: no list')
  if (mode !== 'ANY' && mode !== 'VALIDATED') say(`allowedFunctionNames with mode ${mode}`)
  for (const name of names) {
    if (!isText(name) || !declared.has(name)) say(`allowedFunctionNames: ${String(name)} is not declared`)
  }
}

function checkInstruction(instruction: unknown, say: Say): void {
  if (!isGiven(instruction)) return
  if (!isFields(instruction) || !isList(instruction.parts) || instruction.parts.length === 0)
    return say('systemInstruction: no parts')
  for (const part of instruction.parts) {
    if (!isFields(part) || !isText(part.text) || part.text === '')
      say('systemInstruction: a part without text')
  }
}

interface Step {
  readonly calls: readonly { readonly name: unknown; readonly id: unknown }[]
  readonly at: string
}

function checkContents(contents: unknown, capabilities: Capabilities | undefined, say: Say): void {
  if (!isList(contents) || contents.length === 0) return say('contents: none')
  const order = new Order(capabilities, say, lastSpoken(contents))
  for (const [index, content] of contents.entries()) {
    const at = `contents[${index}]`
    if (!isFields(content)) {
      say(`${at}: no object`)
      continue
    }
    const role = content.role ?? 'user'
    if (role !== 'user' && role !== 'model' && role !== 'function') say(`${at}: the role ${String(role)}`)
    if (!isList(content.parts) || content.parts.length === 0) {
      say(`${at}: no parts`)
      continue
    }
    for (const part of content.parts) checkPart(part, role, at, say)
    order.follow(index, role === 'model', partsOf(content))
  }
  order.end()
}

/** The last content of the user: every step after it needs its signature. */
function lastSpoken(contents: readonly unknown[]): number {
  return contents.findLastIndex(
    (content) =>
      isFields(content) && content.role !== 'model' && partsOf(content).some(({ text }) => isText(text)),
  )
}

/** Calls are answered immediately, one by one. */
class Order {
  private readonly capabilities: Capabilities | undefined
  private readonly say: Say
  private readonly currentFrom: number
  private open: Step | null = null
  private wasModel = false

  constructor(capabilities: Capabilities | undefined, say: Say, currentFrom: number) {
    this.capabilities = capabilities
    this.say = say
    this.currentFrom = currentFrom
  }

  follow(index: number, isModel: boolean, parts: readonly Fields[]): void {
    const at = `contents[${index}]`
    const responses = fieldsIn(parts, 'functionResponse')
    if (isModel) this.followModel(index, parts)
    else if (this.open === null) {
      if (responses.length > 0) this.say(`${at}: a function response without a call before it`)
    } else {
      checkResponses(this.open, responses, at, this.say)
      if (this.capabilities?.signedCalls === true && responses.length < parts.length)
        this.say(`${at}: function responses beside something else`)
      this.open = null
    }
    this.wasModel = isModel
  }

  private followModel(index: number, parts: readonly Fields[]): void {
    const at = `contents[${index}]`
    const calls = fieldsIn(parts, 'functionCall')
    if (calls.length === 0) return
    const first = parts.find((part) => isGiven(read(part, 'functionCall')))
    const needsSignature =
      this.capabilities?.signedCalls === true && this.open === null && index > this.currentFrom
    if (needsSignature && !isText(first && read(first, 'thoughtSignature')))
      this.say(`${at}: the first call has no signature`)
    this.open = {
      at,
      calls: [...(this.open?.calls ?? []), ...calls.map(({ name, id }) => ({ name, id }))],
    }
  }

  end(): void {
    if (this.open !== null) this.say(`${this.open.at}: calls without an answer`)
    if (this.capabilities?.prefill === false && this.wasModel) this.say('contents: end with the model')
  }
}

const fieldsIn = (parts: readonly Fields[], name: string): readonly Fields[] =>
  parts.map((part) => read(part, name)).filter(isFields)

const partsOf = (content: Fields): readonly Fields[] =>
  isList(content.parts) ? content.parts.filter(isFields) : []

function checkResponses(step: Step, responses: readonly Fields[], at: string, say: Say): void {
  if (responses.length !== step.calls.length)
    return say(`${at}: ${responses.length} responses to ${step.calls.length} calls`)
  for (const [index, { name, id }] of step.calls.entries()) {
    const response = responses[index]
    if (response?.name !== name) say(`${at}: the response ${index} is not of ${String(name)}`)
    if (isGiven(id) && isGiven(response?.id) && response?.id !== id) say(`${at}: the id of response ${index}`)
  }
}

function checkPart(part: unknown, role: unknown, at: string, say: Say): void {
  if (!isFields(part)) return say(`${at}: a part that is not an object`)
  sayUnknown(part, partNames, at, say)
  const found = kinds.filter((kind) => isGiven(read(part, kind)))
  if (found.length !== 1)
    return say(`${at}: a part with ${found.length === 0 ? 'nothing' : found.join(' and ')}`)
  const [kind = ''] = found
  if (role !== 'model' && (modelKinds.has(kind) || part.thought === true)) say(`${at}: ${kind} of the user`)
  if (role === 'model' && kind === 'functionResponse') say(`${at}: a function response of the model`)
  const signature = read(part, 'thoughtSignature')
  if (isGiven(signature) && (!isText(signature) || !base64Pattern.test(signature)))
    say(`${at}: a signature that is not base64`)
  if (isText(signature) && ourMarks.test(signature)) say(`${at}: a mark of the gateway's in a signature`)
  const value = read(part, kind)
  if (kind === 'text' && !isText(value)) say(`${at}: text that is not a string`)
  if (kind === 'functionCall') checkCall(value, at, say)
  if (kind === 'functionResponse') checkResponse(value, at, say)
  if (kind === 'inlineData') checkBlob(value, at, say)
  if (kind === 'fileData') {
    const uri = isFields(value) ? read(value, 'fileUri') : undefined
    if (!isText(uri) || uri === '') say(`${at}: a file without an address`)
  }
}

function checkCall(value: unknown, at: string, say: Say): void {
  if (!isFields(value)) return say(`${at}: a call that is not an object`)
  checkNamed(value, at, say)
  if (isGiven(value.args) && !isFields(value.args)) say(`${at}: args that are not an object`)
}

function checkNamed({ name, id }: Fields, at: string, say: Say): void {
  if (!isText(name) || !namePattern.test(name)) say(`${at}: the name ${String(name)}`)
  if (!isGiven(id)) return
  if (!isText(id) || ourMarks.test(id)) say(`${at}: a mark of the gateway's in an id`)
  else if (!idPattern.test(id)) say(`${at}: the id ${id.slice(0, 80)}`)
}

function checkResponse(value: unknown, at: string, say: Say): void {
  if (!isFields(value)) return say(`${at}: a response that is not an object`)
  checkNamed(value, at, say)
  if (!isFields(value.response)) say(`${at}: a response without its object`)
  if (!isGiven(value.parts)) return
  if (!isList(value.parts)) return say(`${at}: parts of a response that are not a list`)
  for (const part of value.parts) {
    if (!isFields(part)) say(`${at}: a part of a response that is not an object`)
    else if (isGiven(read(part, 'inlineData'))) checkBlob(read(part, 'inlineData'), at, say)
    else if (!isGiven(read(part, 'fileData'))) say(`${at}: a part of a response without media`)
  }
}

function checkBlob(value: unknown, at: string, say: Say): void {
  if (!isFields(value)) return say(`${at}: media that are not an object`)
  const type = read(value, 'mimeType')
  if (!isText(type) || !/^[a-z]+\/[\w.+-]+/.test(type)) say(`${at}: media of the type ${String(type)}`)
  if (!isText(value.data) || !base64Pattern.test(value.data)) say(`${at}: media that are not base64`)
}

function checkSettings(config: unknown, capabilities: Capabilities | undefined, say: Say): void {
  if (!isGiven(config)) return
  if (!isFields(config)) return say('generationConfig: no object')
  sayUnknown(config, settingNames, 'generationConfig', say)
  const number = (name: string, min: number, max: number, mayBreak = false) => {
    const value = read(config, name)
    if (!isGiven(value)) return
    if (typeof value !== 'number' || value < min || value > max || (!mayBreak && !isWhole(value)))
      say(`${name}: ${String(value)}`)
  }
  number('temperature', 0, capabilities?.temperatureMax ?? 2, true)
  number('topP', 0, 1, true)
  number('topK', 1, 2 ** 31 - 1)
  number('candidateCount', 1, 8)
  number('maxOutputTokens', 1, 2 ** 31 - 1)
  number('presencePenalty', -2, 2, true)
  number('frequencyPenalty', -2, 2, true)
  number('seed', -(2 ** 31), 2 ** 31 - 1)
  number('logprobs', 0, 20)
  if (isGiven(config.logprobs) && read(config, 'responseLogprobs') !== true)
    say('logprobs without responseLogprobs')
  checkStops(read(config, 'stopSequences'), capabilities, say)
  checkFormat(config, say)
  checkThinking(read(config, 'thinkingConfig'), capabilities, say)
  if (capabilities !== undefined) checkRejected(config, capabilities, say)
}

function checkStops(stops: unknown, capabilities: Capabilities | undefined, say: Say): void {
  if (!isGiven(stops)) return
  if (!isList(stops) || stops.length === 0) return say('stopSequences: no list, or an empty one')
  if (stops.length > (capabilities?.stopsMax ?? stopsMax)) say(`stopSequences: ${stops.length}`)
  if (stops.some((stop) => !isText(stop) || stop === '')) say('stopSequences: an empty one')
}

function checkFormat(config: Fields, say: Say): void {
  const schemas = ['responseSchema', 'responseJsonSchema'].filter((name) => isGiven(read(config, name)))
  if (schemas.length === 2) say('two schemas of the answer')
  const type = read(config, 'responseMimeType')
  if (schemas.length > 0 && type !== 'application/json' && type !== 'text/x.enum')
    say('a schema without responseMimeType')
}

function checkThinking(config: unknown, capabilities: Capabilities | undefined, say: Say): void {
  if (!isGiven(config)) return
  if (!isFields(config)) return say('thinkingConfig: no object')
  const budget = read(config, 'thinkingBudget')
  const level = read(config, 'thinkingLevel')
  if (isGiven(budget) && isGiven(level)) say('a thinking budget beside a level')
  if (isGiven(level) && !levels.has(String(level).toUpperCase())) say(`thinkingLevel: ${String(level)}`)
  if (isGiven(budget) && (!isWhole(budget) || budget < -1)) say(`thinkingBudget: ${String(budget)}`)
  if (capabilities === undefined) return
  if (capabilities.thinking === 'none') say('thinking of a model that does not think')
  if (isGiven(budget)) {
    const bounds = capabilities.budget
    if (bounds === null) say('a thinking budget for a model without one')
    else if (isWhole(budget) && budget > 0 && (budget < bounds.min || budget > bounds.max))
      say(`thinkingBudget: ${budget} is out of bounds`)
    if (budget === 0 && capabilities.thinkingOff === null) say('thinking switched off where it cannot be')
  }
  if (isGiven(level) && !capabilities.efforts.some((effort) => effort === String(level).toLowerCase()))
    say(`thinkingLevel: the model has no ${String(level)}`)
}

function checkRejected(config: Fields, capabilities: Capabilities, say: Say): void {
  const rejected: readonly (readonly [name: string, isRejected: boolean])[] = [
    ['temperature', capabilities.sampling === 'none'],
    ['topP', capabilities.sampling === 'none'],
    ['topK', !capabilities.topK],
    ['presencePenalty', !capabilities.penalties],
    ['frequencyPenalty', !capabilities.penalties],
    ['seed', !capabilities.seed],
    ['responseLogprobs', !capabilities.logprobs],
    ['responseJsonSchema', !capabilities.schemaOutput],
  ]
  for (const [name, isRejected] of rejected) {
    if (isRejected && isGiven(read(config, name))) say(`${name}: rejected by the model`)
  }
}

/** The rules that a whole JSON response (or an error body) violates. */
export function brokenAnswerRules(body: unknown): readonly string[] {
  const broken: string[] = []
  const say: Say = (rule) => broken.push(rule)
  if (!isFields(body)) return ['the answer is not an object']
  if (isGiven(body.error)) checkError(body.error, say)
  else {
    const candidates = checkChunk(body, say)
    if (candidates.some((candidate) => !isGiven(candidate.finishReason)))
      say('a candidate without finishReason')
    if (candidates.length === 0 && !isBlocked(body)) say('neither candidates nor a blocked prompt')
  }
  return broken
}

function checkError(error: unknown, say: Say): void {
  if (!isFields(error)) return say('error: no object')
  if (!isWhole(error.code) || error.code < 400 || error.code > 599) say('error: no HTTP status as code')
  if (!isText(error.message) || error.message === '') say('error: no message')
  if (!isText(error.status) || !/^[A-Z_]+$/.test(error.status)) say('error: no status')
  if (!isGiven(error.details)) return
  const isTyped = (detail: unknown) => isFields(detail) && isText(detail['@type'])
  if (!isList(error.details) || !error.details.every(isTyped)) say('error: details without their types')
}

const isBlocked = ({ promptFeedback }: Fields) =>
  isFields(promptFeedback) && isText(promptFeedback.blockReason)

/** Checks the parts that whole responses and stream events share; returns the candidates. */
function checkChunk(chunk: Fields, say: Say): readonly Fields[] {
  const { candidates = [] } = chunk
  if (!isList(candidates) || !candidates.every(isFields)) {
    say('candidates: no list of objects')
    return []
  }
  for (const [place, candidate] of candidates.entries()) {
    const at = `candidates[${place}]`
    if (isGiven(candidate.index) && !isWhole(candidate.index)) say(`${at}: the index`)
    if (isGiven(candidate.finishReason) && !finishes.has(String(candidate.finishReason)))
      say(`${at}: the finishReason ${String(candidate.finishReason)}`)
    const { content } = candidate
    if (!isGiven(content)) continue
    if (!isFields(content)) say(`${at}: content that is not an object`)
    else if (isGiven(content.parts)) checkAnswerParts(content, at, say)
  }
  for (const name of ['modelVersion', 'responseId']) if (!isText(chunk[name])) say(`${name}: missing`)
  if (isGiven(chunk.usageMetadata)) checkUsage(chunk.usageMetadata, say)
  return candidates
}

function checkAnswerParts(content: Fields, at: string, say: Say): void {
  if (content.role !== 'model') say(`${at}: the role ${String(content.role)}`)
  if (!isList(content.parts)) return say(`${at}: parts that are not a list`)
  for (const part of content.parts) {
    if (!isFields(part)) {
      say(`${at}: a part that is not an object`)
      continue
    }
    const found = kinds.filter((kind) => isGiven(part[kind]))
    if (found.length !== 1) say(`${at}: a part with ${found.length === 0 ? 'nothing' : found.join(' and ')}`)
    if (isGiven(part.text) && !isText(part.text)) say(`${at}: text that is not a string`)
    const { functionCall: call, thoughtSignature: signature } = part
    if (isGiven(call)) {
      if (!isFields(call) || !isText(call.name) || !namePattern.test(call.name))
        say(`${at}: a call without its name`)
      else if (isGiven(call.args) && !isFields(call.args)) say(`${at}: args that are not an object`)
    }
    if (isGiven(signature) && (!isText(signature) || !base64Pattern.test(signature)))
      say(`${at}: a signature that is not base64`)
    if (isGiven(part.inlineData)) checkBlob(part.inlineData, at, say)
  }
}

const counters = ['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'toolUsePromptTokenCount']

function checkUsage(usage: unknown, say: Say): void {
  if (!isFields(usage)) return say('usageMetadata: no object')
  let sum = 0
  for (const name of [...counters, 'cachedContentTokenCount', 'totalTokenCount']) {
    const value = usage[name]
    if (!isGiven(value)) continue
    if (!isWhole(value) || value < 0) say(`usageMetadata.${name}: ${String(value)}`)
    else if (counters.includes(name)) sum += value
  }
  const { cachedContentTokenCount: cached, promptTokenCount: prompt, totalTokenCount: total } = usage
  if (isGiven(total) && total !== sum) say(`usageMetadata: ${sum} tokens and a total of ${String(total)}`)
  if (isWhole(cached) && cached > (isWhole(prompt) ? prompt : 0)) say('usageMetadata: more cached than sent')
}

/** The rules that the text of a stream (`alt=sse`) violates. */
export function brokenStreamRules(sse: string): readonly string[] {
  const broken: string[] = []
  const say: Say = (rule) => broken.push(rule)
  const blocks = sse.split(/\r?\n\r?\n/)
  if (blocks.pop()?.trim() !== '') say('the last event has no blank line')
  const finished = new Set<unknown>()
  const ids = new Set<unknown>()
  let isOver = false
  for (const [index, block] of blocks.entries()) {
    const at = `event ${index}`
    const lines = block.split(/\r?\n/).filter((line) => !line.startsWith(':') && line !== '')
    if (lines.length === 0) continue
    const event = eventOf(lines)
    if (event === undefined) {
      say(`${at}: not one line of data with an object`)
      continue
    }
    if (isOver) say(`${at}: after an error`)
    if (isGiven(event.error)) {
      checkError(event.error, say)
      isOver = true
      continue
    }
    ids.add(event.responseId)
    for (const candidate of checkChunk(event, (rule) => say(`${at}: ${rule}`))) {
      const key = candidate.index ?? 0
      if (finished.has(key)) say(`${at}: candidate ${String(key)} goes on after its end`)
      if (isGiven(candidate.finishReason)) finished.add(key)
    }
    if (isBlocked(event)) finished.add('blocked')
  }
  if (ids.size > 1) say('more than one responseId')
  if (!isOver && finished.size === 0) say('no finishReason')
  return broken
}

function eventOf(lines: readonly string[]): Fields | undefined {
  const [line = ''] = lines
  if (lines.length !== 1 || !line.startsWith('data:')) return undefined
  try {
    const value: unknown = JSON.parse(line.slice(5))
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
