/**
 * Turns → Gemini contents: results directly after their calls, in the order of the calls and in a separate
 * content; Google's signatures on their parts, reasoning of other vendors omitted. No earlier
 * output changes because of later input.
 */

import { isRecord, parsed } from '../json/parsed.ts'
import { type JsonOut, RawJson } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type {
  Adjustment,
  CallPart,
  ConversationPart,
  ConversationTurn,
  MediaPart,
  ResultPart,
  ThinkingPart,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { plainId } from '../translation/reasoning-carriers.ts'
import type { NamedTools } from '../translation/tool-names.ts'
import { endOfUser, isEmptyMessage, joinedTurns, reminder } from '../translation/turns.ts'
import { argsOf, mediaPart } from './encode-request-parts.ts'
import { isOwn, standIn } from './encrypted-reasoning.ts'

const idCharactersMax = 64
const noParts: readonly JsonOut[] = []
/** A user who says nothing, as the API was seen to take it. */
const silence: JsonOut = { text: '' }

interface AnsweredCall {
  readonly call: CallPart
  readonly result: ResultPart
}

interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly JsonOut[]
}

/** Writes the turns behind the leading instructions. */
export class ContentWriter {
  readonly adjusted: Adjustment[] = []
  private readonly capabilities: Capabilities
  private readonly names: NamedTools
  private readonly contents: Content[] = []
  /** The calls of the last step that wait for their results. */
  private open: CallPart[] = []

  constructor(capabilities: Capabilities, names: NamedTools) {
    this.capabilities = capabilities
    this.names = names
  }

  write(turns: readonly ConversationTurn[]): readonly JsonOut[] {
    const joined = joinedTurns(turns)
    for (let at = 0; at < joined.length; ) {
      const end = endOfUser(joined, at)
      if (end === at) {
        this.writeModel(joined[at]!)
        at += 1
      } else {
        this.writeUser(joined.slice(at, end))
        at = end
      }
    }
    this.answered([])
    // The format demands a content, and a call only behind the user's turn: elsewhere instructions are enough.
    if (this.contents[0]?.role !== 'user') this.contents.unshift({ role: 'user', parts: [silence] })
    return this.contents.map(({ role, parts }) => ({ role, parts }))
  }

  private add(role: Content['role'], parts: readonly JsonOut[]): void {
    if (parts.length > 0) this.contents.push({ role, parts })
  }

  private writeModel({ parts }: ConversationTurn): void {
    this.add(
      'model',
      parts.flatMap((part) => this.modelPart(part)),
    )
  }

  private modelPart(part: ConversationPart): readonly JsonOut[] {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        return part.text === '' ? noParts : [{ text: part.text }]
      case 'thinking':
        return thoughtPart(part)
      case 'call':
        return [this.callPart(part)]
      case 'media':
        return [mediaPart(part, this.capabilities)]
      default:
        return this.dropped(part)
    }
  }

  private callPart(call: CallPart): JsonOut {
    // The first call of a step must be signed. It gets the placeholder signature in every step and not only in the current turn,
    // for which it is required: a later turn would otherwise change what was sent before it.
    const isFirst = this.open.length === 0
    const own = isOwn(call.encrypted) ? call.encrypted.data : undefined
    const needsStandIn = own === undefined && isFirst && this.capabilities.signedCalls
    const thoughtSignature = needsStandIn ? standIn : own
    if (needsStandIn)
      this.adjusted.push({ kind: 'adapted', field: call.pointer, why: 'not signed by Google' })
    this.open.push(call)
    const functionCall = {
      id: plainId(call.id, idCharactersMax),
      name: this.names.name(call.name, call.namespace, call.form === 'text'),
      args: argsOf(call.input, call.form),
    }
    return { functionCall, ...(thoughtSignature === undefined ? {} : { thoughtSignature }) }
  }

  /** Turns between two of the model's: results first, then everything else in its order. */
  private writeUser(turns: readonly ConversationTurn[]): void {
    const results: ResultPart[] = []
    const parts: JsonOut[] = []
    for (const turn of turns) {
      for (const part of turn.parts) {
        if (part.kind === 'result') results.push(part)
        else parts.push(...this.userPart(part, turn.role))
      }
    }
    const answered = this.answered(results)
    this.add(
      'user',
      answered.map(({ call, result }) => this.responsePart(call, result)),
    )
    const shown = [...answered.flatMap(({ result }) => this.mediaBehind(result)), ...parts]
    const isEmpty =
      turns.some((turn) => turn.role === 'user') && turns.every((turn) => isEmptyMessage(turn.parts))
    this.add('user', shown.length === 0 && isEmpty ? [silence] : shown)
  }

  /** Each call with its result, in the order of the calls; of results with one id each answers one call. */
  private answered(results: readonly ResultPart[]): readonly AnsweredCall[] {
    const byCall = Map.groupBy(results, ({ callId }) => callId)
    const used = new Map<string, number>()
    const answered = this.open.map((call) => {
      const count = used.get(call.id) ?? 0
      used.set(call.id, count + 1)
      const result = byCall.get(call.id)?.[count]
      if (result === undefined)
        throw untranslatable(call.pointer, 'a tool call must be followed by its result')
      return { call, result }
    })
    this.open = []
    for (const [callId, all] of byCall) {
      const orphan = all[used.get(callId) ?? 0]
      if (orphan !== undefined) throw untranslatable(orphan.pointer, 'no earlier tool call matches it')
    }
    return answered
  }

  private responsePart(call: CallPart, result: ResultPart): JsonOut {
    const media = this.capabilities.resultMedia ? mediaIn(result) : []
    const parts = media.map((part) => mediaPart(part, this.capabilities))
    return {
      functionResponse: {
        id: plainId(call.id, idCharactersMax),
        name: this.names.name(call.name, call.namespace, call.form === 'text'),
        response: responseOf(result),
        ...(parts.length === 0 ? {} : { parts }),
      },
    }
  }

  /** Models that take no media inside a result get them behind it. */
  private mediaBehind(result: ResultPart): readonly JsonOut[] {
    const media = mediaIn(result)
    if (this.capabilities.resultMedia || media.length === 0) return noParts
    const intro = `[media returned by tool call ${plainId(result.callId, idCharactersMax)}]`
    return [{ text: intro }, ...media.map((part) => mediaPart(part, this.capabilities))]
  }

  private userPart(
    part: Exclude<ConversationPart, ResultPart>,
    role: ConversationTurn['role'],
  ): readonly JsonOut[] {
    switch (part.kind) {
      case 'text':
      case 'refusal':
        if (part.text === '') return noParts
        return [{ text: role === 'system' ? reminder(part.text) : part.text }]
      case 'media':
        return [mediaPart(part, this.capabilities)]
      case 'thinking':
        return noParts
      default:
        return this.dropped(part)
    }
  }

  private dropped(part: ConversationPart): readonly JsonOut[] {
    const field = 'pointer' in part ? part.pointer : part.kind
    this.adjusted.push({ kind: 'dropped', field, why: 'supported in its own format only' })
    return noParts
  }
}

/** Only Google's own thoughts mean anything here; others' are left out, as their vendors would leave these out. */
function thoughtPart({ text, encrypted }: ThinkingPart): readonly JsonOut[] {
  return isOwn(encrypted) && text !== ''
    ? [{ text, thought: true, thoughtSignature: encrypted.data }]
    : noParts
}

function mediaIn(result: ResultPart): readonly MediaPart[] {
  return result.content.filter(
    (part): part is MediaPart => part.kind === 'media' && part.source.kind !== 'text',
  )
}

/** The two members that the format documents, or the caller's own object as it is written. */
function responseOf(result: ResultPart): JsonOut {
  if (result.json !== null && isRecord(parsed(result.json))) return new RawJson(result.json)
  const texts = result.content.flatMap((part) => {
    if (part.kind === 'text') return [part.text]
    return part.source.kind === 'text' ? [part.source.text] : []
  })
  const text = [...(result.json === null ? [] : [result.json]), ...texts].join('\n')
  return result.isError ? { error: text } : { output: text }
}
