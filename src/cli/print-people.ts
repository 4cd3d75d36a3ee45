/** The outputs of operations on people and codes as text. Pure; every function ends its text with a line break. */
import type { OperationOutput } from '../../contract/operations.ts'
import { columns, labeled } from './table-text.ts'

type PersonOutput = OperationOutput<'people.list'>[number]

export function people(output: OperationOutput<'people.list'>): string {
  if (output.length === 0) return 'no people\n'
  return columns(
    ['person', 'e-mail', 'name', 'account', 'state'],
    output.map((row) => [row.id, row.email, row.name, row.account ?? '–', stateOf(row)]),
  )
}

export function person(output: PersonOutput): string {
  return labeled([
    ['person', output.id],
    ['e-mail', output.email],
    ['name', output.name],
    ['account', output.account ?? '–'],
    ['state', stateOf(output)],
    ['two-factor', output.twoFactor ? 'on' : 'off'],
    ['created', output.created],
    ['last seen', output.lastSeen ?? '–'],
  ])
}

function stateOf({ confirmed, verified, operator }: PersonOutput): string {
  const known = verified ? 'verified' : confirmed ? 'confirmed' : 'to be confirmed'
  return operator ? `${known}, administrator` : known
}

export function link(output: { readonly link: string; readonly expires: string }): string {
  return `${output.link}\nIt works until ${output.expires}.\n`
}

export function codeCreated(output: OperationOutput<'code.create'>): string {
  const pairs = [
    ['id', output.id],
    ['code', output.code],
  ] as const
  return `${labeled(pairs)}\nThe code is shown this once.\n`
}

export function codes(output: OperationOutput<'code.list'>): string {
  if (output.length === 0) return 'no codes\n'
  return columns(
    ['id', 'code', 'amount', 'uses', 'expires', 'note', 'state'],
    output.map((row) => [
      row.id,
      `${row.label}…`,
      row.amount,
      `${row.uses} of ${row.usesMax}`,
      row.expires ?? '–',
      row.note ?? '–',
      row.revoked === null ? 'live' : `revoked ${row.revoked}`,
    ]),
    ['amount'],
  )
}

export function codeRevoked(output: OperationOutput<'code.revoke'>): string {
  return `${output.id} gives no more credit\n`
}
