/** The outputs of operations as text for people. Pure; every function ends its text with a line break. */
import { inputTokens, outputTokens } from '../../contract/meters.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import type { Report } from './doctor.ts'
import type { Backup, FolderReport, MoveReport } from './run-operation.ts'
import { columns, labeled } from './table-text.ts'

type AccountOutput = OperationOutput<'account.show'>
type ModelOutput = OperationOutput<'models.list'>[number]

const shownOnce = '\nThe key is shown only once. Store it in a safe place.\n'

export function accountCreated(output: OperationOutput<'account.create'>): string {
  const pairs = [
    ['Account', output.account],
    ['Balance', `${output.balance} USD`],
    ['Key', output.key],
  ] as const
  return labeled(pairs) + shownOnce
}

export function account(output: AccountOutput): string {
  return labeled([
    ['Account', output.account],
    ['Email', output.email ?? '–'],
    ['Name', output.name],
    ['Type', output.kind],
    ['Balance', `${output.posted} USD`],
    ['Reserved', `${output.held} USD by ${counted(output.openHolds, 'running request')}`],
    ['Available', `${output.available} USD`],
    ['Created', output.created],
    ['Status', stateOf(output)],
  ])
}

function stateOf(output: AccountOutput): string {
  if (output.suspended !== null) return `suspended since ${output.suspended}`
  if (output.restricted !== null) return `restricted since ${output.restricted}`
  return 'active'
}

export function accounts(output: OperationOutput<'account.list'>): string {
  if (output.length === 0) return 'No accounts.\n'
  return columns(
    ['ACCOUNT', 'EMAIL', 'BALANCE', 'RESERVED', 'AVAILABLE', 'STATUS'],
    output.map((row) => [
      row.account,
      row.email ?? '–',
      row.posted,
      row.held,
      row.available,
      stateOf(row).split(' ')[0] ?? '',
    ]),
    ['BALANCE', 'RESERVED', 'AVAILABLE'],
  )
}

export function keyCreated(output: OperationOutput<'key.create'>): string {
  const pairs = [
    ['ID', output.id],
    ['Key', output.key],
  ] as const
  return labeled(pairs) + shownOnce
}

export function keys(output: OperationOutput<'key.list'>): string {
  if (output.length === 0) return 'No keys.\n'
  return columns(
    ['ID', 'KEY', 'NAME', 'BUDGET', 'MODELS', 'EXPIRES', 'STATUS'],
    output.map((row) => [
      row.id,
      row.label,
      row.name,
      row.budget === null
        ? '–'
        : `${row.budget.amount} per ${row.budget.window}`.replace('per total', 'total'),
      row.models?.join(',') ?? 'all',
      row.expires ?? '–',
      row.revoked !== null ? `revoked ${row.revoked}` : row.disabled ? 'disabled' : 'active',
    ]),
  )
}

export function keyUpdated(output: OperationOutput<'key.update'>): string {
  return keys([output])
}

export function keyRotated(output: OperationOutput<'key.rotate'>): string {
  const pairs = [
    ['ID', output.id],
    ['Key', output.key],
    ['Replaces', `${output.replaces}, which expires at ${output.expires}`],
  ] as const
  return labeled(pairs) + shownOnce
}

export function keyRevoked(output: OperationOutput<'key.revoke'>): string {
  return output.already ? `${output.id} was already revoked.\n` : `Revoked ${output.id}.\n`
}

export function credited(output: OperationOutput<'credit'>): string {
  return labeled([
    ['Entry', output.entry],
    ['Created', output.created ? 'yes' : 'no (this reference was already credited)'],
    ['Balance', `${output.balance} USD`],
  ])
}

export function models(output: OperationOutput<'models.list'>): string {
  if (output.length === 0) return 'No models.\n'
  const sold = output.filter((row) => row.sold)
  const unsold = output.filter((row) => !row.sold)
  const table = columns(
    ['MODEL', 'PROVIDER', 'CONTEXT', 'INPUT', 'CACHED', 'OUTPUT'],
    sold.map((row) => [
      row.model,
      row.details?.provider ?? '–',
      String(row.details?.contextTokens ?? '–'),
      row.details?.price.input ?? '–',
      row.details?.price.cacheRead ?? '–',
      row.details?.price.output ?? '–',
    ]),
    ['CONTEXT', 'INPUT', 'CACHED', 'OUTPUT'],
  )
  const note = `${counted(sold.length, 'model')} enabled. Prices in USD per million tokens.\n`
  const costs = belowCostText(sold)
  if (unsold.length === 0) return `${table}\n${note}${costs}`
  const reasons = columns(
    ['NOT ENABLED', 'REASON'],
    unsold.map((row) => [row.model, row.reason ?? '–']),
  )
  return `${table}\n${note}${costs}\n${reasons}`
}

/** Empty where every price covers its cost. */
function belowCostText(sold: readonly ModelOutput[]): string {
  const rows = sold.flatMap(({ model: name, details }) =>
    (details?.belowCost ?? []).map(({ rate, upstream, upstreamModel, price, cost }) => [
      name,
      rate,
      price,
      cost,
      `${upstreamModel} at ${upstream}`,
    ]),
  )
  if (rows.length === 0) return ''
  const headings = ['BELOW COST', 'RATE', 'PRICE', 'COST', 'OFFER']
  return `\n${columns(headings, rows, ['PRICE', 'COST'])}`
}

export function model(output: ModelOutput): string {
  const { details } = output
  const sold = output.sold ? 'yes' : `no (${output.reason ?? 'unknown'})`
  if (details === null) {
    return labeled([
      ['Model', output.model],
      ['Enabled', sold],
    ])
  }
  return labeled([
    ['Model', output.model],
    ['Enabled', sold],
    ['Provider', details.provider],
    ['Provider model', details.upstreamModel],
    ['Upstreams', details.upstreams.join(', ')],
    ['API formats', details.dialects.join(', ')],
    ['Context', `${details.contextTokens} tokens, up to ${details.outputTokensMax} output`],
    ['Input', `${details.price.input} USD per million tokens`],
    ['Cache read', details.price.cacheRead],
    ['Cache write', `${details.price.cacheWrite5m} (5 minutes), ${details.price.cacheWrite1h} (1 hour)`],
    ['Output', details.price.output],
    ['Price since', details.price.effectiveFrom],
    ['Price source', details.price.source],
  ])
}

export function receipts(output: OperationOutput<'requests.list'>): string {
  if (output.length === 0) return 'No requests.\n'
  return columns(
    ['REQUEST', 'STARTED', 'MODEL', 'INPUT', 'CACHED', 'OUTPUT', 'CHARGED', 'STATUS'],
    output.map((row) => [
      row.id,
      row.started,
      row.model,
      String(inputTokens(row.usage) - row.usage.cacheRead),
      String(row.usage.cacheRead),
      String(outputTokens(row.usage)),
      row.charged,
      row.error === null ? row.endReason : `${row.endReason} (${row.error})`,
    ]),
    ['INPUT', 'CACHED', 'OUTPUT', 'CHARGED'],
  )
}

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

/** Of variables that are not set only the number, unless all are to be named. */
export function report(output: Report, namesAll: boolean): string {
  const findings = columns(
    ['CHECK', 'STATUS', 'DETAILS'],
    output.findings.map(({ name, state, text }) => [name, state, text]),
  )
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
  return `${findings}\n${text.join('')}`
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
