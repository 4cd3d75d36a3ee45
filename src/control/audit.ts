/** `audit.*`: who changed what, for operators and for those who manage an account. Secrets were never recorded. */
import type { OperationInput } from '../../contract/operations.ts'
import type { AuditEntry, NewAuditEntry } from '../audit/audit.ts'
import { asTollgateError, TollgateError } from '../base/errors.ts'
import { formatId, parseId } from '../base/ids.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { type CsvCell, csvLines, csvText } from './csv.ts'
import { isoTime } from './values.ts'

export const auditHandlers = {
  'audit.list': async ({ audit, ledger }, asked) => {
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
  },

  'audit.csv': ({ audit, usage, limits }, asked) =>
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

  'audit.own': async ({ audit }, { limit, before }, { account }) => {
    const all = { operation: null, actor: null }
    const rows = await audit.list({ limit, before: parseAuditId(before), account: account.id, ...all })
    return rows.map(auditOutput)
  },
} satisfies Partial<OperationHandlers>

const header = ['id', 'time', 'actor', 'operation', 'account', 'subject', 'outcome', 'address', 'input']

/** Counts as a file of the installation, of which one is made at a time. */
const installation = 0n
/** A file is read and written in batches, so that other requests are served in between. */
const batchSize = 500

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

/** What the audit stores of an input: everything except secrets and whole files. */
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
