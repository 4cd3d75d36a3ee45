/** The load balancing of a model's offers, and its fallbacks. */

import { type JSX, useState } from 'react'
import { Button } from '@/components/button'
import { Field } from '@/components/field'
import { Select } from '@/components/select'
import { toast } from '@/components/toaster'
import { useChange } from '@/lib/operations'
import type { RoutingStrategy } from '../../../../contract/routing-strategies.ts'
import { ModelPicker } from '../keys/model-picker.tsx'
import { FormDialog } from './form-dialog.tsx'
import type { Model } from './listed-rows.ts'

export const strategyWords: Readonly<Record<RoutingStrategy, string>> = {
  weight: 'By weight',
  price: 'Lowest price first',
  latency: 'Shortest time to first token',
  throughput: 'Most tokens per second',
}

const strategies = Object.keys(strategyWords) as readonly RoutingStrategy[]

interface ModelRoutingProps {
  readonly model: Model
  readonly onClose: () => void
}

export function ModelRouting({ model, onClose }: ModelRoutingProps): JSX.Element {
  const before = { strategy: model.details?.strategy ?? 'weight', fallbacks: model.details?.fallbacks ?? [] }
  const [strategy, setStrategy] = useState<RoutingStrategy>(before.strategy)
  const [fallbacks, setFallbacks] = useState<readonly string[]>(before.fallbacks)
  // Unchanged values are omitted, so they keep following the configuration.
  const changed = {
    ...(strategy === before.strategy ? {} : { strategy }),
    ...(fallbacks.join() === before.fallbacks.join() ? {} : { fallbacks: [...fallbacks] }),
  }
  const change = useChange('models.routing', {
    changes: ['models'],
    onProblem: () => undefined,
    onDone({ model: name }) {
      onClose()
      toast.good(`The routing of ${name} is saved. Applies to new requests.`)
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Routing of ${model.model}`}
      description="Offers with a lower priority number always come first; the strategy orders those of the same priority."
      action="Save"
      pending={change.isPending}
      problem={change.error}
      onSubmit={() => change.mutate({ model: model.model, ...changed })}
    >
      <Field label="Strategy">
        <Select value={strategy} onChange={(event) => setStrategy(event.target.value as RoutingStrategy)}>
          {strategies.map((one) => (
            <option key={one} value={one}>
              {strategyWords[one]}
            </option>
          ))}
        </Select>
      </Field>
      <ModelPicker legend="Fallback models" whenNone="None" chosen={fallbacks} onChange={setFallbacks} />
      <Button
        type="button"
        size="small"
        className="self-start"
        onClick={() => change.mutate({ model: model.model, strategy: null, fallbacks: null })}
      >
        Use the configuration's routing
      </Button>
      <p className="text-sm text-ink-soft">
        If every offer of this model fails, or its context is too short, the selected models are tried in this
        order. Customers pay the price of the model that serves.
      </p>
    </FormDialog>
  )
}
