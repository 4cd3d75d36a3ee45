/** Where to go after signing in: the requested page, if it is one of ours. */
import { useRouter } from '@tanstack/react-router'
import { queryClient } from './operations.ts'
import { safeNext } from './safe-next.ts'
import { useSearch } from './search.ts'

export function useNext(): string {
  return safeNext(useSearch().next)
}

/** Goes there as another person: all cached data is dropped. */
export function useEnter(): (next: string) => Promise<void> {
  const router = useRouter()
  return async (next) => {
    queryClient.clear()
    await router.navigate({ href: next, replace: true })
  }
}
