/**
 * The provider keys of all accounts: the table `provider_key`, and the same in memory for requests. A credential is sealed for
 * its account, its provider and the address that it is sent to, so that no other row can use it.
 */
import type { Selectable } from 'kysely'
import type { Clock } from '../base/clock.ts'
import { createMutex } from '../base/mutex.ts'
import { parseMarkup } from '../catalog/prices/prices.ts'
import type { Multiplier, Upstream } from '../catalog/types.ts'
import { type CredentialSealer, endOf } from '../catalog/upstreams/console-upstreams.ts'
import { canonicalAddress, parseAddress } from '../catalog/upstreams/upstream-address.ts'
import type { Connector } from '../providers/connector.ts'
import type { Store } from '../store/store.ts'
import type { ProviderKeyTable } from '../store/tables.ts'
import { inTransaction } from '../store/transaction.ts'
import { type OwnKeyHealthLimits, openOwnKeyHealth } from './own-key-health.ts'
import { ownKeyName } from './own-offers.ts'
import type {
  AllowedAccounts,
  KeyProvider,
  KeyUse,
  OwnKey,
  ProviderKeyAsk,
  ProviderKeyRow,
  ProviderKeys,
  ProviderKeyWritten,
} from './types.ts'

export interface ProviderKeysDeps {
  readonly store: Pick<Store, 'database'>
  readonly sealer: CredentialSealer
  readonly clock: Clock
  readonly connectors: readonly Connector[]
  readonly settings: {
    readonly accounts: AllowedAccounts
    readonly fee: string
    readonly urls: Readonly<Record<string, string>>
  }
  readonly limits: OwnKeyHealthLimits & { readonly providerKeysPerAccountMax: number }
}

type StoredKey = Selectable<ProviderKeyTable>
type AccountKind = 'personal' | 'organization'

interface AccountKeys {
  readonly isAllowed: boolean
  readonly keys: readonly (OwnKey & { readonly row: ProviderKeyRow })[]
}

export async function openProviderKeys(deps: ProviderKeysDeps): Promise<ProviderKeys> {
  const { store, clock, limits, settings } = deps
  const { database } = store
  const providers = keyProviders(deps.connectors, settings.urls)
  const health = openOwnKeyHealth({ clock, limits })
  const known = new Map<bigint, AccountKeys>()
  const serialize = createMutex()
  const allows = (kind: AccountKind): boolean =>
    settings.accounts === 'all' || settings.accounts === (kind === 'organization' ? 'organizations' : 'all')

  const select = () =>
    database
      .selectFrom('provider_key')
      .innerJoin('account_profile as profile', 'profile.id', 'provider_key.account')
      .selectAll('provider_key')
      .select('profile.kind')
      .orderBy('provider')

  function remember(rows: readonly (StoredKey & { readonly kind: string })[]): void {
    const [first] = rows
    if (first === undefined) return
    const keys = rows.flatMap((row) => {
      const provider = providers.find((one) => one.provider === row.provider)
      return provider === undefined ? [] : [ownKeyOf(row, provider, deps.sealer)]
    })
    known.set(first.account, { isAllowed: allows(first.kind as AccountKind), keys })
  }

  async function reload(account: bigint): Promise<void> {
    const rows = await select().where('provider_key.account', '=', account).execute()
    known.delete(account)
    remember(rows)
  }

  async function reloadAll(): Promise<void> {
    const rows = await select().execute()
    known.clear()
    for (const each of byAccount(rows)) remember(each)
  }

  await reloadAll()

  const find = (account: bigint, provider: string) =>
    known.get(account)?.keys.find((key) => key.provider.provider === provider)

  return {
    allowed: settings.accounts,
    fee: feeOf(settings.fee),
    feeText: settings.fee,
    providers,
    allows,
    health,
    list: (account) => known.get(account)?.keys.map(({ row }) => row) ?? [],
    credentialOf: (account, provider) => find(account, provider)?.upstream?.credential,
    of: (account) => ownKeysOf(known.get(account)),
    isCurrent: (upstream) =>
      upstream.ownKey !== undefined &&
      find(upstream.ownKey.account, upstream.provider)?.upstream === upstream,
    put: (ask) =>
      serialize(async () => {
        const provider = providers.find((one) => one.provider === ask.provider)
        if (provider === undefined) return 'unknown_provider'
        const written = await write(deps, ask, provider)
        if (written === 'written') await reload(ask.account)
        if (written === 'written' && ask.credential !== null) health.forget(ask.account, ask.provider)
        return written
      }),
    remove: (account, provider) =>
      serialize(async () => {
        const { numDeletedRows } = await database
          .deleteFrom('provider_key')
          .where('account', '=', account)
          .where('provider', '=', provider)
          .executeTakeFirstOrThrow()
        await reload(account)
        health.forget(account, provider)
        return numDeletedRows > 0n
      }),
    reload: (account) => serialize(() => (account === null ? reloadAll() : reload(account))),
    removeAll: (account) =>
      serialize(async () => {
        await database.deleteFrom('provider_key').where('account', '=', account).execute()
        known.delete(account)
      }),
  }
}

const none: readonly OwnKey[] = []

/** Keys that exclude the operator's offers do so even while provider keys are off for the account. */
function ownKeysOf(of: AccountKeys | undefined): readonly OwnKey[] {
  if (of === undefined) return none
  if (of.isAllowed) return of.keys
  return of.keys.filter(({ use }) => use === 'only').map((key) => ({ ...key, upstream: null }))
}

function ownKeyOf(
  row: StoredKey,
  provider: KeyProvider,
  sealer: CredentialSealer,
): AccountKeys['keys'][number] {
  const { account } = row
  const credential = sealer.open(row.credential, boundTo(account, provider))
  const use = row.use as KeyUse
  const upstream: Upstream | null =
    credential === undefined
      ? null
      : {
          name: ownKeyName(provider.provider),
          provider: provider.provider,
          ...parseAddress(provider.url),
          credential,
          weight: 1,
          ownKey: { account, displayName: provider.displayName },
        }
  return {
    provider,
    use,
    upstream,
    row: {
      ...{ account, use, provider: provider.provider },
      credentialEnd: row.credential_end,
      createdMs: Number(row.created_ms),
      updatedMs: Number(row.updated_ms),
      isReadable: upstream !== null,
    },
  }
}

function write(
  { store, sealer, clock, limits }: ProviderKeysDeps,
  { account, provider: name, use, credential }: ProviderKeyAsk,
  provider: KeyProvider,
): Promise<Exclude<ProviderKeyWritten, 'unknown_provider'>> {
  const nowMs = clock.wallMs()
  return inTransaction(store, async (transaction) => {
    const rows = await transaction
      .selectFrom('provider_key')
      .selectAll()
      .where('account', '=', account)
      .execute()
    const stored = rows.find((row) => row.provider === name)
    if (stored === undefined && rows.length >= limits.providerKeysPerAccountMax) return 'too_many'
    if (credential === null) {
      const isReadable =
        stored !== undefined && sealer.open(stored.credential, boundTo(account, provider)) !== undefined
      if (!isReadable) return 'needs_credential'
      await transaction
        .updateTable('provider_key')
        .set({ use, updated_ms: nowMs })
        .where('account', '=', account)
        .where('provider', '=', name)
        .execute()
      return 'written'
    }
    const values = {
      use,
      credential: sealer.seal(credential, boundTo(account, provider)),
      credential_end: endOf(credential),
      updated_ms: nowMs,
    }
    await transaction
      .insertInto('provider_key')
      .values({ account, provider: name, created_ms: nowMs, ...values })
      .onConflict((conflict) => conflict.columns(['account', 'provider']).doUpdateSet(values))
      .execute()
    return 'written'
  })
}

function boundTo(account: bigint, { provider, url }: KeyProvider): readonly string[] {
  return ['provider key', account.toString(), provider, url]
}

function* byAccount<Row extends { readonly account: bigint }>(
  rows: readonly Row[],
): Iterable<readonly Row[]> {
  yield* Map.groupBy(rows, ({ account }) => account).values()
}

/** `5%` as a share of 5/100. */
function feeOf(text: string): Multiplier {
  const raised = parseMarkup(text)
  if (raised === undefined) throw new RangeError(`not a percentage: ${text}`)
  return { numerator: raised.numerator - raised.denominator, denominator: raised.denominator }
}

/** Answers without a credential. */
const withoutCredential = 'sandbox'

/** `urls`: other addresses of the operator's choice, by provider. */
function keyProviders(
  connectors: readonly Connector[],
  urls: Readonly<Record<string, string>>,
): readonly KeyProvider[] {
  return connectors.filter(takesPlainKeys).map((connector) => {
    const { provider, displayName, defaultOrigin } = connector
    const chosen = Object.hasOwn(urls, provider) ? urls[provider] : undefined
    return { provider, displayName, connector, url: canonicalAddress(chosen ?? defaultOrigin) }
  })
}

function takesPlainKeys({ provider, addressExample, credentialForms }: Connector): boolean {
  return provider !== withoutCredential && addressExample === undefined && credentialForms === undefined
}

/** Mistakes in the configured addresses, as sentences for the operator. */
export function keyUrlMistakes(
  connectors: readonly Connector[],
  urls: Readonly<Record<string, string>>,
): readonly string[] {
  const known = connectors.filter(takesPlainKeys).map(({ provider }) => provider)
  return Object.keys(urls)
    .filter((provider) => !known.includes(provider))
    .map((provider) => `providerKeys.urls: ${provider} must be one of ${known.join(', ')}.`)
}
