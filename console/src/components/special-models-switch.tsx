/** Shows or hides test models that simulate failures; nothing where there are none. */
import type { JSX } from 'react'
import { Checkbox } from '@/components/checkbox'
import { type Choosable, hasSpecialModels } from '@/lib/special-models'

export interface SpecialModelsSwitchProps {
  readonly models: readonly Choosable[]
  readonly checked: boolean
  readonly onChange: (checked: boolean) => void
}

export function SpecialModelsSwitch({
  models,
  checked,
  onChange,
}: SpecialModelsSwitchProps): JSX.Element | null {
  if (!hasSpecialModels(models)) return null
  return <Checkbox label="Show models that simulate failures" checked={checked} onChange={onChange} />
}
