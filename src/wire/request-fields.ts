/**
 * Readers shared by all request formats: the object of the body, other models that may serve it, the files that it
 * references, what tells one conversation from another, and the betas that its headers switch on.
 */
import {
  type BetaHeader,
  type ExtractedFields,
  type FallbackModels,
  type Media,
  type MediaKind,
  type PricedOption,
  type ReadLimits,
  type Reference,
  type RequestPatch,
  WireError,
} from './format.ts'
import { type BytePatch, type NumberPatch, numberPatch, type Span } from './json/byte-patch.ts'
import { absent, FieldReader, invalid, isGiven, string } from './json/fields.ts'
import { type Json, readJson } from './json/json.ts'
import { memberRemovals } from './json/members.ts'
import { notOwned } from './price-fields.ts'

/** A format with the model in its path: the output limit is all that a splice writes. */
export interface LimitFields extends ExtractedFields {
  readonly modelSpan: null
  /** The limit as it is written, null included; null where it is absent. */
  readonly limitSpan: Span | null
  /** Writes a limit where there is none. */
  readonly limitInsertion: NumberPatch
}

/** The replacements that a splice needs: the model is in the path, and no tool's uses can be capped. */
export function patchLimit(fields: LimitFields, { outputLimit: tokens }: RequestPatch): readonly BytePatch[] {
  if (tokens === undefined || (fields.outputLimit !== null && fields.outputLimit <= tokens)) return []
  if (fields.limitSpan === null) return [numberPatch(fields.limitInsertion, tokens)]
  return [{ ...fields.limitSpan, text: String(tokens) }]
}

/** Facts of every request for vectors: they are not charged, have no output limit, and hold no conversation. */
export const embeddingFacts = {
  stream: false,
  outputLimit: 0,
  choices: 1,
  thinkingBudget: null,
  media: [],
  cacheWrites: [],
  serverTools: [],
  writtenAs: null,
  canPassThrough: true,
  functionTools: false,
  effort: null,
} as const satisfies Partial<ExtractedFields>

/** A longer text is not the name of a model. */
const modelBytesMax = 1_024

/**
 * Reads the JSON object that is the body of a request; an error about it names the requested model, if the body does. Throws
 * WireError as `readJson` and `read` do, and for a body that is not an object.
 */
export function readRequestObject<Result>(
  body: Uint8Array,
  limits: ReadLimits,
  read: (json: Json) => Result,
): Result {
  return readJson(body, limits, (json) => {
    if (json.kind(json.root) !== 'object') {
      throw new WireError('invalid_value', 'The body must be a JSON object.')
    }
    try {
      return read(json)
    } catch (error) {
      if (error instanceof WireError) error.model ??= modelIn(json)
      throw error
    }
  })
}

function modelIn(json: Json): string | undefined {
  const end = json.next(json.root)
  for (let name = json.root + 1; name < end; name = json.next(name + 1)) {
    if (!json.is(name, 'model')) continue
    const value = name + 1
    const isName = json.kind(value) === 'string' && json.end(value) - json.start(value) <= modelBytesMax
    return isName ? json.text(value) : undefined
  }
  return undefined
}

/** The requested model; throws WireError for anything but a name. */
export function requestedModel(json: Json, value: number, missing: (name: string) => WireError): string {
  if (!isGiven(json, value)) throw missing('model')
  const name = string(json, value)
  if (name === '') throw invalid(json, value, 'the name of a model')
  return name
}

/** OpenAI's formats have these words for it. */
export function missing(name: string, hint = ''): WireError {
  return new WireError('missing_field', `Missing required parameter: '${name}'.${hint}`, name)
}

/** More than a request can try. */
const namesMax = 8

/**
 * `models` of a request: other models that may serve it, in the order of the list, as routers take it. It is for this server
 * and is never forwarded. `value`: of this member. Undefined where there is none; throws WireError for anything but names.
 */
export function fallbackModels(json: Json, value: number): FallbackModels | undefined {
  if (value === absent) return undefined
  const names = isGiven(json, value) ? namesIn(json, value) : []
  return {
    names,
    spans: memberRemovals(json, json.root, ['models']).map(({ start, end }) => ({ start, end })),
  }
}

function namesIn(json: Json, value: number): readonly string[] {
  if (json.kind(value) !== 'array') throw invalid(json, value, 'an array of names of models')
  const elements = json.children(value)
  if (elements.length > namesMax) {
    throw new WireError('invalid_value', `models: at most ${namesMax} names are supported.`, 'models')
  }
  return elements.map((element) => {
    const name = string(json, element)
    if (name === '') throw invalid(json, element, 'the name of a model')
    return name
  })
}

/** The form of every provider's file ids; other strings are not file ids of this gateway. */
const idPattern = /^[\w-]{1,200}$/
/** Each is looked up, and finding its place in the body takes time. */
const namedFilesMax = 64

/**
 * Gathers the files at the provider that one body references instead of sending them; a file may be named again and again. Must
 * not judge who owns them.
 */
export class NamedFiles {
  private readonly json: Json
  private readonly byId = new Map<string, Reference>()

  constructor(json: Json) {
    this.json = json
  }

  get list(): readonly Reference[] {
    return [...this.byId.values()]
  }

  /**
   * Notes that `value` names a file: with the string itself, or with the part of it that is the id. Throws WireError
   * `reference_not_owned` for what cannot be one, `invalid_value` for too many.
   */
  add(value: number, id: string | undefined = this.text(value)): string {
    const { json, byId } = this
    if (id === undefined || !idPattern.test(id)) throw notOwned(json, value)
    if (byId.has(id)) return id
    const pointer = json.pointer(value)
    if (byId.size === namedFilesMax) {
      throw new WireError(
        'invalid_value',
        `${pointer}: a request can reference at most ${namedFilesMax} files.`,
        pointer,
      )
    }
    byId.set(id, { id, kind: 'file', pointer })
    return id
  }

  /** The same for a file that the model reads as `kind`. */
  media(value: number, kind: MediaKind): Media {
    return { kind, span: null, mediaType: '', fileId: this.add(value) }
  }

  private text(value: number): string | undefined {
    return this.json.isString(value) ? this.json.text(value) : undefined
  }
}

const messageFields = new FieldReader('role', 'content', 'parts')
const partFields = new FieldReader('text')

/** Messages and parts that are looked at: what agents put in front is a few. */
const looksMax = 100

/**
 * Identifies a conversation for routing: the first text of the user after anything agents put before it, such as
 * `<system-reminder>…</system-reminder>`, which is the same in all of their conversations. `opening`: the first message of the
 * user in `list`, or a text that is all there is.
 */
export function conversationSpan(json: Json, opening: number, list: number): Span {
  if (json.isString(opening)) return behindContext(json, opening) ?? json.span(opening)
  let last: Span | undefined
  let looks = looksMax
  // Later turns do not change what is in front of the first answer.
  for (let message = opening; message < json.next(list) && looks > 0; message = json.next(message)) {
    looks -= 1
    const { role, content, parts } = messageFields.read(json, message)
    if (role !== absent && !json.is(role, 'user')) break
    for (const part of partsIn(json, content === absent ? parts : content)) {
      if (looks <= 0) break
      looks -= 1
      const text = json.isString(part) ? part : partFields.read(json, part).text
      if (!json.isString(text)) continue
      const found = behindContext(json, text)
      if (found !== undefined) return found
      last = json.span(text)
    }
  }
  return last ?? json.span(opening)
}

/** `prompt_cache_key` of OpenAI's formats; another spelling of it is no error, as for members that decide something. */
export function cacheKeySpan(json: Json): Span | undefined {
  const key = json.find(['prompt_cache_key'])
  return json.isString(key) ? json.span(key) : undefined
}

/** A content is one text or has parts. */
function partsIn(json: Json, content: number): readonly number[] {
  if (content === absent) return []
  return json.kind(content) === 'array' ? json.children(content) : [content]
}

/** An element and the space around it, as it is in JSON, where `<` may be written as an escape. */
const contextBlock =
  /(?:\s|\\[nrt])*(?:<|\\u003c)([a-z][\w-]{0,63})(?![\w-])[\s\S]*?(?:<|\\u003c)\/\1(?:>|\\u003e)(?:\s|\\[nrt])*/iy
const contextBytesMax = 256 * 1_024
const encoder = new TextEncoder()

/** The part of a text behind such elements; undefined: there is none. */
function behindContext(json: Json, text: number): Span | undefined {
  const [start, end] = [json.start(text) + 1, json.end(text) - 1]
  if (start === end) return undefined
  if (!startsBlock.includes(json.byte(start))) return { start, end }
  const written = json.written({ start, end: Math.min(end, start + contextBytesMax) })
  let behind = 0
  for (contextBlock.lastIndex = 0; contextBlock.test(written); ) behind = contextBlock.lastIndex
  const at = start + encoder.encode(written.slice(0, behind)).length
  return at === end ? undefined : { start: at, end }
}

/** `<`, a backslash, a space. */
const startsBlock: readonly number[] = [0x3c, 0x5c, 0x20]

interface HeaderFacts {
  readonly options: readonly PricedOption[]
  /** `anthropic-beta: name`, each once. */
  readonly unknown: readonly string[]
}

type Headers = Readonly<Record<string, string | string[] | undefined>>

const nothing: HeaderFacts = { options: [], unknown: [] }
const nameCharactersMax = 64
const unknownMax = 8

/** Reads the price options and unknown names among a request's betas. */
export function readBetas(betas: BetaHeader | null, headers: Headers): HeaderFacts {
  const written = betas === null ? undefined : headers[betas.header]
  if (betas === null || written === undefined) return nothing
  const { header, known, priced } = betas
  const names = [written].flat().flatMap((value) => value.toLowerCase().split(','))
  const options: PricedOption[] = []
  const unknown = new Set<string>()
  for (const name of names.map((one) => one.trim())) {
    const found = priced.find(({ prefix }) => name.startsWith(prefix))
    if (found !== undefined) options.push({ name: found.option, pointer: header })
    else if (name !== '' && !known.has(undated(name)) && unknown.size < unknownMax)
      unknown.add(`${header}: ${name.slice(0, nameCharactersMax)}`)
  }
  return { options, unknown: [...unknown] }
}

/** `context-1m-2025-08-07` → `context-1m`, `responses_websockets=2026-02-06` → `responses_websockets`. */
function undated(name: string): string {
  return name.replace(/(?:[-=]\d{4}-?\d{2}-?\d{2}|=\w+)$/, '')
}

/** Betas of OpenAI's formats; none is priced. https://developers.openai.com/api/docs/guides/responses-multi-agent */
export const openaiBetas: BetaHeader = {
  header: 'openai-beta',
  known: new Set([
    'assistants',
    'chatkit_beta',
    'realtime',
    'responses',
    'responses_websockets',
    'responses_multi_agent',
  ]),
  priced: [],
}
