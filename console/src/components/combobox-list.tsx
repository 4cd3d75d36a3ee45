/** The searched list of a combobox, in a separate chunk. */
import { type JSX, useState } from 'react'
import { SearchGroup, SearchItem, SearchList } from './command.tsx'

export interface ComboboxOption {
  readonly value: string
  readonly label: string
  /** Search terms besides the label. */
  readonly keywords?: string
  readonly hint?: string
}

export interface ComboboxGroup {
  /** Empty: options above the groups, such as "All models". */
  readonly heading: string
  readonly options: readonly ComboboxOption[]
}

interface ComboboxListProps {
  readonly searchLabel: string
  readonly groups: readonly ComboboxGroup[]
  readonly value: string
  readonly onChoose: (value: string) => void
}

/** In cmdk an empty value means no value. */
const itemValue = (value: string): string => `option ${value}`

export function ComboboxList({ searchLabel, groups, value, onChoose }: ComboboxListProps): JSX.Element {
  const [search, setSearch] = useState('')
  return (
    <SearchList
      label={searchLabel}
      placeholder={searchLabel}
      search={search}
      onSearch={setSearch}
      initial={itemValue(value)}
      empty="No matches"
    >
      {groups.map(({ heading, options }) => (
        <SearchGroup key={heading} heading={heading}>
          {options.map((option) => (
            <SearchItem
              key={option.value}
              value={itemValue(option.value)}
              keywords={`${option.label} ${option.keywords ?? ''} ${heading}`}
              hint={option.hint}
              checked={option.value === value}
              onSelect={() => onChoose(option.value)}
            >
              <bdi>{option.label}</bdi>
            </SearchItem>
          ))}
        </SearchGroup>
      ))}
    </SearchList>
  )
}
