/** Who created a key. */
import type { JSX } from 'react'
import { Name } from '../usage/name.tsx'
import type { Key } from './key-state.ts'

export interface CreatedByProps {
  readonly createdBy: Key['createdBy']
  readonly memberNames: ReadonlyMap<string, string>
}

export function CreatedBy({ createdBy, memberNames }: CreatedByProps): JSX.Element {
  if (createdBy === null) return <span className="text-ink-soft">Server setup</span>
  const name = memberNames.get(createdBy)
  return name === undefined ? (
    <span className="text-ink-soft">Former member</span>
  ) : (
    <Name className="max-w-40">{name}</Name>
  )
}
