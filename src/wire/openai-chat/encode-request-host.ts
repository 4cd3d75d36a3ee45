/**
 * A chat body as its host accepts it, where that host differs from the vendor of the format: patches of the bytes, made
 * from the data of the provider's row. It knows no host, and what a row does not name stays as it was written.
 */
import type { ReadLimits } from '../format.ts'
import type { AdaptedRequest, RequestDifferences } from '../host-differences.ts'
import { type Json, readJson } from '../json/json.ts'
import { membersOf } from '../json/members.ts'
import { textHash } from '../translation/hash.ts'
import type { Adjustment } from '../translation/neutral.ts'
import { plainId } from '../translation/reasoning-carriers.ts'
import { sentLimit } from './extract-request.ts'
import { ChatCarrierStripper, ownFields } from './strip-carriers.ts'

const limitNames = ['max_completion_tokens', 'max_tokens'] as const
/** The member that requests usage in a stream. Dropping it is safe: every stream is asked for usage or reports it. */
const usageMember = 'stream_options'
const effortMember = 'reasoning_effort'

/** Carriers of ours are taken out as well: both change the same messages. */
export function adaptRequest(
  body: Uint8Array,
  limits: ReadLimits,
  differences: RequestDifferences,
): AdaptedRequest {
  return readJson(body, limits, (json) => {
    if (json.kind(json.root) !== 'object') return { patches: [], adjusted: [] }
    const adapting = new HostAdapter(json, differences)
    adapting.body()
    adapting.messages()
    // Insertions come before removals at the same position.
    const patches = adapting.edits.sort((a, b) => a.start - b.start || a.end - b.end)
    return { patches, adjusted: adapting.adjusted }
  })
}

class HostAdapter {
  readonly adjusted: Adjustment[] = []
  private hasAddedThoughts = false
  private readonly json: Json
  private readonly differences: RequestDifferences
  private readonly stripper: ChatCarrierStripper

  constructor(json: Json, differences: RequestDifferences) {
    const { toolIdLength, toolIdMax, messageDrops = [] } = differences
    this.json = json
    this.differences = differences
    this.stripper = new ChatCarrierStripper(json, {
      drops: messageDrops,
      toolId: (id) => (toolIdLength === undefined ? shortened(id, toolIdMax) : toolIdOf(id, toolIdLength)),
    })
  }

  get edits(): ChatCarrierStripper['edits'] {
    return this.stripper.edits
  }

  /** The members of the body, but for its messages. */
  body(): void {
    const { json, differences } = this
    const members = membersOf(json, json.root)
    for (const [name, text] of Object.entries(differences.adds ?? {})) {
      if (!members.has(name)) this.insert(json.start(json.root) + 1, `${JSON.stringify(name)}:${text},`)
    }
    this.stripper.remove(json.root, this.removed(members))
    const renames = { ...differences.renames, ...this.renamedLimit(members) }
    for (const [value, name] of namesOf(json)) {
      const written = renames[name]
      if (written !== undefined) {
        this.replace(value - 1, written)
        this.tell('adapted', name)
      }
      this.word(name, value)
      if (name === effortMember) this.effort(value, members)
    }
  }

  messages(): void {
    const { json, differences } = this
    const messages = json.find(['messages'])
    if (messages === -1 || json.kind(messages) !== 'array') return
    for (const message of json.children(messages)) {
      if (json.kind(message) !== 'object') continue
      const isOurs = this.stripper.message(message)
      if (differences.reasoningHistory !== undefined)
        this.history(message, isOurs, differences.reasoningHistory)
    }
    for (const name of this.stripper.dropped) this.tell('dropped', `messages[].${name}`)
    if (this.hasAddedThoughts) this.tell('adapted', `messages[].${differences.reasoningHistory?.member}`)
  }

  /** The names of members that go. */
  private removed(members: ReadonlyMap<string, number>): readonly string[] {
    const { drops = [], limitField, streamUsage } = this.differences
    const given = drops.filter((name) => members.has(name))
    for (const name of given) this.tell('dropped', name)
    const sent = limitField === undefined ? null : this.sent(members, limitField)
    const limits = limitField === undefined ? [] : limitNames.filter((name) => name !== sent)
    const { effortAs } = this.differences
    // The host's own effort member wins over `reasoning_effort`.
    const isDouble = effortAs !== undefined && members.has(effortAs.member) && members.has(effortMember)
    if (isDouble) this.tell('dropped', effortMember)
    return [
      ...given,
      ...limits,
      ...(isDouble ? [effortMember] : []),
      ...(streamUsage === 'unasked' ? [usageMember] : []),
    ]
  }

  private sent(
    members: ReadonlyMap<string, number>,
    only: NonNullable<RequestDifferences['limitField']>,
  ): string | null {
    const fields = limitNames.flatMap((name) => {
      const value = members.get(name)
      return value === undefined ? [] : [{ name, tokens: this.json.isNull(value) ? null : 1 }]
    })
    return sentLimit(fields, only)?.name ?? null
  }

  private renamedLimit(members: ReadonlyMap<string, number>): Readonly<Record<string, string>> {
    const { limitField } = this.differences
    const sent = limitField === undefined ? null : this.sent(members, limitField)
    return sent === null || limitField === undefined || sent === limitField ? {} : { [sent]: limitField }
  }

  private word(name: string, value: number): void {
    const { json } = this
    const words = this.differences.words?.[name]
    if (words === undefined || !json.isString(value)) return
    const text = json.text(value)
    const written = Object.hasOwn(words, text) ? words[text] : undefined
    if (written === undefined) return
    this.replace(value, written)
    this.tell('adapted', name)
  }

  private effort(value: number, members: ReadonlyMap<string, number>): void {
    const { effortAs } = this.differences
    if (effortAs === undefined || members.has(effortAs.member) || !this.json.isString(value)) return
    const written = this.json.equalsText(value, 'none') ? effortAs.off : effortAs.on
    if (written === undefined) return
    this.replace(value - 1, effortAs.member)
    this.edits.push({ ...this.json.span(value), text: written })
    this.tell('adapted', effortMember)
  }

  private history(
    message: number,
    isOurs: boolean,
    { member, on }: NonNullable<RequestDifferences['reasoningHistory']>,
  ): void {
    if (on === 'known') return
    const members = membersOf(this.json, message)
    const role = members.get('role')
    if (role === undefined || !this.json.equalsText(role, 'assistant')) return
    // In messages with our carriers the thoughts are another vendor's, and were taken out.
    if (members.has(member) && !(isOurs && ownFields.includes(member))) return
    if (on === 'with_tools' && !members.has('tool_calls')) return
    // A blank one is what hosts accept from clients that dropped the thought.
    this.insert(this.json.start(message) + 1, `${JSON.stringify(member)}:" ",`)
    this.hasAddedThoughts = true
  }

  private insert(at: number, text: string): void {
    this.edits.push({ start: at, end: at, text })
  }

  private replace(string: number, text: string): void {
    const { start, end } = this.json.span(string)
    this.edits.push({ start, end, text: JSON.stringify(text) })
  }

  private tell(kind: Adjustment['kind'], field: string): void {
    this.adjusted.push({ kind, field, why: 'the host uses another field' })
  }
}

/** Each member of the body: its value and its name. */
function namesOf(json: Json): readonly (readonly [value: number, name: string])[] {
  const found: (readonly [number, string])[] = []
  const end = json.next(json.root)
  for (let name = json.root + 1; name < end; name = json.next(name + 1))
    found.push([name + 1, json.text(name)])
  return found
}

function shortened(id: string, max = Number.POSITIVE_INFINITY): string {
  return id.length <= max ? id : plainId(id, max)
}

/** The same id for the same id, so that calls and their results stay together and history keeps its bytes. */
function toolIdOf(id: string, length: number): string {
  return id.length === length && /^[a-zA-Z0-9]+$/.test(id) ? id : textHash(id).slice(0, length)
}
