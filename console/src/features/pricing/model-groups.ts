/** Models as the groups of a combobox. Pure. */
import type { ComboboxGroup } from '@/components/combobox'
import { byMaker } from './makers.ts'

interface Listed {
  readonly model: string
  readonly displayName: string
  readonly provider: string
}

export function modelGroups(models: readonly Listed[]): readonly ComboboxGroup[] {
  return byMaker(models).map(([heading, made]) => ({
    heading,
    options: made.map(({ model, displayName, provider }) => ({
      value: model,
      label: model,
      keywords: `${displayName} ${provider}`,
      ...(displayName === model ? {} : { hint: displayName }),
    })),
  }))
}
