/** The model that the address names, above the lists: price, routing, offers and actions. */
import type { JSX } from 'react'
import { Badge } from '@/components/badge'
import { LinkButton } from '@/components/button'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { Stat } from '@/components/stat'
import { useOperation } from '@/lib/operations'
import { exactUsd } from '@/lib/usd'
import type { Model } from './listed-rows.ts'
import { ModelMenu } from './model-menu.tsx'
import { strategyWords } from './model-routing.tsx'
import { OfferEditor } from './offer-editor.tsx'
import { providerName } from './providers.ts'
import { modelsId } from './upstreams.tsx'

export function ModelPanel({ name }: { readonly name: string }): JSX.Element {
  const models = useOperation('models.list', { all: true })
  const model = models.data?.find((one) => one.model === name)
  if (models.isError) return <Problem problem={models.error} onRetry={() => void models.refetch()} />
  if (models.data === undefined) return <Skeleton className="h-32 rounded-xl" />
  if (model === undefined) return <p>No model has the name {name}.</p>
  return <Shown model={model} />
}

/** Hint with the markup over the list price, in USD. */
function markupHint(price: string, list: string): string {
  const added = Number(list) === 0 ? 0 : Number(price) / Number(list) - 1
  const markup = added === 0 ? 'no markup' : `${Number((added * 100).toFixed(2))}% markup`
  return `Per 1M tokens; list price ${exactUsd(list)}, ${markup}`
}

function Shown({ model }: { readonly model: Model }): JSX.Element {
  const { details, sold, reason } = model
  return (
    <>
      <div className="flex items-start justify-between gap-4">
        <div className="min-w-0">
          <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <h2 className="font-mono text-lg font-semibold tracking-tight break-all">{model.model}</h2>
            <Badge tone={sold ? 'good' : 'warn'}>{sold ? 'Enabled' : 'Disabled'}</Badge>
          </div>
          <p className="text-ink-soft">
            {sold ? providerName(details?.provider ?? '') : reason}
            {details === null ? null : ` · ${details.price.source}`}
          </p>
        </div>
        <div className="flex gap-2">
          <ModelMenu model={model} />
          <LinkButton
            to="/console/admin/$section"
            params={{ section: 'models' }}
            search={true}
            hash={modelsId}
          >
            Close
          </LinkButton>
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
    </>
  )
}
