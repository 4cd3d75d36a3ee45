/**
 * The command line within this process, through the function that the program calls: the same arguments, output and exit
 * code on the same data folder, without the cost of starting a process.
 */
import assert from 'node:assert/strict'
import { systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/ids.ts'
import { runCli } from '../../src/cli/cli.ts'
import { type Environment, readConfig, setVariables } from '../../src/config/config.ts'
import { variableNames } from '../../src/config/settings-table.ts'
import { verifyFolder } from '../../src/ledger/verify/verify-folder.ts'
import { backUp } from '../../src/server/back-up.ts'
import { readTextFile } from '../../src/server/read-text-file.ts'
import { openCommandServices } from '../../src/server/services.ts'
import { testCredentials } from '../../src/server/test-credentials.ts'

export interface CommandResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** @param folder the working directory, which may contain `tollgate.yaml` */
export async function callCommand(
  environment: Environment,
  folder: string,
  words: readonly string[],
): Promise<CommandResult> {
  let stdout = ''
  let stderr = ''
  const code = await runCli(words, {
    print: (text) => {
      stdout += text
    },
    printError: (text) => {
      stderr += text
    },
    program: { version: '1.2.3', nodeRange: '>=24.15' },
    variableNames: async () => variableNames,
    setVariables: async () => setVariables(environment),
    variable: async (name) => environment[name],
    readCredential: async () => '',
    testCredentials: (config) => testCredentials(config, systemClock),
    readConfig: async () => readConfig(environment, folder),
    nowMs: () => systemClock.wallMs(),
    openServices: (config) => openCommandServices(config, { clock: systemClock, random: systemRandom }),
    verifyFolder: async ({ dataFolder, limits }) => verifyFolder(dataFolder, limits.driftLinesMax),
    backUp: async ({ dataFolder, limits }, target) => backUp(dataFolder, target, limits.driftLinesMax),
    move: () => assert.fail('must not be called'),
    cancelMove: () => assert.fail('must not be called'),
    readFile: readTextFile,
    serve: () => assert.fail('must not be called'),
  })
  return { code, stdout, stderr }
}
