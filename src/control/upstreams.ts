/** `upstreams.*`: where requests go, with the health of each. A credential is stored here and never returned. */
import { customHostMistake, customHostOf, customHosts, isCustomHost } from '../../contract/custom-hosts.ts'
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'
import { TollgateError } from '../base/errors.ts'
import type { ListedUpstream, UpstreamChange } from '../catalog/catalog.ts'
import type { UpstreamInput } from '../catalog/upstreams/console-upstreams.ts'
import { addedAddressMistake, canonicalAddress } from '../catalog/upstreams/upstream-address.ts'
import { canonicalCredential, credentialMistake } from '../catalog/upstreams/upstream-credential.ts'
import type { AskedHost, ControlDeps, HostAnswer, OperationHandlers } from './control-deps.ts'
import { assertTested, credentialOutput, formatsToStore, listPresentFormats } from './upstream-hosts.ts'
import { describeFailure, upstreamNotFound } from './upstream-status.ts'
import { invalidValue, isoTimeOrNull } from './values.ts'

export const upstreamHandlers = {
  'upstreams.list': async (deps) => deps.catalog.upstreams.map((upstream) => upstreamOutput(deps, upstream)),

  'upstreams.put': async (deps, asked) => {
    const ask = toCatalogInput(asked)
    validateUpstream(asked, ask, deps.plainOrigins)
    const { upstream: name } = asked
    const rejected = await deps.catalog.previewUpstream({ ...ask, credential: toCredential(asked) })
    if ('kind' in rejected) assertUpstreamWritten(rejected, asked)
    const host = findHostToSave(deps.catalog, asked, ask)
    const toSave = { ask, host, checked: host === undefined ? undefined : deps.server.checkedHost.take(host) }
    await assertTested(deps, asked, toSave)
    const formats = await formatsToStore(deps, asked, toSave)
    const credential = toCredential(asked)
    assertUpstreamWritten(await deps.catalog.putUpstream({ ...ask, formats, credential }), asked)
    deps.health.forget(name)
    await deps.offerStatistics.forget(name)
    deps.changes.publishToAll(['upstreams', 'models'])
    const put = deps.catalog.upstreams.find((upstream) => upstream.name === name)
    assert(put !== undefined, 'an upstream that was written is there')
    return upstreamOutput(deps, put)
  },

  'upstreams.check': async ({ catalog, plainOrigins, server }, asked) => {
    const ask = toCatalogInput(asked)
    validateUpstream(asked, ask, plainOrigins)
    const preview = await catalog.previewUpstream({ ...ask, credential: toCredential(asked) })
    const isPreview = !('kind' in preview)
    // A request for the host's model names comes before the choice among them.
    if (!isPreview && !(preview.kind === 'needs_models' && asked.askHost))
      assertUpstreamWritten(preview, asked)
    const host = await callHost({ catalog, server }, asked, ask)
    const kept = asked.testCredential ? findHostToSave(catalog, asked, ask) : undefined
    const paths = kept === undefined ? server.pathsOf(ask) : await server.findPaths(kept)
    if (kept !== undefined) server.checkedHost.keep(kept, { credential: host, paths })
    const formats = listPresentFormats(paths)
    const found =
      formats === null || ask.custom !== undefined
        ? preview
        : await catalog.previewUpstream({ ...ask, formats })
    const shown = 'kind' in found ? { sells: [], notSold: [], stops: [] } : found
    return {
      paths: [...paths],
      sells: shown.sells.map(({ price, ...row }) => {
        return { ...row, input: formatUsd(price.input), output: formatUsd(price.output) }
      }),
      notSold: shown.notSold.map((row) => ({ ...row })),
      stops: [...shown.stops],
      host: host !== null && asked.askHost ? { models: [...host.names], problem: host.problem } : null,
      credential: host !== null && asked.testCredential ? credentialOutput(host) : null,
    }
  },

  'upstreams.remove': async (deps, { upstream }) => {
    if (!(await deps.catalog.removeUpstream(upstream))) {
      const isListed = deps.catalog.upstreams.some(({ name }) => name === upstream)
      throw isListed ? configuredElsewhere(upstream) : upstreamNotFound(upstream)
    }
    deps.health.forget(upstream)
    await deps.offerStatistics.forget(upstream)
    deps.changes.publishToAll(['upstreams', 'models'])
    return { upstream, removed: true }
  },
} satisfies Partial<OperationHandlers>

type UpstreamOut = OperationOutput<'upstreams.put'>

/** null: nothing was asked of the host. */
async function callHost(
  { catalog, server }: Pick<ControlDeps, 'catalog' | 'server'>,
  asked: OperationInput<'upstreams.check'>,
  ask: Omit<UpstreamInput, 'credential'>,
): Promise<HostAnswer | null> {
  if (!asked.askHost && !asked.testCredential) return null
  const host = findHostToSave(catalog, asked, ask)
  if (host === undefined) {
    assertUpstreamWritten({ kind: 'needs_credential' }, asked)
    return null
  }
  return asked.testCredential ? await server.testCredential(host) : await server.listHostModels(host)
}

type Asked = OperationInput<'upstreams.put'> | OperationInput<'upstreams.check'>

/** With what is stored where nothing else is given; undefined: no credential is stored for this address. */
function findHostToSave(
  catalog: ControlDeps['catalog'],
  asked: Asked,
  ask: Omit<UpstreamInput, 'credential'>,
): AskedHost | undefined {
  const kept = catalog.keptSecrets(ask)
  const isNew = catalog.upstreams.every(({ name }) => name !== ask.name)
  const credential =
    toCredential(asked) ?? kept?.credential ?? (ask.custom !== undefined && isNew ? '' : undefined)
  if (credential === undefined) return undefined
  const headers = (ask.keepsHeaders === true ? kept?.headers : ask.custom?.headers) ?? {}
  const custom = ask.custom === undefined ? undefined : { ...ask.custom, headers }
  return { provider: ask.provider, url: ask.url, credential, custom }
}

function toCatalogInput(asked: Asked): Omit<UpstreamInput, 'credential'> {
  const { upstream: name, provider, weight, disabled, models, auth } = asked
  const kind = isCustomHost(provider) ? provider : undefined
  const url = asked.url ?? (kind === undefined ? null : customHosts[kind].url)
  const keyHeader = auth === undefined || auth === 'none' ? undefined : auth.header
  return {
    ...{ name, weight, disabled, tags: asked.tags, limits: asked.limits },
    provider: kind === undefined ? provider : name,
    url: url === null || !URL.canParse(url) ? url : canonicalAddress(url),
    ...(kind === undefined ? {} : { custom: customHostOf(kind, { ...asked, keyHeader }) }),
    ...(asked.headers === undefined ? { keepsHeaders: true } : {}),
    models:
      models === undefined || models === 'all'
        ? models
        : models.map(({ model, upstreamModel }) => ({ id: model, upstreamId: upstreamModel })),
  }
}

/** null: the one that is stored; '': none. */
function toCredential({ credential, auth }: Asked): string | null {
  if (auth === 'none') return ''
  return credential === undefined ? null : canonicalCredential(credential)
}

/** Applies the rules of the configuration's own upstreams; a credential goes into a header as it is. */
function validateUpstream(
  asked: Asked,
  { url, custom }: Omit<UpstreamInput, 'credential'>,
  plainOrigins: readonly string[],
): void {
  const { credential } = asked
  const wrong = addressProblem(asked, url, plainOrigins)
  if (wrong !== undefined) throw invalidValue('url', wrong)
  const mistake = custom === undefined ? findCustomOnlyField(asked) : customHostMistake(custom)
  if (mistake !== undefined) throw invalidValue(mistake.field, mistake.message)
  const problem = credential === undefined ? undefined : credentialMistake(credential)
  if (problem !== undefined) throw invalidValue('credential', problem)
}

function addressProblem(
  asked: Asked,
  url: string | null,
  plainOrigins: readonly string[],
): string | undefined {
  if (url !== null) return addedAddressMistake(asked.url ?? url, plainOrigins)
  return isCustomHost(asked.provider) ? 'is required for this provider' : undefined
}

/** A field that says how a custom host is asked, although the upstream is none. */
function findCustomOnlyField(
  asked: Asked,
): { readonly field: 'formats' | 'auth' | 'headers'; readonly message: string } | undefined {
  const field = (['formats', 'auth', 'headers'] as const).find((name) => asked[name] !== undefined)
  const message = `cannot be set for ${asked.provider}: only for a server of your own`
  return field === undefined ? undefined : { field, message }
}

function assertUpstreamWritten(change: UpstreamChange, { upstream, provider }: Asked): void {
  switch (change.kind) {
    case 'written':
      return
    case 'needs_credential':
      throw new TollgateError('missing_field', {
        message: 'credential: enter the API key again. A stored one is bound to its provider and URL.',
        param: 'credential',
      })
    case 'wrong_url':
      throw invalidValue('url', change.message)
    case 'wrong_credential':
      throw invalidValue('credential', change.message)
    case 'needs_models':
      throw new TollgateError('missing_field', { message: `models: ${change.message}.`, param: 'models' })
    case 'wrong_model':
      throw invalidValue('models', change.message)
    case 'unknown_provider':
      throw invalidValue(
        'provider',
        `unknown provider ${provider}. Use one of ${[...change.providers, ...Object.keys(customHosts)].join(', ')}`,
      )
    case 'wrong_name':
      throw invalidValue('upstream', change.message)
    case 'configured':
      throw configuredElsewhere(upstream)
  }
}

function configuredElsewhere(name: string): TollgateError {
  return new TollgateError('conflict', {
    message: `The upstream ${name} is set in tollgate.yaml or the environment and must be changed there.`,
    param: 'upstream',
  })
}

function upstreamOutput({ health }: Pick<ControlDeps, 'health'>, upstream: ListedUpstream): UpstreamOut {
  const report = health.report(upstream.name)
  return {
    name: upstream.name,
    provider: upstream.custom?.kind ?? upstream.provider,
    url: upstream.url,
    weight: upstream.weight,
    models: modelsOutput(upstream.models),
    serves: [...upstream.serves],
    from: upstream.from,
    disabled: upstream.disabled,
    formats: upstream.formats === undefined ? null : [...upstream.formats],
    tags: upstream.tags === undefined ? null : [...upstream.tags],
    limits: upstream.limits ?? null,
    credentialEnd: upstream.credentialEnd,
    custom: customOutput(upstream.custom),
    health: {
      state: report.state,
      until: isoTimeOrNull(report.untilMs),
      failures: report.failures,
      requests: report.requests,
      failing: !upstream.disabled && (upstream.problem !== null || report.failing),
      failingModel: upstream.disabled || upstream.problem !== null ? null : report.failingModel,
      lastError: upstream.problem ?? describeFailure(report.lastFailure),
    },
  }
}

function customOutput(custom: ListedUpstream['custom']): UpstreamOut['custom'] {
  if (custom === undefined) return null
  const { formats, keyHeader, headers } = custom
  return { formats: [...formats], keyHeader, headers: Object.keys(headers) }
}

function modelsOutput(models: ListedUpstream['models']): UpstreamOut['models'] {
  if (models === null || models === 'all') return models
  return models.map(({ id, upstreamId }) => {
    return upstreamId === undefined ? { model: id } : { model: id, upstreamModel: upstreamId }
  })
}
