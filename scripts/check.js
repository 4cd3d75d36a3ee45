/**
 * Quick checks before sharing a change, in a minute: types, lint, and the tests that start no program, no
 * browser and no gateway; with `--static` only types and lint. All stages run, each prints its output when it ends; the exit code is 1 if one failed.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { consolePackages, developerPackages } from './packages.js'
import { prepare } from './prepare.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const run = fileURLToPath(new URL('run.js', import.meta.url))
const test = fileURLToPath(new URL('test.js', import.meta.url))

await prepare(import.meta.url, [developerPackages, consolePackages])

/**
 * Type checks are incremental: unchanged files are not checked again.
 * @param {string} project
 * @param {string} name
 */
const typesOf = (project, name) => [
  ...[run, 'tsc', '--noEmit', '-p', project],
  ...['--incremental', '--tsBuildInfoFile', `node_modules/.cache/tsc/${name}.tsbuildinfo`],
]

/**
 * Two lanes: the tests take as long as the rest together.
 * @type {[name: string, words: string[]][][]}
 */
const lanes = [
  process.argv.includes('--static') ? [] : [['unit tests', [test, '--unit']]],
  [
    ['types', typesOf('.', 'root')],
    ['lint', [run, 'biome', 'check', '.', '--error-on-warnings', '--diagnostic-level=warn']],
    ['console types', typesOf('console', 'console')],
    ['console test types', typesOf('console/tsconfig.test.json', 'console-test')],
    ['documentation types', typesOf('console/tsconfig.docs.json', 'console-docs')],
  ],
]

const began = performance.now()
const failed = (await Promise.all(lanes.map(runLane))).flat()
const took = secondsSince(began)
process.stdout.write(
  failed.length === 0 ? `check: ok (${took} s)\n` : `check: FAILED: ${failed.join(', ')} (${took} s)\n`,
)
process.exitCode = failed.length === 0 ? 0 : 1

/**
 * @param {[name: string, words: string[]][]} stages
 * @returns {Promise<string[]>} the names of those that failed
 */
async function runLane(stages) {
  const failed = []
  for (const [name, words] of stages) {
    const began = performance.now()
    const { code, output } = await outputOf(words)
    const isOk = code === 0
    process.stdout.write(
      `${isOk ? shortened(output) : output}=== ${name}: ${isOk ? 'ok' : 'FAILED'} (${secondsSince(began)} s)\n`,
    )
    if (!isOk) failed.push(name)
  }
  return failed
}

/**
 * @param {string[]} words
 * @returns {Promise<{ code: number | null, output: string }>}
 */
function outputOf(words) {
  const child = spawn(process.execPath, words, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, output }))
  })
}

/**
 * The last line, which for tests has their duration.
 * @param {string} output
 */
function shortened(output) {
  const last = output.trimEnd().split('\n').at(-1) ?? ''
  return last === '' ? '' : `${last}\n`
}

/** @param {number} began */
function secondsSince(began) {
  return ((performance.now() - began) / 1_000).toFixed(1)
}
