/** `audit.*`: who changed what, for operators and for those who manage an account. Secrets were never recorded. */
import type { AuditEntry } from '../../audit/audit.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId, parseId } from '../../base/ids.ts'
import { accountOperationHandler, operationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'

export const listAudit = operationHandler('audit.list', async ({ audit, ledger }, asked) => {
  const rows = await audit.list({
    limit: asked.limit,
    before: parseAuditId(asked.before),
    account: asked.account === undefined ? null : (parseId('acct', asked.account) ?? null),
    operation: asked.operation ?? null,
    actor: asked.actor ?? null,
  })
  const accounts = new Set(rows.flatMap(({ account }) => (account === null ? [] : [account])))
  const names = new Map(
    await Promise.all([...accounts].map(async (id) => [id, (await ledger.account(id))?.name] as const)),
  )
  return rows.map((entry) => ({
    ...auditOutput(entry),
    account: entry.account === null ? null : formatId('acct', entry.account),
    accountName: (entry.account === null ? null : names.get(entry.account)) ?? null,
    input: entry.input,
    address: entry.address,
  }))
})

export const listOwnAudit = accountOperationHandler(
  'audit.own',
  async ({ audit }, { limit, before }, { account }) => {
    const all = { operation: null, actor: null }
    const rows = await audit.list({ limit, before: parseAuditId(before), account: account.id, ...all })
    return rows.map(auditOutput)
  },
)

function parseAuditId(before: string | undefined): bigint | null {
  if (before === undefined) return null
  const id = parseId('aud', before)
  if (id !== undefined) return id
  throw new TollgateError('invalid_value', {
    message: 'before: must be an audit entry ID (aud_…).',
    param: 'before',
  })
}

function auditOutput({ id, atMs, actor, operation, input, outcome }: AuditEntry) {
  return { id: formatId('aud', id), at: isoTime(atMs), actor, operation, subject: subjectOf(input), outcome }
}

/** Fields of inputs that say what was changed, and that users who manage the account may see. */
const subjectFields = ['name', 'key', 'model', 'upstream', 'provider', 'email', 'person', 'request', 'amount']
const partsMax = 2

/** `walk laptop`, `key_…`, `$25.00`: what a recorded input is about. */
function subjectOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const given = new Map<string, unknown>(Object.entries(input))
  const parts = subjectFields.flatMap((field) => {
    const value = given.get(field)
    return typeof value !== 'string' || value === '' ? [] : [field === 'amount' ? `$${value}` : value]
  })
  return parts.slice(0, partsMax).join(', ')
}
