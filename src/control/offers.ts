/** `offers.show`, `offers.check`, `offers.set`: the offers of a model, read, previewed and replaced as a whole. */
import type { OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { TollgateError } from '../base/errors.ts'
import type { ModelOffers, OffersPreview } from '../catalog/catalog.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { belowCostOut, modelNotFound } from './models.ts'
import { offerStatusOut } from './upstream-status.ts'
import { invalidValue, isoTime } from './values.ts'

export const offerHandlers = {
  'offers.show': async (deps, { model, period }) => {
    const found = deps.catalog.offersOf(model)
    if ('kind' in found) throw toError(found, model)
    const sums = await deps.offerStatistics.sums(period, onlyUpstream(found.rows))
    return {
      ...listOut(found),
      revision: found.revision,
      period,
      since: isoTime(sums.sinceMs),
      offers: found.rows.map((row) => {
        const isServing = row.enabled && row.trouble === null
        return {
          ...offerOut(row, found),
          status: offerStatusOut({ ...deps, sums }, { ...row, models: [model], disabled: !isServing }),
        }
      }),
    }
  },

  'offers.check': async ({ catalog }, asked) => {
    const preview = await catalog.previewOffers(asked)
    if ('kind' in preview) throw toError(preview, asked.model)
    return {
      ...listOut(preview),
      offers: offersOut(preview),
      changes: [...preview.differences],
      warnings: listWarnings(preview),
      unserved: [...preview.unserved],
    }
  },

  'offers.set': async ({ catalog, changes }, asked) => {
    const written = await catalog.setOffers(asked)
    if ('kind' in written) throw toError(written, asked.model)
    changes.publishToAll(['models', 'upstreams'])
    return { ...listOut(written), revision: written.revision, offers: offersOut(written) }
  },
} satisfies Partial<OperationHandlers>

type CheckOut = OperationOutput<'offers.check'>
type OfferOut = CheckOut['offers'][number]
type Row = ModelOffers['rows'][number]
type PerMillion = NonNullable<ModelOffers['price']>

/** null: they are at several. */
function onlyUpstream(rows: readonly Row[]): string | null {
  const names = new Set(rows.map(({ upstream }) => upstream))
  const [first] = names
  return names.size === 1 ? (first ?? null) : null
}

type Rejection = Extract<Awaited<ReturnType<ControlDeps['catalog']['setOffers']>>, { kind: string }>

function toError(rejected: Rejection, model: string): TollgateError {
  switch (rejected.kind) {
    case 'unknown_model':
      return modelNotFound(model, rejected.nearest)
    case 'mistake':
      return invalidValue(rejected.param, rejected.message)
    case 'changed_meanwhile':
      return new TollgateError('conflict', {
        message: `The offers of ${model} changed after they were read. Read them again, and repeat the change.`,
        param: 'revision',
      })
    case 'leaves_unserved':
      return new TollgateError('conflict', {
        message: `No enabled upstream would serve ${rejected.models.join(', ')}.`,
        param: 'allowUnserved',
      })
  }
}

function listOut(list: ModelOffers): Omit<CheckOut, 'offers' | 'changes' | 'warnings' | 'unserved'> {
  return {
    model: list.model,
    from: list.from,
    sold: list.reason === null,
    reason: list.reason,
    price: perMillionOut(list.price),
    belowCost: list.belowCost.map(belowCostOut),
  }
}

function offersOut(list: ModelOffers): OfferOut[] {
  return list.rows.map((row) => offerOut(row, list))
}

function offerOut(row: Row, { price, listPrice }: ModelOffers): OfferOut {
  const { written: _written, known, cost, formats, ...shown } = row
  const counted = known ?? listPrice
  return {
    ...shown,
    formats: [...formats],
    cost: perMillionOut(cost),
    costNow: perMillionOut(counted),
    costFrom: cost !== null ? 'offer' : known !== null ? 'list' : 'model',
    margin: {
      input: percentLeft(price?.input, counted?.input),
      output: percentLeft(price?.output, counted?.output),
    },
  }
}

function perMillionOut(amounts: PerMillion | null | undefined): OfferOut['cost'] {
  return amounts === null || amounts === undefined
    ? null
    : { input: formatUsd(amounts.input), output: formatUsd(amounts.output) }
}

/** The part of a price above the cost, with one decimal, cut. */
function percentLeft(price: bigint | undefined, cost: bigint | undefined): string | null {
  if (price === undefined || cost === undefined || price === 0n) return null
  const tenths = ((price - cost) * 1_000n) / price
  const [sign, size] = tenths < 0n ? ['-', -tenths] : ['', tenths]
  return `${sign}${size / 10n}.${size % 10n}%`
}

function listWarnings({ unknownNames, alsoDisabled, model, rows }: OffersPreview): string[] {
  const unusable = rows.filter(({ enabled, trouble }) => enabled && trouble !== null)
  return [
    ...unknownNames.map(
      ({ upstream, upstreamModel }) =>
        `${upstreamModel} is not a known name at ${upstream}. Requests there fail with 404 if the provider does not have it.`,
    ),
    ...unusable.map(({ upstream, trouble }) => `${upstream} cannot serve ${model} now: ${trouble ?? ''}.`),
    ...(alsoDisabled.length === 0 ? [] : [`The same offer is also disabled for ${alsoDisabled.join(', ')}.`]),
  ]
}
