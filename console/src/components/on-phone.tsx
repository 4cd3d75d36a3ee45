/** What a cell of a table says on phones alone, where the columns that say it elsewhere are not shown. */
import type { ReactNode } from 'react'
import { useMedia } from '@/lib/use-media'

export function OnPhone({ children }: { readonly children: ReactNode }): ReactNode {
  const isNarrow = useMedia('(max-width: 767px)')
  return isNarrow ? children : null
}
