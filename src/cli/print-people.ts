/** The outputs of operations on people and codes as text. Pure; every function ends its text with a line break. */
import type { OperationOutput } from '../../contract/operations.ts'
import { factsOf, tableOf } from './table-text.ts'

type Person = OperationOutput<'people.list'>[number]
type Code = OperationOutput<'code.list'>[number]

export const people = tableOf<Person>('No users.\n', {
  USER: 'id',
  EMAIL: 'email',
  NAME: 'name',
  ACCOUNT: 'account',
  STATUS: stateOf,
})

export const person = factsOf<Person>({
  User: 'id',
  Email: 'email',
  Name: 'name',
  Account: 'account',
  Status: stateOf,
  'Two-factor': ({ twoFactor }) => (twoFactor ? 'on' : 'off'),
  Created: 'created',
  'Last seen': 'lastSeen',
})

function stateOf({ confirmed, verified, operator }: Person): string {
  const known = verified ? 'verified' : confirmed ? 'confirmed' : 'unconfirmed'
  return operator ? `${known}, administrator` : known
}

export function link(output: { readonly link: string; readonly expires: string }): string {
  return `${output.link}\nThe link expires at ${output.expires}.\n`
}

export const invitations = tableOf<OperationOutput<'people.invitations'>[number]>('No open invitations.\n', {
  EMAIL: 'email',
  INVITED: 'created',
  EXPIRES: 'expires',
})

export function withdrawn(output: OperationOutput<'people.withdraw-invitation'>): string {
  return output.withdrawn
    ? 'The invitation was withdrawn.\n'
    : 'There is no open invitation for this email.\n'
}

const createdCode = factsOf<OperationOutput<'code.create'>>({ ID: 'id', Code: 'code' })

export function codeCreated(output: OperationOutput<'code.create'>): string {
  return `${createdCode(output)}\nThe code is shown only once. Store it now.\n`
}

export const codes = tableOf<Code>('No codes.\n', {
  ID: 'id',
  CODE: ({ label }) => `${label}…`,
  '>AMOUNT': 'amount',
  USES: ({ uses, usesMax }) => `${uses} of ${usesMax}`,
  EXPIRES: 'expires',
  NOTE: 'note',
  STATUS: ({ revoked }) => (revoked === null ? 'active' : `revoked ${revoked}`),
})
