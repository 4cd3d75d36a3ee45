/** `upstreams.status`, `upstreams.disable`, `upstreams.enable`: how the offers of upstreams do, and which are disabled. */
import type { OperationInput, OperationOutput } from '../../../contract/operations.ts'
import { TollgateError } from '../../base/errors.ts'
import { eventLoopTurns, runInTurns, type Steps } from '../../base/steps.ts'
import type { ListedOffer, ListedUpstream } from '../../catalog/catalog.ts'
import type { PeriodSums } from '../../usage/offer-statistics.ts'
import type { ControlDeps } from '../control-deps.ts'
import { operationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'
import { offerStatusOut } from './offer-status.ts'

type StatusDeps = Pick<ControlDeps, 'catalog' | 'health' | 'offerStatistics'>
type StatusOut = OperationOutput<'upstreams.status'>
type OfferOut = StatusOut['upstreams'][number]['offers'][number]
type Asked = OperationInput<'upstreams.status'>

const namesListedMax = 5

export const showUpstreamStatus = operationHandler('upstreams.status', async (deps, asked) => {
  const { catalog, offerStatistics } = deps
  const offers = await catalog.offersByUpstream()
  const shown = catalog.upstreams.filter(({ name }) => (asked.upstream ?? name) === name)
  if (shown.length === 0 && asked.upstream !== undefined) throw upstreamNotFound(asked.upstream)
  const sums = await offerStatistics.sums(asked.period, asked.upstream ?? null)
  const since = isoTime(sums.sinceMs)
  const upstreams = await runInTurns(statusSteps(deps, { ...asked, shown, offers, sums }), statusTurns)
  return { period: asked.period, since, upstreams }
})

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

/** What needs attention first, then what is used most; last, what fails on purpose: it is no trouble of the installation. */
function byAttention(one: OfferOut, other: OfferOut): number {
  return (
    Number(one.testCase) - Number(other.testCase) ||
    Number(one.state === 'serving') - Number(other.state === 'serving') ||
    other.requests - one.requests ||
    (one.upstreamModel < other.upstreamModel ? -1 : 1)
  )
}

export const disableUpstream = operationHandler('upstreams.disable', (deps, asked) =>
  setDisabled(deps, { ...asked, disabled: true }),
)

export const enableUpstream = operationHandler('upstreams.enable', (deps, asked) =>
  setDisabled(deps, { ...asked, disabled: false, allowUnserved: true }),
)

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

function upstreamNotFound(name: string): TollgateError {
  return new TollgateError('upstream_not_found', {
    message: `No upstream has the name ${name}.`,
    param: 'upstream',
  })
}
