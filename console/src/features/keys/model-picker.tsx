/** Chooses models, in the order in which they were selected. Selected names that are no longer available stay visible. */

import { type JSX, useId, useState } from 'react'
import { Button } from '@/components/button'
import { Checkbox } from '@/components/checkbox'
import { Search, X } from '@/components/icons'
import { Input } from '@/components/input'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { SpecialModelsSwitch } from '@/components/special-models-switch'
import { matchScore } from '@/lib/match-score'
import { modelsToOffer } from '@/lib/special-models'
import { byMaker, makerOf } from '../pricing/makers.ts'
import { useAvailableModels } from './available-models.ts'

export interface ModelPickerProps {
  readonly legend: string
  /** Meaning of an empty selection. */
  readonly whenNone: string
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

export function ModelPicker({ legend, whenNone, chosen, onChange }: ModelPickerProps): JSX.Element {
  const id = useId()
  const sold = useAvailableModels()
  const [search, setSearch] = useState('')
  const [showsSpecial, setShowsSpecial] = useState(false)
  const shown = modelsToOffer(sold.data ?? [], showsSpecial, chosen).filter(
    (model) => matchScore(`${model.model} ${model.displayName} ${makerOf(model)}`, search) > 0,
  )
  const toggle = (name: string, isOn: boolean): void =>
    onChange(isOn ? [...chosen, name] : chosen.filter((one) => one !== name))
  return (
    <fieldset>
      <legend className="font-medium">
        {legend}{' '}
        <span className="ml-1 font-normal text-ink-soft">
          {chosen.length === 0 ? whenNone : `${chosen.length} selected`}
        </span>
      </legend>
      <Chosen legend={legend} chosen={chosen} onChange={onChange} />
      <div className="relative mt-1.5">
        <Search
          aria-hidden="true"
          className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-ink-soft"
        />
        <Input
          id={`${id}-search`}
          aria-label={`Search models: ${legend}`}
          placeholder="Search models"
          value={search}
          onChange={(event) => setSearch(event.target.value)}
          className="rounded-b-none pl-9"
          autoComplete="off"
        />
      </div>
      <div className="h-44 overflow-y-auto rounded-b-md border border-t-0 border-line-strong/60 px-3 py-1">
        {sold.error !== null ? (
          <Problem problem={sold.error} onRetry={() => void sold.refetch()} />
        ) : sold.data === undefined ? (
          <Skeleton className="mt-2 h-36" />
        ) : shown.length === 0 ? (
          <p className="py-3 text-ink-soft">
            {search.trim() === '' ? 'No models available yet.' : 'No matching models.'}
          </p>
        ) : (
          byMaker(shown).map(([maker, models]) => (
            <fieldset key={maker}>
              <legend className="w-full pt-2 text-xs font-medium text-ink-soft">{maker}</legend>
              {models.map(({ model }) => (
                <Checkbox
                  key={model}
                  label={<bdi className="font-mono text-[0.8125rem] font-normal break-all">{model}</bdi>}
                  checked={chosen.includes(model)}
                  onChange={(isOn) => toggle(model, isOn)}
                />
              ))}
            </fieldset>
          ))
        )}
      </div>
      <SpecialModelsSwitch models={sold.data ?? []} checked={showsSpecial} onChange={setShowsSpecial} />
    </fieldset>
  )
}

function Chosen({ legend, chosen, onChange }: Omit<ModelPickerProps, 'whenNone'>): JSX.Element | null {
  if (chosen.length === 0) return null
  return (
    <ul className="mt-1.5 flex flex-wrap gap-1.5" aria-label={`Selected: ${legend}`}>
      {chosen.map((model) => (
        <li
          key={model}
          className="flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken pl-2"
        >
          <bdi className="truncate font-mono text-[0.8125rem]">{model}</bdi>
          <Button
            size="small"
            variant="ghost"
            aria-label={`Remove ${model}`}
            className="px-1.5"
            onClick={() => onChange(chosen.filter((one) => one !== model))}
          >
            <X aria-hidden="true" />
          </Button>
        </li>
      ))}
    </ul>
  )
}
