/** The outputs of operations on an installation as text. Pure; every function ends its text with a line break. */
import { pricedMeters } from '../../contract/meters.ts'
import type { OperationOutput } from '../../contract/operations.ts'
import { columns, labeled } from './table-text.ts'

const headings = pricedMeters.map(({ shortLabel }) => shortLabel)

export function prices(output: OperationOutput<'models.prices'>): string {
  if (output.length === 0) return 'no prices\n'
  return columns(
    ['price', 'from', ...headings, 'source'],
    output.map((row) => [
      row.id,
      row.effectiveFrom,
      ...pricedMeters.map(({ rate }) => row[rate] ?? '-'),
      row.source,
    ]),
    headings,
  )
}

export function markup(output: OperationOutput<'markup.show'>): string {
  return output.markup === null ? 'no markup\n' : `${output.markup} on list prices, by the ${output.from}\n`
}

export function upstreams(output: OperationOutput<'upstreams.list'>): string {
  if (output.length === 0) return 'no upstreams\n'
  return columns(
    ['upstream', 'provider', 'address', 'models', 'credential', 'from', 'state'],
    output.map((row) => [
      row.name,
      row.provider,
      row.url ?? "the provider's own",
      row.models === 'all' ? `${row.serves.length} (all)` : String(row.serves.length),
      `…${row.credentialEnd}`,
      row.from,
      row.disabled ? 'disabled' : row.health.state,
    ]),
  )
}

export function losses(output: OperationOutput<'losses.list'>): string {
  const total = `${output.total} USD in all\n`
  if (output.accounts.length === 0) return total
  const table = columns(
    ['account', 'e-mail', 'written off', 'requests', 'restricted'],
    output.accounts.map((row) => [
      row.account,
      row.email ?? '–',
      row.writtenOff,
      String(row.requests),
      row.restricted ?? '–',
    ]),
    ['written off', 'requests'],
  )
  return `${table}\n${total}`
}

export function audit(output: OperationOutput<'audit.list'>): string {
  if (output.length === 0) return 'nothing was changed\n'
  return columns(
    ['at', 'actor', 'operation', 'account', 'outcome'],
    output.map((row) => [row.at, row.actor, row.operation, row.account ?? '–', row.outcome]),
  )
}

export function system(output: OperationOutput<'system.show'>): string {
  const facts = labeled([
    ['version', output.version],
    ['Node', output.node],
    ['started', output.startedAt],
    ['address', output.address],
    ['database', output.database.kind],
    ['accounts', String(output.accounts)],
    ['running', String(output.running)],
    ['sign-up', output.signup],
    ['mail', output.mail ? 'on' : 'off'],
    ['payments', output.payments],
    ['ledger checked', output.ledger.checked ?? 'not since the start'],
    ['ledger verified', output.ledger.verified ?? 'never'],
    ...Object.entries(output.platform).map(
      ([name, amount]) => [`platform ${name}`, `${amount} USD`] as const,
    ),
  ])
  return output.warnings.length === 0 ? facts : `${facts}\n${output.warnings.join('\n')}\n`
}
