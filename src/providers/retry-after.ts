/**
 * How long to wait before the next request to an upstream, read from its headers: seconds, milliseconds, dates and
 * the resets of rate limits. Pure: dates are relative to the response's own `date`.
 */

/** Longer waits are capped: the caller may retry after this and get the next wait. */
const waitMsMax = 300_000

/** The wait in ms, more than 0 and capped; null without a valid one. */
export function retryAfter(headers: ReadonlyMap<string, string>): number | null {
  return believedMs(milliseconds(headers) ?? seconds(headers) ?? untilDate(headers) ?? untilReset(headers))
}

/** A wait as it is taken: more than 0 and capped; null where it is none. */
export function believedMs(ms: number | null): number | null {
  if (ms === null || !Number.isFinite(ms) || ms <= 0) return null
  return Math.min(Math.ceil(ms), waitMsMax)
}

const inWords =
  /\b(?:try again|retry) (?:in|after) ((?:\d{1,9}(?:\.\d{1,9})? ?(?:h|hours?|m|min|minutes?|s|sec|seconds?|ms)(?![a-z]) ?)+)/i

/** The wait that a sentence requests: `Please try again in 6m0s`, `retry after 17 seconds`. */
export function waitInWords(message: string): number | null {
  const [, amounts] = inWords.exec(message) ?? []
  if (amounts === undefined) return null
  return duration(
    amounts
      .toLowerCase()
      .replaceAll(' ', '')
      .replace(/(?<=\d)(ms|[hms])[a-z]*/g, '$1'),
  )
}

function milliseconds(headers: ReadonlyMap<string, string>): number | null {
  return decimal(headers.get('retry-after-ms'))
}

function seconds(headers: ReadonlyMap<string, string>): number | null {
  const value = decimal(headers.get('retry-after'))
  return value === null ? null : value * 1_000
}

function untilDate(headers: ReadonlyMap<string, string>): number | null {
  return since(headers, headers.get('retry-after'))
}

function decimal(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null
}

/** From the moment the answer was made to the moment that `text` names. */
function since(headers: ReadonlyMap<string, string>, text: string | undefined): number | null {
  const from = Date.parse(headers.get('date') ?? '')
  // Date.parse takes almost any number for a year.
  if (text === undefined || !/^[A-Z\d]/i.test(text) || !/\D\d{1,2}:\d{2}/.test(text)) return null
  const ms = Date.parse(text) - from
  return Number.isNaN(ms) ? null : ms
}

/** The longest reset among the limits that are used up. */
function untilReset(headers: ReadonlyMap<string, string>): number | null {
  let longest: number | null = null
  for (const [name, remaining] of headers) {
    const found = /^(x|anthropic)-ratelimit-(?:remaining-(.+)|(.+)-remaining)$/.exec(name)
    if (found === null || remaining.trim() !== '0') continue
    const reset =
      found[1] === 'x'
        ? duration(headers.get(`x-ratelimit-reset-${found[2]}`))
        : since(headers, headers.get(`anthropic-ratelimit-${found[3]}-reset`))
    if (reset !== null && (longest === null || reset > longest)) longest = reset
  }
  return longest
}

const unitMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 }

/** `6m0s`, `1.5s`, `20ms`: as OpenAI writes resets. */
function duration(text: string | undefined): number | null {
  if (text === undefined || !/^(\d{1,9}(\.\d{1,9})?(h|ms|m|s))+$/.test(text)) return null
  let ms = 0
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s)/g)) {
    ms += Number(amount) * (unitMs[unit ?? ''] ?? 0)
  }
  return ms
}
