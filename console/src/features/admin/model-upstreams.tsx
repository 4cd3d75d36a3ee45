/** The upstreams that serve a model: its named ones, else upstreams that list it or serve all models of its provider. */
import type { JSX } from 'react'
import { Checkbox } from '@/components/checkbox'
import { useOperation } from '@/lib/operations'

export interface UpstreamChoiceProps {
  /** The model's provider; undefined while loading. */
  readonly provider: string | undefined
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

export function UpstreamChoice({ provider, chosen, onChange }: UpstreamChoiceProps): JSX.Element {
  const upstreams = useOperation('upstreams.list')
  const fitting = (upstreams.data ?? []).filter((one) => provider === undefined || one.provider === provider)
  const known = new Set(fitting.map(({ name }) => name))
  const gone = upstreams.data === undefined ? [] : chosen.filter((name) => !known.has(name))
  const rows = [
    ...fitting.map(({ name, url }) => ({ name, hint: url ?? "The provider's own API" })),
    // Without a row it could not be unchecked.
    ...gone.map((name) => ({ name, hint: 'Removed, or from another provider' })),
  ]
  return (
    <fieldset>
      <legend className="font-medium">Upstreams</legend>
      <p className="text-sm text-ink-soft">
        If none is selected, every upstream that lists the model serves it. One of the provider's own models
        is also served by upstreams that serve all of the provider's models. Otherwise, only the selected
        upstreams serve it.
      </p>
      <div className="grid sm:grid-cols-2">
        {rows.map(({ name, hint }) => (
          <Checkbox
            key={name}
            label={name}
            hint={hint}
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
