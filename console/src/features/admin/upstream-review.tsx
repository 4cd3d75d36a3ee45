/** Models that an upstream will serve once it is saved. */

import type { JSX, ReactNode } from 'react'
import { Badge } from '@/components/badge'
import { Banner } from '@/components/banner'
import { Button } from '@/components/button'
import type { OperationOutput } from '@/lib/api'
import { usd } from '@/lib/usd'
import { formatLabels } from '../../../../contract/formats.ts'
import type { UpstreamDraft } from './upstream-draft.ts'

export interface UpstreamReviewProps {
  readonly found: OperationOutput<'upstreams.check'>
  readonly draft: UpstreamDraft
  /** Models whose prices are asked for below, and how many of them are filled in. */
  readonly unpriced: { readonly total: number; readonly ready: number }
  /** Returns to the choice of models. */
  readonly onBack: () => void
}

export function UpstreamReview({ found, draft, unpriced, onBack }: UpstreamReviewProps): JSX.Element {
  const { paths, sells, notSold, stops } = found
  const fresh = sells.filter(({ isNew }) => isNew).length
  return (
    <>
      <RequestPaths paths={paths} />
      {sells.length === 0 ? (
        <NoModels draft={draft} unpriced={unpriced} onBack={onBack} />
      ) : (
        <Names title={`Serves ${counted(sells.length)}${fresh === 0 ? '' : `, ${fresh} newly available`}`}>
          {sells.map(({ model, upstreamModel, isNew, input, output }) => (
            <li key={model} className="flex flex-wrap items-center gap-2">
              <code className="text-[0.8125rem] break-all">{model}</code>
              {upstreamModel === model ? null : (
                <span className="text-sm text-ink-soft">as {upstreamModel}</span>
              )}
              {isNew ? <Badge tone="good">New</Badge> : null}
              <span className="tabular ml-auto text-sm text-ink-soft">
                {usd(input)} input, {usd(output)} output per 1M tokens
              </span>
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

function NoModels({ draft, unpriced, onBack }: Omit<UpstreamReviewProps, 'found'>): JSX.Element {
  const { total, ready } = unpriced
  if (draft.disabled) {
    return (
      <Banner tone="warn" title="No models enabled yet.">
        The upstream is disabled.
      </Banner>
    )
  }
  if (total === 0) {
    return (
      <Banner
        tone="warn"
        title="No models enabled yet."
        action={
          <Button size="small" onClick={onBack}>
            Select models
          </Button>
        }
      >
        Without models this upstream gets no requests.
      </Banner>
    )
  }
  return (
    <Banner tone={ready === total ? 'good' : 'warn'} title={`${ready} of ${counted(total)} will be enabled.`}>
      {ready === total
        ? null
        : `Enter limits and prices below to enable ${ready === 0 ? 'them' : 'the others'}.`}
    </Banner>
  )
}

type Path = OperationOutput<'upstreams.check'>['paths'][number]

/** Where requests go, by format: a host behind another URL may not have all of its provider's paths. */
function RequestPaths({ paths }: { readonly paths: readonly Path[] }): JSX.Element {
  const missing = paths.filter(({ state }) => state === 'missing')
  const present = paths.filter(({ state }) => state !== 'missing')
  const isTested = paths.some(({ state }) => state !== 'untested')
  return (
    <section>
      <h3 className="font-medium">Requests go to</h3>
      <ul className="mt-1 flex flex-col gap-1">
        {[...present, ...missing].map(({ format, url, state, status }) => (
          <li key={format} className="flex flex-wrap items-baseline gap-x-2">
            <code className={`text-[0.8125rem] break-all ${state === 'missing' ? 'line-through' : ''}`}>
              {url}
            </code>
            <span className="text-sm text-ink-soft">
              {formatLabels[format]}
              {isTested ? ` – ${pathState(state, status)}` : ''}
            </span>
          </li>
        ))}
      </ul>
      {missing.length === 0 || !paths.some(({ state }) => state === 'found') ? null : (
        <p className="mt-1 text-sm text-ink-soft">
          Requests are translated to the formats that this URL supports. Clients can still use any format.
        </p>
      )}
    </section>
  )
}

function pathState(state: Path['state'], status: number | null): string {
  if (state === 'found') return 'found'
  if (state === 'missing') return `not found (HTTP ${status ?? ''})`
  return status === null ? 'no response' : `not clear (HTTP ${status})`
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
