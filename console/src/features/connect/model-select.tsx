/** Selects one of the available models, by maker and by name. */
import { type JSX, useState } from 'react'
import { Combobox } from '@/components/combobox'
import { SpecialModelsSwitch } from '@/components/special-models-switch'
import { hasSpecialModels, modelsToOffer } from '@/lib/special-models'
import { modelGroups } from '../pricing/model-groups.ts'
import type { PricedModel } from '../pricing/price-list.ts'

export interface ModelSelectProps {
  readonly id?: string
  readonly models: readonly PricedModel[]
  readonly value: string
  readonly onChange: (model: string) => void
  readonly 'aria-describedby'?: string | undefined
}

export function ModelSelect({ models, value, onChange, ...rest }: ModelSelectProps): JSX.Element {
  const [showsSpecial, setShowsSpecial] = useState(false)
  return (
    <Combobox
      {...rest}
      searchLabel="Search models"
      groups={modelGroups(modelsToOffer(models, showsSpecial, [value]))}
      value={value}
      onChange={onChange}
      {...(hasSpecialModels(models)
        ? {
            footer: <SpecialModelsSwitch models={models} checked={showsSpecial} onChange={setShowsSpecial} />,
          }
        : {})}
    />
  )
}
