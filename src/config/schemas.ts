/**
 * The schemas of setting values, each with its error message. Scalars arrive as text from the environment and the file
 * alike, so that `0.10` stays exact.
 */
import { isIP } from 'node:net'
import { z } from 'zod'
import '../../contract/schema-messages.ts'
import { usdPattern, usdProblem } from '../../contract/usd.ts'
import { visibleText, visibleTextMessage } from '../../contract/visible-text.ts'
import { databaseUrlMistake } from '../base/database-hosts.ts'
import { addressMistake } from '../catalog/upstreams/upstream-address.ts'
import { canonicalCredential, credentialMistake } from '../catalog/upstreams/upstream-credential.ts'
import type { Limit, Share } from './limits-table.ts'

export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'must be letters, digits, dots, dashes or underscores, at most 64',
  )

export const modelName = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'must be a name of at most 200 visible ASCII characters')

export const words = z
  .string()
  .min(1, 'must not be empty')
  .max(500, 'must be at most 500 characters')
  .regex(visibleText, visibleTextMessage)

export const usd = z.string().regex(usdPattern, {
  error: ({ input }) =>
    usdProblem(input, 'must be an amount in USD with at most 9 decimal places, such as 0.15'),
})

export const factor = z
  .string()
  .regex(/^(\d{1,4}(\.\d{1,9})?|\d{1,6}\/\d{1,6})$/, 'must be a factor such as 0.5, 2 or 5/3')
  .refine((text) => !/^[0.]+$/.test(text) && !/^0+\/|\/0+$/.test(text), 'must be above zero')

export const percent = z.string().regex(/^\d{1,4}(\.\d{1,6})?%$/, 'must be a percentage such as 5% or 2.5%')

export const date = z
  .string()
  .regex(
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/,
    'must be a date such as 2026-07-01 or 2026-07-01T12:00:00Z',
  )
  .refine(isRealDate, 'is not a valid date')

export const flag = z.enum(['true', 'false'], 'must be true or false').transform((text) => text === 'true')

export const host = z.string().regex(/^[A-Za-z0-9.:_-]{1,253}$/, 'must be a host name or an IP address')

export const origin = z
  .string()
  .refine(isOrigin, 'must be a scheme, a host and a port, without a path: https://host:443')

export const upstreamUrl = z.string().superRefine((text, context) => {
  const message = addressMistake(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

export const network = z.string().refine(isNetwork, 'must be an IP address or a network such as 10.0.0.0/8')

/** Comma-separated networks. */
export const networks = z.string().transform((text, context) => {
  const parts = text.split(',').map((part) => part.trim())
  for (const part of parts) {
    if (isNetwork(part)) continue
    context.addIssue({
      code: 'custom',
      message: `${part} is not an IP address or a network such as 10.0.0.0/8`,
    })
  }
  return parts
})

/** An origin as browsers write it: without a default port, in lower case. */
export const browserOrigin = z
  .string()
  .refine(
    (text) => isOrigin(text) && new URL(text).origin === text,
    'must be an origin as browsers send it: https://app.example, in lower case, without a path or a default port',
  )

/** Comma-separated browser origins. */
export const browserOrigins = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(browserOrigin).max(100))

export const token = z.string().regex(/^[\x21-\x7e]{16,200}$/, 'must be 16 to 200 visible ASCII characters')

export const credential = z
  .string()
  .regex(/^[\x21-\x7e]{1,4096}$/, 'must be visible ASCII characters without spaces')

const secretCharactersMin = 32
const secretDistinctMin = 10

/** A text that is sent as it is, or a mapping that tokens or signatures are made from. */
export const upstreamCredential = z
  .union(
    [z.string(), z.record(z.string(), z.string()).transform((fields) => JSON.stringify(fields))],
    'must be a text, or a mapping of texts',
  )
  .superRefine((text, context) => {
    const message = credentialMistake(text)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
  .transform(canonicalCredential)

export const rootSecret = z
  .string()
  .refine(
    (text) => text.length >= secretCharactersMin && new Set(text).size >= secretDistinctMin,
    `must be at least ${secretCharactersMin} random characters; generate one with openssl rand -hex 32`,
  )

export const stripeKey = z
  .string()
  .regex(
    /^(?:sk|rk)_(test|live)_[\x21-\x7e]{1,500}$/,
    'must begin with sk_test_, sk_live_, rk_test_ or rk_live_',
  )

export const stripeWebhookSecret = z
  .string()
  .regex(
    /^whsec_[\x21-\x7e]{1,500}$/,
    'must begin with whsec_, as shown on the Stripe page of the webhook endpoint',
  )

/** Plain HTTP on loopback only, because secrets are sent to it. */
export const apiOrigin = z
  .string()
  .refine(isOrigin, 'must be a scheme, a host and a port, without a path: https://host:443')
  .transform((text) => new URL(text))
  .refine(
    ({ protocol, hostname }) =>
      protocol === 'https:' || /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname),
    'must be https, or http on loopback',
  )
  .transform((url) => url.origin)

export const databaseUrl = z.string().superRefine((text, context) => {
  const message = databaseUrlMistake(text)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

export const mailServer = z
  .string()
  .refine(isMailServer, 'must be smtp:// or smtps:// with a host, such as smtps://mail.example.org')

const addressPattern = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/
const namedPattern = /^([^\r\n<>"]{1,100}|"[^\r\n<>"]{1,100}") <([^<>]+)>$/

export const mailSender = z
  .string()
  .refine(
    (text) => addressPattern.test(namedPattern.exec(text)?.[2] ?? text),
    'must be an address such as tollgate@example.org, or Name <address>',
  )

export const loopbackNames: readonly string[] = ['127.0.0.1', '::1', '[::1]', 'localhost']

export const issuer = z
  .string()
  .refine(isIssuer, 'must be an HTTPS URL without a query, such as https://login.example.org')

/** A whole number. */
export function whole(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,16}$/, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)
}

/** The largest delay of Node's timers. */
const timerMsMax = 2_147_483_647
const countMax = 1_000_000_000_000

/** Derives the schema of a limit from its default: an amount, a share, a time or a number. */
export function limitSchema(limit: string, row: Limit): z.ZodType<Limit['default']> {
  const value = row.default
  if (typeof value === 'bigint') return nanoUsd
  if (typeof value === 'object' && value !== null) return share
  if (value !== null && !Number.isInteger(value))
    return share.transform(({ numerator, denominator }) => Number(numerator) / Number(denominator))
  const number = whole(row.least, limit.endsWith('Ms') ? timerMsMax : countMax)
  if (!row.mayBeNone) return number
  return z.union(
    [z.literal('none').transform(() => null), number],
    'must be a whole number above zero, or none',
  )
}

const nanoUsd = z
  .string()
  .regex(/^\d{1,18}$/, 'must be a whole number of nano-USD')
  .transform(BigInt)

const share = z
  .string()
  .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'must be a share from 0 to 1, such as 0.5')
  .transform((text): Share => {
    const [units = '0', decimals = ''] = text.split('.')
    return { numerator: BigInt(units + decimals), denominator: 10n ** BigInt(decimals.length) }
  })

function isOrigin(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return false
  return url.pathname === '/' && url.search === '' && url.hash === '' && !/[?#]/.test(text)
}

function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

function isMailServer(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== ''
}

function isIssuer(address: string): boolean {
  const url = URL.parse(address)
  if (url === null || url.username !== '' || /[?#]/.test(address)) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && loopbackNames.includes(url.hostname))
}

/** `Date.parse` turns February 31 into March 3; comparing the text detects it. */
function isRealDate(text: string): boolean {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10))
}
