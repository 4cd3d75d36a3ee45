/** Filters usage or requests by model or key. */

import type { JSX } from 'react'
import { Button } from '@/components/button'
import { Combobox, type ComboboxOption } from '@/components/combobox'
import { X } from '@/components/icons'
import type { Search } from '@/lib/search'
import { modelsToOffer } from '@/lib/special-models'
import { useAvailableModels } from '../keys/available-models.ts'
import { useKeyNames } from '../keys/use-names.ts'
import { modelGroups } from '../pricing/model-groups.ts'

export interface FiltersProps {
  readonly model: string | undefined
  readonly apiKey: string | undefined
  readonly onChange: (changes: Search) => void
}

export function Filters({ model, apiKey, onChange }: FiltersProps): JSX.Element {
  const sold = useAvailableModels()
  const keyNames = useKeyNames()
  const models = modelsToOffer(sold.data ?? [], false)
  const isListed = model === undefined || models.some((one) => one.model === model)
  const first = [{ value: '', label: 'All models' }, ...(isListed ? [] : [{ value: model, label: model }])]
  return (
    <>
      <Combobox
        aria-label="Model"
        searchLabel="Search models"
        className="w-48 max-sm:w-[calc(50%-0.25rem)]"
        groups={[{ heading: '', options: first }, ...modelGroups(models)]}
        value={model ?? ''}
        onChange={(name) => onChange({ model: name || undefined })}
      />
      <Combobox
        aria-label="Key"
        searchLabel="Search keys"
        className="w-48 max-sm:w-[calc(50%-0.25rem)]"
        groups={[{ heading: '', options: keyOptions(keyNames, apiKey) }]}
        value={apiKey ?? ''}
        onChange={(id) => onChange({ key: id || undefined })}
      />
      {model === undefined && apiKey === undefined ? null : (
        <Button variant="ghost" onClick={() => onChange({ model: undefined, key: undefined })}>
          <X aria-hidden="true" />
          Clear
        </Button>
      )}
    </>
  )
}

/** A key whose name is not known, such as a deleted one, is listed by its ID while it is selected. */
function keyOptions(
  names: ReadonlyMap<string, string>,
  selected: string | undefined,
): readonly ComboboxOption[] {
  const unknown = selected === undefined || names.has(selected) ? [] : [{ value: selected, label: selected }]
  const known = [...names].map(([value, label]) => ({ value, label, keywords: value }))
  return [{ value: '', label: 'All keys' }, ...unknown, ...known]
}
