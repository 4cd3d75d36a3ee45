/** Commands that read what happened: losses, changes, requests, the system and its ledger. */
import { account, type Command, command, option, type Positional } from './command.ts'
import * as print from './print.ts'
import * as printInstallation from './print-installation.ts'

const memberNames: readonly Positional[] = [
  { field: 'format', value: 'FORMAT', help: 'the format of the requests, such as openai-responses' },
  { field: 'member', value: 'MEMBER', help: 'the field or beta, as `tollgate members` lists it' },
]

export const reportCommands: readonly Command[] = [
  command('losses.list', {
    words: 'losses',
    options: [
      option('from>from', 'text', 'TIME', 'start, such as 2030-01-31T00:00:00Z (default: 30 days ago)'),
      option('to>to', 'text', 'TIME', 'end, such as 2030-02-28T00:00:00Z (default: now)'),
      option('limit>limit', 'number', 'N', 'maximum number of accounts (default: 50)'),
    ],
    print: printInstallation.losses,
  }),
  command('members.list', { words: 'members', print: printInstallation.members }),
  command('members.reject', {
    words: 'members reject',
    positionals: memberNames,
    print: ({ member }) => `Requests with ${member} are rejected.\n`,
  }),
  command('members.allow', {
    words: 'members allow',
    positionals: memberNames,
    print: ({ member }) => `Requests with ${member} pass.\n`,
  }),
  command('audit.list', {
    words: 'audit',
    options: [
      option('account>account', 'text', 'ACCOUNT-ID', 'filter by account'),
      option('operation>operation', 'text', 'NAME', 'filter by operation, such as key.revoke'),
      option('limit>limit', 'number', 'N', 'maximum number of results (default: 50)'),
      option('before>before', 'text', 'ID', 'start before this entry'),
    ],
    print: printInstallation.audit,
  }),
  command('system.show', { words: 'system', print: printInstallation.system }),
  command('requests.list', {
    words: 'requests',
    positionals: [account],
    options: [
      option('limit>limit', 'number', 'N', 'maximum number of results (default: 20)'),
      option('before>before', 'text', 'REQUEST-ID', 'start before this request'),
    ],
    print: print.receipts,
  }),
  command('ledger.verify', {
    words: 'ledger verify',
    print: print.verified,
    exitCode: ({ ok }) => (ok ? 0 : 1),
  }),
]
