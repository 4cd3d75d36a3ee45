/** `provider-keys.*`: an account's own credentials for providers. A credential is stored here and never returned. */
import type { OperationOutput } from '../../contract/operations.ts'
import { assert } from '../base/assert.ts'
import { TollgateError } from '../base/errors.ts'
import { credentialFormMistake, credentialMistake } from '../catalog/upstreams/upstream-credential.ts'
import type { AccountRow } from '../ledger/types.ts'
import { servesModel } from '../provider-keys/own-offers.ts'
import type { KeyProvider, ProviderKeyRow, ProviderKeyWritten } from '../provider-keys/types.ts'
import type { ControlDeps, HostAnswer, OperationHandlers } from './control-deps.ts'
import { assertAccepted, credentialOutput } from './upstream-hosts.ts'
import { invalidValue, isoTime } from './values.ts'

export const providerKeyHandlers = {
  'provider-keys.list': async (deps, _input, { account }) => {
    const { providerKeys } = deps
    return {
      allowed: providerKeys.allows(account.kind),
      fee: providerKeys.feeText,
      keys: providerKeys.list(account.id).map((row) => providerKeyOutput(deps, row)),
      providers: providerKeys.providers.flatMap((one) => {
        const models = countModels(deps, one)
        return models === 0 ? [] : [{ provider: one.provider, name: one.displayName, models }]
      }),
    }
  },

  'provider-keys.put': async (deps, { provider: name, credential, use }, { account }) => {
    const { providerKeys, changes } = deps
    const provider = findProvider(deps, name)
    assertAllowed(deps, account)
    if (credential !== undefined) {
      assertPlainKey(credential, provider)
      // A key that is stored has worked once.
      const answer = await testKey(deps, account, { provider, credential })
      assertAccepted(answer, 'Nothing was saved.', 'credential')
    }
    const written = await providerKeys.put({
      account: account.id,
      provider: name,
      use,
      credential: credential ?? null,
    })
    assertWritten(deps, written, provider)
    changes.publish(account.id, ['provider-keys'])
    const row = providerKeys.list(account.id).find((one) => one.provider === name)
    assert(row !== undefined, 'a provider key that was written is there')
    return providerKeyOutput(deps, row)
  },

  'provider-keys.test': async (deps, { provider: name }, { account }) => {
    const provider = findProvider(deps, name)
    const credential = deps.providerKeys.credentialOf(account.id, name)
    if (credential === undefined) throw keyNotFound(deps, account, provider)
    const answer = await testKey(deps, account, { provider, credential })
    // A key that works again is used immediately.
    if (answer.credential === 'accepted') deps.providerKeys.health.forget(account.id, name)
    deps.changes.publish(account.id, ['provider-keys'])
    return { provider: name, ...credentialOutput(answer) }
  },

  'provider-keys.remove': async (deps, { provider: name }, { account }) => {
    const provider = findProvider(deps, name)
    if (!(await deps.providerKeys.remove(account.id, name))) throw keyNotFound(deps, account, provider)
    deps.changes.publish(account.id, ['provider-keys'])
    return { provider: name, removed: true }
  },
} satisfies Partial<OperationHandlers>

type ProviderKeyOut = OperationOutput<'provider-keys.put'>
type KeyDeps = Pick<
  ControlDeps,
  'catalog' | 'changes' | 'clock' | 'limits' | 'providerKeys' | 'providerKeyTests' | 'server'
>

function assertAllowed({ providerKeys }: KeyDeps, { kind }: Pick<AccountRow, 'kind'>): void {
  if (providerKeys.allows(kind)) return
  const whose = providerKeys.allowed === 'none' ? 'on this server' : 'for personal accounts'
  throw new TollgateError('not_allowed', {
    message: `Provider keys are not enabled ${whose}. An administrator can enable them with TOLLGATE_PROVIDER_KEYS.`,
  })
}

function findProvider({ providerKeys }: KeyDeps, name: string): KeyProvider {
  const found = providerKeys.providers.find(({ provider }) => provider === name)
  if (found !== undefined) return found
  const known = providerKeys.providers.map(({ provider }) => provider).join(', ')
  throw invalidValue(
    'provider',
    `must be one of ${known}. Other providers cannot be used with a key of your own`,
  )
}

/** No fields, which could name files and roles of the server. */
function assertPlainKey(credential: string, { connector }: KeyProvider): void {
  const mistake =
    credentialMistake(credential) ?? credentialFormMistake(credential, connector, { isOperators: false })
  if (mistake !== undefined) throw invalidValue('credential', mistake)
}

/** Throttled, so that the server does not test lists of keys. */
async function testKey(
  { server, providerKeyTests, clock, limits }: KeyDeps,
  account: AccountRow,
  { provider: { provider, url }, credential }: { provider: KeyProvider; credential: string },
): Promise<HostAnswer> {
  const taken = providerKeyTests.take(account.id, clock.wallMs())
  if (taken.kind === 'taken') return server.testCredential({ provider, url, credential })
  throw new TollgateError('too_many_attempts', {
    message: `An account can test ${limits.providerKeyTestsPerMinute} provider keys per minute. Wait ${Math.ceil(taken.retryAfterMs / 1_000)} s.`,
    retryAfterMs: taken.retryAfterMs,
  })
}

function assertWritten({ limits }: KeyDeps, written: ProviderKeyWritten, { displayName }: KeyProvider): void {
  switch (written) {
    case 'written':
      return
    case 'needs_credential':
      throw new TollgateError('missing_field', {
        message: `credential: enter the API key. None for ${displayName} is stored that can be read.`,
        param: 'credential',
      })
    case 'too_many':
      throw new TollgateError('conflict', {
        message: `An account has at most ${limits.providerKeysPerAccountMax} provider keys. Remove one that is no longer in use.`,
      })
    case 'unknown_provider':
      throw new RangeError('the provider was found before')
  }
}

function keyNotFound(
  { providerKeys }: KeyDeps,
  account: Pick<AccountRow, 'id'>,
  { provider, displayName }: KeyProvider,
): TollgateError {
  const isStored = providerKeys.list(account.id).some((row) => row.provider === provider)
  return new TollgateError('provider_key_not_found', {
    message: isStored
      ? `The key for ${displayName} cannot be decrypted. Enter it again.`
      : `No key for ${displayName} is stored.`,
    param: 'provider',
  })
}

function countModels({ catalog }: KeyDeps, provider: KeyProvider): number {
  return [...catalog.snapshot.models.values()].filter((model) => servesModel(provider, model)).length
}

function providerKeyOutput(deps: KeyDeps, row: ProviderKeyRow): ProviderKeyOut {
  const { account, provider: name } = row
  const provider = findProvider(deps, name)
  const { health } = deps.providerKeys
  return {
    provider: name,
    name: provider.displayName,
    url: provider.url,
    use: row.use,
    credentialEnd: row.credentialEnd,
    state: row.isReadable ? health.state(account, name, null) : 'unreadable',
    lastError: health.lastFailure(account, name)?.message ?? null,
    models: countModels(deps, provider),
    created: isoTime(row.createdMs),
    updated: isoTime(row.updatedMs),
  }
}
