/**
 * Wraps better-auth's database adapter so that the sessions table stores token hashes. Tokens in queries are hashed; rows
 * carry the current request's own token, and handles for other sessions.
 */
import type { DBAdapter, Where } from 'better-auth'
import { handleOf, hashOfHandle, hashToken } from '../sessions/session-token.ts'
import { presentedToken } from './request-store.ts'

interface SessionRow {
  readonly token: string
}

const sessionModel = 'session'

/** Only the model `session` is affected. */
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

/** A session's token never changes. */
function hashUpdate<Ask extends AdapterQuery & { update: Record<string, unknown> }>(ask: Ask): Ask {
  if (ask.model !== sessionModel || !('token' in ask.update)) return ask
  const { token: _ignored, ...update } = ask.update
  return { ...ask, update }
}

function withVisibleToken<Row>(ask: AdapterQuery, row: Row): Row {
  if (ask.model !== sessionModel || row === null) return row
  const session = row as SessionRow
  return { ...row, token: queriedToken(ask, session) ?? requestToken(session) ?? handleOf(session.token) }
}

function queriedToken({ where = [] }: AdapterQuery, { token }: SessionRow): string | undefined {
  const queried = where.find(({ field, value }) => field === 'token' && typeof value === 'string')?.value
  return typeof queried === 'string' && hashToken(queried) === token ? queried : undefined
}

function requestToken({ token }: SessionRow): string | undefined {
  const own = presentedToken()
  return own !== undefined && hashToken(own) === token ? own : undefined
}
