/** Errors of Stripe's library as rows of the error table: the payer gets the bank's message, the log the rest. */
import type Stripe from 'stripe'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import type { ChargeResult } from './provider.ts'

type StripeError = Stripe.errors.StripeError

/** By the library's class names, so that it need not be loaded to distinguish them. */
function isStripeError(error: unknown): error is StripeError {
  return error instanceof Error && 'type' in error && String(error.type).startsWith('Stripe')
}

/** The caller's error for each class; any other class is a bug or a configuration error. */
const errorRows: Readonly<Record<string, readonly [code: ErrorCode, message: string]>> = {
  StripeConnectionError: [
    'payment_provider_unavailable',
    'The payment provider is unreachable. Try again later.',
  ],
  StripeAPIError: [
    'payment_provider_unavailable',
    'The payment provider returned an error. Try again later.',
  ],
  StripeRateLimitError: [
    'payment_provider_unavailable',
    "The payment provider's rate limit was exceeded. Try again later.",
  ],
  StripeAuthenticationError: [
    'payment_provider_unavailable',
    "The payment provider rejected this server's API key.",
  ],
  // The first question under the key is being answered still, or was another one: what came of it is not known here.
  StripeIdempotencyError: [
    'payment_provider_unavailable',
    'The payment provider is already processing this payment.',
  ],
  StripePermissionError: [
    'payment_provider_unavailable',
    "The payment provider's API key does not have permission for this.",
  ],
}
const otherwise = ['payment_failed', 'The payment provider rejected this payment.'] as const

/** Anything that is not an error of Stripe's is returned unchanged. */
export function asRefusal(error: unknown): unknown {
  if (!isStripeError(error)) return error
  if (error.type === 'StripeCardError') {
    return new TollgateError('payment_failed', { message: error.message, cause: error })
  }
  const [code, message] = errorRows[error.type] ?? otherwise
  const detail = [error.type, error.code, error.param, error.requestId, error.message]
    .filter(Boolean)
    .join(' ')
  return new TollgateError(code, { message, detail, cause: error })
}

/** A decline by the bank while the card's owner was away; undefined: another error. */
export function declineOf(error: unknown): Extract<ChargeResult, { kind: 'declined' }> | undefined {
  if (!isStripeError(error) || error.type !== 'StripeCardError') return undefined
  return {
    kind: 'declined',
    needsOwner:
      error.code === 'authentication_required' || error.payment_intent?.status === 'requires_action',
    problem: error.message,
    payment: error.payment_intent?.id ?? null,
  }
}

const goneCodes = ['resource_missing', 'payment_intent_unexpected_state', 'payment_method_unexpected_state']

/** Whether the object does not exist (any more), or has passed the requested state. */
export function isMissing(error: unknown, param?: string): boolean {
  if (!isStripeError(error)) return false
  if (param !== undefined) return error.code === 'resource_missing' && error.param === param
  const isDetached = error.type === 'StripeInvalidRequestError' && error.param === 'payment_method'
  return isDetached || goneCodes.includes(error.code ?? '')
}
