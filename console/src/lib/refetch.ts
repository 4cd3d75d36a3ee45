/** Refetches queries whose result changed. */
import type { Query, QueryClient } from '@tanstack/react-query'

/** Queries to refetch as soon as the fetch in flight is over. */
const waiting = new WeakMap<Query, Promise<void>>()

/**
 * Marks matching queries as stale and fetches those on the page again. Resolves when their answers are here.
 *
 * A fetch in flight may have been answered before the change, so its query is fetched once more after it. It is not
 * canceled: where changes come faster than answers, nothing would ever be shown.
 */
export async function refetch(client: QueryClient, matches: (query: Query) => boolean): Promise<void> {
  const inFlight = client
    .getQueryCache()
    .findAll({ predicate: (query) => query.state.fetchStatus === 'fetching' && matches(query) })
  const later = new Set(inFlight)
  await Promise.all([
    client.invalidateQueries({ predicate: (query) => matches(query) && !later.has(query) }),
    ...inFlight.map((query) => refetchAfterThis(client, query)),
  ])
}

function refetchAfterThis(client: QueryClient, query: Query): Promise<void> {
  const known = waiting.get(query)
  if (known !== undefined) return known
  const again = settled(query).then(() => {
    waiting.delete(query)
    return client.invalidateQueries({ predicate: (one) => one === query })
  })
  waiting.set(query, again)
  return again
}

async function settled({ promise }: Query): Promise<void> {
  try {
    await promise
  } catch {
    // The query keeps its error; what matters here is that the fetch is over.
  }
}
