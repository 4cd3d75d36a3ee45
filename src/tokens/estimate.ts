/**
 * Estimates the token count that a model's vendor will report, where no upstream can count: o200k tokens of all text
 * and declarations, weighted by the vendor's table. For planning and labeled as an estimate in every response;
 * nothing is charged by it.
 */

import type { UpstreamFormatName } from '../wire/format-names.ts'
import { upstreamFormats } from '../wire/formats.ts'
import { isRecord, parsed } from '../wire/json/parsed.ts'
import type { Conversation, ConversationPart, ConversationTurn, Tool } from '../wire/translation/neutral.ts'
import type { Count, Counter } from './count.ts'
import { mediaTokens } from './media.ts'
import { otherWeights, type Weights, weightsTable } from './weights-table.ts'

/** The model and format that the conversation would be sent to. */
export interface EstimateTarget {
  /** The model as its provider calls it. */
  readonly model: string
  readonly format: UpstreamFormatName
}

/** The text to count in a conversation, and the tokens known without counting. */
export interface InputLoad {
  readonly texts: readonly CountedText[]
  /** Tokens known without counting. */
  readonly fixed: number
}

interface CountedText {
  readonly text: string | Uint8Array
  /** Line breaks that join the pieces; no vendor counts them. */
  readonly breaks: number
  readonly weight: number
}

/** Pure; `estimateInput` counts it. */
export function inputLoad(conversation: Conversation, target: EstimateTarget): InputLoad {
  const weights = weightsOf(target.model)
  const load = loadOf(conversation, weights)
  if (conversation.tools.length > 0 && upstreamFormats[target.format].hasToolPrompt)
    load.fixed += weights.chatToolPrompt
  const texts = [
    countedText(load.texts, weights.text),
    countedText(load.declared, weights.declaration),
    countedText(load.format, weights.format),
  ].filter(({ text }) => text !== '')
  return { texts, fixed: load.digits * weights.text + load.fixed }
}

/** Joins texts, since the counter takes less time for one than for many. The line break between them is usually one token. */
function countedText(pieces: readonly string[], weight: number): CountedText {
  return { text: pieces.join('\n'), breaks: Math.max(0, pieces.length - 1), weight }
}

/** Tokens of input; `bounded` where the text is too long or the time too short to count all of it. */
export async function estimateInput(
  counter: Pick<Counter, 'bound'>,
  { texts, fixed }: InputLoad,
  account: bigint,
): Promise<Count> {
  const counts = await Promise.all(
    texts.map(({ text }) => counter.bound({ text, account, tokensMax: Number.MAX_SAFE_INTEGER })),
  )
  let tokens = fixed
  for (const [index, { breaks, weight }] of texts.entries())
    tokens += Math.max(0, (counts[index]?.tokens ?? 0) - breaks) * weight
  const isCounted = counts.every(({ source }) => source === 'counted')
  return { tokens: Math.ceil(tokens), source: isCounted ? 'counted' : 'bounded' }
}

/** The row that matches the model, else the row for o200k. */
function weightsOf(upstreamModel: string): Weights {
  return weightsTable.find(({ models }) => models.test(upstreamModel)) ?? otherWeights
}

/** The text to count, and the tokens known without counting. */
interface Load {
  readonly texts: string[]
  readonly declared: string[]
  readonly format: string[]
  /** Tokens for digits beyond those that o200k has for them. */
  digits: number
  fixed: number
}

function loadOf(conversation: Conversation, weights: Weights): Load {
  const load: Load = { texts: [], declared: [], format: [], digits: 0, fixed: weights.perRequest }
  const lastUserTurn = conversation.turns.findLastIndex(isUsersWord)
  for (const [index, turn] of conversation.turns.entries()) {
    if (turn.parts.some(isSpoken)) load.fixed += weights.perTurn
    const thinks = weights.keepsThoughts || index > lastUserTurn
    for (const part of turn.parts) addPart(load, part, { weights, thinks })
  }
  addTools(load, conversation, weights)
  const { format, reasoning } = conversation
  if (format?.kind === 'schema') {
    load.format.push(compact(format.schema.text))
    load.fixed += weights.formatPrompt
  }
  if ((reasoning.budget ?? 0) > 0) load.fixed += weights.thinkingPrompt
  if (weights.digitsApart)
    load.digits = [...load.texts, ...load.declared].reduce((sum, text) => sum + looseDigits(text), 0)
  return load
}

const isSpoken = ({ kind }: ConversationPart): boolean =>
  kind === 'text' || kind === 'media' || kind === 'refusal'

/** A user message, not a tool result: reasoning before it no longer counts. */
const isUsersWord = ({ role, parts }: ConversationTurn): boolean => role === 'user' && parts.some(isSpoken)

interface WeighInput {
  readonly weights: Weights
  /** Whether reasoning of this turn still counts. */
  readonly thinks: boolean
}

function addPart(load: Load, part: ConversationPart, { weights, thinks }: WeighInput): void {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      load.texts.push(part.text)
      return
    case 'media':
      if (part.source.kind === 'text') load.texts.push(part.source.text)
      load.fixed += mediaTokens(part, weights)
      return
    case 'thinking':
      if (!thinks) return
      if (part.text !== '') load.texts.push(part.text)
      else load.fixed += (part.encrypted?.data.length ?? 0) * weights.encryptedCharacter
      return
    case 'call':
      load.texts.push(part.name, part.form === 'json' ? compact(part.input) : part.input)
      load.fixed += weights.perCall
      if (thinks) load.fixed += (part.encrypted?.data.length ?? 0) * weights.encryptedCharacter
      return
    case 'result':
      load.fixed += weights.perResult
      if (part.name !== null) load.texts.push(part.name)
      if (part.json !== null) load.texts.push(compact(part.json))
      for (const inner of part.content) addPart(load, inner, { weights, thinks })
      return
    case 'other':
      return
  }
}

function addTools(load: Load, { tools, toolChoice }: Conversation, weights: Weights): void {
  if (tools.length === 0) return
  load.fixed += weights.toolPrompt + tools.length * weights.perTool
  const isForced = toolChoice !== null && toolChoice.kind !== 'auto' && toolChoice.kind !== 'none'
  if (isForced && !(toolChoice.kind === 'some' && !toolChoice.required)) load.fixed += weights.forcedPrompt
  for (const tool of tools) addTool(load, tool, weights)
}

function addTool(load: Load, tool: Tool, weights: Weights): void {
  load.declared.push(tool.name)
  if (tool.description !== null && tool.description !== '') {
    load.declared.push(tool.description)
    load.fixed += weights.perDescription
  }
  if (tool.format !== null) load.declared.push(tool.format.text)
  if (tool.schema === null) return
  if (weights.declared === 'json') load.declared.push(compact(tool.schema.text))
  else load.fixed += weights.perNode * addWords(load.declared, parsed(tool.schema.text))
}

/** Members whose value holds schemas by name, and those whose value is a schema or a list of schemas. */
const named = ['properties', 'patternProperties', '$defs', 'definitions'] as const
const nested = ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf', 'not', 'additionalProperties'] as const

/** Adds a schema's names, descriptions and values; returns how many schemas it contains. */
function addWords(words: string[], schema: unknown): number {
  if (Array.isArray(schema)) return schema.reduce<number>((sum, inner) => sum + 1 + addWords(words, inner), 0)
  if (!isRecord(schema)) return 0
  if (typeof schema.description === 'string') words.push(schema.description)
  if (Array.isArray(schema.enum)) for (const word of schema.enum) words.push(String(word))
  let nodes = 0
  for (const member of named) {
    const schemas = schema[member]
    if (!isRecord(schemas)) continue
    for (const [name, inner] of Object.entries(schemas)) {
      words.push(name)
      nodes += 1 + addWords(words, inner)
    }
  }
  for (const member of nested) {
    const inner = schema[member]
    if (Array.isArray(inner)) nodes += addWords(words, inner)
    else if (isRecord(inner)) nodes += 1 + addWords(words, inner)
  }
  return nodes
}

/** Without whitespace between values, which vendors drop. */
function compact(json: string): string {
  const value = parsed(json)
  return value === undefined ? json : JSON.stringify(value)
}

/** o200k takes up to three digits as one token. */
function looseDigits(text: string): number {
  let loose = 0
  for (let at = 0, run = 0; at <= text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code >= 0x30 && code <= 0x39) run += 1
    else {
      loose += run - Math.ceil(run / 3)
      run = 0
    }
  }
  return loose
}
