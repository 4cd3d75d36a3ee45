/** `upstreams.status`, `upstreams.disable`, `upstreams.enable`: how upstreams and their offers do, and which are disabled. */

import { errors } from '../../contract/errors.ts'
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { TollgateError } from '../base/errors.ts'
import { eventLoopTurns, runInTurns, type Steps } from '../base/steps.ts'
import type { ListedOffer, ListedUpstream } from '../catalog/catalog.ts'
import type { UpstreamReport } from '../providers/health.ts'
import type { PeriodSums } from '../usage/offer-statistics.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { isoTime, isoTimeOrNull } from './values.ts'

export const upstreamStatusHandlers = {
  'upstreams.status': async (deps, asked) => {
    const { catalog, offerStatistics } = deps
    const offers = await catalog.offersByUpstream()
    const shown = catalog.upstreams.filter(({ name }) => (asked.upstream ?? name) === name)
    if (shown.length === 0 && asked.upstream !== undefined) throw upstreamNotFound(asked.upstream)
    const sums = await offerStatistics.sums(asked.period, asked.upstream ?? null)
    const since = isoTime(sums.sinceMs)
    const upstreams = await runInTurns(statusSteps(deps, { ...asked, shown, offers, sums }), statusTurns)
    return { period: asked.period, since, upstreams }
  },

  'upstreams.disable': (deps, asked) => setDisabled(deps, { ...asked, disabled: true }),

  'upstreams.enable': (deps, asked) => setDisabled(deps, { ...asked, disabled: false, allowUnserved: true }),
} satisfies Partial<OperationHandlers>

type StatusDeps = Pick<ControlDeps, 'catalog' | 'health' | 'offerStatistics'>
type StatusOut = OperationOutput<'upstreams.status'>
type OfferOut = StatusOut['upstreams'][number]['offers'][number]
type Asked = OperationInput<'upstreams.status'>

const namesListedMax = 5

/** The sums of an offer over a day take some 20 microseconds. */
const statusTurns = eventLoopTurns(50)

interface StatusInput extends Pick<Asked, 'limit'> {
  readonly shown: readonly ListedUpstream[]
  readonly offers: ReadonlyMap<string, readonly ListedOffer[]>
  readonly sums: PeriodSums
}

/** An offer in each step. */
function* statusSteps(
  deps: StatusDeps,
  { shown, offers, sums, limit }: StatusInput,
): Steps<StatusOut['upstreams']> {
  const upstreams: StatusOut['upstreams'] = []
  for (const { name, disabled } of shown) {
    const rows: OfferOut[] = []
    for (const offer of offers.get(name) ?? []) {
      rows.push(offerOutput({ ...deps, sums }, { upstream: name, offer }))
      yield
    }
    const first = rows.sort(byAttention).slice(0, limit)
    upstreams.push({ upstream: name, disabled, total: rows.length, offers: first })
  }
  return upstreams
}

function offerOutput(
  deps: StatusDeps & { readonly sums: PeriodSums },
  { upstream, offer }: { upstream: string; offer: ListedOffer },
): OfferOut {
  const { upstreamModel, models, disabled } = offer
  const status = offerStatusOut(deps, { upstream, upstreamModel, models, disabled })
  return { upstreamModel, models: [...models], ...status }
}

/** Offers that need attention first, then those that are used most; last, models that fail on purpose for tests. */
function byAttention(one: OfferOut, other: OfferOut): number {
  return (
    Number(one.testCase) - Number(other.testCase) ||
    Number(one.state === 'serving') - Number(other.state === 'serving') ||
    other.requests - one.requests ||
    (one.upstreamModel < other.upstreamModel ? -1 : 1)
  )
}

async function setDisabled(
  { catalog, changes }: Pick<ControlDeps, 'catalog' | 'changes'>,
  asked: OperationInput<'upstreams.disable'> & { readonly disabled: boolean },
): Promise<OperationOutput<'upstreams.disable'>> {
  const { upstream, upstreamModel, disabled } = asked
  const result = await catalog.setDisabled(asked)
  switch (result.kind) {
    case 'changed':
      changes.publishToAll(['upstreams', 'models'])
      return { upstream, upstreamModel: upstreamModel ?? null, disabled }
    case 'unknown_upstream':
      throw upstreamNotFound(upstream)
    case 'unknown_offer':
      throw new TollgateError('model_not_found', {
        message: `${upstream} does not offer a model named ${upstreamModel ?? ''}.`,
        param: 'upstreamModel',
      })
    case 'leaves_unserved':
      throw new TollgateError('conflict', { message: unservedMessage(result.models), param: 'allowUnserved' })
  }
}

function unservedMessage(models: readonly string[]): string {
  const named = models.slice(0, namesListedMax).join(', ')
  const more = models.length - namesListedMax
  const [one] = models
  return models.length === 1
    ? `No other upstream serves ${one ?? ''}.`
    : `No other upstream serves ${named}${more > 0 ? ` and ${more} more models` : ''}.`
}

export function upstreamNotFound(name: string): TollgateError {
  return new TollgateError('upstream_not_found', {
    message: `No upstream has the name ${name}.`,
    param: 'upstream',
  })
}

type OfferStatusOut = OperationOutput<'offers.show'>['offers'][number]['status']

interface AskedOffer {
  readonly upstream: string
  readonly upstreamModel: string
  /** The names that it is sold under. */
  readonly models: readonly string[]
  readonly disabled: boolean
}

/** How an offer does, as operators see it: its health, and what it did over a period. */
export function offerStatusOut(
  { catalog, health, sums }: Pick<ControlDeps, 'catalog' | 'health'> & { readonly sums: PeriodSums },
  { upstream, upstreamModel, models, disabled }: AskedOffer,
): OfferStatusOut {
  const { state, untilMs } = health.offerState(upstream, upstreamModel)
  const { cost, ...counts } = sums.of(upstream, upstreamModel)
  return {
    state: disabled ? 'disabled' : state,
    until: disabled ? null : isoTimeOrNull(untilMs),
    testCase: models.some((name) => catalog.snapshot.models.get(name)?.testModel === 'special'),
    ...counts,
    cost: formatUsd(cost),
  }
}

type Failure = NonNullable<UpstreamReport['lastFailure']>

/** The last failure, as administrators read it: what failed, what was sent, and what the provider said. null: there is none. */
export function describeFailure(failure: Failure | null): string | null {
  if (failure === null) return null
  const { status, request, message } = failure
  const what = failure.operator ? describeOperatorFailure(failure) : errors[failure.code].title
  if (request === undefined) return `${what}${status === null ? '' : ` (HTTP ${status})`}.`
  const answered = status === null ? 'got no response' : `returned HTTP ${status}`
  const words = message === undefined || message === null ? '' : ` The provider says: “${message}”`
  return `${what}. ${request} ${answered}.${words}`
}

/** A missing path, a missing model and a rejected key are corrected in different places. */
function describeOperatorFailure({ code, concerns, status }: Failure): string {
  if (code === 'gateway_loop') return 'The upstream leads back to this gateway'
  if (code === 'upstream_invalid') return 'The upstream returned a redirect, which is not followed'
  if (concerns === 'model') return 'The upstream does not have this path or model'
  if (status === 402 || status === 429) return 'The provider rejected a request because of its billing'
  return 'The provider rejected the API key'
}
