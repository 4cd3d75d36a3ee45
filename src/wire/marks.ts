/**
 * Carries one maker's opaque values through formats that have no place for them, without keeping state:
 * in the id of a tool call (`<id>_tg1_<payload>`), or as a tagged text where a format has an opaque field
 * of its own (`tg1.<maker>.<payload>`). Both end with a check, so that a mark that a client cut is noticed.
 * Must not let a mark reach an upstream: ids go out short, and alike in call and result.
 */
import { shortHash, textHash } from './hash.ts'
import type { Maker, Seal, ThinkingPart } from './neutral.ts'

/** A marked id is never longer; a signature that does not fit is not carried. */
export const markedIdCharactersMax = 65_536
/** Thoughts, which a conversation can go on without, make no id longer than this. */
export const thoughtIdCharactersMax = 8_192
/** Ids that we hand out, without their mark. */
export const shortIdCharactersMax = 32

const idMark = '_tg1_'
/** The payload is a JSON array, and base64 of `[` begins so: an id that only has the mark's letters is left alone. */
const payloadMark = `${idMark}W`
const tagMark = 'tg1.'
/** How base64 of a tagged text begins. */
const base64TagMark = 'dGcxL'
const checkCharacters = 4
const makers: readonly Maker[] = ['anthropic', 'openai', 'google']

/** What one tool call carries round: its own signature, and the thoughts before it. */
export interface Mark {
  readonly seal: Seal | null
  readonly thoughts: readonly ThinkingPart[]
}

export interface ReadId {
  /** The id without our mark. */
  readonly id: string
  /** null: there was none, or it came back damaged. */
  readonly mark: Mark | null
}

/**
 * `id` with the mark in it; the plain id where the mark is empty. Where it is too large the thoughts are
 * left out, and where the call's own seal is too large, all of it.
 */
export function markedId(id: string, mark: Mark): string {
  if (mark.seal === null && mark.thoughts.length === 0) return id
  const payload = base64UrlOf(JSON.stringify(packed(mark)))
  const marked = `${id}${idMark}${payload}${checkOf(payload)}`
  const charactersMax = mark.thoughts.length === 0 ? markedIdCharactersMax : thoughtIdCharactersMax
  if (marked.length <= charactersMax) return marked
  return mark.thoughts.length === 0 ? id : markedId(id, { ...mark, thoughts: [] })
}

/**
 * Takes an id apart; never throws, whatever a client made of it. A damaged mark is cut off all the same,
 * so that a call and its result still have one id.
 */
export function readId(text: string): ReadId {
  const first = markAt(text, text.indexOf(payloadMark))
  if (first === null) return { id: text, mark: null }
  if (first.mark !== null) return first
  // An id may hold what looks like a mark, and be marked once more: ours is the last one then.
  const last = markAt(text, text.lastIndexOf(payloadMark))
  return last?.mark == null ? first : last
}

function markAt(text: string, at: number): ReadId | null {
  if (at === -1) return null
  const id = text.slice(0, at)
  // None of ours is longer, and reading it would only cost.
  if (text.length > markedIdCharactersMax) return { id, mark: null }
  const value = checkedText(text.slice(at + idMark.length))
  return { id, mark: value === null ? null : unpacked(value) }
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

/** The opaque value of a maker, for the opaque field of another format. */
export function tagged(seal: Seal): string {
  const payload = base64UrlOf(seal.data)
  return `${tagMark}${seal.maker}.${payload}${checkOf(payload)}`
}

/** The same where the field must be base64 (Gemini). */
export function taggedBase64(seal: Seal): string {
  return btoa(tagged(seal))
}

/** `plain`: not ours, so the field's own maker wrote it. `broken`: ours, and damaged. */
export type ReadTag = { readonly kind: 'plain' | 'broken' } | { readonly kind: 'seal'; readonly seal: Seal }

const plain: ReadTag = { kind: 'plain' }
const broken: ReadTag = { kind: 'broken' }

export function readTag(text: string): ReadTag {
  if (!text.startsWith(tagMark)) return plain
  const rest = text.slice(tagMark.length)
  const maker = makers.find((name) => rest.startsWith(`${name}.`))
  if (maker === undefined) return broken
  const value = checkedText(rest.slice(maker.length + 1))
  return value === null ? broken : { kind: 'seal', seal: { maker, data: value } }
}

export function readTagBase64(text: string): ReadTag {
  if (!text.startsWith(base64TagMark)) return plain
  try {
    return readTag(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return broken
  }
}

/** Stands in an opaque field beside a thought that nobody sealed, so that it is taken for no value of the field's own maker. */
export const unsealed: Seal = { maker: 'openai', data: '-' }

export function isUnsealed({ maker, data }: Seal): boolean {
  return maker === unsealed.maker && data === unsealed.data
}

/**
 * Google signs texts as well; elsewhere such a signature is a thought that says nothing beside its text. Where
 * the text stands is a first letter that base64 does not have; without one it is no text's signature.
 */
const places = { before: '^', behind: '>' } as const
export type SignedPlace = keyof typeof places

/** The signature of the text that stands `before` it, or `behind` it. */
export function signatureOfText({ maker, data }: Seal, place: SignedPlace): Seal {
  return { maker, data: `${places[place]}${data}` }
}

/** Where the text stands that was signed; null: it was no text. */
export function signedPlace({ data }: Seal): SignedPlace | null {
  if (data.startsWith(places.before)) return 'before'
  return data.startsWith(places.behind) ? 'behind' : null
}

/** One search for all of them: it skips letters that none of them has, which looking for each in turn does not. */
const anyMark = new RegExp([idMark, tagMark, base64TagMark].join('|').replaceAll('.', '\\.'))
const searchDecoder = new TextDecoder('utf-8', { ignoreBOM: true })
/** So much of a body becomes text at once, and so much of it again, since a mark may stand across the border. */
const searchBytes = 64 * 1_024
const borderBytes = 8

/** Whether a mark of ours may stand anywhere in a body; false is certain. */
export function mayHoldMark(body: Uint8Array): boolean {
  for (let at = 0; at < body.length; at += searchBytes) {
    // Bytes of a character that is cut there are no letters of a mark.
    if (anyMark.test(searchDecoder.decode(body.subarray(at, at + searchBytes + borderBytes)))) return true
  }
  return false
}

type PackedSeal = readonly [maker: number, data: string]
type PackedThought = readonly [seal: PackedSeal | null, text: string, redacted: 0 | 1]
type Packed = readonly [seal: PackedSeal | null, thoughts: readonly PackedThought[]]

function packed({ seal, thoughts }: Mark): Packed {
  return [
    packedSeal(seal),
    thoughts.map((thought) => [packedSeal(thought.seal), thought.text, thought.redacted ? 1 : 0]),
  ]
}

function packedSeal(seal: Seal | null): PackedSeal | null {
  return seal === null ? null : [makers.indexOf(seal.maker), seal.data]
}

/** The check says that we wrote it or that somebody took the trouble to; so its form is looked at all the same. */
function unpacked(text: string): Mark | null {
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
    const seal = unpackedSeal(thought[0])
    const redacted = thought[2] === 1
    if (redacted && seal === null) return null
    thoughts.push({ kind: 'thinking', text: thought[1], redacted, seal })
  }
  return { seal: unpackedSeal(value[0]), thoughts }
}

function unpackedSeal(value: unknown): Seal | null {
  if (!Array.isArray(value) || typeof value[0] !== 'number' || typeof value[1] !== 'string') return null
  const maker = makers[value[0]]
  return maker === undefined ? null : { maker, data: value[1] }
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
/** So many bytes become arguments of one call. */
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
