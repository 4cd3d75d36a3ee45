/**
 * The opaque values that the sandbox issues and requires back unchanged, one function for each format. Each contains
 * a check, so that a value which the sandbox did not make, or that was altered, is recognized; none is a secret.
 */
import { createHash } from 'node:crypto'

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

const thinkingPrefix = 'sandbox-thinking:'

/** Messages: under thinking that is shown as `shownText` where the conversation held `earlier` thinking blocks. */
export function signThinking(shownText: string, earlier = 0): string {
  return Buffer.concat([Buffer.from(thinkingPrefix), digestOf(`${earlier}:${shownText}`)]).toString('base64')
}

const checkBytes = 12

/** `payload` and its check, as bytes. */
function signedBytes(kind: string, payload: string): Buffer {
  const text = `sandbox-${kind}:${payload}`
  return Buffer.concat([Buffer.from(text), digestOf(text).subarray(0, checkBytes)])
}

/** Responses: the encrypted content of the finished reasoning of answer `unique`. */
export function encryptReasoning(unique: string): string {
  return signedBytes('reasoning', unique).toString('base64url')
}

/** For Responses: the signature of unfinished reasoning, which no later request may send. */
export function draftReasoning(unique: string): string {
  return signedBytes('draft', unique).toString('base64url')
}

/** Which answer the encrypted content belongs to; undefined where it is not ours. */
export function readEncryptedReasoning(value: string): string | undefined {
  const text = Buffer.from(value, 'base64url').subarray(0, -checkBytes).toString('utf8')
  const unique = text.slice(text.indexOf(':') + 1)
  return value === encryptReasoning(unique) ? unique : undefined
}

/** Gemini: on a call of `tool`, or on a text where that is ''. */
export function signThought(tool: string): string {
  return signedBytes('thought', tool).toString('base64')
}

/** Google's documented signatures for calls that its own models did not make, plain and in base64. */
const dummyThoughts = ['skip_thought_signature_validator', 'context_engineering_is_the_way_to_go']
const dummies: ReadonlySet<string> = new Set(
  dummyThoughts.flatMap((dummy) => [dummy, Buffer.from(dummy).toString('base64')]),
)

/** Whether `value`, in either base64, is the signature of a call of `tool` (of a text: '') or a documented dummy. */
export function isThoughtSignature(value: string, tool: string): boolean {
  return dummies.has(value) || Buffer.from(value, 'base64').equals(signedBytes('thought', tool))
}

/** The parts of our item IDs: the answer, and whether it reasoned. */
interface ItemId {
  readonly prefix: string
  readonly unique: string
  readonly reasoned: boolean
}

const idPattern = /^([a-z]+)_([A-Za-z0-9]{22})([rp])(\d\d)([0-9a-f]{8})$/

function idCheck(text: string): string {
  return digestOf(`sandbox-item:${text}`).toString('hex').slice(0, 8)
}

/** Responses: the id of item `index` of an answer. */
export function itemId({ prefix, unique, reasoned }: ItemId, index: number): string {
  const text = `${prefix}_${unique}${reasoned ? 'r' : 'p'}${String(index).padStart(2, '0')}`
  return `${text}${idCheck(text)}`
}

/** The content of an ID that the sandbox made; undefined for any other. */
export function readItemId(id: string): ItemId | undefined {
  const [, prefix = '', unique = '', kind = '', index = '', check = ''] = idPattern.exec(id) ?? []
  if (check === '' || idCheck(`${prefix}_${unique}${kind}${index}`) !== check) return undefined
  return { prefix, unique, reasoned: kind === 'r' }
}
