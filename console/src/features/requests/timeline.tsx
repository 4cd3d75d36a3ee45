/** The timing of a request: its attempts with the time of the first byte. */
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { cn } from '@/lib/class-names'
import { duration } from '@/lib/format'
import { Moment } from '../usage/moment.tsx'
import { Name } from '../usage/name.tsx'
import { type Receipt, type Span, spansOf, tookMs } from './receipt-words.ts'

export function Timeline({ receipt }: { readonly receipt: Receipt }): JSX.Element {
  const spans = spansOf(receipt)
  return (
    <div className="flex flex-col gap-4">
      <ol className="flex flex-col gap-3">
        {spans.map((span) => (
          <Attempt key={span.number} span={span} />
        ))}
      </ol>
      {spans.some(({ firstByteMs }) => firstByteMs !== undefined) ? <Legend /> : null}
      <div className="flex flex-wrap justify-between gap-x-6 gap-y-1 border-t border-line pt-3 text-sm text-ink-soft">
        <span>
          Started <Moment at={receipt.started} />
        </span>
        <span>
          Finished after {duration(tookMs(receipt))}, <Moment at={receipt.ended} />
        </span>
      </div>
    </div>
  )
}

function Legend(): JSX.Element {
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm text-ink-soft">
      {[
        ['bg-line-strong', 'Waiting for the first byte'],
        ['bg-accent', 'Response'],
      ].map(([color, label]) => (
        <span key={label} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={cn('size-2.5 rounded-sm', color)} />
          {label}
        </span>
      ))}
    </p>
  )
}

function Attempt({ span }: { readonly span: Span }): JSX.Element {
  const isBad = span.failure !== undefined || (span.status ?? 200) >= 400
  const firstByte =
    span.firstByteMs === undefined || span.ms === 0 ? 0 : Math.min(1, span.firstByteMs / span.ms)
  return (
    <li>
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="text-ink-soft">{span.number}.</span>
        <Name className="font-medium">{span.label}</Name>
        <Badge tone={isBad ? 'bad' : 'good'}>{span.status === undefined ? 'No response' : span.status}</Badge>
        {span.failure === undefined ? null : (
          <span className="min-w-0 text-ink-soft">{span.failure.replaceAll('_', ' ')}</span>
        )}
        <span className="tabular ml-auto text-sm text-ink-soft">
          {span.firstByteMs === undefined
            ? 'no response'
            : `provider responded after ${duration(span.firstByteMs)}`}
          , attempt took {duration(span.ms)}
        </span>
      </div>
      {span.request === undefined ? null : (
        <p className="text-sm break-words text-ink-soft">
          <code className="text-[0.8125rem] break-all">{span.request}</code>
          {span.status === undefined ? ' got no response.' : ` returned HTTP ${span.status}.`}
          {span.message === undefined ? null : ` The provider says: “${span.message}”`}
        </p>
      )}
      <svg
        aria-hidden="true"
        viewBox="0 0 1000 10"
        preserveAspectRatio="none"
        className="mt-1.5 block h-2 w-full overflow-hidden rounded-full bg-sunken"
      >
        <rect
          x={Math.min(990, span.start * 1_000)}
          width={Math.max(10, span.length * 1_000)}
          height="10"
          className={isBad ? 'fill-bad' : 'fill-accent'}
        />
        <rect
          x={Math.min(990, span.start * 1_000)}
          width={span.length * firstByte * 1_000}
          height="10"
          className="fill-line-strong"
        />
      </svg>
    </li>
  )
}
