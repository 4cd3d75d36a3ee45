/** The numbers of an account: balance, spend, requests, errors, latency. */
import { Link } from '@tanstack/react-router'
import type { JSX, ReactNode } from 'react'
import { CircleHelp } from '@/components/icons'
import { Money } from '@/components/money'
import { Skeleton } from '@/components/skeleton'
import { Stat } from '@/components/stat'
import { Tooltip } from '@/components/tooltip'
import type { OperationOutput } from '@/lib/api'
import { count, duration, shortCount } from '@/lib/format'
import { isZero } from '@/lib/usd'
import { daysLeftShort, runwayHint } from '../billing/billing-words.ts'

export type Overview = OperationOutput<'overview.show'>

const skeleton = <Skeleton className="my-1 h-6 w-24" />

export function Numbers({ overview }: { readonly overview: Overview | undefined }): JSX.Element {
  const of = (show: (overview: Overview) => ReactNode): ReactNode =>
    overview === undefined ? skeleton : show(overview)
  const hint = (show: (overview: Overview) => ReactNode): ReactNode =>
    overview === undefined ? '' : show(overview)
  return (
    <div className="grid grid-cols-2 gap-3 sm:gap-4 lg:grid-cols-4">
      <Stat
        label={<BalanceLabel />}
        value={of(({ available }) => <Money amount={available} />)}
        hint={hint(({ posted, held }) =>
          isZero(held) ? (
            'Nothing reserved'
          ) : (
            <>
              <Money amount={held} /> of <Money amount={posted} /> reserved
            </>
          ),
        )}
      />
      <Stat
        label="Runway (estimated)"
        value={of(({ daysLeft }) => daysLeftShort(daysLeft))}
        hint={hint(({ daysLeft }) => runwayHint(daysLeft))}
      />
      <Stat
        label="Spent today"
        value={of(({ today }) => <Money amount={today.charged} />)}
        hint={hint(({ month }) => (
          <>
            <Money amount={month.charged} /> this month (UTC)
          </>
        ))}
      />
      <Stat
        label="Requests today"
        value={of(({ today }) => count(today.requests + today.rejected))}
        hint={hint(({ today, month }) => (
          <span
            title={`This month: ${count(month.requests + month.rejected)} requests, ${count(month.errors)} failed, ${count(month.rejected)} rejected`}
          >
            {today.errors === 0 ? (
              '0 failed'
            ) : (
              <Link
                to="/console/requests"
                search={{ range: 'today', outcome: 'failed' }}
                className="underline underline-offset-3"
              >
                {shortCount(today.errors)} failed
              </Link>
            )}
            {', '}
            {today.rejected === 0 ? (
              '0 rejected'
            ) : (
              <Link
                to="/console/requests"
                search={{ range: 'today', outcome: 'rejected' }}
                title="Rejected by the gateway before they reached a provider, for example because of a limit or an unknown model. They cost nothing."
                className="underline underline-offset-3"
              >
                {shortCount(today.rejected)} rejected
              </Link>
            )}
          </span>
        ))}
      />
      <Latency overview={overview} />
    </div>
  )
}

function BalanceLabel(): JSX.Element {
  return (
    <span className="flex items-center gap-1.5">
      Available
      <Tooltip text="What your next request can use: your balance minus what running requests have reserved. What they don't use is released when they finish.">
        <button
          type="button"
          aria-label="How this is calculated"
          className="rounded-full text-ink-soft hover:text-ink"
        >
          <CircleHelp aria-hidden="true" className="size-3.5" />
        </button>
      </Tooltip>
    </span>
  )
}

/** Next to the other numbers on wide screens, else below them. */
function Latency({ overview }: { readonly overview: Overview | undefined }): JSX.Element | null {
  const { latencyMs, firstByteMs } = overview?.today ?? {}
  // Without a successful request today there is nothing to say.
  if (overview !== undefined && latencyMs == null && firstByteMs == null) return null
  const pairs = [
    ['Time to first byte', firstByteMs],
    ['Total', latencyMs],
  ] as const
  return (
    <section
      aria-label="Latency today"
      className="flex flex-wrap items-center gap-x-8 gap-y-2 rounded-xl border border-line bg-surface px-5 py-3 col-span-2 lg:col-span-4"
    >
      <p className="text-sm font-medium text-ink-soft">
        Latency today <span className="font-normal">(successful requests)</span>
      </p>
      <dl className="flex flex-wrap gap-x-8 gap-y-2">
        {pairs.map(([label, value]) => (
          <div key={label} className="flex flex-wrap items-center gap-x-2">
            <dt className="text-sm text-ink-soft">{label}</dt>
            <dd className="tabular min-h-5 font-medium">
              {overview === undefined ? (
                <Skeleton className="h-5 w-36" />
              ) : value == null ? (
                '–'
              ) : (
                <>
                  <span className="font-normal text-ink-soft" title="Half of the requests were faster">
                    p50
                  </span>{' '}
                  {duration(value.p50)}
                  <span className="font-normal text-ink-soft" title="95% of the requests were faster">
                    {' '}
                    · p95
                  </span>{' '}
                  {duration(value.p95)}
                </>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
