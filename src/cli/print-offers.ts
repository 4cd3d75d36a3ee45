/** The offers of a model as text. Pure; every function ends its text with a line break. */
import type { OperationOutput } from '../../contract/operations.ts'
import { columns } from './table-text.ts'

type Shown = OperationOutput<'offers.show'>
type Preview = OperationOutput<'offers.check'>
type Written = OperationOutput<'offers.set'>
type Listed = Pick<Written, 'offers' | 'belowCost' | 'sold' | 'reason'>

const origins: Readonly<Record<Shown['from'], string>> = {
  console: 'set by an administrator',
  configuration: 'from the configuration',
  upstreams: 'from what the upstreams serve',
}
const listHeadings = ['GROUP', 'UPSTREAM', 'NAME THERE', 'WEIGHT', 'COST', 'MARGIN', 'STATUS'] as const
const numbers = ['GROUP', 'WEIGHT'] as const

export function offers(output: Shown): string {
  if (output.offers.length === 0) return `No offers${reasonText(output)}.\n`
  const headings = ['REQUESTS', 'ERRORS', 'TTFB P50', 'TTFB P95', 'SPENT USD']
  const rows = output.offers.map((offer) => {
    const { requests, failures, firstByteP50Ms, firstByteP95Ms, cost } = offer.status
    const errors = requests === 0 ? '-' : `${((100 * failures) / requests).toFixed(1)}%`
    const times = [firstByteP50Ms, firstByteP95Ms].map((ms) => (ms === null ? '-' : `${ms} ms`))
    return [...listedCells(offer, output), String(requests), errors, ...times, cost]
  })
  const table = columns([...listHeadings, ...headings], rows, [...numbers, ...headings])
  const price =
    output.price === null
      ? 'none'
      : `${output.price.input} in, ${output.price.output} out, USD per million tokens`
  const notes = [
    `Offers ${origins[output.from]}; revision ${output.revision}.`,
    `Customer's price: ${price}. Cost and margin: input / output.`,
    `Last ${output.period} on this server, since ${output.since} at the earliest.`,
  ]
  return `${table}${belowCostText(output)}${notes.join('\n')}\n`
}

export function preview(output: Preview): string {
  const changed = output.changes.map(({ upstream, upstreamModel, field, from, to }) => [
    upstream,
    upstreamModel,
    field,
    from ?? '-',
    to ?? '-',
  ])
  const changes =
    changed.length === 0
      ? 'No changes.\n'
      : columns(['UPSTREAM', 'NAME THERE', 'CHANGE', 'FROM', 'TO'], changed)
  const unserved =
    output.unserved.length === 0
      ? []
      : [`Without an upstream then: ${output.unserved.join(', ')} (needs --allow-unserved yes).`]
  const notes = [...output.warnings, ...unserved].map((line) => `${line}\n`).join('')
  return `${changes}${belowCostText(output)}${notes}`
}

export function written(output: Written): string {
  const rows = output.offers.map((offer) => listedCells(offer, output))
  return `${columns([...listHeadings], rows, [...numbers])}${belowCostText(output)}Revision ${output.revision}.\n`
}

/** Groups are counted from 1, whatever their numbers. */
function listedCells(offer: Listed['offers'][number], { offers: all }: Pick<Listed, 'offers'>): string[] {
  const groups = [...new Set(all.map(({ priority }) => priority))].sort((one, other) => one - other)
  const { margin, costNow } = offer
  return [
    String(groups.indexOf(offer.priority) + 1),
    offer.upstream,
    offer.upstreamModel,
    String(offer.weight),
    costNow === null ? '-' : `${costNow.input} / ${costNow.output}`,
    margin.input === null && margin.output === null
      ? '-'
      : `${margin.input ?? '-'} / ${margin.output ?? '-'}`,
    offer.enabled ? (offer.trouble ?? 'enabled') : 'disabled',
  ]
}

function belowCostText({ belowCost }: Pick<Listed, 'belowCost'>): string {
  return belowCost
    .map(({ rate, upstream, price, cost, from, at }) => {
      const when = [...(from === null ? [] : [`from ${from}`]), ...(at === null ? [] : [`${at} UTC`])]
      const words = when.length === 0 ? '' : ` (${when.join(', ')})`
      return `Below cost at ${upstream}: ${rate} ${price}, which costs ${cost}${words}.\n`
    })
    .join('')
}

function reasonText({ reason }: Pick<Listed, 'reason'>): string {
  return reason === null ? '' : `: ${reason}`
}
