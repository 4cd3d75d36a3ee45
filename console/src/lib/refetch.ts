/** Asks the server again for queries whose answer changed. */
import type { Query, QueryClient } from '@tanstack/react-query'

/**
 * Marks matching queries as stale and fetches those on the page again. Resolves when their answers are here.
 *
 * A first fetch in flight is canceled before: the library would share it, although it may have been answered before the
 * change, and a query whose first answer is «not found» would stay so.
 */
export async function refetch(client: QueryClient, matches: (query: Query) => boolean): Promise<void> {
  await client.cancelQueries({ predicate: (query) => query.state.data === undefined && matches(query) })
  await client.invalidateQueries({ predicate: matches })
}
