/** Who created a key. */
import type { JSX } from 'react'
import { Name } from '../usage/name.tsx'
import type { Key } from './key-state.ts'

export interface CreatedByProps {
  readonly apiKey: Pick<Key, 'builtIn' | 'createdBy'>
  readonly memberNames: ReadonlyMap<string, string>
}

export function CreatedBy({ apiKey, memberNames }: CreatedByProps): JSX.Element {
  const { builtIn, createdBy } = apiKey
  if (builtIn) return <span className="text-ink-soft">Built in, for the playground</span>
  if (createdBy === null) return <span className="text-ink-soft">Server setup</span>
  const name = memberNames.get(createdBy)
  return name === undefined ? (
    <span className="text-ink-soft">Former member</span>
  ) : (
    <Name className="max-w-40">{name}</Name>
  )
}
