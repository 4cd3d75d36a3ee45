/** `audit.*`: who changed what, for operators and for those who manage an account. Secrets were never recorded. */
import type { OperationInput } from '../../../contract/operations.ts'
import type { AuditEntry } from '../../audit/audit.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId, parseId } from '../../base/ids.ts'
import { type CsvCell, csvLines, csvText } from '../csv.ts'
import { accountOperationHandler, operationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'

export const listAudit = operationHandler('audit.list', async ({ audit, ledger }, asked) => {
  const rows = await audit.list({
    ...filterOf(asked),
    limit: asked.limit,
    before: parseAuditId(asked.before),
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

const header = ['id', 'time', 'actor', 'operation', 'account', 'subject', 'outcome', 'address', 'input']

/** Counts as a file of the installation, of which one is made at a time. */
const installation = 0n
/** A file is read and written in batches, so that other requests are served in between. */
const batchSize = 500

export const auditCsv = operationHandler('audit.csv', ({ audit, usage, limits }, asked) =>
  usage.makingFile(installation, async () => {
    const texts = [csvText(header, [])]
    let left = limits.csvRowsMax
    for (let before: bigint | null = null; left > 0; ) {
      const limit = Math.min(batchSize, left)
      const rows: readonly AuditEntry[] = await audit.list({ ...filterOf(asked), limit, before })
      texts.push(csvLines(rows.map(cellsOf)))
      left = rows.length < limit ? 0 : left - rows.length
      before = rows.at(-1)?.id ?? null
    }
    return { name: 'audit.csv', text: texts.join('') }
  }),
)

function cellsOf(entry: AuditEntry): readonly CsvCell[] {
  const { id, at, actor, operation, subject, outcome } = auditOutput(entry)
  const account = entry.account === null ? null : formatId('acct', entry.account)
  return [id, at, actor, operation, account, subject, outcome, entry.address, JSON.stringify(entry.input)]
}

const filterOf = ({ account, operation, actor }: OperationInput<'audit.csv'>) => ({
  account: account === undefined ? null : (parseId('acct', account) ?? null),
  operation: operation ?? null,
  actor: actor ?? null,
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
