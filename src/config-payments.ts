/**
 * What the environment says of the payment provider: three variables, whole or not at all. Never repeats a secret:
 * a mistake says only what is wrong with it.
 */

export const paymentNames = ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_URL'] as const
type PaymentName = (typeof paymentNames)[number]

export interface StripeSetting {
  readonly secretKey: string
  readonly webhookSecret: string
  /** What the key is for: real money, or none. */
  readonly mode: 'test' | 'live'
  /** Where the provider is; null: its own address. */
  readonly apiOrigin: string | null
}

interface Reader {
  readonly mistakes: string[]
  text(variable: PaymentName): string | undefined
}

const keyPattern = /^(?:sk|rk)_(test|live)_[\x21-\x7e]{1,500}$/
const secretPattern = /^whsec_[\x21-\x7e]{1,500}$/

/** null: payments are the operator's own business. */
export function stripeOf(reader: Reader): StripeSetting | null {
  const secretKey = reader.text('STRIPE_SECRET_KEY')
  const webhookSecret = reader.text('STRIPE_WEBHOOK_SECRET')
  const apiUrl = reader.text('STRIPE_API_URL')
  const apiOrigin = apiUrl === undefined ? null : checkedOrigin(reader, apiUrl)
  if (secretKey === undefined || webhookSecret === undefined) {
    tellWhatIsMissing(reader, { secretKey, webhookSecret, apiUrl })
    return null
  }
  const mode = keyPattern.exec(secretKey)?.[1]
  if (mode === undefined) {
    reader.mistakes.push('STRIPE_SECRET_KEY: must begin with sk_test_, sk_live_, rk_test_ or rk_live_')
  }
  if (!secretPattern.test(webhookSecret)) {
    reader.mistakes.push(
      'STRIPE_WEBHOOK_SECRET: must begin with whsec_, as the page of the endpoint shows it',
    )
  }
  return { secretKey, webhookSecret, mode: mode === 'live' ? 'live' : 'test', apiOrigin }
}

interface Given {
  readonly secretKey: string | undefined
  readonly webhookSecret: string | undefined
  readonly apiUrl: string | undefined
}

function tellWhatIsMissing({ mistakes }: Reader, { secretKey, webhookSecret, apiUrl }: Given): void {
  if (secretKey !== undefined) {
    mistakes.push(
      'STRIPE_WEBHOOK_SECRET: is not set, but STRIPE_SECRET_KEY is; without it nobody tells this server of payments',
    )
    return
  }
  if (webhookSecret !== undefined) {
    mistakes.push('STRIPE_SECRET_KEY: is not set, but STRIPE_WEBHOOK_SECRET is')
  } else if (apiUrl !== undefined) {
    mistakes.push('STRIPE_API_URL: is set, but STRIPE_SECRET_KEY is not')
  }
}

/** Without encryption only to this machine: what is sent there is a secret. */
function checkedOrigin({ mistakes }: Reader, text: string): string | null {
  const url = URL.parse(text)
  const isOrigin = url !== null && url.pathname === '/' && url.search === '' && url.hash === ''
  if (!isOrigin || url.username !== '' || !/^https?:$/.test(url.protocol)) {
    mistakes.push('STRIPE_API_URL: must be a scheme, a host and a port, without a path: https://host:443')
    return null
  }
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)
  if (url.protocol === 'http:' && !isLoopback) {
    mistakes.push('STRIPE_API_URL: must be https, or http on this machine')
    return null
  }
  return url.origin
}
