/**
 * Runs the tests: all, or the files named as arguments; arguments that begin with `--` go to Node's test runner.
 * Ends with the runner's own summary and one line where recorded cases were skipped; its exit code is ours.
 * Must work on a fresh checkout without an install step.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare } from './prepare.js'
import { prepareConsole } from './prepare-console.js'
import { forwardedSignals } from './process-ties.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const patterns = ['src/**/*.test.ts', 'contract/**/*.test.ts', 'console/**/*.test.ts', 'test/**/*.test.ts']
/** A test that hangs fails; nothing that is well takes so long. */
const hangMs = 300_000

await prepare(import.meta.url)

const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const options = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
const files = named.length > 0 ? named : await findTests()
// The runner takes a file that does not exist for a run without tests, and that for success.
const absent = files.filter((file) => !existsSync(file))
if (absent.length > 0 || files.length === 0) {
  process.stderr.write(`tollgate: no such test file: ${absent.join(', ') || patterns.join(', ')}\n`)
  process.exit(1)
}

// A browser sees the console of this checkout, not of an earlier one.
if (!(await prepareConsole())) process.exit(1)

const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
const skippedFile = join(folder, 'skipped-cases')
const { code, signal } = await runTests()
tellSkipped()
rmSync(folder, { recursive: true })
if (signal !== null) process.kill(process.pid, signal)
process.exitCode = code ?? 1

/** @returns {Promise<string[]>} */
async function findTests() {
  process.chdir(root)
  // Loaded late: the Node that reads this file first may be too old to have it.
  const { globSync } = await import('node:fs')
  return globSync(patterns).sort()
}

/** @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} */
function runTests() {
  const reporter = new URL('test-reporter.js', import.meta.url).href
  const runner = spawn(
    process.execPath,
    [
      '--test',
      `--test-reporter=${reporter}`,
      `--test-concurrency=${availableParallelism()}`,
      `--test-timeout=${hangMs}`,
      ...options,
      ...files,
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        TOLLGATE_SKIPPED_CASES_FILE: skippedFile,
        // Each file is a process of its own; what one compiled, the next need not.
        NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/tollgate'),
      },
    },
  )
  for (const name of forwardedSignals) process.on(name, () => runner.kill(name))
  return new Promise((resolve, reject) => {
    runner.once('error', reject)
    runner.once('exit', (code, signal) => {
      for (const name of forwardedSignals) process.removeAllListeners(name)
      resolve({ code, signal })
    })
  })
}

function tellSkipped() {
  if (!existsSync(skippedFile)) return
  const counts = readFileSync(skippedFile, 'utf8').trim().split('\n').map(Number)
  const sum = counts.reduce((total, count) => total + count, 0)
  process.stdout.write(`skipped ${sum} recorded cases: ../shared/fixtures is absent\n`)
}
