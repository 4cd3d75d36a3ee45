/** Where somebody goes once they are in: where they wanted to be, as long as that is a page of ours. */
import { useRouter } from '@tanstack/react-router'
import { queryClient } from './operations.ts'
import { safeNext } from './safe-next.ts'
import { useSearch } from './search.ts'

export function useNext(): string {
  return safeNext(useSearch().next)
}

/** Goes there as somebody new: nothing that was known before is shown. */
export function useEnter(): (next: string) => Promise<void> {
  const router = useRouter()
  return async (next) => {
    queryClient.clear()
    await router.navigate({ href: next, replace: true })
  }
}
