/** Commands about people and codes. */
import { type Command, command, option, person } from './command.ts'
import * as printPeople from './print-people.ts'

export const peopleCommands: readonly Command[] = [
  command('people.list', {
    words: 'people',
    options: [
      option('state>state', 'text', 'STATE', 'filter by state: all, to_confirm or operators (default: all)'),
      option('search>search', 'text', 'TEXT', 'filter by name or email address'),
      option('limit>limit', 'number', 'N', 'maximum number of results (default: 100)'),
    ],
    print: printPeople.people,
  }),
  command('people.confirm', {
    words: 'people confirm',
    positionals: [person],
    print: printPeople.person,
  }),
  command('people.operator', {
    words: 'people operator',
    positionals: [person],
    options: [
      option('operator>operator', 'yes or no', 'yes|no', 'grant or revoke administrator rights (required)'),
    ],
    print: printPeople.person,
  }),
  command('people.reset-link', {
    words: 'people reset-link',
    positionals: [person],
    print: printPeople.link,
  }),
  command('people.invite', {
    words: 'people invite',
    positionals: [{ field: 'email', value: 'EMAIL', help: 'email address to invite' }],
    print: printPeople.link,
  }),
  command('people.invitations', {
    words: 'people invitations',
    options: [option('limit>limit', 'number', 'N', 'maximum number of results (default: 100)')],
    print: printPeople.invitations,
  }),
  command('people.withdraw-invitation', {
    words: 'people withdraw-invitation',
    positionals: [{ field: 'email', value: 'EMAIL', help: 'invited email address' }],
    print: printPeople.withdrawn,
  }),
  command('code.create', {
    words: 'code create',
    positionals: [{ field: 'amount', value: 'USD', help: 'credit amount, such as 12.50' }],
    options: [
      option('uses>usesMax', 'number', 'N', 'maximum redemptions (default: 1)'),
      option('expires>expires', 'text', 'TIME', 'expiration, such as 2030-01-31T00:00:00Z'),
      option('note>note', 'text', 'TEXT', 'note'),
    ],
    print: printPeople.codeCreated,
  }),
  command('code.list', { words: 'code list', print: printPeople.codes }),
  command('code.revoke', {
    words: 'code revoke',
    positionals: [{ field: 'code', value: 'CODE-ID', help: 'code ID (code_…)' }],
    print: printPeople.codeRevoked,
  }),
]
