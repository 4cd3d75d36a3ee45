/**
 * Stands between better-auth and its tables, and changes one thing: the column `token` of sessions holds a hash. What
 * comes in as a token is hashed; what goes out is the token of the request that asks, and a handle for any other.
 */
import type { DBAdapter, Where } from 'better-auth'
import { handleOf, hashOfHandle, hashToken } from '../sessions/session-token.ts'
import { presentedToken } from './request-store.ts'

interface SessionRow {
  readonly token: string
}

const sessionModel = 'session'

export function withHashedSessions(adapter: DBAdapter): DBAdapter {
  const wrapped: DBAdapter = {
    ...adapter,
    create: async (ask) => {
      const { token } = ask.data as { token?: unknown }
      if (ask.model !== sessionModel || typeof token !== 'string') return adapter.create(ask)
      const row = await adapter.create({ ...ask, data: { ...ask.data, token: hashToken(token) } })
      return { ...(row as object), token } as never
    },
    findOne: async (ask) => withVisibleToken(ask, await adapter.findOne(hashQuery(ask))),
    findMany: async (ask) => {
      const rows = await adapter.findMany(hashQuery(ask))
      return rows.map((row) => withVisibleToken(ask, row)) as never
    },
    count: (ask) => adapter.count(hashQuery(ask)),
    update: async (ask) => withVisibleToken(ask, await adapter.update(hashUpdate(hashQuery(ask)))),
    updateMany: (ask) => adapter.updateMany(hashUpdate(hashQuery(ask))),
    delete: (ask) => adapter.delete(hashQuery(ask)),
    deleteMany: (ask) => adapter.deleteMany(hashQuery(ask)),
    consumeOne: async (ask) => withVisibleToken(ask, await adapter.consumeOne(hashQuery(ask))),
    incrementOne: async (ask) => withVisibleToken(ask, await adapter.incrementOne(hashQuery(ask))),
    transaction: (run) => run(wrapped),
  }
  return wrapped
}

interface AdapterQuery {
  readonly model: string
  readonly where?: Where[] | undefined
}

function hashQuery<Ask extends AdapterQuery>(ask: Ask): Ask {
  if (ask.model !== sessionModel || ask.where === undefined) return ask
  return { ...ask, where: ask.where.map(hashCondition) }
}

function hashCondition(condition: Where): Where {
  if (condition.field !== 'token') return condition
  const { value } = condition
  if (Array.isArray(value)) return { ...condition, value: value.map((token) => storedToken(String(token))) }
  return { ...condition, value: storedToken(String(value)) }
}

const storedToken = (token: string) => hashOfHandle(token) ?? hashToken(token)

/** A session keeps its token; nothing here gives it another. */
function hashUpdate<Ask extends AdapterQuery & { update: Record<string, unknown> }>(ask: Ask): Ask {
  if (ask.model !== sessionModel || !('token' in ask.update)) return ask
  const { token: _kept, ...update } = ask.update
  return { ...ask, update }
}

function withVisibleToken<Row>(ask: AdapterQuery, row: Row): Row {
  if (ask.model !== sessionModel || row === null) return row
  const session = row as SessionRow
  return { ...row, token: tokenAskedFor(ask, session) ?? tokenPresented(session) ?? handleOf(session.token) }
}

function tokenAskedFor({ where = [] }: AdapterQuery, { token }: SessionRow): string | undefined {
  const asked = where.find(({ field, value }) => field === 'token' && typeof value === 'string')?.value
  return typeof asked === 'string' && hashToken(asked) === token ? asked : undefined
}

function tokenPresented({ token }: SessionRow): string | undefined {
  const own = presentedToken()
  return own !== undefined && hashToken(own) === token ? own : undefined
}
