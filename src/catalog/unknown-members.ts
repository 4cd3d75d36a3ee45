/**
 * Unknown members and betas of requests: a row of the settings for each that was sent to a provider, for the
 * administrator, and one for each that the administrator rejects.
 */
import type { FormatName } from '../../contract/formats.ts'
import type { Settings } from '../store/settings.ts'

export interface UnknownMember {
  readonly format: FormatName
  /** `text.style`, `anthropic-beta: name-2026-01-01`. */
  readonly member: string
}

export interface SeenMember {
  readonly sinceMs: number
  /** The account that sent it first. */
  readonly account: string
}

const seenPrefix = 'unknown member: '
const rejectedPrefix = 'rejected member: '

/** Names of formats have no spaces. */
export const memberKey = ({ format, member }: UnknownMember): string => `${format} ${member}`

function memberOf(key: string): UnknownMember {
  const space = key.indexOf(' ')
  return { format: key.slice(0, space) as UnknownMember['format'], member: key.slice(space + 1) }
}

type Row = { readonly name: string; readonly value: string }
const keysOf = (rows: readonly Row[], prefix: string) => rows.map(({ name }) => name.slice(prefix.length))

/** Reads the rejected members, by `memberKey`. */
export async function readRejected(settings: Pick<Settings, 'listByPrefix'>): Promise<ReadonlySet<string>> {
  return new Set(keysOf(await settings.listByPrefix(rejectedPrefix), rejectedPrefix))
}

/** Stores whether a member is rejected. */
export function writeRejected(
  settings: Pick<Settings, 'put' | 'remove'>,
  member: UnknownMember,
  isRejected: boolean,
): Promise<void> {
  const name = `${rejectedPrefix}${memberKey(member)}`
  return isRejected ? settings.put(name, '1') : settings.remove(name)
}

const rowsMax = 1_000

/** Stores that a member was sent, unless too many are stored. */
export async function storeSeen(
  settings: Pick<Settings, 'claim' | 'listByPrefix'>,
  member: UnknownMember,
  seen: SeenMember,
): Promise<void> {
  if ((await settings.listByPrefix(seenPrefix)).length >= rowsMax) return
  await settings.claim(`${seenPrefix}${memberKey(member)}`, JSON.stringify(seen))
}

/** Members that were sent, and members that are rejected without having been sent (`seen`: null), by name. */
export async function listMembers(
  settings: Pick<Settings, 'listByPrefix'>,
  rejected: ReadonlySet<string>,
): Promise<readonly (UnknownMember & { readonly seen: SeenMember | null; readonly isRejected: boolean })[]> {
  const rows = await settings.listByPrefix(seenPrefix)
  const seen = new Map(
    rows.map(({ name, value }) => [name.slice(seenPrefix.length), JSON.parse(value) as SeenMember]),
  )
  return [...new Set([...seen.keys(), ...rejected])].sort().map((key) => ({
    ...memberOf(key),
    seen: seen.get(key) ?? null,
    isRejected: rejected.has(key),
  }))
}
