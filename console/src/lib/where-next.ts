/** Where somebody goes once they are in: where they wanted to be, as long as that is a page of ours. */
import { useRouter } from '@tanstack/react-router'
import { queryClient } from './operations.ts'
import { useSearch } from './search.ts'

/** The address in `?next=`, or the overview. Never another site: a path of the console alone is followed. */
export function safeNext(wanted: string | undefined): string {
  const isOurs = wanted !== undefined && /^\/console(?:[/?#]|$)/.test(wanted) && !/[\\\p{Cc}]/u.test(wanted)
  const isWayIn = isOurs && /^\/console\/(?:sign-in|sign-up|two-factor|setup|reset|forgot)\b/.test(wanted)
  return isOurs && !isWayIn ? wanted : '/console'
}

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
