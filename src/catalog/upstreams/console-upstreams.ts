/**
 * Upstreams that were added in the console: the table `upstream`. Their credentials are encrypted for the name, provider
 * and URL they were entered for, so that a moved one does not decrypt; only a snapshot contains them in plain text.
 */
import type { Selectable } from 'kysely'
import type { CustomHost } from '../../../contract/custom-hosts.ts'
import { secretFields } from '../../base/secret-fields.ts'
import type { Store } from '../../store/store.ts'
import type { UpstreamTable } from '../../store/tables.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { UpstreamDefinition, UpstreamModels } from '../definition.ts'
import type { UpstreamLimits } from '../types.ts'

/** Seals texts for the store, each bound to words that name its purpose. */
export interface CredentialSealer {
  seal(secret: string, boundTo: readonly string[]): Uint8Array
  /** undefined: sealed with other words or another key, or changed since. */
  open(sealed: Uint8Array, boundTo: readonly string[]): string | undefined
}

export interface ConsoleUpstream extends Omit<UpstreamDefinition, 'credential'> {
  readonly disabled: boolean
  /** null: it cannot be opened, and must be given again. */
  readonly credential: string | null
  readonly credentialEnd: string
}

export interface UpstreamInput
  extends Omit<UpstreamDefinition, 'credential' | 'tags' | 'limits' | 'formats'> {
  /** Left out: as stored; null: all. */
  readonly formats?: UpstreamDefinition['formats'] | null
  /** Left out: as stored; null: none. */
  readonly tags?: readonly string[] | null | undefined
  readonly limits?: { readonly [Name in keyof UpstreamLimits]?: number | null | undefined } | null | undefined
  readonly disabled: boolean
  /** null: the stored one, if provider and address are unchanged; a custom host may have none. */
  readonly credential: string | null
  /** Keeps the stored headers of a custom host, on the same condition. */
  readonly keepsHeaders?: boolean
}

export async function readUpstreams(
  { database }: Pick<Store, 'database'>,
  sealer: CredentialSealer,
): Promise<readonly ConsoleUpstream[]> {
  const rows = await database.selectFrom('upstream').selectAll().orderBy('name').execute()
  return rows.map((row) => toUpstream(row, sealer))
}

function toUpstream(row: Selectable<UpstreamTable>, sealer: CredentialSealer): ConsoleUpstream {
  const { name, provider, url } = row
  return {
    name,
    provider,
    url,
    models: row.models === null ? undefined : (JSON.parse(row.models) as UpstreamModels),
    weight: Number(row.weight),
    disabled: row.disabled !== 0n,
    credential: sealer.open(row.credential, boundTo(row)) ?? null,
    credentialEnd: row.credential_end,
    ...(row.custom === null ? {} : { custom: customOf(row.custom, row, sealer) }),
    ...routingOf(row.routing),
  }
}

type StoredRouting = Pick<UpstreamDefinition, 'tags' | 'limits' | 'formats'>

const noLimits: UpstreamLimits = { concurrent: null, requestsPerMinute: null, tokensPerMinute: null }

function routingOf(text: string | null): StoredRouting {
  if (text === null) return {}
  const { limits, ...stored } = JSON.parse(text) as StoredRouting
  // A limit that did not exist when the row was written is not in it.
  return limits === undefined ? stored : { ...stored, limits: { ...noLimits, ...limits } }
}

/** Merges tags and limits into the stored column. Omitted values stay; a null limit is removed. */
function routingColumn(input: UpstreamInput, stored: string | null): string | null {
  const before = routingOf(stored)
  const tags = input.tags === undefined ? before.tags : (input.tags ?? undefined)
  const limitOf = (name: keyof UpstreamLimits): number | null => {
    if (input.limits === null) return null
    const asked = input.limits?.[name]
    return asked === undefined ? (before.limits?.[name] ?? null) : asked
  }
  const limits: UpstreamLimits = {
    concurrent: limitOf('concurrent'),
    requestsPerMinute: limitOf('requestsPerMinute'),
    tokensPerMinute: limitOf('tokensPerMinute'),
  }
  const hasLimits = Object.values(limits).some((limit) => limit !== null)
  const formats = input.formats === undefined ? before.formats : (input.formats ?? undefined)
  if (tags === undefined && formats === undefined && !hasLimits) return null
  return JSON.stringify({ tags, formats, ...(hasLimits ? { limits } : {}) })
}

/** Values of headers may be secrets too, so they are stored as the credential is. */
function customOf(text: string, row: Selectable<UpstreamTable>, sealer: CredentialSealer): CustomHost {
  const sealed = row.headers
  const headers = sealed === null ? undefined : sealer.open(sealed, headersBoundTo(row))
  const shape = JSON.parse(text) as Omit<CustomHost, 'headers'>
  return { ...shape, headers: headers === undefined ? {} : (JSON.parse(headers) as CustomHost['headers']) }
}

/** `needs_credential`: none is stored for this provider and address. */
export function writeUpstream(
  store: Pick<Store, 'database'>,
  sealer: CredentialSealer,
  input: UpstreamInput,
  nowMs: number,
): Promise<'written' | 'needs_credential'> {
  const { name, provider, url, weight } = input
  const models = input.models === undefined ? null : JSON.stringify(input.models)
  return inTransaction(store, async (transaction) => {
    const stored = await transaction
      .selectFrom('upstream')
      .selectAll()
      .where('name', '=', name)
      .executeTakeFirst()
    const isSame = stored?.provider === provider && stored.url === url
    const hadNone = stored === undefined || sealer.open(stored.credential, boundTo(stored)) === ''
    const credential = input.credential ?? (input.custom !== undefined && hadNone && !isSame ? '' : null)
    if (credential === null && !isSame) return 'needs_credential'
    const disabled = input.disabled ? 1 : 0
    const columns = {
      ...{ provider, url, weight, models, disabled, updated_ms: nowMs },
      ...customColumns(input, sealer, isSame),
      routing: routingColumn(input, stored?.routing ?? null),
    }
    if (credential === null) {
      await transaction.updateTable('upstream').set(columns).where('name', '=', name).execute()
      return 'written'
    }
    const values = {
      ...columns,
      credential: sealer.seal(credential, boundTo(input)),
      credential_end: endOf(credential),
    }
    await transaction
      .insertInto('upstream')
      .values({ name, ...values })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(values))
      .execute()
    return 'written'
  })
}

function customColumns(
  input: UpstreamInput,
  sealer: CredentialSealer,
  isSame: boolean,
): { readonly custom: string | null; readonly headers?: Uint8Array | null } {
  if (input.custom === undefined) return { custom: null, headers: null }
  const { headers, ...shape } = input.custom
  const custom = JSON.stringify(shape)
  if (input.keepsHeaders === true && isSame) return { custom }
  return { custom, headers: sealer.seal(JSON.stringify(headers), headersBoundTo(input)) }
}

/** Whether an upstream gets requests from now on. */
export async function writeUpstreamDisabled(
  { database }: Pick<Store, 'database'>,
  name: string,
  disabled: boolean,
): Promise<void> {
  await database
    .updateTable('upstream')
    .set({ disabled: disabled ? 1 : 0 })
    .where('name', '=', name)
    .execute()
}

/** Returns whether it existed. */
export async function deleteUpstream({ database }: Pick<Store, 'database'>, name: string): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('upstream')
    .where('name', '=', name)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

function boundTo({ name, provider, url }: Pick<UpstreamInput, 'name' | 'provider' | 'url'>): string[] {
  return ['upstream', name, provider, url ?? '']
}

function headersBoundTo({ name, provider, url }: Pick<UpstreamInput, 'name' | 'provider' | 'url'>): string[] {
  return ['upstream headers', name, provider, url ?? '']
}

const shownCharacters = 4
/** Minimum length; the end of a shorter credential would reveal too much of it. */
const shownOfMin = 12

/** The part of a credential by which users recognize it. */
export function endOf(credential: string): string {
  // The end of a mapping identifies nothing.
  if (secretFields(credential) !== null) return ''
  return credential.length < shownOfMin ? '' : credential.slice(-shownCharacters)
}
