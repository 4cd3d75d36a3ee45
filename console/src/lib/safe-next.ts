/** Where a person may be redirected after signing in. Pure. */

/** The path in `?next=`, or the overview. Never another site: only console paths are followed. */
export function safeNext(wanted: string | undefined): string {
  const isOurs = wanted !== undefined && /^\/console(?:[/?#]|$)/.test(wanted) && !/[\\\p{Cc}]/u.test(wanted)
  const isWayIn = isOurs && /^\/console\/(?:sign-in|sign-up|two-factor|setup|reset|forgot)\b/.test(wanted)
  return isOurs && !isWayIn ? wanted : '/console'
}
