/**
 * Runs the tests: all, the files named as arguments, with `--changed[=<branch or commit>]` those that a change reaches, with
 * `--unit` those that start no program; with `--whole` all cases, of which other runs take a sample, except of the largest
 * matrices, which `--exhaustive` runs as well; with `TEST_DATABASE=postgres` those with gateways, which are on PostgreSQL then. Other
 * arguments that begin with `--` go to Node's test runner. Ends with the runner's own summary, a line if recorded cases were skipped,
 * and the cost of the run; its exit code is ours.
 * Must work on a fresh checkout without an install step.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { consolePackages, developerPackages } from './packages.js'
import { prepare } from './prepare.js'
import { prepareConsole } from './prepare-console.js'
import { forwardedSignals } from './process-ties.js'
import { processorSeconds } from './processor-time.js'
import { makeTestFolder, removeTestFolder } from './test-folder.js'
import { warmCache } from './warm-cache.js'

const root = fileURLToPath(new URL('..', import.meta.url))
/** A file with a test that hangs fails; nothing that is well takes so long, even where other programs keep the machine busy. */
const hangMs = 15 * 60_000
/** Time limit of the whole run: nothing else stops a process that no longer responds. */
const runHangMs = 75 * 60_000
const compileCache = join(root, 'node_modules/.cache/tollgate')
/** Tests of pages and of processes mostly wait, so this many processes per core keep the cores busy. */
const waitingProcesses = 2
/** Garbage of tests that end soon is collected less often: V8's own limit is made for memory, not for CPU time. */
const youngObjectsMb = 64
/** From this many files that start the program or its threads, a bundle and a start to compile it pay off. */
const warmFromFiles = 6

await prepare(import.meta.url, [developerPackages, consolePackages])
// Loaded late: the Node that reads this file first may be too old for it.
const plan = await import('./test-plan.js')

const beganMs = performance.now()
const words = process.argv.slice(2)
const named = words.filter((word) => !word.startsWith('--'))
const extent = ['exhaustive', 'whole'].find((word) => words.includes(`--${word}`))
/** Draws the larger samples of a whole run; a run with the seed of another repeats them. */
const seed = Number(process.env.TOLLGATE_TESTS_SEED ?? Date.now() % 1_000_000)
const options = words.filter(
  (word) => word.startsWith('--') && !/^--(?:changed|unit|whole|exhaustive)(?:=|$)/.test(word),
)
const isOnPostgres = process.env.TEST_DATABASE === 'postgres'
const files = chosenFiles()

// A browser sees the console of this checkout, not of an earlier one.
if (plan.needConsole(files) && !(await prepareConsole())) process.exit(1)

if (plan.bundleTests(files).length >= warmFromFiles) await warmCache(compileCache)

const folder = makeTestFolder()
const skippedFile = join(folder, 'skipped-cases')
const { code, signal } = await runTests()
const hasSkippedInVain = reportSkipped()
reportCost()
removeTestFolder(folder)
if (signal !== null) process.kill(process.pid, signal)
process.exitCode = code === 0 && hasSkippedInVain ? 1 : (code ?? 1)

/** @returns {string[]} */
function chosenFiles() {
  if (named.length > 0) {
    // The runner takes a file that does not exist for a run without tests, and that for success.
    const absent = named.filter((file) => !existsSync(file))
    if (absent.length > 0) fail(`no such test file: ${absent.join(', ')}`)
    const paths = named.map((file) => relative(root, resolve(file)).replaceAll('\\', '/'))
    process.chdir(root)
    const tests = paths.flatMap((path) => (statSync(path).isDirectory() ? plan.testsIn(path) : [path]))
    if (tests.length === 0) fail(`no test file in ${paths.join(', ')}`)
    return isOnPostgres ? withGateways(tests) : tests
  }
  process.chdir(root)
  let all = plan.allTests()
  if (all.length === 0) fail(`no such test file: ${plan.patterns.join(', ')}`)
  const changed = words.find((word) => /^--changed(?:=|$)/.test(word))
  if (changed !== undefined) all = plan.reachedTests(all, plan.changedFiles(changed.split('=')[1] ?? ''))
  if (words.includes('--unit')) all = plan.unitTests(all)
  if (isOnPostgres) all = withGateways(all)
  if (all.length > 0) return all
  process.stdout.write('no test is reached by what changed\n')
  process.exit(0)
}

/**
 * Selects the files that run differently on another database.
 * @param {string[]} tests
 */
function withGateways(tests) {
  const chosen = plan.databaseTests(tests)
  const others = tests.length - chosen.length
  if (others > 0)
    process.stdout.write(
      `not repeated on PostgreSQL: ${others} files that start no gateway, or are about the embedded database\n`,
    )
  return chosen
}

/**
 * @param {string} text
 * @returns {never}
 */
function fail(text) {
  process.stderr.write(`tollgate: ${text}\n`)
  process.exit(1)
}

/**
 * The modules that the runner starts as processes. Options select tests of a file by their names and positions,
 * so with them each file runs alone.
 */
function modules() {
  if (options.length > 0) return files
  return plan.processesFor(files).map((group, index) => {
    const module = join(folder, `process-${index + 1}.mjs`)
    const rows = group.map((path) => JSON.stringify([path, pathToFileURL(join(root, path)).href]))
    writeFileSync(
      module,
      `import { runFiles } from '${new URL('test-process.js', import.meta.url).href}'\nrunFiles([\n${rows.join(',\n')},\n], ${hangMs})\n`,
    )
    return module
  })
}

/** @returns {Promise<{ code: number | null, signal: NodeJS.Signals | null }>} */
function runTests() {
  const reporter = new URL('test-reporter.js', import.meta.url).href
  const runner = spawn(
    process.execPath,
    [
      '--test',
      `--max-semi-space-size=${youngObjectsMb}`,
      `--test-reporter=${reporter}`,
      `--test-concurrency=${availableParallelism() + waitingProcesses}`,
      ...(options.length > 0 ? [`--test-timeout=${hangMs}`] : []),
      ...options,
      ...modules(),
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        TMPDIR: folder,
        TOLLGATE_TESTS_KEPT_FOLDER: tmpdir(),
        TOLLGATE_SKIPPED_CASES_FILE: skippedFile,
        ...(extent === undefined ? {} : { TOLLGATE_TESTS: extent, TOLLGATE_TESTS_SEED: String(seed) }),
        // Lets processes reuse compiled code.
        NODE_COMPILE_CACHE: compileCache,
      },
    },
  )
  for (const name of forwardedSignals) process.on(name, () => runner.kill(name))
  const hangTimer = setTimeout(() => {
    process.stderr.write(`tollgate: the tests did not finish within ${runHangMs / 60_000} minutes\n`)
    runner.kill('SIGTERM')
  }, runHangMs)
  return new Promise((resolve, reject) => {
    runner.once('error', reject)
    runner.once('exit', (code, signal) => {
      for (const name of forwardedSignals) process.removeAllListeners(name)
      clearTimeout(hangTimer)
      resolve({ code, signal })
    })
  })
}

/** @returns {boolean} whether recorded cases were skipped where they must not be */
function reportSkipped() {
  if (!existsSync(skippedFile)) return false
  const counts = readFileSync(skippedFile, 'utf8').trim().split('\n').map(Number)
  const sum = counts.reduce((total, count) => total + count, 0)
  process.stdout.write(`skipped ${sum} recorded cases: ../shared/fixtures is absent\n`)
  const isRequired = process.env.CI_REQUIRE_FIXTURES === '1'
  if (isRequired) process.stdout.write('failed: CI_REQUIRE_FIXTURES asks for every recorded case\n')
  return isRequired
}

function reportCost() {
  const seconds = (performance.now() - beganMs) / 1_000
  const used = processorSeconds()
  const cpu =
    used === undefined
      ? ''
      : `, CPU ${used.childUser.toFixed(1)} s user, ${used.childSystem.toFixed(1)} s system`
  const drawn = extent === 'whole' ? `, samples of TOLLGATE_TESTS_SEED=${seed}` : ''
  process.stdout.write(`took ${seconds.toFixed(1)} s${cpu}${drawn}\n`)
}
