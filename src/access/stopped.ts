/** Why a running request ends when its key or account may no longer run it, as reported to its caller. */
import { TollgateError } from '../base/errors.ts'
import type { StoppedBy } from './types.ts'

const stoppedWords: Readonly<Record<StoppedBy, string>> = {
  revoked: 'was revoked',
  disabled: 'was disabled',
  expired: 'expired',
}

export function accountSuspended(): TollgateError {
  return new TollgateError('account_suspended', {
    message: 'The account was suspended while this request ran.',
  })
}

export function keyStopped(by: StoppedBy): TollgateError {
  return new TollgateError('key_revoked_midway', {
    message: `The API key ${stoppedWords[by]} while this request ran.`,
  })
}
