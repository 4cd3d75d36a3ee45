/**
 * Which configured OpenID Connect issuers are reachable. better-auth reads their discovery documents once, at creation,
 * without a deadline; so they are probed here first, with a deadline and retries.
 */
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Config } from '../../config/config.ts'

type IssuerSetting = Config['signIn'][number]

export interface Issuers {
  /** Providers that need no discovery, and reachable issuers. */
  ready(): readonly IssuerSetting[]
  /** Probes unreachable issuers at most every `issuerRetryMs`; true when one became reachable. */
  probe(): Promise<boolean>
}

export interface IssuerLimits {
  readonly issuerMs: number
  readonly issuerRetryMs: number
}

export const discoveryUrl = (issuer: string) =>
  `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`

/** Starts with no issuer probed. */
export function openIssuers(
  settings: readonly IssuerSetting[],
  { clock, log, limits }: { readonly clock: Clock; readonly log: Log; readonly limits: IssuerLimits },
): Issuers {
  const answered = new Set(settings.filter(({ issuer }) => issuer === null))
  let asking: Promise<boolean> | undefined
  let askedMs = Number.NEGATIVE_INFINITY

  async function askAll(): Promise<boolean> {
    const open = settings.filter((setting) => !answered.has(setting))
    const answers = await Promise.all(open.map(({ issuer }) => isReachable(issuer ?? '', limits.issuerMs)))
    for (const [index, setting] of open.entries()) {
      if (answers[index] === true) answered.add(setting)
      else log.warn({ provider: setting.id }, 'a sign-in provider is unreachable; it will be retried')
    }
    return answers.includes(true)
  }
  return {
    ready: () => settings.filter((setting) => answered.has(setting)),
    async probe() {
      if (answered.size === settings.length) return false
      if (asking !== undefined) return asking
      if (clock.monoMs() - askedMs < limits.issuerRetryMs) return false
      askedMs = clock.monoMs()
      asking = askAll().finally(() => {
        asking = undefined
      })
      return asking
    },
  }
}

async function isReachable(issuer: string, withinMs: number): Promise<boolean> {
  try {
    const answer = await fetch(discoveryUrl(issuer), {
      redirect: 'error',
      signal: AbortSignal.timeout(withinMs),
    })
    const description: unknown = answer.ok ? await answer.json() : null
    return typeof description === 'object' && description !== null && 'issuer' in description
  } catch {
    return false
  }
}
