/**
 * What a client does with a permanently rejected request: it must report the reason and must not repeat the request. The
 * gateway is reached through a proxy that counts.
 */
import { families, key } from './client.js'

const origin = process.env.TOLLGATE_COUNTED_ORIGIN ?? ''

const rejections = [
  { status: 401, why: 'a wrong key', key: 'sk-tg-nobody', model: families.gpt, says: 'Incorrect API key' },
  {
    status: 402,
    why: 'no money',
    key: process.env.TOLLGATE_EMPTY_KEY ?? '',
    model: families.gpt,
    says: 'balance is $0.00',
  },
  {
    status: 404,
    why: 'an unknown model',
    key,
    model: 'gpt-nobody',
    says: 'does not exist or is not enabled',
  },
]

/**
 * A check for each error. `ask({ origin, key }, model)` rejects with the client's error, or, for a program that
 * exits with 0 anyway, resolves with its output. `exceptions` has known deviations of this client, by status:
 * `sentMax`, the maximum number of requests, and `says`, its own message instead of the gateway's.
 */
export function rejectionChecks(way, ask, exceptions = {}) {
  const checksByName = rejections.map((rejection) => [
    `${way}: ${rejection.status} (${rejection.why}) is reported and not repeated`,
    () => rejected(ask, { ...rejection, sentMax: 1, ...exceptions[rejection.status] }),
  ])
  return Object.fromEntries(checksByName)
}

async function rejected(ask, { status, key, model, says, sentMax }) {
  await statusesSeen()
  const outcome = await ask({ origin, key }, model).then(
    (printed) => ({ text: typeof printed === 'string' ? printed : '', how: ', ends with 0' }),
    (error) => ({ text: String(error?.message ?? error), how: '' }),
  )
  const statuses = await statusesSeen()
  const areExpected = statuses.every((seen) => seen === String(status))
  if (!areExpected || statuses.length === 0 || statuses.length > sentMax)
    throw new Error(
      `answered ${statuses.join(' ') || 'nothing'}, at most ${sentMax} expected; ${outcome.text}`,
    )
  // Programs wrap their lines.
  const text = outcome.text.replace(/\s+/g, ' ')
  if (!text.includes(says)) throw new Error(`does not say ${JSON.stringify(says)}: ${text.slice(-2_000)}`)
  return `${statuses.length} sent${outcome.how}`
}

/** The responses to POST requests since the last call. */
async function statusesSeen() {
  const text = await (await fetch(`${origin}/-/statuses`)).text()
  return text.split(' ').filter((status) => status !== '')
}
