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
    findOne: async (ask) => shown(ask, await adapter.findOne(hashedAsk(ask))),
    findMany: async (ask) => {
      const rows = await adapter.findMany(hashedAsk(ask))
      return rows.map((row) => shown(ask, row)) as never
    },
    count: (ask) => adapter.count(hashedAsk(ask)),
    update: async (ask) => shown(ask, await adapter.update(hashedUpdate(hashedAsk(ask)))),
    updateMany: (ask) => adapter.updateMany(hashedUpdate(hashedAsk(ask))),
    delete: (ask) => adapter.delete(hashedAsk(ask)),
    deleteMany: (ask) => adapter.deleteMany(hashedAsk(ask)),
    consumeOne: async (ask) => shown(ask, await adapter.consumeOne(hashedAsk(ask))),
    incrementOne: async (ask) => shown(ask, await adapter.incrementOne(hashedAsk(ask))),
    transaction: (run) => run(wrapped),
  }
  return wrapped
}

interface Asked {
  readonly model: string
  readonly where?: Where[] | undefined
}

function hashedAsk<Ask extends Asked>(ask: Ask): Ask {
  if (ask.model !== sessionModel || ask.where === undefined) return ask
  return { ...ask, where: ask.where.map(hashedCondition) }
}

function hashedCondition(condition: Where): Where {
  if (condition.field !== 'token') return condition
  const { value } = condition
  if (Array.isArray(value)) return { ...condition, value: value.map((token) => stored(String(token))) }
  return { ...condition, value: stored(String(value)) }
}

const stored = (token: string) => hashOfHandle(token) ?? hashToken(token)

/** A session keeps its token; nothing here gives it another. */
function hashedUpdate<Ask extends Asked & { update: Record<string, unknown> }>(ask: Ask): Ask {
  if (ask.model !== sessionModel || !('token' in ask.update)) return ask
  const { token: _kept, ...update } = ask.update
  return { ...ask, update }
}

function shown<Row>(ask: Asked, row: Row): Row {
  if (ask.model !== sessionModel || row === null) return row
  const session = row as SessionRow
  return { ...row, token: tokenAskedFor(ask, session) ?? tokenPresented(session) ?? handleOf(session.token) }
}

function tokenAskedFor({ where = [] }: Asked, { token }: SessionRow): string | undefined {
  const asked = where.find(({ field, value }) => field === 'token' && typeof value === 'string')?.value
  return typeof asked === 'string' && hashToken(asked) === token ? asked : undefined
}

function tokenPresented({ token }: SessionRow): string | undefined {
  const own = presentedToken()
  return own !== undefined && hashToken(own) === token ? own : undefined
}
