/** Where somebody may be led once they are in. Pure. */

/** The address in `?next=`, or the overview. Never another site: a path of the console alone is followed. */
export function safeNext(wanted: string | undefined): string {
  const isOurs = wanted !== undefined && /^\/console(?:[/?#]|$)/.test(wanted) && !/[\\\p{Cc}]/u.test(wanted)
  const isWayIn = isOurs && /^\/console\/(?:sign-in|sign-up|two-factor|setup|reset|forgot)\b/.test(wanted)
  return isOurs && !isWayIn ? wanted : '/console'
}
