/** The offers of a model as text. Pure; every function ends its text with a line break. */
import type { OperationOutput } from '../../contract/operations.ts'
import { milliseconds, percentage, tableOf } from './table-text.ts'

type Shown = OperationOutput<'offers.show'>
type Preview = OperationOutput<'offers.check'>
type Written = OperationOutput<'offers.set'>

const origins: Readonly<Record<Shown['from'], string>> = {
  console: 'set by an administrator',
  configuration: 'from the configuration',
  upstreams: 'from what the upstreams serve',
}
type Listed = Written['offers'][number]
/** Groups are counted from 1, whatever their numbers. */
type Row = Listed & { readonly group: number }
type ShownRow = Row & Pick<Shown['offers'][number], 'status'>

const pair = ({ input, output }: { readonly input: string | null; readonly output: string | null }) =>
  input === null && output === null ? '-' : `${input ?? '-'} / ${output ?? '-'}`

const listCells = {
  '>GROUP': 'group',
  UPSTREAM: 'upstream',
  'NAME THERE': 'upstreamModel',
  '>WEIGHT': 'weight',
  COST: ({ costNow }: Row) => (costNow === null ? '-' : pair(costNow)),
  MARGIN: ({ margin }: Row) => pair(margin),
  STATUS: ({ enabled, trouble }: Row) => (enabled ? (trouble ?? 'enabled') : 'disabled'),
} as const

const writtenTable = tableOf<Row>(null, listCells)
const shownTable = tableOf<ShownRow>(null, {
  ...listCells,
  '>REQUESTS': ({ status }) => status.requests,
  '>ERRORS': ({ status }) => percentage(status),
  '>TTFB P50': ({ status }) => milliseconds(status.firstByteP50Ms),
  '>TTFB P95': ({ status }) => milliseconds(status.firstByteP95Ms),
  '>SPENT USD': ({ status }) => status.cost,
})
const changesTable = tableOf<Preview['changes'][number]>('No changes.\n', {
  UPSTREAM: 'upstream',
  'NAME THERE': 'upstreamModel',
  CHANGE: 'field',
  FROM: ({ from }) => from ?? '-',
  TO: ({ to }) => to ?? '-',
})

function grouped<Offer extends Listed>(offers: readonly Offer[]): readonly (Offer & { group: number })[] {
  const groups = [...new Set(offers.map(({ priority }) => priority))].sort((one, other) => one - other)
  return offers.map((offer) => ({ ...offer, group: groups.indexOf(offer.priority) + 1 }))
}

export function offers(output: Shown): string {
  if (output.offers.length === 0) return `No offers${output.reason === null ? '' : `: ${output.reason}`}.\n`
  const price =
    output.price === null
      ? 'none'
      : `${output.price.input} in, ${output.price.output} out, USD per million tokens`
  const notes = [
    `Offers ${origins[output.from]}; revision ${output.revision}.`,
    `Customer's price: ${price}. Cost and margin: input / output.`,
    `Last ${output.period} on this server, since ${output.since} at the earliest.`,
  ]
  return `${shownTable(grouped(output.offers))}${belowCostText(output)}${notes.join('\n')}\n`
}

export function preview(output: Preview): string {
  const { changes, unserved, warnings } = output
  const notes = [
    ...warnings,
    ...(unserved.length === 0
      ? []
      : [`Without an upstream then: ${unserved.join(', ')} (needs --allow-unserved yes).`]),
  ]
  return `${changesTable(changes)}${belowCostText(output)}${notes.map((line) => `${line}\n`).join('')}`
}

export function written(output: Written): string {
  return `${writtenTable(grouped(output.offers))}${belowCostText(output)}Revision ${output.revision}.\n`
}

function belowCostText({ belowCost }: Pick<Written, 'belowCost'>): string {
  return belowCost
    .map(({ rate, upstream, price, cost, from, at }) => {
      const when = [...(from === null ? [] : [`from ${from}`]), ...(at === null ? [] : [`${at} UTC`])]
      const words = when.length === 0 ? '' : ` (${when.join(', ')})`
      return `Below cost at ${upstream}: ${rate} ${price}, which costs ${cost}${words}.\n`
    })
    .join('')
}
