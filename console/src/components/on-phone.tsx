/** Content of a table cell that only phones show, where the column for it is hidden. */
import type { ReactNode } from 'react'
import { useMedia } from '@/lib/use-media'

export function OnPhone({ children }: { readonly children: ReactNode }): ReactNode {
  const isNarrow = useMedia('(max-width: 767px)')
  return isNarrow ? children : null
}
