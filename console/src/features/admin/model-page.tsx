/** A model as operators see it: price, offers and actions. */
import { Link, useParams } from '@tanstack/react-router'
import { type JSX, useState } from 'react'
import { Badge } from '@/components/badge'
import { Button } from '@/components/button'
import { ArrowLeft } from '@/components/icons'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { Stat } from '@/components/stat'
import { useOperation } from '@/lib/operations'
import { exactUsd } from '@/lib/usd'
import type { Model } from './listed-rows.ts'
import { PriceHistory, SetPrice } from './model-price.tsx'
import { ModelRouting, strategyWords } from './model-routing.tsx'
import { OfferEditor } from './offer-editor.tsx'
import { AdminFrame } from './page.tsx'
import { providerName } from './providers.ts'

export function AdminModelPage(): JSX.Element {
  const { model: name = '' } = useParams({ strict: false })
  const models = useOperation('models.list', { all: true })
  const model = models.data?.find((one) => one.model === name)
  return (
    <AdminFrame title={`${name} · Admin`} here="models">
      <div className="flex flex-col gap-6">
        <Link
          to="/console/admin/$section"
          params={{ section: 'models' }}
          className="inline-flex items-center gap-1.5 self-start text-sm text-ink-soft hover:text-ink"
        >
          <ArrowLeft aria-hidden="true" className="size-4" />
          All models
        </Link>
        {models.isError ? (
          <Problem problem={models.error} onRetry={() => void models.refetch()} />
        ) : models.data === undefined ? (
          <Skeleton className="h-32 rounded-xl" />
        ) : model === undefined ? (
          <p>No model has the name {name}.</p>
        ) : (
          <Shown key={name} model={model} />
        )}
      </div>
    </AdminFrame>
  )
}

/** Hint with the markup over the list price, in USD. */
function markupHint(price: string, list: string): string {
  const added = Number(list) === 0 ? 0 : Number(price) / Number(list) - 1
  const markup = added === 0 ? 'no markup' : `${Number((added * 100).toFixed(2))}% markup`
  return `Per 1M tokens; list price ${exactUsd(list)}, ${markup}`
}

function Shown({ model }: { readonly model: Model }): JSX.Element {
  const [doing, setDoing] = useState<'price' | 'history' | 'routing'>()
  const close = (): void => setDoing(undefined)
  const { details, sold, reason } = model
  return (
    <>
      <div className="-mt-4 flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h2 className="font-mono text-lg font-semibold tracking-tight break-all">{model.model}</h2>
            <Badge tone={sold ? 'good' : 'warn'}>{sold ? 'Enabled' : 'Disabled'}</Badge>
          </div>
          <p className="text-ink-soft">{sold ? providerName(details?.provider ?? '') : reason}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setDoing('price')}>Set price</Button>
          <Button onClick={() => setDoing('history')}>Price history</Button>
          <Button onClick={() => setDoing('routing')}>Routing</Button>
        </div>
      </div>
      {details === null ? null : (
        <div className="grid grid-cols-2 gap-3 sm:grid-cols-4 sm:gap-4">
          <Stat
            label="Price, input"
            value={exactUsd(details.price.input)}
            hint={markupHint(details.price.input, details.listPrice.input)}
          />
          <Stat
            label="Price, output"
            value={exactUsd(details.price.output)}
            hint={markupHint(details.price.output, details.listPrice.output)}
          />
          <Stat
            label="Within a group"
            value={<span className="text-base">{strategyWords[details.strategy]}</span>}
            hint={details.scheduled ? 'The price depends on the time of day.' : undefined}
          />
          <Stat
            label="Fallbacks"
            value={
              <span className="text-base">
                {details.fallbacks.length === 0 ? 'None' : details.fallbacks.join(', ')}
              </span>
            }
          />
        </div>
      )}
      <OfferEditor model={model.model} />
      {doing === 'price' ? <SetPrice model={model} onClose={close} /> : null}
      {doing === 'history' ? <PriceHistory model={model} onClose={close} /> : null}
      {doing === 'routing' ? <ModelRouting model={model} onClose={close} /> : null}
    </>
  )
}
