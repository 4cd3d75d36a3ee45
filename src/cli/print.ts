/** The outputs of operations as text for people. Pure; every function ends its text with a line break. */
import { inputTokens, outputTokens } from '../../contract/meters.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import type { Report } from './doctor.ts'
import type { Backup, FolderReport, MoveReport } from './run-operation.ts'
import { factsOf, tableOf } from './table-text.ts'

type Account = OperationOutput<'account.show'>
type Key = OperationOutput<'key.list'>[number]
type Model = OperationOutput<'models.list'>[number]
type Details = NonNullable<Model['details']>
type Receipt = OperationOutput<'requests.list'>[number]

const shownOnce = '\nThe key is shown only once. Store it in a safe place.\n'

const createdAccount = factsOf<OperationOutput<'account.create'>>({
  Account: 'account',
  Balance: ({ balance }) => `${balance} USD`,
  Key: 'key',
})

export const accountCreated = (output: OperationOutput<'account.create'>): string =>
  createdAccount(output) + shownOnce

export const account = factsOf<Account>({
  Account: 'account',
  Email: 'email',
  Name: 'name',
  Type: 'kind',
  Balance: ({ posted }) => `${posted} USD`,
  Reserved: ({ held, openHolds }) => `${held} USD by ${counted(openHolds, 'running request')}`,
  Available: ({ available }) => `${available} USD`,
  Created: 'created',
  Status: stateOf,
})

function stateOf({ suspended, restricted }: Account): string {
  if (suspended !== null) return `suspended since ${suspended}`
  return restricted === null ? 'active' : `restricted since ${restricted}`
}

export const accounts = tableOf<Account>('No accounts.\n', {
  ACCOUNT: 'account',
  EMAIL: 'email',
  '>BALANCE': 'posted',
  '>RESERVED': 'held',
  '>AVAILABLE': 'available',
  STATUS: (row) => stateOf(row).split(' ')[0] ?? '',
})

const createdKey = factsOf<OperationOutput<'key.create'>>({ ID: 'id', Key: 'key' })

export const keyCreated = (output: OperationOutput<'key.create'>): string => createdKey(output) + shownOnce

export const keys = tableOf<Key>('No keys.\n', {
  ID: 'id',
  KEY: 'label',
  NAME: 'name',
  BUDGET: ({ budget }) => budget && `${budget.amount} per ${budget.window}`.replace('per total', 'total'),
  MODELS: ({ models: allowed }) => allowed?.join(',') ?? 'all',
  EXPIRES: 'expires',
  STATUS: ({ revoked, disabled }) =>
    revoked === null ? (disabled ? 'disabled' : 'active') : `revoked ${revoked}`,
})

const rotatedKey = factsOf<OperationOutput<'key.rotate'>>({
  ID: 'id',
  Key: 'key',
  Replaces: ({ replaces, expires }) => `${replaces}, which expires at ${expires}`,
})

export const keyRotated = (output: OperationOutput<'key.rotate'>): string => rotatedKey(output) + shownOnce

export function keyRevoked(output: OperationOutput<'key.revoke'>): string {
  return output.already ? `${output.id} was already revoked.\n` : `Revoked ${output.id}.\n`
}

export const credited = factsOf<OperationOutput<'credit'>>({
  Entry: 'entry',
  Created: ({ created }) => (created ? 'yes' : 'no (this reference was already credited)'),
  Balance: ({ balance }) => `${balance} USD`,
})

const soldModels = tableOf<Model>(null, {
  MODEL: 'model',
  PROVIDER: ({ details }) => details?.provider ?? null,
  '>CONTEXT': ({ details }) => details?.contextTokens ?? null,
  '>INPUT': ({ details }) => details?.price.input ?? null,
  '>CACHED': ({ details }) => details?.price.cacheRead ?? null,
  '>OUTPUT': ({ details }) => details?.price.output ?? null,
})
const otherModels = tableOf<Model>('', { 'NOT ENABLED': 'model', REASON: 'reason' })

export function models(output: OperationOutput<'models.list'>): string {
  if (output.length === 0) return 'No models.\n'
  const sold = output.filter((row) => row.sold)
  const other = otherModels(output.filter((row) => !row.sold))
  const costs = sold.flatMap(({ model: name, details }) =>
    (details?.belowCost ?? []).map((row) => ({ ...row, name })),
  )
  const note = `${counted(sold.length, 'model')} enabled. Prices in USD per million tokens.\n`
  return [`${soldModels(sold)}\n${note}`, belowCost(costs), other].filter((part) => part !== '').join('\n')
}

const belowCost = tableOf<Details['belowCost'][number] & { readonly name: string }>('', {
  'BELOW COST': 'name',
  RATE: 'rate',
  '>PRICE': 'price',
  '>COST': 'cost',
  OFFER: ({ upstream, upstreamModel }) => `${upstreamModel} at ${upstream}`,
})

const sentence = ({ sold, reason }: Model) => (sold ? 'yes' : `no (${reason ?? 'unknown'})`)
const unknownModel = factsOf<Model>({ Model: 'model', Enabled: sentence })
const knownModel = factsOf<Model & { readonly details: Details }>({
  Model: 'model',
  Enabled: sentence,
  Provider: ({ details }) => details.provider,
  'Provider model': ({ details }) => details.upstreamModel,
  Upstreams: ({ details }) => details.upstreams.join(', '),
  'API formats': ({ details }) => details.formats.join(', '),
  Context: ({ details }) => `${details.contextTokens} tokens, up to ${details.outputTokensMax} output`,
  Input: ({ details }) => `${details.price.input} USD per million tokens`,
  'Cache read': ({ details }) => details.price.cacheRead,
  'Cache write': ({ details: { price } }) =>
    `${price.cacheWrite5m} (5 minutes), ${price.cacheWrite1h} (1 hour)`,
  Output: ({ details }) => details.price.output,
  'Price since': ({ details }) => details.price.effectiveFrom,
  'Price source': ({ details }) => details.price.source,
})

export const model = ({ details, ...output }: Model): string =>
  details === null ? unknownModel({ ...output, details }) : knownModel({ ...output, details })

export const receipts = tableOf<Receipt>('No requests.\n', {
  REQUEST: 'id',
  STARTED: 'started',
  MODEL: 'model',
  '>INPUT': ({ usage }) => inputTokens(usage) - usage.cacheRead,
  '>CACHED': ({ usage }) => usage.cacheRead,
  '>OUTPUT': ({ usage }) => outputTokens(usage),
  '>CHARGED': 'charged',
  STATUS: ({ endReason, error }) => (error === null ? endReason : `${endReason} (${error})`),
})

export function verified(output: FolderReport): string {
  const seen = `${counted(output.accounts, 'account')}, ${counted(output.entries, 'entry', 'entries')}, ${counted(output.openHolds, 'open reservation')}`
  const from = output.receiptsFrom
  const removed =
    from === null
      ? ''
      : `Receipts before ${from} were removed: of those requests, entries are compared with the hourly sums, and nothing is recomputed from usage.\n`
  if (output.ok) return `ok: ${seen}\n${removed}`
  return `${removed}${output.drift.map((line) => `${line}\n`).join('')}not ok: ${seen}, ${counted(output.drift.length, 'contradiction')}\n`
}

export function setupLink(output: OperationOutput<'setup.link'>): string {
  return `${output.link}\n`
}

export function backedUp({ folder, hasSecret, report }: Backup): string {
  const secret = hasSecret ? '' : 'The root secret is configured by a variable: store it separately.\n'
  return `Backed up to ${folder}\n${secret}${verified(report)}`
}

export const copied = (table: string, rows: number): string => `copied ${table}: ${counted(rows, 'row')}\n`

export function moved({ to, wasComplete, rows, report }: MoveReport): string {
  const done = wasComplete
    ? `An earlier move to ${to} was complete.`
    : `Moved ${counted(rows, 'row')} to ${to}.`
  return `${done}\n${verified(report)}Start with DATABASE_URL and TOLLGATE_SECRET. This data folder is not served any more.\n`
}

export const moveCanceled = ({ to }: { readonly to: string }): string =>
  `This data folder can be served again. What was charged at ${to} since the move is not in it.\n`

export function migrated(output: { readonly by: 'server' | 'command' }): string {
  return output.by === 'server'
    ? 'The running server keeps the database up to date.\n'
    : 'The database is up to date.\n'
}

const findingsTable = tableOf<Report['findings'][number]>(null, {
  CHECK: 'name',
  STATUS: 'state',
  DETAILS: 'text',
})

/** Prints findings and environment variables; unset variables are only counted unless `namesAll`. */
export function report(output: Report, namesAll: boolean): string {
  const { environment } = output
  const named = (state: boolean | null) =>
    environment.filter(({ isSet }) => isSet === state).map(({ variable }) => variable)
  const unset = named(false)
  const lines = [
    ['Environment variables set', named(true)],
    ['Not set', namesAll ? unset : []],
    ['Not known, because the configuration is not valid', named(null)],
  ] as const
  const text = lines.map(([label, names]) => (names.length === 0 ? '' : `${label}: ${names.join(', ')}.\n`))
  if (!namesAll && unset.length > 0)
    text.push(`${counted(unset.length, 'variable')} not set; doctor --verbose names them.\n`)
  return `${findingsTable(output.findings)}\n${text.join('')}`
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}

export function reloaded(output: OperationOutput<'configuration.reload'>): string {
  const { changed, restart, mistakes } = output
  if (!output.reloaded) return ['The configuration was not reloaded:', ...mistakes, ''].join('\n')
  const now = changed.length === 0 ? 'nothing changed' : `changed: ${changed.join(', ')}`
  const later = restart.length === 0 ? '' : `\nTakes effect after a restart: ${restart.join(', ')}`
  return `Reloaded; ${now}${later}\n`
}
