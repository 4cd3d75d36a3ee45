/** Every command, in the order of the help. Help, parsing and printing read this table. */
import { accountCommands } from './account-commands.ts'
import { type Command, command, local, option } from './command.ts'
import { modelCommands } from './model-commands.ts'
import { peopleCommands } from './people-commands.ts'
import * as print from './print.ts'
import { reportCommands } from './report-commands.ts'
import { upstreamCommands } from './upstream-commands.ts'

export const commands: readonly Command[] = [
  local('serve', 'Run the server', {
    options: [
      option('threads>threads', 'number', 'N', 'threads that serve requests to models (default: configured)'),
    ],
  }),
  command('configuration.reload', {
    words: 'reload',
    print: print.reloaded,
    exitCode: ({ reloaded }) => (reloaded ? 0 : 1),
  }),
  ...accountCommands,
  ...modelCommands,
  ...upstreamCommands,
  ...reportCommands,
  ...peopleCommands,
  command('setup.link', { words: 'setup-link', print: print.setupLink }),
  local('doctor', 'Diagnose the installation: configuration, data folder, server and models', {
    options: [option('verbose>verbose', 'flag', '', 'also name every environment variable that is not set')],
  }),
  local('migrate', 'Migrate the database to the latest schema; the server does this at startup'),
  local('backup', 'Back up the data folder, also while the server runs, and verify the copy', {
    positionals: [{ field: 'folder', value: 'FOLDER', help: 'a folder that does not exist or is empty' }],
  }),
  local('move', 'Move the data folder to an empty PostgreSQL database; stop the server first', {
    requires: 'to',
    options: [
      option(
        'to>to',
        'text',
        'URL',
        'URL of the database, postgres://…; PGPASSWORD can hold the password (required)',
      ),
    ],
  }),
  local('move cancel', 'Undo a move: serve from the data folder again'),
]
