/** The outputs of operations on people and codes as text. Pure; every function ends its text with a line break. */
import type { OperationOutput } from '../../contract/operations.ts'
import { columns, labeled } from './table-text.ts'

type PersonOutput = OperationOutput<'people.list'>[number]

export function people(output: OperationOutput<'people.list'>): string {
  if (output.length === 0) return 'No users.\n'
  return columns(
    ['USER', 'EMAIL', 'NAME', 'ACCOUNT', 'STATUS'],
    output.map((row) => [row.id, row.email, row.name, row.account ?? '–', stateOf(row)]),
  )
}

export function person(output: PersonOutput): string {
  return labeled([
    ['User', output.id],
    ['Email', output.email],
    ['Name', output.name],
    ['Account', output.account ?? '–'],
    ['Status', stateOf(output)],
    ['Two-factor', output.twoFactor ? 'on' : 'off'],
    ['Created', output.created],
    ['Last seen', output.lastSeen ?? '–'],
  ])
}

function stateOf({ confirmed, verified, operator }: PersonOutput): string {
  const known = verified ? 'verified' : confirmed ? 'confirmed' : 'unconfirmed'
  return operator ? `${known}, administrator` : known
}

export function link(output: { readonly link: string; readonly expires: string }): string {
  return `${output.link}\nThe link expires at ${output.expires}.\n`
}

export function invitations(output: OperationOutput<'people.invitations'>): string {
  if (output.length === 0) return 'No open invitations.\n'
  return columns(
    ['EMAIL', 'INVITED', 'EXPIRES'],
    output.map((row) => [row.email, row.created, row.expires]),
  )
}

export function withdrawn(output: OperationOutput<'people.withdraw-invitation'>): string {
  return output.withdrawn
    ? 'The invitation was withdrawn.\n'
    : 'There is no open invitation for this email.\n'
}

export function codeCreated(output: OperationOutput<'code.create'>): string {
  const pairs = [
    ['ID', output.id],
    ['Code', output.code],
  ] as const
  return `${labeled(pairs)}\nThe code is shown only once. Store it now.\n`
}

export function codes(output: OperationOutput<'code.list'>): string {
  if (output.length === 0) return 'No codes.\n'
  return columns(
    ['ID', 'CODE', 'AMOUNT', 'USES', 'EXPIRES', 'NOTE', 'STATUS'],
    output.map((row) => [
      row.id,
      `${row.label}…`,
      row.amount,
      `${row.uses} of ${row.usesMax}`,
      row.expires ?? '–',
      row.note ?? '–',
      row.revoked === null ? 'active' : `revoked ${row.revoked}`,
    ]),
    ['AMOUNT'],
  )
}

export function codeRevoked(output: OperationOutput<'code.revoke'>): string {
  return `Revoked ${output.id}.\n`
}
