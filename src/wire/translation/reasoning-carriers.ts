/**
 * Carries one vendor's opaque values through formats that have no field for them, without storing state:
 * in the ID of a tool call (`<id>_tg1_<payload>`), or as a tagged text where a format has its own opaque
 * field (`tg1.<vendor>.<payload>`). Both end with a check, so that a truncated carrier is detected.
 * Must not let a carrier reach an upstream: IDs are sent short, and equal in call and result.
 */
import { shortHash, textHash } from './hash.ts'
import type { ConversationPart, EncryptedReasoning, ThinkingPart, Vendor } from './neutral.ts'

/** A marked id is never longer; a signature that does not fit is not carried. */
export const carrierIdCharactersMax = 65_536
/** Reasoning, which is optional in a conversation, makes no ID longer than this. */
export const thoughtIdCharactersMax = 8_192
/** Ids that we hand out, without their mark. */
export const plainIdCharactersMax = 32

const carrierSeparator = '_tg1_'
/** The payload is a JSON array, and base64 of `[` begins so: an id that only has the mark's letters is left alone. */
const carrierStart = `${carrierSeparator}W`
const tagPrefix = 'tg1.'
/** How base64 of a tagged text begins. */
export const base64TagPrefix = 'dGcxL'
const checkCharacters = 4
const vendors: readonly Vendor[] = ['anthropic', 'openai', 'google']

/** Reasoning carried in a tool call's id: the call's own signature, and the thoughts before it. */
export interface ReasoningCarrier {
  readonly encrypted: EncryptedReasoning | null
  readonly thoughts: readonly ThinkingPart[]
}

export interface ReadId {
  /** The id without our mark. */
  readonly id: string
  /** null: there was none, or it came back damaged. */
  readonly carrier: ReasoningCarrier | null
}

/**
 * `id` with the mark in it; the plain id where the mark is empty. Where it is too large the thoughts are
 * left out, and where the call's own encrypted value is too large, all of it.
 */
export function carrierId(id: string, carrier: ReasoningCarrier): string {
  if (carrier.encrypted === null && carrier.thoughts.length === 0) return id
  const payload = base64UrlOf(JSON.stringify(packed(carrier)))
  const marked = `${id}${carrierSeparator}${payload}${checkOf(payload)}`
  const charactersMax = carrier.thoughts.length === 0 ? carrierIdCharactersMax : thoughtIdCharactersMax
  if (marked.length <= charactersMax) return marked
  return carrier.thoughts.length === 0 ? id : carrierId(id, { ...carrier, thoughts: [] })
}

/**
 * Parses an ID; never throws, whatever a client made of it. A damaged carrier is cut off as well,
 * so that a call and its result still have one ID.
 */
export function readId(text: string): ReadId {
  const first = carrierAt(text, text.indexOf(carrierStart))
  if (first === null) return { id: text, carrier: null }
  if (first.carrier !== null) return first
  // An id may hold what looks like a mark, and be marked once more: ours is the last one then.
  const last = carrierAt(text, text.lastIndexOf(carrierStart))
  return last?.carrier == null ? first : last
}

function carrierAt(text: string, at: number): ReadId | null {
  if (at === -1) return null
  const id = text.slice(0, at)
  // None of ours is longer, and reading it would only cost.
  if (text.length > carrierIdCharactersMax) return { id, carrier: null }
  const value = checkedText(text.slice(at + carrierSeparator.length))
  return { id, carrier: value === null ? null : unpacked(value) }
}

/**
 * The id as an upstream gets it: as it is where it has only letters, digits, `_` and `-` and is no longer
 * than `charactersMax`; else a short one that is made of it, always the same.
 */
export function plainId(id: string, charactersMax: number): string {
  const { id: bare } = readId(id)
  return bare.length > 0 && bare.length <= charactersMax && /^[\w-]+$/.test(bare)
    ? bare
    : `call_${textHash(bare)}`
}

/**
 * Thoughts of a mark that the client did not also send itself, which would be among `parts` since the last call.
 * Both lists are the client's, so that comparing each with each would cost too much.
 */
export function missingThoughts(
  parts: readonly ConversationPart[],
  thoughts: readonly ThinkingPart[],
): readonly ThinkingPart[] {
  if (thoughts.length === 0) return thoughts
  const there = new Set<string>()
  for (let at = parts.length - 1; at >= 0; at -= 1) {
    const part = parts[at]
    if (part === undefined || part.kind === 'call') break
    if (part.kind === 'thinking') there.add(keyOf(part))
  }
  return thoughts.filter((thought) => !there.has(keyOf(thought)))
}

function keyOf({ text, encrypted }: ThinkingPart): string {
  return JSON.stringify([text, encrypted?.vendor, encrypted?.data])
}

/** The opaque value of a vendor, for the opaque field of another format. */
export function tagged(encrypted: EncryptedReasoning): string {
  const payload = base64UrlOf(encrypted.data)
  return `${tagPrefix}${encrypted.vendor}.${payload}${checkOf(payload)}`
}

/** The same where the field must be base64 (Gemini). */
export function taggedBase64(encrypted: EncryptedReasoning): string {
  return btoa(tagged(encrypted))
}

/** `plain`: not ours, so the field's own vendor wrote it. `broken`: ours, and damaged. */
export type ReadTag =
  | { readonly kind: 'plain' | 'broken' }
  | { readonly kind: 'encrypted'; readonly encrypted: EncryptedReasoning }

const plain: ReadTag = { kind: 'plain' }
const broken: ReadTag = { kind: 'broken' }

export function readTag(text: string): ReadTag {
  if (!text.startsWith(tagPrefix)) return plain
  const rest = text.slice(tagPrefix.length)
  const vendor = vendors.find((name) => rest.startsWith(`${name}.`))
  if (vendor === undefined) return broken
  const value = checkedText(rest.slice(vendor.length + 1))
  return value === null ? broken : { kind: 'encrypted', encrypted: { vendor, data: value } }
}

export function readTagBase64(text: string): ReadTag {
  if (!text.startsWith(base64TagPrefix)) return plain
  try {
    return readTag(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return broken
  }
}

/** Written into the opaque field of a thought without encrypted content, so that it is not taken for a value of the field's own vendor. */
export const unencrypted: EncryptedReasoning = { vendor: 'openai', data: '-' }

export function isUnencrypted({ vendor, data }: EncryptedReasoning): boolean {
  return vendor === unencrypted.vendor && data === unencrypted.data
}

/** Both other carriers have it, and ordinary text has few. */
export const carrierDigit = 0x31

/** Whether the digit at `at` may be that of a carrier. */
export function mayEndCarrierStart(body: Uint8Array, at: number): boolean {
  return body[at - 1] === 0x67 && body[at - 2] === 0x74
}

/** Matches any carrier in one search, which is faster than one search for each. */
const anyCarrier = new RegExp([carrierSeparator, tagPrefix, base64TagPrefix].join('|').replaceAll('.', '\\.'))
const searchDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** The size of the pieces that are decoded, and their overlap, since a carrier may cross a boundary. */
const searchBytes = 64 * 1_024
const borderBytes = 8

/** Whether a carrier of ours may be anywhere in a body; false is certain. */
export function mayHoldCarrier(body: Uint8Array): boolean {
  for (let at = 0; at < body.length; at += searchBytes) {
    // Bytes of a character that is cut there are no letters of a mark.
    if (anyCarrier.test(searchDecoder.decode(body.subarray(at, at + searchBytes + borderBytes)))) return true
  }
  return false
}

type PackedEncrypted = readonly [vendor: number, data: string]
type PackedThought = readonly [encrypted: PackedEncrypted | null, text: string, redacted: 0 | 1]
type Packed = readonly [encrypted: PackedEncrypted | null, thoughts: readonly PackedThought[]]

function packed({ encrypted, thoughts }: ReasoningCarrier): Packed {
  return [
    packedEncrypted(encrypted),
    thoughts.map((thought) => [packedEncrypted(thought.encrypted), thought.text, thought.redacted ? 1 : 0]),
  ]
}

function packedEncrypted(encrypted: EncryptedReasoning | null): PackedEncrypted | null {
  return encrypted === null ? null : [vendors.indexOf(encrypted.vendor), encrypted.data]
}

/** The check value is not secret and can be forged, so the form is validated too. */
function unpacked(text: string): ReasoningCarrier | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (!Array.isArray(value) || !Array.isArray(value[1])) return null
  const thoughts: ThinkingPart[] = []
  for (const thought of value[1] as unknown[]) {
    if (!Array.isArray(thought) || typeof thought[1] !== 'string') return null
    const encrypted = unpackedEncrypted(thought[0])
    const redacted = thought[2] === 1
    if (redacted && encrypted === null) return null
    thoughts.push({ kind: 'thinking', text: thought[1], redacted, encrypted })
  }
  return { encrypted: unpackedEncrypted(value[0]), thoughts }
}

function unpackedEncrypted(value: unknown): EncryptedReasoning | null {
  if (!Array.isArray(value) || typeof value[0] !== 'number' || typeof value[1] !== 'string') return null
  const vendor = vendors[value[0]]
  return vendor === undefined ? null : { vendor, data: value[1] }
}

function checkOf(payload: string): string {
  return shortHash(payload).slice(0, checkCharacters)
}

function checkedText(text: string): string | null {
  const payload = text.slice(0, -checkCharacters)
  if (payload === '' || checkOf(payload) !== text.slice(-checkCharacters)) return null
  try {
    const binary = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = new Uint8Array(binary.length)
    for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at)
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** Bytes per call of `String.fromCharCode`. */
const pieceBytes = 4_096

function base64UrlOf(text: string): string {
  const bytes = encoder.encode(text)
  let binary = ''
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    binary += String.fromCharCode(...bytes.subarray(at, at + pieceBytes))
  }
  return btoa(binary)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '')
}
