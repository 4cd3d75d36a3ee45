/** Effects of a reload: changes that apply now, and changes that need a restart. Pure. */
import { isDeepStrictEqual } from 'node:util'
import type { Config } from './config.ts'
import { type Limits, limitsAtStart } from './limits-table.ts'
import { type Setting, settingsTable } from './settings-table.ts'

/** Catalog sources and limits, which each serving thread applies. */
const servingParts = ['upstreams', 'models', 'aliases', 'disabled', 'markup', 'limits'] as const
/** Secrets that are read where they are used. */
const secretParts = ['metricsToken', 'stripe', 'mail'] as const

export type ServingChange = Pick<Config, (typeof servingParts)[number]>
export type ReloadedParts = ServingChange & Pick<Config, (typeof secretParts)[number]>

export interface Reloaded {
  readonly parts: ReloadedParts
  /** The settings that change, by path or variable. */
  readonly changed: readonly string[]
  /** The settings that differ from what the server was started with and that only a start reads. */
  readonly restart: readonly string[]
}

/** `started`: what the server was started with. `present`: what holds now. */
export function reloadedConfig(started: Config, present: ReloadedParts, next: Config): Reloaded {
  const changed: string[] = []
  const restart = Object.keys(next).filter((name) => !isReloaded(name) && differs(started, next, name))
  const parts: Record<string, unknown> = {}
  for (const name of [...servingParts, ...secretParts]) {
    parts[name] = next[name]
    if (name === 'limits' || !differs(present, next, name)) continue
    if (staysTheSameKind(name, present, next)) changed.push(name)
    else {
      restart.push(name)
      parts[name] = present[name]
    }
  }
  const limits: Record<string, unknown> = { ...next.limits }
  for (const name of Object.keys(limits) as (keyof Limits)[]) {
    const isAtStart = limitsAtStart.has(name)
    if (isAtStart && differs(started.limits, next.limits, name)) restart.push(`limits.${name}`)
    if (isAtStart) limits[name] = started.limits[name]
    else if (differs(present.limits, next.limits, name)) changed.push(`limits.${name}`)
  }
  return {
    parts: { ...parts, limits } as unknown as ReloadedParts,
    changed: changed.map(shownName),
    restart: restart.map(shownName),
  }
}

function isReloaded(name: string): boolean {
  return [...servingParts, ...secretParts].some((one) => one === name)
}

/** Payments and email are opened at the start, or are not; another mode of Stripe has other customers. */
function staysTheSameKind(name: keyof ReloadedParts, present: ReloadedParts, next: Config): boolean {
  if (name === 'mail') return present.mail !== null && next.mail !== null
  if (name !== 'stripe') return true
  const { stripe: before } = present
  const { stripe: after } = next
  return (
    before !== null && after !== null && before.mode === after.mode && before.apiOrigin === after.apiOrigin
  )
}

function differs<Value extends object>(one: Value, other: Value, name: string): boolean {
  return !isDeepStrictEqual(one[name as keyof Value], other[name as keyof Value])
}

const shownNames: Readonly<Record<string, string>> = { stripe: 'STRIPE_SECRET_KEY', mail: 'SMTP_URL' }

function shownName(name: string): string {
  const row: Setting | undefined = Object.entries(settingsTable).find(([setting]) => setting === name)?.[1]
  return shownNames[name] ?? row?.path ?? row?.variable ?? name
}
