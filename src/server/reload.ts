/**
 * Reads the configuration again while the server runs: upstreams, models, limits and secrets take effect in all threads, or
 * nothing does. Requests in progress keep what they began with.
 */

import { isDeepStrictEqual } from 'node:util'
import type { Changes } from '../base/changes.ts'
import type { Log } from '../base/log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { hostModels } from '../catalog/hosts/host-models.ts'
import { catalogMistakes } from '../catalog/mistakes.ts'
import type { Config, ConfigResult } from '../config/config.ts'
import { type ReloadedParts, reloadedConfig, type ServingChange } from '../config/reloading.ts'
import type { Metrics } from '../gateway/observation/metrics.ts'
import { keyUrlMistakes } from '../provider-keys/provider-keys.ts'
import type { Health } from '../providers/health.ts'
import { connectors } from '../providers/registry.ts'
import { catalogSources } from './serving-services.ts'

export type ReloadResult =
  | {
      readonly kind: 'reloaded'
      /** By path or variable. */
      readonly changed: readonly string[]
      /** Changes that need a restart. */
      readonly restart: readonly string[]
    }
  /** By path; nothing changed. */
  | { readonly kind: 'rejected'; readonly mistakes: readonly string[] }

/** Mistakes in a configuration beyond its form. */
export async function configurationMistakes(
  config: Config,
  sandboxOrigin: string | null,
): Promise<readonly string[]> {
  const sources = catalogSources(config, sandboxOrigin)
  const hosted = await hostModels(sources.upstreams.map(({ provider }) => provider))
  return [
    ...catalogMistakes({ ...sources, builtin: [...sources.builtin, ...hosted] }),
    ...keyUrlMistakes(connectors, config.providerKeys.urls),
  ]
}

/** The configuration of a running thread: a reload changes it in place, so that all code that holds it sees the change. */
export function liveConfig(config: Config): Config {
  const { stripe, mail, limits } = config
  return {
    ...config,
    limits: Object.isFrozen(limits) ? { ...limits } : limits,
    stripe: stripe === null ? null : { ...stripe },
    mail: mail === null ? null : { ...mail },
  }
}

interface ReloadingThread {
  readonly config: Config
  readonly catalog: Pick<Catalog, 'reload'>
  readonly health: Pick<Health, 'forget'>
  readonly sandboxOrigin: string | null
}

/** Takes over what each thread that serves requests has. Rejects where the store cannot be read, and has changed nothing then. */
export async function applyServingChange(thread: ReloadingThread, change: ServingChange): Promise<void> {
  const { config, catalog, health, sandboxOrigin } = thread
  await catalog.reload(catalogSources({ ...config, ...change }, sandboxOrigin))
  for (const { name } of changedUpstreams(config.upstreams, change.upstreams)) health.forget(name)
  Object.assign(config.limits, change.limits)
  Object.assign(config, { ...change, limits: config.limits })
}

/** Upstreams whose failures no longer apply, because their credential or address changed. */
function changedUpstreams(before: Config['upstreams'], after: Config['upstreams']): Config['upstreams'] {
  return before.filter((old) => !after.some((upstream) => isDeepStrictEqual(upstream, old)))
}

interface ReloadDeps extends ReloadingThread {
  /** The configuration at startup. */
  readonly started: Config
  readonly read: () => Promise<ConfigResult>
  /** Applies the same in the other threads. */
  readonly applyElsewhere: (change: ServingChange) => Promise<unknown>
  /** Called after a change. */
  readonly onReloaded: () => void
  readonly log: Log
  readonly metrics: Pick<Metrics, 'configurationReloaded'>
}

/** Runs reloads in order, with at most one waiting. Rejects without changes if the store cannot be reached. */
function openReload(deps: ReloadDeps): () => Promise<ReloadResult> {
  const { log, metrics } = deps
  let present: Promise<unknown> = Promise.resolve()
  let next: Promise<ReloadResult> | undefined
  const reload = async (): Promise<ReloadResult> => {
    const result = await readAndApply(deps)
    metrics.configurationReloaded(result.kind === 'reloaded')
    if (result.kind === 'rejected') {
      for (const mistake of result.mistakes) log.error({ mistake }, 'the configuration was not reloaded')
    } else log.info({ changed: result.changed, restart: result.restart }, 'the configuration was reloaded')
    return result
  }
  const begin = (): Promise<ReloadResult> => {
    const result = reload().catch((error: unknown) => {
      metrics.configurationReloaded(false)
      log.error({ err: error }, 'the configuration was not reloaded')
      throw error
    })
    next = undefined
    present = result.catch(() => undefined)
    return result
  }
  // While one waits for the present one, further calls get that one: it has not read anything yet.
  return () => {
    next ??= present.then(begin)
    return next
  }
}

/** The reload of a server: `started` is the configuration at startup, `config` the present one. */
export function reloadOf(
  given: { readonly started: Config; readonly log: Log; readonly readConfig?: () => Promise<ConfigResult> },
  parts: Pick<ReloadDeps, 'config' | 'metrics'> & {
    readonly services: Pick<ReloadDeps, 'catalog' | 'health'> & {
      readonly changes: Pick<Changes, 'publishToAll'>
    }
    readonly sandbox: { readonly origin: string } | null
    readonly threads: { reload(change: ServingChange): Promise<unknown> }
  },
): () => Promise<ReloadResult> {
  const { started, log, readConfig = async () => ({ kind: 'config', config: started, set: [] }) } = given
  const { services, sandbox, config, threads, metrics } = parts
  const { catalog, health, changes } = services
  return openReload({
    ...{ config, started, catalog, health, log, metrics, read: readConfig },
    sandboxOrigin: sandbox?.origin ?? null,
    applyElsewhere: threads.reload,
    onReloaded: () => changes.publishToAll(['models']),
  })
}

async function readAndApply(deps: ReloadDeps): Promise<ReloadResult> {
  const { config, started, sandboxOrigin } = deps
  const read = await deps.read()
  if (read.kind === 'mistakes') return { kind: 'rejected', mistakes: read.mistakes }
  const { parts, changed, restart } = reloadedConfig(started, config, read.config)
  const mistakes = await configurationMistakes({ ...config, ...parts }, sandboxOrigin)
  if (mistakes.length > 0) return { kind: 'rejected', mistakes }
  const before: ReloadedParts = { ...config, limits: { ...config.limits } }
  try {
    await applyServingChange(deps, servingChange(parts))
    await deps.applyElsewhere(servingChange(parts))
  } catch (error) {
    await Promise.allSettled([
      applyServingChange(deps, servingChange(before)),
      deps.applyElsewhere(servingChange(before)),
    ])
    throw error
  }
  applySecrets(config, parts)
  deps.onReloaded()
  return { kind: 'reloaded', changed, restart }
}

function servingChange({
  upstreams,
  models,
  aliases,
  disabled,
  markup,
  limits,
}: ReloadedParts): ServingChange {
  return { upstreams, models, aliases, disabled, markup, limits }
}

function applySecrets(config: Config, { metricsToken, stripe, mail }: ReloadedParts): void {
  Object.assign(config, { metricsToken })
  if (config.stripe !== null) Object.assign(config.stripe, stripe)
  if (config.mail !== null) Object.assign(config.mail, mail)
}
