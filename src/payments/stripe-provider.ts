/**
 * Stripe as a payment provider: calls its API with its own library, loaded with the first call. The only
 * file that knows the library; only facts and our own errors leave it.
 */
import type Stripe from 'stripe'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import type { StripeSetting } from '../config/config.ts'
import type { ChargeInput, ChargeResult, CheckoutInput, Provider, ProviderEvent } from './provider.ts'
import {
  checkoutFact,
  disputeFact,
  markNames,
  moneyTypes,
  paymentFact,
  refundFact,
  subjectOf,
  subjectTypes,
} from './stripe-facts.ts'

/** Maximum clock difference of a webhook signature. */
const webhookToleranceMs = 300_000

export interface StripeLimits {
  readonly stripeTimeoutMs: number
  readonly stripeRetriesMax: number
}

const currency = 'usd'
/** More refunds or disputes than a payment has in practice. */
const returnsMax = 100
const paymentParts = ['latest_charge', 'payment_method']

export function stripeProvider(setting: StripeSetting, limits: StripeLimits): Provider {
  const library = lazyLibrary(setting, limits)
  const input = async <Answer>(question: (stripe: Stripe) => Promise<Answer>): Promise<Answer> => {
    try {
      return await question((await library()).stripe)
    } catch (error) {
      throw asRejection(error)
    }
  }
  return {
    name: 'stripe',
    mode: setting.mode,
    verified: async (body, signature, nowMs) =>
      verified((await library()).stripe, {
        body,
        signature,
        nowMs,
        secret: setting.webhookSecret,
        toleranceMs: webhookToleranceMs,
      }),
    createCustomer: ({ idempotencyKey, account, email }) =>
      input(async (stripe) => {
        const words = { metadata: { [markNames.account]: account }, ...(email === null ? {} : { email }) }
        return (await stripe.customers.create(words, { idempotencyKey })).id
      }),
    createCheckout: (wanted) => input((stripe) => createCheckout(stripe, wanted)),
    checkout: (id) =>
      input(async (stripe) => {
        const expand = ['payment_intent', ...paymentParts.map((part) => `payment_intent.${part}`)]
        return checkoutFact(await stripe.checkout.sessions.retrieve(id, { expand }))
      }),
    payment: (id) =>
      input(async (stripe) =>
        paymentFact(await stripe.paymentIntents.retrieve(id, { expand: paymentParts })),
      ),
    returns: (payment) =>
      input(async (stripe) => {
        const filter = { payment_intent: payment, limit: returnsMax }
        const [refunds, disputes] = await Promise.all([
          stripe.refunds.list(filter),
          stripe.disputes.list(filter),
        ])
        return [...refunds.data.flatMap(refundFact), ...disputes.data.flatMap(disputeFact)]
      }),
    moneyEvents: ({ sinceMs, after, limit }) =>
      input(async (stripe) => {
        const { data, has_more: hasMore } = await stripe.events.list({
          types: [...moneyTypes],
          created: { gte: Math.floor(sinceMs / 1_000) },
          limit,
          ...(after === null ? {} : { starting_after: after }),
        })
        return { events: data.map(eventFact), hasMore }
      }),
    charge: (wanted) => input((stripe) => charge(stripe, wanted)),
    cancelPayment: (id) => input((stripe) => unlessGone(stripe.paymentIntents.cancel(id))),
    forgetMethod: (method) => input((stripe) => unlessGone(stripe.paymentMethods.detach(method))),
  }
}

type Library = () => Promise<{ readonly stripe: Stripe }>

/** Loaded once, when it is needed: it is large, and most installations start without ever using it. */
function lazyLibrary(setting: StripeSetting, limits: StripeLimits): Library {
  let loaded: { readonly secretKey: string; readonly library: ReturnType<Library> } | undefined
  return () => {
    const { secretKey, apiOrigin } = setting
    // A reload changes the key.
    if (loaded?.secretKey === secretKey) return loaded.library
    const library = import('stripe').then(({ default: Library }) => ({
      stripe: new Library(secretKey, {
        ...(apiOrigin === null ? {} : addressOf(apiOrigin)),
        timeout: limits.stripeTimeoutMs,
        maxNetworkRetries: limits.stripeRetriesMax,
        telemetry: false,
      }),
    }))
    loaded = { secretKey, library }
    return library
  }
}

function addressOf(origin: string): Pick<Stripe.StripeConfig, 'protocol' | 'host' | 'port'> {
  const { protocol, hostname, port } = new URL(origin)
  const isPlain = protocol === 'http:'
  return {
    protocol: isPlain ? 'http' : 'https',
    host: hostname,
    port: port === '' ? (isPlain ? 80 : 443) : port,
  }
}

interface Signed {
  readonly body: Uint8Array
  readonly signature: string
  readonly nowMs: number
  readonly secret: string
  readonly toleranceMs: number
}

function verified(stripe: Stripe, signed: Signed): ProviderEvent | undefined {
  const { body, signature, nowMs, secret, toleranceMs } = signed
  // The library rejects what is too old; a timestamp in the future was not signed by a correct clock either.
  const signedS = Number(/(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature)?.[1] ?? Number.NaN)
  if (!(signedS * 1_000 <= nowMs + toleranceMs)) return undefined
  const event = constructed(stripe, signed, [
    Buffer.from(body),
    signature,
    secret,
    Math.floor(toleranceMs / 1_000),
  ])
  if (event === undefined) return undefined
  return eventFact(event)
}

const eventFact = ({ id, type, livemode, data }: Stripe.Event): ProviderEvent => ({
  id,
  type,
  mode: livemode ? 'live' : 'test',
  subject: subjectTypes.has(type) ? subjectOf(data.object as unknown) : null,
})

type Construction = readonly [body: Buffer, signature: string, secret: string, toleranceS: number]

/** A message that the library rejects is not an event; the sender gets no details. */
function constructed(
  stripe: Stripe,
  { nowMs }: Signed,
  construction: Construction,
): Stripe.Event | undefined {
  try {
    const event = stripe.webhooks.constructEvent(...construction, undefined, nowMs) as unknown
    return isEvent(event) ? event : undefined
  } catch {
    return undefined
  }
}

function isEvent(value: unknown): value is Stripe.Event {
  if (typeof value !== 'object' || value === null) return false
  const { id, type, livemode, data } = value as Record<string, unknown>
  const isNamed = typeof id === 'string' && id.length <= 255 && typeof type === 'string' && type.length <= 255
  return isNamed && typeof livemode === 'boolean' && typeof data === 'object' && data !== null
}

async function createCheckout(stripe: Stripe, wanted: CheckoutInput): ReturnType<Provider['createCheckout']> {
  const { idempotencyKey, topUp, account, cents, customer, saveMethod, backTo, leftTo, expiresMs } = wanted
  const metadata = { [markNames.topUp]: topUp, [markNames.account]: account }
  const name = 'Balance top-up'
  const input: Stripe.Checkout.SessionCreateParams = {
    mode: 'payment',
    customer,
    client_reference_id: topUp,
    metadata,
    line_items: [{ quantity: 1, price_data: { currency, unit_amount: cents, product_data: { name } } }],
    payment_intent_data: {
      metadata,
      description: `${name} ${topUp}`,
      ...(saveMethod ? { setup_future_usage: 'off_session' as const } : {}),
    },
    // The paid amount is the credited one: Stripe must not convert to a second currency.
    adaptive_pricing: { enabled: false },
    success_url: backTo,
    cancel_url: leftTo,
    expires_at: Math.floor(expiresMs / 1_000),
  }
  try {
    const session = await stripe.checkout.sessions.create(input, { idempotencyKey })
    if (session.url === null) throw new TypeError('a hosted payment page has an address')
    return { kind: 'checkout', id: session.id, url: session.url }
  } catch (error) {
    if (isMissing(error, 'customer')) return { kind: 'no_customer' }
    throw error
  }
}

async function charge(
  stripe: Stripe,
  { idempotencyKey, topUp, account, cents, customer, method }: ChargeInput,
): Promise<ChargeResult> {
  const input: Stripe.PaymentIntentCreateParams = {
    amount: cents,
    currency,
    customer,
    payment_method: method,
    off_session: true,
    confirm: true,
    description: `Automatic balance top-up ${topUp}`,
    metadata: { [markNames.topUp]: topUp, [markNames.account]: account },
    expand: paymentParts,
  }
  try {
    return {
      kind: 'payment',
      payment: paymentFact(await stripe.paymentIntents.create(input, { idempotencyKey })),
    }
  } catch (error) {
    const decline = declineOf(error)
    if (decline === undefined) throw error
    return decline
  }
}

/** Ignores an error about an object that is gone or past the requested state: the goal is reached. */
async function unlessGone(asking: Promise<unknown>): Promise<void> {
  try {
    await asking
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}

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
function asRejection(error: unknown): unknown {
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
function declineOf(error: unknown): Extract<ChargeResult, { kind: 'declined' }> | undefined {
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
function isMissing(error: unknown, param?: string): boolean {
  if (!isStripeError(error)) return false
  if (param !== undefined) return error.code === 'resource_missing' && error.param === param
  const isDetached = error.type === 'StripeInvalidRequestError' && error.param === 'payment_method'
  return isDetached || goneCodes.includes(error.code ?? '')
}
