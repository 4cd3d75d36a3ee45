/**
 * What administrators see of an attempt that failed through no fault of the caller: what was sent where, and the provider's words. It
 * is stored, so it contains no credential, and nothing that the caller wrote.
 */
import type { Upstream } from '../catalog/types.ts'
import type { AttemptEvidence } from '../ledger/types.ts'
import type { UpstreamFailure } from '../providers/connector.ts'
import { isUpstreamFault } from '../providers/health.ts'
import type { UpstreamRequest } from '../providers/send-types.ts'
import { withoutOperator } from './upstream-error.ts'

const messageCharactersMax = 300
/** In a larger body nothing is looked for, so nothing of the message is stored. */
const bodyBytesMax = 256 * 1_024

interface FailedAttempt {
  readonly failure: UpstreamFailure
  readonly upstream: Upstream
  readonly upstreamModel: string
  readonly request: UpstreamRequest
}

/** undefined: the failure is the caller's, or happened on an account's own key. */
export function evidenceOf({
  failure,
  upstream,
  upstreamModel,
  request,
}: FailedAttempt): AttemptEvidence | undefined {
  if (!isUpstreamFault(failure) || upstream.ownKey !== undefined) return undefined
  const { method, origin, path, body } = request
  const said = withoutOperator(failure.providerMessage || failure.detail || '', upstream)
  const message = withoutEcho(said, body, upstreamModel).slice(0, messageCharactersMax)
  return { request: `${method} ${origin}${path.split('?', 1)[0]}`, message: message === '' ? null : message }
}

const wordsInARow = 4

/**
 * The message without what repeats the request: words in the same order, and single words other than everyday ones. The name of the
 * model stays. Empty where the request is too large to compare.
 */
export function withoutEcho(message: string, body: readonly Uint8Array[], model: string): string {
  if (body.reduce((sum, { length }) => sum + length, 0) > bodyBytesMax) return ''
  const sent = Buffer.concat(body).toString()
  const words = message.split(/\s+/).filter((word) => word !== '')
  const isHidden = words.map((word) => repeats(word, sent, model))
  for (let at = 0; at + wordsInARow <= words.length; at += 1) {
    if (sent.includes(words.slice(at, at + wordsInARow).join(' '))) isHidden.fill(true, at, at + wordsInARow)
  }
  const shown = words.map((word, index) => (isHidden[index] === true ? '…' : word)).join(' ')
  return shown.replace(/…(?: …)+/g, '…')
}

const everydayCharactersMax = 11

/** Letters beyond ASCII may be escaped in the body, where they are not found. */
function repeats(word: string, sent: string, model: string): boolean {
  const parts = word.match(/[\p{L}\p{N}_-]+/gu) ?? []
  return parts.some((part) => {
    if (model.includes(part)) return false
    if (/[^ -~]/.test(part)) return true
    const isEveryday = part.length <= everydayCharactersMax && /^[A-Za-z]+$/.test(part)
    return !isEveryday && sent.includes(part)
  })
}
