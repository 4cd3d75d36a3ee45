/** `audit.*`: who changed what, for operators and for those who manage an account, and how it is recorded: without secrets. */
import type { OperationInput } from '../../contract/operations.ts'
import type { AuditEntry, NewAuditEntry } from '../audit/audit.ts'
import { asTollgateError } from '../base/errors.ts'
import { formatId, parseId } from '../base/ids.ts'
import { findAccounts } from './authorize.ts'
import { readBatches } from './batches.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { type CsvCell, csvLines, csvText } from './csv.ts'
import { invalidValue, isoTime } from './values.ts'

export const auditHandlers = {
  'audit.list': async ({ audit, ledger }, asked) => {
    const rows = await audit.list({
      ...toFilter(asked),
      limit: asked.limit,
      before: parseAuditId(asked.before),
    })
    const accounts = await findAccounts({ ledger }, rows)
    return rows.map((entry) => ({
      ...auditOutput(entry),
      account: entry.account === null ? null : formatId('acct', entry.account),
      accountName: accounts.get(entry.account)?.name ?? null,
      input: entry.input,
      address: entry.address,
    }))
  },

  'audit.csv': ({ audit, usage, limits }, asked) =>
    usage.makingFile(installation, async () => {
      const texts = [csvText(header, [])]
      const filter = toFilter(asked)
      const sizes = { rowsMax: limits.csvRowsMax, batchRows: 500 }
      for await (const rows of readBatches(sizes, (page) => audit.list({ ...filter, ...page })))
        texts.push(csvLines(rows.map(toCells)))
      return { name: 'audit.csv', text: texts.join('') }
    }),

  'audit.own': async ({ audit }, { limit, before }, { account }) => {
    const all = { operation: null, actor: null }
    const rows = await audit.list({ limit, before: parseAuditId(before), account: account.id, ...all })
    return rows.map(auditOutput)
  },
} satisfies Partial<OperationHandlers>

const header = ['id', 'time', 'actor', 'operation', 'account', 'subject', 'outcome', 'address', 'input']

/** Counts as a file of the installation, of which one is made at a time. */
const installation = 0n

function toCells(entry: AuditEntry): readonly CsvCell[] {
  const { id, at, actor, operation, subject, outcome } = auditOutput(entry)
  const account = entry.account === null ? null : formatId('acct', entry.account)
  return [id, at, actor, operation, account, subject, outcome, entry.address, JSON.stringify(entry.input)]
}

const toFilter = ({ account, operation, actor }: OperationInput<'audit.csv'>) => ({
  account: account === undefined ? null : (parseId('acct', account) ?? null),
  operation: operation ?? null,
  actor: actor ?? null,
})

function parseAuditId(before: string | undefined): bigint | null {
  if (before === undefined) return null
  const id = parseId('aud', before)
  if (id !== undefined) return id
  throw invalidValue('before', 'must be an audit entry ID (aud_…)')
}

function auditOutput({ id, atMs, actor, operation, input, outcome }: AuditEntry) {
  return {
    id: formatId('aud', id),
    at: isoTime(atMs),
    actor,
    operation,
    subject: describeSubject(input),
    outcome,
  }
}

/** Fields of inputs that say what was changed, and that users who manage the account may see. */
const subjectFields = ['name', 'key', 'model', 'upstream', 'provider', 'email', 'person', 'request', 'amount']
const partsMax = 2

/** `walk laptop`, `key_…`, `$25.00`: what a recorded input is about. */
function describeSubject(input: unknown): string {
  if (typeof input !== 'object' || input === null) return ''
  const given = new Map<string, unknown>(Object.entries(input))
  const parts = subjectFields.flatMap((field) => {
    const value = given.get(field)
    return typeof value !== 'string' || value === '' ? [] : [field === 'amount' ? `$${value}` : value]
  })
  return parts.slice(0, partsMax).join(', ')
}

/** A change is written down before it begins: one that got halfway is seen. */
export async function recordChange<Outcome>(
  { audit, nextId, clock }: Pick<ControlDeps, 'audit' | 'nextId' | 'clock'>,
  change: Omit<NewAuditEntry, 'id' | 'atMs'>,
  run: () => Promise<Outcome>,
  toText: (outcome: Outcome) => string = () => 'done',
): Promise<Outcome> {
  const id = nextId()
  await audit.begin({ ...change, id, atMs: clock.wallMs(), input: withoutSecrets(change.input) })
  try {
    const outcome = await run()
    await audit.end(id, toText(outcome))
    return outcome
  } catch (thrown) {
    await audit.end(id, asTollgateError(thrown).code)
    throw thrown
  }
}

/** Fields that are never written down. */
const secretFields: ReadonlySet<string> = new Set(['password', 'token', 'credential', 'code'])

/** Headers of upstreams, of which any may be a secret. */
const namesAlone: ReadonlySet<string> = new Set(['headers'])

const notStored = '(not stored)'

/** Longer texts are files, of which the audit log keeps the size. */
const textCharactersMax = 20_000

/** An input as the audit stores it: everything except secrets and whole files. */
export function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string' && value.length > textCharactersMax) return `(${value.length} characters)`
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecret(name, inner) ? notStored : namesAlone.has(name) ? withoutValues(inner) : withoutSecrets(inner),
    ]),
  )
}

/** The id of a code tells which one it was, and gives no credit. */
function isSecret(name: string, value: unknown): boolean {
  if (name === 'code' && typeof value === 'string' && parseId('code', value) !== undefined) return false
  return secretFields.has(name)
}

/** The names of the fields of an object, with no value. */
function withoutValues(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return notStored
  return Object.fromEntries(Object.keys(value).map((name) => [name, notStored]))
}
