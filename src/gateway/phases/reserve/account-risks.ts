/** What of a request an account may cause losses with: what a restricted account may not use, and who causes a cost above a hold. */
import { TollgateError } from '../../../base/errors.ts'
import type { ExcessCause } from '../../../ledger/types.ts'
import { canExceedItsSize } from '../../../providers/media-size.ts'
import type { Media } from '../../../wire/dialect.ts'
import type { InputBound, ParsedRequest, PreparedRequest, Target } from '../../request.ts'

/** A request, and the unknown members and betas that a provider of the operator's may be sent. */
export interface RiskyWork {
  readonly parsed: ParsedRequest
  readonly unknown: readonly string[]
}

/** Whether it has something that a restricted account may not use. */
export function usesRestricted({ parsed, unknown }: RiskyWork): boolean {
  const { serverTools, media } = parsed.facts
  return unknown.length > 0 || serverTools.length > 0 || media.some(canExceedItsSize)
}

/**
 * Files by URL, provider-side tools and unknown members can add usage that the account causes; a provider that bills more than it
 * counted is at fault itself.
 */
export function excessCause({ parsed, unknown }: RiskyWork, { reported }: InputBound): ExcessCause {
  const { serverTools, media } = parsed.facts
  const isOpen = (file: Media): boolean => canExceedItsSize(file) && (file.span === null || reported === null)
  return unknown.length > 0 || serverTools.length > 0 || media.some(isOpen) ? 'account' : 'upstream'
}

const nothingUnknown: readonly string[] = []

/** The unknown members and betas. Translation leaves out what is unknown; a server of the operator's own and the account's own key cost the operator nothing. */
export function unknownIn(
  { parsed, plan }: PreparedRequest,
  { received, targets }: { readonly received: ParsedRequest; readonly targets: readonly Target[] },
): readonly string[] {
  const isCharged = ({ connector, ownKeyFee }: Pick<Target, 'connector' | 'ownKeyFee'>): boolean =>
    connector.isCustom !== true && ownKeyFee === null
  const first = parsed.facts.unknownMembers ?? nothingUnknown
  if (first.length > 0 && isCharged(plan)) return first
  const others = received.facts.unknownMembers ?? nothingUnknown
  const isPassedOn = others.length > 0 && targets.some((target) => isCharged(target))
  return isPassedOn ? others : nothingUnknown
}

/** The error for what a restricted account may not use. */
export function accountRestricted(unknown: readonly string[]): TollgateError {
  const what =
    unknown.length === 0
      ? 'files other than text and images, or provider-side tools,'
      : `fields and betas that this server does not know (${unknown.join(', ')})`
  return new TollgateError('account_restricted', {
    message: `This account cannot use ${what} until an administrator has reviewed its losses.`,
  })
}
