/** Selects one of the available models, by provider and by name. */
import { type JSX, useState } from 'react'
import { Select } from '@/components/select'
import { SpecialModelsSwitch } from '@/components/special-models-switch'
import { modelsToOffer } from '@/lib/special-models'
import type { SoldModel } from '../pricing/sold-models.ts'
import { byProvider } from './model-choice.ts'

export interface ModelSelectProps {
  readonly id?: string
  readonly models: readonly SoldModel[]
  readonly value: string
  readonly onChange: (model: string) => void
  readonly 'aria-describedby'?: string | undefined
}

export function ModelSelect({ models, value, onChange, ...rest }: ModelSelectProps): JSX.Element {
  const [showsSpecial, setShowsSpecial] = useState(false)
  return (
    <>
      <Select {...rest} value={value} onChange={(event) => onChange(event.target.value)}>
        {byProvider(modelsToOffer(models, showsSpecial, [value])).map(([provider, ofProvider]) => (
          <optgroup key={provider} label={provider}>
            {ofProvider.map(({ model }) => (
              <option key={model} value={model}>
                {model}
              </option>
            ))}
          </optgroup>
        ))}
      </Select>
      <SpecialModelsSwitch models={models} checked={showsSpecial} onChange={setShowsSpecial} />
    </>
  )
}
