/** Filters usage or requests by model or key. */

import type { JSX } from 'react'
import { Button } from '@/components/button'
import { Combobox } from '@/components/combobox'
import { X } from '@/components/icons'
import { Select } from '@/components/select'
import type { Search } from '@/lib/search'
import { modelsToOffer } from '@/lib/special-models'
import { useSoldModels } from '../keys/sold-models.ts'
import { useKeyNames } from '../keys/use-names.ts'
import { modelGroups } from '../pricing/model-groups.ts'

export interface FiltersProps {
  readonly model: string | undefined
  readonly apiKey: string | undefined
  readonly onChange: (changes: Search) => void
}

export function Filters({ model, apiKey, onChange }: FiltersProps): JSX.Element {
  const sold = useSoldModels()
  const keyNames = useKeyNames()
  const models = modelsToOffer(sold.data ?? [], false)
  const isListed = model === undefined || models.some((one) => one.model === model)
  const first = [{ value: '', label: 'All models' }, ...(isListed ? [] : [{ value: model, label: model }])]
  return (
    <>
      <Combobox
        aria-label="Model"
        searchLabel="Search models"
        className="w-48 max-sm:w-full"
        groups={[{ heading: '', options: first }, ...modelGroups(models)]}
        value={model ?? ''}
        onChange={(name) => onChange({ model: name || undefined })}
      />
      <Select
        aria-label="Key"
        className="w-48 max-sm:w-full"
        value={apiKey ?? ''}
        onChange={(event) => onChange({ key: event.target.value || undefined })}
      >
        <option value="">All keys</option>
        {apiKey === undefined || keyNames.has(apiKey) ? null : <option value={apiKey}>{apiKey}</option>}
        {[...keyNames].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      {model === undefined && apiKey === undefined ? null : (
        <Button variant="ghost" onClick={() => onChange({ model: undefined, key: undefined })}>
          <X aria-hidden="true" />
          Clear
        </Button>
      )}
    </>
  )
}
