/** What an upstream will serve once it is saved. */
import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import type { OperationOutput } from '@/lib/api'
import type { UpstreamDraft } from './upstream-draft.ts'

export interface UpstreamReviewProps {
  readonly found: OperationOutput<'upstreams.check'>
  readonly draft: UpstreamDraft
  /** Whether prices are asked for below. */
  readonly needsPrices: boolean
}

export function UpstreamReview({ found, draft, needsPrices }: UpstreamReviewProps): JSX.Element {
  const { requestUrl, sells, notSold, stops } = found
  const fresh = sells.filter(({ isNew }) => isNew).length
  return (
    <>
      <p>
        Requests go to <code className="text-[0.8125rem] break-all">{requestUrl}</code>
      </p>
      {sells.length === 0 ? (
        <Banner tone="warn" title="No models enabled yet.">
          {draft.disabled
            ? 'The upstream is disabled.'
            : needsPrices
              ? 'Enter limits and prices below to enable them.'
              : 'None of its models are enabled.'}
        </Banner>
      ) : (
        <Names title={`Serves ${counted(sells.length)}${fresh === 0 ? '' : `, ${fresh} newly available`}`}>
          {sells.map(({ model, upstreamModel, isNew }) => (
            <li key={model} className="flex flex-wrap items-center gap-2">
              <code className="text-[0.8125rem] break-all">{model}</code>
              {upstreamModel === model ? null : (
                <span className="text-sm text-ink-soft">as {upstreamModel}</span>
              )}
              {isNew ? <Badge tone="good">New</Badge> : null}
            </li>
          ))}
        </Names>
      )}
      {notSold.length === 0 ? null : (
        <Names title={`Listed, but disabled: ${counted(notSold.length)}`}>
          {notSold.map(({ model, reason }) => (
            <li key={model}>
              <code className="text-[0.8125rem] break-all">{model}</code>
              <span className="block text-sm text-ink-soft">{reason}</span>
            </li>
          ))}
        </Names>
      )}
      {stops.length === 0 ? null : (
        <Names title={`No longer available: ${counted(stops.length)}`}>
          {stops.map((model) => (
            <li key={model}>
              <code className="text-[0.8125rem] break-all">{model}</code>
            </li>
          ))}
        </Names>
      )}
    </>
  )
}

function counted(count: number): string {
  return count === 1 ? '1 model' : `${count} models`
}

function Names({ title, children }: { readonly title: string; readonly children: ReactNode }): JSX.Element {
  return (
    <section>
      <h3 className="font-medium">{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list scrolls, and the keyboard must reach it. */}
      <ul tabIndex={0} aria-label={title} className="mt-1 flex max-h-56 flex-col gap-1 overflow-y-auto">
        {children}
      </ul>
    </section>
  )
}
