/** The outputs of operations as text for people. Pure; every function ends its text with a line break. */
import { inputTokens, outputTokens } from '../../contract/meters.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import type { Report } from './doctor.ts'
import { columns, labeled } from './table-text.ts'

type AccountOutput = OperationOutput<'account.show'>
type ModelOutput = OperationOutput<'models.list'>[number]

const shownOnce = '\nThe key is shown this once. Keep it where only its user can read it.\n'

export function accountCreated(output: OperationOutput<'account.create'>): string {
  const pairs = [
    ['account', output.account],
    ['balance', `${output.balance} USD`],
    ['key', output.key],
  ] as const
  return labeled(pairs) + shownOnce
}

export function account(output: AccountOutput): string {
  return labeled([
    ['account', output.account],
    ['e-mail', output.email ?? '–'],
    ['name', output.name],
    ['kind', output.kind],
    ['posted', `${output.posted} USD`],
    ['held', `${output.held} USD by ${counted(output.openHolds, 'running request')}`],
    ['available', `${output.available} USD`],
    ['created', output.created],
    ['state', stateOf(output)],
  ])
}

function stateOf(output: AccountOutput): string {
  if (output.suspended !== null) return `suspended since ${output.suspended}`
  if (output.restricted !== null) return `restricted since ${output.restricted}`
  return 'active'
}

export function accounts(output: OperationOutput<'account.list'>): string {
  if (output.length === 0) return 'no accounts\n'
  return columns(
    ['account', 'e-mail', 'posted', 'held', 'available', 'state'],
    output.map((row) => [
      row.account,
      row.email ?? '–',
      row.posted,
      row.held,
      row.available,
      stateOf(row).split(' ')[0] ?? '',
    ]),
    ['posted', 'held', 'available'],
  )
}

export function keyCreated(output: OperationOutput<'key.create'>): string {
  const pairs = [
    ['id', output.id],
    ['key', output.key],
  ] as const
  return labeled(pairs) + shownOnce
}

export function keys(output: OperationOutput<'key.list'>): string {
  if (output.length === 0) return 'no keys\n'
  return columns(
    ['id', 'key', 'name', 'budget', 'models', 'expires', 'state'],
    output.map((row) => [
      row.id,
      row.label,
      row.name,
      row.budget === null
        ? '–'
        : `${row.budget.amount} a ${row.budget.window}`.replace('a total', 'in total'),
      row.models?.join(',') ?? 'all',
      row.expires ?? '–',
      row.revoked !== null ? `revoked ${row.revoked}` : row.disabled ? 'disabled' : 'live',
    ]),
  )
}

export function keyUpdated(output: OperationOutput<'key.update'>): string {
  return keys([output])
}

export function keyRotated(output: OperationOutput<'key.rotate'>): string {
  const pairs = [
    ['id', output.id],
    ['key', output.key],
    ['replaces', `${output.replaces}, which ends ${output.expires}`],
  ] as const
  return labeled(pairs) + shownOnce
}

export function keyRevoked(output: OperationOutput<'key.revoke'>): string {
  return output.already ? `${output.id} was revoked before\n` : `${output.id} is revoked\n`
}

export function credited(output: OperationOutput<'credit'>): string {
  return labeled([
    ['entry', output.entry],
    ['created', output.created ? 'yes' : 'no: this reference was credited before'],
    ['balance', `${output.balance} USD`],
  ])
}

export function models(output: OperationOutput<'models.list'>): string {
  if (output.length === 0) return 'no models\n'
  const sold = output.filter((row) => row.sold)
  const unsold = output.filter((row) => !row.sold)
  const table = columns(
    ['model', 'provider', 'context', 'input', 'cached', 'output'],
    sold.map((row) => [
      row.model,
      row.details?.provider ?? '–',
      String(row.details?.contextTokens ?? '–'),
      row.details?.price.input ?? '–',
      row.details?.price.cacheRead ?? '–',
      row.details?.price.output ?? '–',
    ]),
    ['context', 'input', 'cached', 'output'],
  )
  const note = `${counted(sold.length, 'model')} sold; prices in USD per million tokens\n`
  if (unsold.length === 0) return `${table}\n${note}`
  const reasons = columns(
    ['not sold', 'because'],
    unsold.map((row) => [row.model, row.reason ?? '–']),
  )
  return `${table}\n${note}\n${reasons}`
}

export function model(output: ModelOutput): string {
  const { details } = output
  const sold = output.sold ? 'yes' : `no: ${output.reason ?? 'unknown'}`
  if (details === null) {
    return labeled([
      ['model', output.model],
      ['sold', sold],
    ])
  }
  return labeled([
    ['model', output.model],
    ['sold', sold],
    ['provider', details.provider],
    ['there called', details.upstreamModel],
    ['upstreams', details.upstreams.join(', ')],
    ['formats', details.dialects.join(', ')],
    ['context', `${details.contextTokens} tokens, ${details.outputTokensMax} of them output`],
    ['input', `${details.price.input} USD per million tokens`],
    ['cache read', details.price.cacheRead],
    ['cache write', `${details.price.cacheWrite5m} (5 minutes), ${details.price.cacheWrite1h} (1 hour)`],
    ['output', details.price.output],
    ['price since', details.price.effectiveFrom],
    ['price from', details.price.source],
  ])
}

export function receipts(output: OperationOutput<'requests.list'>): string {
  if (output.length === 0) return 'no requests\n'
  return columns(
    ['request', 'started', 'model', 'input', 'cached', 'output', 'charged', 'end'],
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
    ['input', 'cached', 'output', 'charged'],
  )
}

export function verified(output: OperationOutput<'ledger.verify'>): string {
  const seen = `${counted(output.accounts, 'account')}, ${counted(output.entries, 'entry', 'entries')}, ${counted(output.openHolds, 'open hold')}`
  if (output.ok) return `ok: ${seen}\n`
  return `${output.drift.map((line) => `${line}\n`).join('')}not ok: ${seen}, ${counted(output.drift.length, 'contradiction')}\n`
}

export function setupLink(output: OperationOutput<'setup.link'>): string {
  return `${output.link}\n`
}

export function migrated(output: { readonly by: 'server' | 'command' }): string {
  return output.by === 'server'
    ? 'the running server keeps the database at the newest schema\n'
    : 'the database has the newest schema\n'
}

export function report(output: Report): string {
  return columns(
    ['check', 'state', 'found'],
    output.findings.map(({ name, state, text }) => [name, state, text]),
  )
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
