/**
 * Removes our carriers from a chat body that goes upstream unchanged otherwise: IDs of calls to their short form, and the
 * fields in which we sent reasoning and signatures. Only edits, so that every other byte stays the caller's.
 * A field that another host wrote is not changed.
 */
import type { ReadLimits } from '../format.ts'
import type { BytePatch } from '../json/byte-patch.ts'
import { type Json, readJson } from '../json/json.ts'
import { memberRemovals, membersOf } from '../json/members.ts'
import { mayHoldCarrier, plainId, readId, readTag, readTagBase64 } from '../translation/reasoning-carriers.ts'
import { callIdCharactersMax } from './encode-request-messages.ts'

const noEdits: readonly BytePatch[] = []
/** Fields that we add to a message that has a reasoning carrier. */
export const ownFields: readonly string[] = ['reasoning_details', 'reasoning_content']

/** See `UpstreamCodec.stripCarriers`. */
export function stripCarriers(body: Uint8Array, limits: ReadLimits): readonly BytePatch[] {
  if (!mayHoldCarrier(body)) return noEdits
  return readJson(body, limits, (json) => {
    const messages = json.find(['messages'])
    if (messages === -1 || json.kind(messages) !== 'array') return noEdits
    const cut = new ChatCarrierStripper(json)
    for (const message of json.children(messages)) cut.message(message)
    return cut.edits.sort((a, b) => a.start - b.start)
  })
}

/** Changes to messages for a host, besides removing carriers. */
export interface MessageChanges {
  /** Members of messages that go. */
  readonly drops: readonly string[]
  /** An id of a tool call as the host takes it. */
  toolId(id: string): string
}

export class ChatCarrierStripper {
  readonly edits: BytePatch[] = []
  /** The members among `drops` that messages had. */
  readonly dropped = new Set<string>()
  private readonly json: Json
  private readonly changes: MessageChanges | null

  constructor(json: Json, changes: MessageChanges | null = null) {
    this.json = json
    this.changes = changes
  }

  /** Whether the message has a carrier of ours. */
  message(message: number): boolean {
    const { json } = this
    if (json.kind(message) !== 'object') return false
    const members = membersOf(json, message)
    this.id(members.get('tool_call_id'))
    const calls = this.elements(members.get('tool_calls'))
    let isOurs = this.elements(members.get('reasoning_details')).some((detail) => this.isTagged(detail))
    for (const call of calls) if (this.call(call)) isOurs = true
    const drops = this.changes?.drops ?? []
    for (const name of drops) if (members.has(name)) this.dropped.add(name)
    if (isOurs || drops.length > 0) this.remove(message, isOurs ? [...ownFields, ...drops] : drops)
    return isOurs
  }

  /** Whether the call has a mark of ours. */
  private call(call: number): boolean {
    const { json } = this
    if (json.kind(call) !== 'object') return false
    const members = membersOf(json, call)
    const isMarked = this.id(members.get('id'))
    const extra = members.get('extra_content')
    const google = extra === undefined ? undefined : membersOf(json, extra).get('google')
    const signature = google === undefined ? undefined : membersOf(json, google).get('thought_signature')
    const isTagged =
      signature !== undefined &&
      json.isString(signature) &&
      readTagBase64(json.text(signature)).kind !== 'plain'
    if (isMarked || isTagged) this.remove(call, ['extra_content'])
    return isMarked || isTagged
  }

  private id(value: number | undefined): boolean {
    if (value === undefined || !this.json.isString(value)) return false
    const text = this.json.text(value)
    const isMarked = readId(text).id !== text
    const plain = isMarked ? plainId(text, callIdCharactersMax) : text
    const written = this.changes?.toolId(plain) ?? plain
    const { start, end } = this.json.span(value)
    if (written !== text) this.edits.push({ start, end, text: JSON.stringify(written) })
    return isMarked
  }

  private isTagged(detail: number): boolean {
    const members = membersOf(this.json, detail)
    return ['signature', 'data'].some((name) => {
      const value = members.get(name)
      return (
        value !== undefined && this.json.isString(value) && readTag(this.json.text(value)).kind !== 'plain'
      )
    })
  }

  private elements(value: number | undefined): readonly number[] {
    return value !== undefined && this.json.kind(value) === 'array' ? this.json.children(value) : []
  }

  /** Removes members, each with one comma. */
  remove(object: number, names: readonly string[]): void {
    this.edits.push(...memberRemovals(this.json, object, names))
  }
}
