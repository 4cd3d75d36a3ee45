/** What an upstream will sell once it is saved: shown before it is. */
import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import type { OperationOutput } from '@/lib/api'
import type { UpstreamDraft } from './upstream-draft.ts'

export interface UpstreamReviewProps {
  readonly found: OperationOutput<'upstreams.check'>
  readonly draft: UpstreamDraft
}

export function UpstreamReview({ found, draft }: UpstreamReviewProps): JSX.Element {
  const { requestUrl, sells, notSold, stops } = found
  const fresh = sells.filter(({ isNew }) => isNew).length
  return (
    <>
      <p>
        Requests go to <code className="text-[0.8125rem] break-all">{requestUrl}</code>
      </p>
      {sells.length === 0 ? (
        <Banner tone="warn" title="It will serve no model.">
          {draft.disabled ? 'It is disabled.' : 'Nothing that is sold is given to it.'}
        </Banner>
      ) : (
        <Names
          title={`It will serve ${counted(sells.length)}, ${fresh === 0 ? 'none' : fresh} of them new on sale`}
        >
          {sells.map(({ model, upstreamModel, isNew }) => (
            <li key={model} className="flex flex-wrap items-center gap-2">
              <code className="text-[0.8125rem] break-all">{model}</code>
              {upstreamModel === model ? null : (
                <span className="text-sm text-ink-soft">there {upstreamModel}</span>
              )}
              {isNew ? <Badge tone="good">New on sale</Badge> : null}
            </li>
          ))}
        </Names>
      )}
      {notSold.length === 0 ? null : (
        <Names title={`${counted(notSold.length)} of the list will not be sold`}>
          {notSold.map(({ model, reason }) => (
            <li key={model}>
              <code className="text-[0.8125rem] break-all">{model}</code>
              <span className="block text-sm text-ink-soft">{reason}</span>
            </li>
          ))}
        </Names>
      )}
      {stops.length === 0 ? null : (
        <Names title={`${counted(stops.length)} will not be sold any more`}>
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
    <section aria-label={title}>
      <h3 className="font-medium">{title}</h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard */}
      <ul tabIndex={0} className="mt-1 flex max-h-56 flex-col gap-1 overflow-y-auto">
        {children}
      </ul>
    </section>
  )
}
