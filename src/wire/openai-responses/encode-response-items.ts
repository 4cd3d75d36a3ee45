/**
 * The items of a response that we write: messages, reasoning, calls, images, with their IDs. The stream and the
 * whole response make them here, so that both are equal. Must not know how they are sent.
 */
import type { JsonOut, RawJson } from '../json/text.ts'
import type { CallPart, Citation, Frame, MediaPart, ThinkingPart } from '../translation/neutral.ts'
import { carrierId, plainId, plainIdCharactersMax } from '../translation/reasoning-carriers.ts'
import { tailOf } from './encode-response-object.ts'
import { encryptedContent } from './encrypted-reasoning.ts'

type NamedCall = Pick<CallPart, 'id' | 'name' | 'namespace' | 'form' | 'encrypted'>

/** Hands out ids in the order of the items. */
export class ItemIds {
  private readonly tail: string
  private items = 0
  private calls = 0

  constructor({ requestId }: Frame) {
    this.tail = tailOf(requestId)
  }

  next(prefix: 'msg' | 'rs' | 'fc' | 'ctc' | 'ig'): string {
    this.items += 1
    return `${prefix}_${this.tail}_${this.items}`
  }

  /** The upstream's id, short and with what the call must carry back; where it gave none, ours. */
  callId(call: NamedCall): string {
    this.calls += 1
    const id = call.id === '' ? `call_${this.tail}_${this.calls}` : plainId(call.id, plainIdCharactersMax)
    return carrierId(id, { encrypted: call.encrypted, thoughts: [] })
  }
}

/** An item's status when it begins or ends. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

export function messageItem(id: string, content: readonly JsonOut[], status: ItemStatus): JsonOut {
  return { id, type: 'message', status, role: 'assistant', content }
}

export interface OutputText {
  readonly text: string
  readonly annotations: readonly JsonOut[]
  readonly logprobs: RawJson | readonly []
}

export function textContent({ text, annotations, logprobs }: OutputText): JsonOut {
  return { type: 'output_text', text, annotations, logprobs }
}

export function refusalContent(refusal: string): JsonOut {
  return { type: 'refusal', refusal }
}

/** null: what has no address is nothing that this format can point to. `at`: the end of the text that it is a source of. */
export function annotationOf({ url, title }: Citation, at: number): JsonOut | null {
  if (url === null) return null
  return { type: 'url_citation', url, title: title ?? url, start_index: 0, end_index: at }
}

export function summaryPart(text: string): JsonOut {
  return { type: 'summary_text', text }
}

/** A thought that is not whole yet has no text and no encrypted value. */
export function reasoningItem(id: string, thought: ThinkingPart | null): JsonOut {
  if (thought === null) return { id, type: 'reasoning', summary: [] }
  const summary = thought.text === '' ? [] : [summaryPart(thought.text)]
  return { id, type: 'reasoning', summary, encrypted_content: encryptedContent(thought) }
}

export interface CallItem {
  readonly id: string
  readonly callId: string
  readonly call: NamedCall
  readonly input: string
  readonly status: ItemStatus
}

export function callItem({ id, callId, call, input, status }: CallItem): JsonOut {
  const named = { call_id: callId, name: call.name, namespace: call.namespace ?? undefined }
  return call.form === 'text'
    ? { id, type: 'custom_tool_call', status, ...named, input }
    : { id, type: 'function_call', status, ...named, arguments: input }
}

/** null: media that the format has no item for. */
export function imageItem(id: string, { medium, source }: MediaPart): JsonOut | null {
  if (medium !== 'image' || source.kind !== 'base64') return null
  const format = /^image\/(\w+)/.exec(source.mediaType)?.[1] ?? 'png'
  return {
    id,
    type: 'image_generation_call',
    status: 'completed',
    result: source.data,
    output_format: format,
  }
}
