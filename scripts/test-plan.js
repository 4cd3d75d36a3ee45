/**
 * Decides what a run of the tests consists of: which files, which of them share a process, and what must be built first.
 * Reads sources and asks git, runs no test.
 */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ImportGraph } from '../test/support/import-graph.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const graph = new ImportGraph(root)
const browserModule = 'test/support/browser.ts'
const serverModule = 'src/server/server.ts'
const threadsModule = 'src/server/thread-entries.ts'
const postgresModule = 'test/support/postgres-server.ts'
const databaseModule = 'test/support/test-database.ts'
for (const path of [browserModule, serverModule, threadsModule, postgresModule, databaseModule])
  if (graph.text(path) === '')
    throw new Error(`${path} is gone: say here what starts a browser, a server, threads and a database`)

export const patterns = ['src', 'sandbox', 'contract', 'console', 'test'].map(
  (folder) => `${folder}/**/*.test.ts`,
)

/** @returns {string[]} every test file of the checkout */
export function allTests() {
  return globSync(patterns, { cwd: root }).sort()
}

/**
 * @param {string} folder relative to the checkout
 * @returns {string[]} the test files in it and below it
 */
export function testsIn(folder) {
  return allTests().filter((file) => file.startsWith(folder === '' ? '' : `${folder}/`))
}

/**
 * The kind of a test file, by what it starts. Files of a kind share processes, because
 * they reuse loaded and compiled code.
 * @typedef {'own process' | 'measuring' | 'browser' | 'program' | 'gateway' | 'unit'} Kind
 */

/** A file that changes the process that it runs in, or measures its memory or threads, has one for itself. */
const needsProcess =
  /\bprocess\.(?:memoryUsage|resourceUsage|chdir|on|once|env\.\w+ = )|\/proc\/|\bshiftedDate\b/
/** Files that compare CPU times, each as the least of several runs, run one after the other and apart from the rest. */
const comparesTimes = /\bprocess\.(?:cpuUsage|threadCpuUsage)|\/(?:process-cost|thread-cost|cost-ratio)\.ts'/
/** Other files that need a separate process say so: `// own-process: <reason>`. */
const asksForProcess = /^\/\/ own-process: \S/m
const startsProgram = /\bfrom 'node:child_process'|\/gateway-process\.ts'/

/** @type {Readonly<Record<Kind, number>>} */
const filesPerProcess = { 'own process': 1, measuring: 4, browser: 5, program: 9, gateway: 24, unit: 140 }

/**
 * @param {string} path
 * @returns {Kind}
 */
export function kindOf(path) {
  const text = graph.text(path)
  if (needsProcess.test(text) || asksForProcess.test(text)) return 'own process'
  if (comparesTimes.test(text)) return 'measuring'
  const loaded = graph.loadedBy(path)
  if (loaded.has(browserModule)) return 'browser'
  if (startsProgram.test(text)) return 'program'
  return loaded.has(serverModule) ? 'gateway' : 'unit'
}

/**
 * The files of each process, those first that take long. Tests of pages wait more than they compute, so processes with a
 * browser are spread over the run: together they would leave cores idle.
 * @param {readonly string[]} files
 * @returns {string[][]}
 */
export function processesFor(files) {
  /** @type {Record<Kind, string[]>} */
  const byKind = { 'own process': [], measuring: [], browser: [], program: [], gateway: [], unit: [] }
  for (const file of files) byKind[kindOf(file)].push(file)
  /** @param {Kind} kind */
  const processesOf = (kind) => dealt(byKind[kind], Math.ceil(byKind[kind].length / filesPerProcess[kind]))
  return spread(
    processesOf('browser'),
    /** @type {const} */ (['own process', 'measuring', 'program', 'gateway', 'unit']).flatMap(processesOf),
  )
}

/**
 * The others in their order, with one of the few after each equal part of them, beginning with one of the few.
 * @template Item
 * @param {readonly Item[]} few
 * @param {readonly Item[]} others
 * @returns {Item[]}
 */
function spread(few, others) {
  const part = Math.ceil(others.length / Math.max(few.length, 1))
  const parts = few.flatMap((one, index) => [one, ...others.slice(index * part, (index + 1) * part)])
  return few.length === 0 ? [...others] : parts
}

/**
 * Splits files into groups of nearly equal size; neighbors, which load the same code, stay together.
 * @param {readonly string[]} files
 * @param {number} hands
 */
function dealt(files, hands) {
  return Array.from({ length: hands }, (_, hand) =>
    files.slice(Math.floor((hand * files.length) / hands), Math.floor(((hand + 1) * files.length) / hands)),
  )
}

/** A file about the embedded database itself says so: `// embedded-database: <reason>`. */
const isEmbedded = /^\/\/ embedded-database: \S/m

/**
 * Tests whose gateways can run on another database than the embedded one.
 * @param {readonly string[]} files
 */
export function databaseTests(files) {
  return files.filter(
    (file) => graph.loadedBy(file).has(databaseModule) && !isEmbedded.test(graph.text(file)),
  )
}

/** Folders of tests that take longer than unit tests, whatever they start. */
const heavyFolders = /^test\/(?:attacks|conformance|e2e|soak)\//

/** Modules that a unit test does not start: starting them takes longer than the test. */
const startedModules = [serverModule, browserModule, threadsModule, postgresModule]

/**
 * Tests next to what they test that start no program, browser, gateway, thread of one, or database server.
 * @param {readonly string[]} files
 */
export function unitTests(files) {
  return files.filter((file) => {
    if (heavyFolders.test(file) || startsProgram.test(graph.text(file))) return false
    const loaded = graph.loadedBy(file)
    return !startedModules.some((module) => loaded.has(module))
  })
}

/**
 * Tests that start the program or threads of it, which load faster from a bundle.
 * @param {readonly string[]} files
 */
export function bundleTests(files) {
  return files.filter(
    (file) => startsProgram.test(graph.text(file)) || graph.loadedBy(file).has(threadsModule),
  )
}

/**
 * Whether one of the files looks at pages of the console, which are built from sources.
 * @param {readonly string[]} files
 */
export function needConsole(files) {
  return files.some(seesConsole)
}

/** @param {string} file */
function seesConsole(file) {
  const loaded = graph.loadedBy(file)
  if (loaded.has(browserModule)) return true
  return loaded.has(serverModule) && /\/(?:console|docs|pricing|sign-in)\b/.test(graph.text(file))
}

/**
 * Effects of a change beyond imports: which changed files affect which tests.
 * @type {readonly { changed: RegExp, reaches: (file: string) => boolean }[]}
 */
const reachesBeyondImports = [
  { changed: /^(?:package(?:-lock)?\.json|scripts\/test[\w-]*\.js)$/, reaches: () => true },
  { changed: /./, reaches: (file) => file === 'test/tidy.test.ts' },
  { changed: /\.md$/, reaches: (file) => /^test\/(?:docs|error-pages)\.test\.ts$/.test(file) },
  { changed: /^console\//, reaches: seesConsole },
  { changed: /^docs\//, reaches: (file) => seesConsole(file) && graph.text(file).includes('/docs') },
  { changed: /^(?:scripts|bin)\//, reaches: (file) => file === 'test/launcher.test.ts' },
]

/**
 * The tests that what was changed can reach.
 * @param {readonly string[]} files
 * @param {readonly string[]} changed
 */
export function reachedTests(files, changed) {
  const edited = new Set(changed)
  const rules = reachesBeyondImports.filter((rule) => changed.some((path) => rule.changed.test(path)))
  return files.filter(
    (file) =>
      rules.some(({ reaches }) => reaches(file)) ||
      [...graph.loadedBy(file)].some((loaded) => edited.has(loaded)),
  )
}

/**
 * Files that differ from the last commit, or from the branch point with `base`; includes untracked files.
 * @param {string} base a branch or commit; empty for the last commit
 */
export function changedFiles(base) {
  const since = base === '' ? 'HEAD' : git('merge-base', base, 'HEAD')[0]
  return [
    ...git('diff', '--name-only', '--relative', since ?? 'HEAD'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
}

/** @param {string[]} words */
function git(...words) {
  return execFileSync('git', words, { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')
}
