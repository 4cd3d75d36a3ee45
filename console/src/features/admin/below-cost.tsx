/** A warning where customers pay less than what an upstream charges, also later. */
import type { JSX } from 'react'
import { Banner } from '@/components/banner'
import type { OperationOutput } from '@/lib/api'
import { exactTime, exactUsd } from '@/lib/format'
import { pricedMeters } from '../../../../contract/meters.ts'

type Rows = OperationOutput<'offers.show'>['belowCost']

const labels = new Map<string, string>(pricedMeters.map(({ rate, label }) => [rate, label]))

export function BelowCost({ rows }: { readonly rows: Rows }): JSX.Element | null {
  if (rows.length === 0) return null
  return (
    <Banner tone="warn" title="Below cost: customers pay less than the upstream charges.">
      {rows.map((row) => (
        <span
          key={`${row.upstream} ${row.upstreamModel} ${row.rate} ${row.from} ${row.at}`}
          className="block"
        >
          {belowCostWords(row)}
        </span>
      ))}
    </Banner>
  )
}

/** `Input of llama-a at groq: $0.50, costs $0.80, from Mon 01:00 UTC`. */
export function belowCostWords({
  upstream,
  upstreamModel,
  rate,
  price,
  cost,
  from,
  at,
}: Rows[number]): string {
  const times = [...(from === null ? [] : [`from ${exactTime(from)}`]), ...(at === null ? [] : [`${at} UTC`])]
  const when = times.length === 0 ? '' : `, ${times.join(', ')}`
  return `${labels.get(rate) ?? rate} of ${upstreamModel} at ${upstream}: ${exactUsd(price)}, costs ${exactUsd(cost)}${when}`
}
