/** Which upstreams serve a model: those that list it or serve all of its provider, or the ones that it names. */
import { type JSX, useState } from 'react'
import { Checkbox } from '@/components/checkbox'
import { toast } from '@/components/toaster'
import { useChange, useOperation } from '@/lib/operations'
import { FormDialog } from './form-dialog.tsx'
import type { Model } from './models.tsx'

export interface UpstreamChoiceProps {
  /** Of the model; undefined: not known yet. */
  readonly provider: string | undefined
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

export function UpstreamChoice({ provider, chosen, onChange }: UpstreamChoiceProps): JSX.Element {
  const upstreams = useOperation('upstreams.list')
  const fitting = (upstreams.data ?? []).filter((one) => provider === undefined || one.provider === provider)
  return (
    <fieldset>
      <legend className="font-medium">Its upstreams</legend>
      <p className="text-sm text-ink-soft">
        None chosen: those that list it, and those that serve all models of its provider if it is one of
        these. Chosen: these and no others.
      </p>
      <div className="grid sm:grid-cols-2">
        {fitting.map(({ name, url }) => (
          <Checkbox
            key={name}
            label={name}
            hint={url ?? 'The provider’s own address'}
            checked={chosen.includes(name)}
            onChange={(isChosen) =>
              onChange(isChosen ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}

interface ModelUpstreamsProps {
  readonly model: Model
  readonly onClose: () => void
}

export function ModelUpstreams({ model, onClose }: ModelUpstreamsProps): JSX.Element {
  const [chosen, setChosen] = useState<readonly string[]>(model.namedUpstreams ?? [])
  const change = useChange('models.upstreams', {
    changes: ['models', 'upstreams'],
    onProblem: () => undefined,
    onDone({ model: name, sold, reason, details }) {
      onClose()
      if (sold) toast.good(`${name} is served by ${details?.upstreams.join(', ') ?? ''}.`)
      else toast.problem(`${name} is not sold: ${reason ?? ''}`)
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={`Upstreams of ${model.model}`}
      description="Its prompts go to these upstreams alone."
      action="Change them"
      pending={change.isPending}
      problem={change.error}
      onSubmit={() =>
        change.mutate({ model: model.model, upstreams: chosen.length === 0 ? null : [...chosen] })
      }
    >
      <UpstreamChoice provider={model.details?.provider} chosen={chosen} onChange={setChosen} />
    </FormDialog>
  )
}
