/**
 * Reads an upstream's error message from any kind of body: the provider's own error shape,
 * one wrapped in an array, another program's, plain text or an HTML page. Must not throw. Also how a
 * response with status 200 says that the content was refused.
 */
import type { UpstreamProblem } from './format.ts'
import type { TargetFormat } from './format-names.ts'
import { isRecord, type JsonRecord, parsed } from './json/parsed.ts'

const plainTextCharactersMax = 2_000
const levelsMax = 4
const detailsMax = 16
const decoder = new TextDecoder('utf-8')

export const noProblem: UpstreamProblem = { message: '', type: '', code: '' }

/** The error in the body of an error response. */
export function readProblem(body: Uint8Array): UpstreamProblem {
  const text = decoder.decode(body).trim()
  const value = parsed(text)
  if (value !== undefined) return problemOf(value)
  // An HTML page is not a message for the caller.
  return text.startsWith('<') ? noProblem : { ...noProblem, message: text.slice(0, plainTextCharactersMax) }
}

/** The error in an error object or in its wrapper. */
export function problemOf(value: unknown, level = 1): UpstreamProblem {
  if (typeof value === 'string') return { ...noProblem, message: value }
  if (level > levelsMax) return noProblem
  if (Array.isArray(value)) return problemOf(value[0], level + 1)
  if (!isRecord(value)) return noProblem
  const inner = innerProblem(value, level)
  const own = {
    message: firstText(value, ['message', 'msg', 'error_description', 'faultstring', 'status_msg']),
    type: firstText(value, ['type', 'status']),
    code: firstText(value, ['code', 'status_code', 'errorcode']),
    ...reasonOf(value),
    ...detailsOf(value.details),
  }
  if (inner === noProblem) return own
  return {
    ...own,
    ...inner,
    message: inner.message || own.message,
    type: inner.type || own.type,
    code: inner.code || own.code,
  }
}

/** The one word that OpenRouter has for a failure in every format, and Novita for its own: openrouter.ai/docs/api/reference/errors-and-debugging. */
function reasonOf(value: JsonRecord): Pick<UpstreamProblem, 'reason'> {
  const reason = isRecord(value.metadata) ? value.metadata.error_type : (value.error_type ?? value.reason)
  return typeof reason === 'string' ? { reason } : {}
}

/** The error that an answer with status 200 is; null when it is an answer. `base_resp` is MiniMax's: platform.minimax.io/docs. */
export function problemInside(answer: JsonRecord): UpstreamProblem | null {
  const { error, code, base_resp: base, x_groq: groq } = answer
  if (isSet(error)) return isRecord(error) ? problemOf(error) : problemOf({ error, code })
  if (isRecord(groq) && isSet(groq.error)) return problemOf(groq.error)
  return isRecord(base) && isSet(base.status_code) && base.status_code !== 0 ? problemOf(base) : null
}

/** Hosts write that there is nothing as null, false or an empty string, or leave the field out. */
export function isSet(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false && value !== ''
}

/** Google's typed error details, https://google.aip.dev/193: why, and how long to wait. */
function detailsOf(details: unknown): Pick<UpstreamProblem, 'reason' | 'retryAfterMs'> {
  if (!Array.isArray(details)) return {}
  let known: Pick<UpstreamProblem, 'reason' | 'retryAfterMs'> = {}
  for (const detail of details.slice(0, detailsMax)) {
    if (!isRecord(detail)) continue
    const { reason, retryDelay } = detail
    if (typeof reason === 'string') known = { ...known, reason }
    const delay = typeof retryDelay === 'string' ? /^(\d{1,9}(\.\d{1,9})?)s$/.exec(retryDelay) : null
    if (delay !== null) known = { ...known, retryAfterMs: Math.ceil(Number(delay[1]) * 1_000) }
  }
  return known
}

function innerProblem(value: JsonRecord, level: number): UpstreamProblem {
  for (const name of ['error', 'errors', 'detail', 'fault', 'base_resp']) {
    const inner = value[name]
    if (inner !== null && inner !== undefined && inner !== false) return problemOf(inner, level + 1)
  }
  return noProblem
}

function firstText(value: JsonRecord, names: readonly string[]): string {
  for (const name of names) {
    const found = value[name]
    if (typeof found === 'string' && found !== '') return found
    if (typeof found === 'number') return String(found)
  }
  return ''
}

/**
 * How each format says, under status 200, that the model or a filter of its host refused the content.
 *
 * Sources, 2026-11: platform.openai.com/docs/api-reference/chat/object, /responses/object; docs.z.ai/api-reference;
 * platform.claude.com/docs/en/build-with-claude/handling-stop-reasons; ai.google.dev/api/generate-content#FinishReason;
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
 */
const refusingWords: Readonly<Record<TargetFormat, readonly string[]>> = {
  'openai-chat': ['content_filter', 'sensitive'],
  'openai-responses': ['content_filter'],
  anthropic: ['refusal'],
  gemini: [
    'SAFETY',
    'RECITATION',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
    'IMAGE_RECITATION',
    'MODEL_ARMOR',
    'ESCALATION',
    'PUP_LIMITED_DISABLED',
  ],
  'bedrock-converse': ['guardrail_intervened', 'content_filtered'],
}

/** Whether the reason for which a response ended is a refusal of its content. */
export function isRefusal(format: TargetFormat, reason: string): boolean {
  return refusingWords[format].includes(reason)
}
