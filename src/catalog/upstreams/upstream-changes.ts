/** Changes of upstreams, disabled places and the markup: each is stored first and then in the snapshot. */
import { writeMarkup } from '../console-markup.ts'
import { hostModels } from '../hosts/host-models.ts'
import {
  forgetDisabled,
  isKnownPlace,
  type OfferPlace,
  withoutDisabled,
  withPlace,
  writeDisabled,
} from '../offers/disabled-offers.ts'
import { type CatalogState, inTurns, refresh } from '../state.ts'
import {
  deleteUpstream,
  type UpstreamInput,
  writeUpstream,
  writeUpstreamDisabled,
} from './console-upstreams.ts'
import {
  type KnownCatalog,
  previewSteps,
  rejectionOf,
  type UpstreamChange,
  type UpstreamPreview,
} from './listed-upstreams.ts'

/** Secrets sent to an upstream. */
export interface KeptSecrets {
  readonly credential: string
  readonly headers: Readonly<Record<string, string>>
}

export type DisablingResult =
  | { readonly kind: 'changed' }
  | { readonly kind: 'unknown_upstream' | 'unknown_offer' }
  /** Not done: these models would have no upstream left. */
  | { readonly kind: 'leaves_unserved'; readonly models: readonly string[] }

export interface Disabling extends OfferPlace {
  readonly disabled: boolean
  /** Allows the change even if a model would have no upstream left. */
  readonly allowUnserved: boolean
}

/** The part of the catalog that changes upstreams. */
export interface UpstreamChanges {
  /** Adds or replaces an upstream. */
  putUpstream(input: UpstreamInput): Promise<UpstreamChange>
  /** Previews the models of an upstream, or the reason to reject it whatever its credential. */
  previewUpstream(input: Parameters<typeof rejectionOf>[0]): Promise<UpstreamPreview | UpstreamChange>
  /** The credential and the headers stored for this name, provider and address, if any. */
  keptSecrets(input: Pick<UpstreamInput, 'name' | 'provider' | 'url'>): KeptSecrets | undefined
  /** Whether it existed; configured upstreams stay. */
  removeUpstream(name: string): Promise<boolean>
  /** Disables or enables an upstream or an offer, from the next request on. */
  setDisabled(disabling: Disabling): Promise<DisablingResult>
  /** Takes effect now; every changed price becomes a new version. */
  setMarkup(markup: string | null): Promise<void>
}

/** Operations that change upstreams and the markup of a catalog. */
export function upstreamChanges(state: CatalogState): UpstreamChanges {
  const { store, clock, settings, sealer } = state.deps
  return {
    putUpstream(input) {
      return state.inTurn(async () => {
        const known = await withHost(state.loaded, input.provider)
        const rejected = rejectionOf(input, state.sources, known)
        if (rejected !== undefined) return rejected
        const written = await writeUpstream(store, sealer, input, clock.wallMs())
        if (written !== 'written') return { kind: written }
        // Disabled places of a removed configured upstream with this name do not apply to the new one.
        const isNew = state.loaded.console.every(({ name }) => name !== input.name)
        if (isNew) await forgetDisabled(settings, state.loaded.disabled, input.name)
        await refresh(state)
        return { kind: written }
      })
    },
    async previewUpstream(input) {
      const { snapshot } = state.loaded
      const known = await withHost(state.loaded, input.provider)
      const rejected = rejectionOf(input, state.sources, known)
      return (
        rejected ?? (await inTurns(state, previewSteps(input, known, { snapshot, nowMs: clock.wallMs() })))
      )
    },
    keptSecrets({ name, provider, url }) {
      const known = [...state.sources.upstreams, ...state.loaded.console].find((one) => one.name === name)
      if (known?.provider !== provider || known.url !== url || known.credential === null) return undefined
      return { credential: known.credential, headers: known.custom?.headers ?? {} }
    },
    removeUpstream(name) {
      return state.inTurn(async () => {
        // Also true for an upstream that an earlier call removed without reloading.
        const isLive = state.loaded.console.some((one) => one.name === name)
        const isGone = (await deleteUpstream(store, name)) || isLive
        if (!isGone) return false
        await forgetDisabled(settings, state.loaded.disabled, name)
        await refresh(state)
        return true
      })
    },
    setDisabled: (disabling) => state.inTurn(() => setDisabled(state, disabling)),
    setMarkup(markup) {
      return state.inTurn(async () => {
        await writeMarkup(settings, { markup, fromMs: clock.wallMs() })
        await refresh(state)
      })
    },
  }
}

async function setDisabled(state: CatalogState, disabling: Disabling): Promise<DisablingResult> {
  const { loaded, deps } = state
  const { upstream, upstreamModel, disabled: isDisabled, allowUnserved } = disabling
  const added = loaded.console.find(({ name }) => name === upstream)
  const configured = state.sources.upstreams.some(({ name }) => name === upstream)
  if (added === undefined && !configured) return { kind: 'unknown_upstream' }
  if (upstreamModel !== undefined && !isKnownPlace(loaded.all, disabling)) return { kind: 'unknown_offer' }
  const disabled = withPlace(loaded.disabled, disabling, isDisabled)
  const snapshot = await inTurns(state, withoutDisabled(loaded.all, disabled))
  const unserved = [...loaded.snapshot.models.keys()].filter((name) => !snapshot.models.has(name))
  if (unserved.length > 0 && !allowUnserved) return { kind: 'leaves_unserved', models: unserved.sort() }
  if (upstreamModel === undefined && added !== undefined && !configured) {
    await writeUpstreamDisabled(deps.store, upstream, isDisabled)
    // The upstream may have been disabled while the configuration had one of its name.
    if (!isDisabled) await writeDisabled(deps.settings, disabling, isDisabled)
    await refresh(state)
    return { kind: 'changed' }
  }
  await writeDisabled(deps.settings, disabling, isDisabled)
  state.loaded = { ...loaded, disabled, snapshot }
  return { kind: 'changed' }
}

/** The catalog with the models of a host that may have no upstream yet. */
async function withHost({ sources, merged }: KnownCatalog, provider: string): Promise<KnownCatalog> {
  const isLoaded = sources.upstreams.some((upstream) => upstream.provider === provider)
  if (isLoaded) return { sources, merged }
  const builtin = [...sources.builtin, ...(await hostModels([provider]))]
  return { sources: { ...sources, builtin }, merged }
}
