/**
 * Runs test files one after the other in this process, each as a suite of its name, and at the end their shared
 * cleanup. Writes the CPU time of each for the reporter to read.
 */
import { createHook } from 'node:async_hooks'
import { after, before, suite } from 'node:test'
import '../test/support/bundled-threads.ts'
import '../test/support/shared-threads.ts'
import { processorSeconds } from './processor-time.js'

const endsName = Symbol.for('tollgate.test-process-ends')

/** Begins a line that is for the reporter: the seconds and the name of the file follow. */
export const cpuMark = '\u0000cpu '

/** Longer than a process needs to close what its tests closed, also on a busy machine. */
const exitGraceMs = 60_000

/**
 * @param {readonly [name: string, url: string][]} files
 * @param {number} timeout of each, in milliseconds
 */
export function runFiles(files, timeout) {
  /** @type {(() => Promise<void>)[]} */
  const ends = []
  Object.assign(globalThis, { [endsName]: ends })
  let current = ''
  /** @type {Promise<unknown>[]} */
  const loaded = []
  exitOnStrayError(() => current)
  const tracking = trackingBegunBy(() => {
    for (const [name, url] of files) {
      suite(name, { timeout }, async () => {
        let beganAt = 0
        before(async () => {
          // Tests of a file that is still being loaded would belong to no suite, and not run.
          await Promise.allSettled(loaded)
          tracking?.disable()
          current = name
          beganAt = secondsUsed()
        })
        const loading = import(url)
        loaded.push(loading)
        await loading
        after(() => process.stdout.write(`${cpuMark}${(secondsUsed() - beganAt).toFixed(1)} ${name}\n`))
      })
    }
  })
  after(async () => {
    exitLater()
    for (const end of ends) await end()
  })
}

/**
 * The runner tracks each promise and handle of its process. While files are loaded, this shows which suite a test belongs to;
 * afterwards it would only name the test of an error that none caught, and make each `await` eight times as
 * expensive, of which servers and clients in the process consist.
 * @param {() => void} beginTests
 * @returns {import('node:async_hooks').AsyncHook | undefined} what tracks
 */
function trackingBegunBy(beginTests) {
  const hooks = Object.getPrototypeOf(createHook({}))
  const { enable } = hooks
  /** @type {import('node:async_hooks').AsyncHook | undefined} */
  let tracking
  /** @this {import('node:async_hooks').AsyncHook} */
  hooks.enable = function enableNoted() {
    tracking ??= this
    return enable.call(this)
  }
  try {
    beginTests()
  } finally {
    hooks.enable = enable
  }
  return tracking
}

/**
 * An error that no test caught ends the process: the test that waits for what failed would wait forever.
 * @param {() => string} currentFile
 */
function exitOnStrayError(currentFile) {
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.on(event, (error) => {
      process.stderr.write(`${event} in ${currentFile()}: ${error?.stack ?? error}\n`)
      process.exit(1)
    })
  }
}

function secondsUsed() {
  const { own, childUser, childSystem } = processorSeconds() ?? { own: 0, childUser: 0, childSystem: 0 }
  return own + childUser + childSystem
}

/** The runner waits for a process without end, so one whose tests left a server open, for example in a failed hook, exits itself. */
function exitLater() {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(`tests are over, and the process is kept alive by: ${open}\n`)
    process.exit(1)
  }, exitGraceMs).unref()
}

/** @returns {(() => Promise<void>)[] | undefined} none where a test file runs alone */
export function processEnds() {
  return Reflect.get(globalThis, endsName)
}
