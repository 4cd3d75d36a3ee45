/** The choices of a usage page, read from and written to the URL. Unknown values count as left out. */
import { useSearch, useSetSearch } from '@/lib/search'
import { type Range, type RangeChoice, ranges, type Step, steps } from './usage-range.ts'

const groups = ['none', 'model', 'key', 'member'] as const
export type Group = (typeof groups)[number]

export interface UsageSearch extends RangeChoice {
  readonly group: Group
  readonly model: string | undefined
  readonly key: string | undefined
}

export function useUsageSearch(): readonly [UsageSearch, ReturnType<typeof useSetSearch>] {
  const search = useSearch()
  const setSearch = useSetSearch()
  return [
    {
      range: known<Range>(search.range, ranges) ?? '30d',
      from: search.from,
      to: search.to,
      step: known<Step>(search.step, steps),
      group: known<Group>(search.group, groups) ?? 'none',
      model: search.model,
      key: /^key_\w{13}$/.test(search.key ?? '') ? search.key : undefined,
    },
    setSearch,
  ]
}

function known<Word extends string>(text: string | undefined, words: readonly Word[]): Word | undefined {
  return words.find((word) => word === text)
}
