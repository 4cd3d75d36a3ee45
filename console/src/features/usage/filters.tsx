/** Filters usage or requests by model or key. */

import type { JSX } from 'react'
import { Button } from '@/components/button'
import { X } from '@/components/icons'
import { Select } from '@/components/select'
import type { Search } from '@/lib/search'
import { modelsToOffer } from '@/lib/special-models'
import { useSoldModels } from '../keys/sold-models.ts'
import { useKeyNames } from '../keys/use-names.ts'

export interface FiltersProps {
  readonly model: string | undefined
  readonly apiKey: string | undefined
  readonly onChange: (changes: Search) => void
}

export function Filters({ model, apiKey, onChange }: FiltersProps): JSX.Element {
  const sold = useSoldModels()
  const keyNames = useKeyNames()
  const models = modelsToOffer(sold.data ?? [], false).map((one) => one.model)
  return (
    <>
      <Select
        aria-label="Model"
        className="w-48 max-sm:w-full"
        value={model ?? ''}
        onChange={(event) => onChange({ model: event.target.value || undefined })}
      >
        <option value="">All models</option>
        {(model === undefined || models.includes(model) ? models : [model, ...models]).map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </Select>
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
