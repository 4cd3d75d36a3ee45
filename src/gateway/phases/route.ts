/**
 * Model name → Route: at which upstreams in which order, and for each the format and the price.
 * Pure, over the catalog snapshot.
 */
import { endpointNames } from '../../../contract/endpoints.ts'
import type { Caller } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import { nearestNames } from '../../catalog/nearest.ts'
import { type ModelMatch, modelNamed } from '../../catalog/spellings.ts'
import { type Model, type Offer, priceAt, type Snapshot } from '../../catalog/types.ts'
import { listPriced } from '../../ledger/rules/price.ts'
import { ownRoute } from '../../provider-keys/own-offers.ts'
import type { ProviderKeys } from '../../provider-keys/types.ts'
import type { Connector } from '../../providers/connector.ts'
import { upstreamFormat } from '../../providers/upstream-format.ts'
import { upstreamFormats } from '../../wire/formats.ts'
import type { UpstreamOperation } from '../../wire/upstream-paths.ts'
import type {
  Candidate,
  OrderedRequest,
  ParsedRequest,
  RequestContext,
  Route,
  Target,
  TargetRoute,
} from '../request.ts'
import {
  assertMatching,
  excludedBecause,
  preferenceOfRequest,
  preferredPriority,
  type RoutePreference,
  type UnrequestedTiers,
} from '../targets/routing.ts'

export interface RouteDeps {
  readonly snapshot: Snapshot
  readonly connectorOf: (provider: string) => Connector
  readonly providerKeys: Pick<ProviderKeys, 'fee' | 'of' | 'health'>
  readonly unrequestedTiers: Pick<UnrequestedTiers, 'of'>
  /** Orders a model's offers: healthy first, sticky by account and conversation. */
  readonly order: (candidates: readonly Candidate[], asked: OrderedRequest) => readonly Candidate[]
}

/** The upstream operation of each endpoint; tokens are counted for a request that would generate. */
const upstreamOperations: Readonly<Partial<Record<string, UpstreamOperation>>> = Object.fromEntries(
  endpointNames.map((name) => [name, name]),
)

/** Throws 404 for an unknown or disabled model or where the sender's preference leaves no upstream, 403 for one that the key may not use, 501 for an operation that it does not support. */
export function route(
  deps: RouteDeps,
  caller: Caller,
  context: RequestContext,
  parsed: ParsedRequest,
): Route {
  const { model, datedName } = findModel(deps.snapshot, caller, parsed.facts.model, 'model')
  const operation = upstreamOperations[context.operation] ?? 'generate'
  const ownKeys = ownRoute(deps.providerKeys, caller.account, model)
  const isOnly = ownKeys?.isOnly === true
  const preference = preferenceOf(deps, caller, context)
  const candidatesFor = (sold: SoldModel) =>
    candidatesWithOwn(deps, context, { caller, parsed }, { ...sold, operation, isOnly, preference })
  const requested = candidatesFor({ model, datedName, responseModel: parsed.facts.model, isFallback: false })
  const others = fallbacksFor(deps.snapshot, caller, model, parsed.facts.fallbackModels?.names ?? []).map(
    candidatesFor,
  )
  const candidates = others.length === 0 ? requested : [...requested, ...others.flat()]
  if (candidates.length === 0) {
    const offers = ownKeys?.isOnly === true ? [...ownKeys.first, ...ownKeys.last] : model.offers
    assertMatching(
      preference,
      `the model ${model.name}`,
      offers.map(({ upstream }) => upstream),
    )
    assertKeyUsable(deps, caller, parsed, model)
    throw new TollgateError('format_not_supported', {
      message: `The model ${model.name} does not support this operation. Its formats are ${model.formats.join(', ')}.`,
      param: 'model',
    })
  }
  return { operation, candidates }
}

/** The models that may serve in place of another one: those of the request, otherwise those of its key, otherwise the model's own. */
function fallbacksFor(
  snapshot: Snapshot,
  caller: Caller,
  model: Model,
  named: readonly string[],
): readonly SoldModel[] {
  if (named.length === 0) {
    const names = caller.policy.fallbacks ?? model.fallbacks
    return usableModels(snapshot, caller, names)
      .filter((fallback) => fallback !== model)
      .map((fallback) => ({
        model: fallback,
        datedName: null,
        responseModel: fallback.name,
        isFallback: true,
      }))
  }
  const sold = named.map((name) => ({
    ...findModel(snapshot, caller, name, 'models'),
    responseModel: name,
    isFallback: true,
  }))
  const taken = new Set([model])
  return sold.filter((fallback) => !taken.has(fallback.model) && taken.add(fallback.model))
}

/** The enabled models that this key may use, without repeats. */
function usableModels(snapshot: Snapshot, caller: Caller, names: readonly string[]): readonly Model[] {
  const { models } = caller.policy
  return [...new Set(names)].flatMap((name) => {
    const model = snapshot.models.get(name)
    const isAllowed =
      models === null || models.includes(name) || (model !== undefined && models.includes(model.name))
    return model !== undefined && isAllowed ? [model] : []
  })
}

interface SoldModel extends ModelMatch {
  readonly responseModel: string
  readonly isFallback: boolean
}

/** `isOnly`: the requested model is served on the account's own keys alone, and so are its fallbacks. */
interface RoutedModel extends SoldModel {
  readonly operation: UpstreamOperation
  readonly isOnly: boolean
  /** The sender's preferences for upstreams; undefined: none. */
  readonly preference: RoutePreference | undefined
}

/** Combines the preferences of the sender and its key, for the operator's upstreams and for those on the account's own keys. */
function preferenceOf(
  { snapshot, providerKeys }: Pick<RouteDeps, 'snapshot' | 'providerKeys'>,
  { account, policy }: Caller,
  context: RequestContext,
): RoutePreference | undefined {
  return preferenceOfRequest(context, policy, () => [
    ...snapshot.upstreams,
    ...providerKeys.of(account).flatMap(({ upstream }) => upstream ?? []),
  ])
}

/** Candidates on the account's provider keys first, then the operator's unless the account excludes them. */
function candidatesWithOwn(
  deps: RouteDeps,
  context: RequestContext,
  { caller, parsed }: { readonly caller: Caller; readonly parsed: ParsedRequest },
  routed: RoutedModel,
): readonly Candidate[] {
  const operators = (): readonly Candidate[] =>
    deps.order(candidatesOf(deps, context, parsed, { ...routed, ownKeyFee: null }), {
      ...{ account: caller.account, parsed, headers: context.request.headers },
    })
  const own = ownRoute(deps.providerKeys, caller.account, routed.model)
  if (own === undefined) return routed.isOnly ? [] : operators()
  const ownKeyFee = deps.providerKeys.fee
  // A server that restarts polls responses with the operator's credentials.
  const candidatesAt = (offers: readonly Offer[]) =>
    parsed.facts.background === true
      ? []
      : candidatesOf(deps, context, parsed, { ...routed, model: { ...routed.model, offers }, ownKeyFee })
  return [
    ...candidatesAt(own.first),
    ...(own.isOnly || routed.isOnly ? [] : operators()),
    ...candidatesAt(own.last),
  ]
}

/** Throws where nothing is left but provider keys that cannot be used. */
function assertKeyUsable(
  { providerKeys }: Pick<RouteDeps, 'providerKeys'>,
  { account }: Caller,
  { facts }: ParsedRequest,
  model: Model,
): void {
  const own = ownRoute(providerKeys, account, model)
  if (own?.isOnly !== true) return
  if (facts.background === true) {
    throw new TollgateError('format_not_supported', {
      message: `background: requests on your own provider key cannot run in the background, and the key of this account is set to only. Remove the field.`,
      param: 'background',
    })
  }
  const [key] = own.unusable
  if (key === undefined) return
  const { provider, displayName } = key.provider
  const failure = key.upstream === null ? null : providerKeys.health.lastFailure(account, provider)
  throw new TollgateError('provider_key_failed', {
    message:
      failure?.message ??
      `The provider key of this account for ${displayName} cannot be used. Check it in the console under Settings, Provider keys.`,
    ...(failure === null ? {} : { retryAfterMs: providerKeys.health.waitMs(account, provider) }),
  })
}

type OwnKeyPriced = Pick<Target, 'ownKeyFee'>

/** The offers that a sender's preference leaves, in groups in its order. */
function preferredOffers(
  offers: readonly Offer[],
  preference: RoutePreference | undefined,
): readonly Offer[] {
  if (preference === undefined) return offers
  const left = offers.filter(({ upstream }) => excludedBecause(preference, upstream) === undefined)
  if (preference.order.length === 0) return left
  return left.map((offer) => ({
    ...offer,
    priority: preferredPriority(preference, offer.upstream, offer.priority),
  }))
}

/** The offers of a model that have the operation in a format that the request can be sent in. */
function candidatesOf(
  { connectorOf, unrequestedTiers }: Pick<RouteDeps, 'connectorOf' | 'unrequestedTiers'>,
  context: RequestContext,
  { facts }: ParsedRequest,
  {
    model,
    datedName,
    responseModel,
    isFallback,
    operation,
    ownKeyFee,
    preference,
  }: Omit<RoutedModel, 'isOnly'> & OwnKeyPriced,
): readonly Candidate[] {
  const current = priceAt(model, context.startedMs)
  const price = ownKeyFee === null ? current : listPriced(current)
  const unrequestedOptions = unrequestedTiers.of(model.offers)
  const targets: Target[] = []
  const candidates: Candidate[] = []
  for (const offer of preferredOffers(model.offers, preference)) {
    const connector = connectorOf(offer.upstream.provider)
    const known = { formats: offer.formats, upstreamModel: offer.catalogName }
    const name = upstreamFormat(connector, known, context.format.name, facts)
    if (name === null || !connector.offers(operation, name)) continue
    const format = upstreamFormats[name]
    const target = sharedTarget(targets, {
      model,
      offer,
      price,
      connector,
      format,
      responseModel,
      isFallback,
      ownKeyFee,
      unrequestedOptions,
    })
    // A host with its own name for the model does not have the dated names of the vendor.
    const upstreamModel =
      offer.upstreamModel === model.upstreamModel ? (datedName ?? offer.upstreamModel) : offer.upstreamModel
    candidates.push({ ...offer, upstreamModel, target, offer })
  }
  return candidates
}

/** The target of an offer, which is shared with the offers before it that are sent the same request. */
function sharedTarget(targets: Target[], { offer, ...asked }: Target & { readonly offer: Offer }): Target {
  const { model, connector, format } = asked
  const known = targets.find(
    (target) =>
      target.connector === connector &&
      target.format === format &&
      target.model.upstreamModel === offer.catalogName &&
      isSameList(target.model.formats, offer.formats),
  )
  if (known !== undefined) return known
  const isAsListed =
    connector.provider === model.provider &&
    offer.catalogName === model.upstreamModel &&
    isSameList(model.formats, offer.formats)
  const target = isAsListed
    ? asked
    : {
        ...asked,
        model: {
          ...model,
          provider: connector.provider,
          upstreamModel: offer.catalogName,
          formats: offer.formats,
        },
      }
  targets.push(target)
  return target
}

function isSameList(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((item, index) => item === other[index]))
}

/** The part of a route that leads to one target. */
export function routeTo(target: Target, { operation, candidates }: Route): TargetRoute {
  return {
    ...target,
    target,
    operation,
    candidates: candidates.filter((candidate) => candidate.target === target),
  }
}

function findModel(snapshot: Snapshot, caller: Caller, name: string, param: 'model' | 'models'): ModelMatch {
  const found = modelNamed(snapshot, name)
  if (found === undefined) throw modelNotFound(snapshot, name, param)
  const { models } = caller.policy
  if (models !== null && !models.includes(found.model.name) && !models.includes(name)) {
    throw new TollgateError('model_not_allowed', {
      message: `This API key cannot use the model ${name}. Allowed models: ${models.join(', ')}.`,
      param,
    })
  }
  return found
}

/** The catalog's name of the requested model; null for one that is unknown or disabled. */
export function publicModelName(snapshot: Snapshot, name: string): string | null {
  return modelNamed(snapshot, name)?.model.name ?? null
}

const waysToSell =
  '`tollgate models price` gives a model its price, `tollgate models enable` undoes a `models disable`'

/** The 404 for an unknown or disabled model, with similar names. */
export function modelNotFound(
  snapshot: Snapshot,
  name: string,
  param: 'model' | 'models' = 'model',
): TollgateError {
  const shown = name.length > 100 ? `${name.slice(0, 100)}…` : name
  const near = nearestNames(name, [...snapshot.models.keys()])
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
  const reason = snapshot.unsold.get(name)
  return new TollgateError('model_not_found', {
    message: `The model ${JSON.stringify(shown)} does not exist or is not enabled here.${hint} GET /v1/models lists the enabled names.`,
    param,
    facts: { nearest: near },
    ...(reason === undefined
      ? { detail: `unknown model ${JSON.stringify(shown)}: \`tollgate models add\` adds one` }
      : { detail: `model ${name} is not enabled: ${reason} (${waysToSell})` }),
  })
}
