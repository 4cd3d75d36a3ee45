/**
 * Runs test files one after the other in this process, each as a suite of its name, and at the end what they left to be
 * done once for all of them.
 */
import { after, suite } from 'node:test'

const endsName = Symbol.for('tollgate.test-process-ends')

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
  for (const [name, url] of files) suite(name, { timeout }, () => import(url))
  after(async () => {
    exitLater()
    for (const end of ends) await end()
  })
}

/** The runner waits for a process without end, so one whose tests left a server open, for example in a failed hook, exits itself. */
function exitLater() {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().join(', ')
    process.stderr.write(`tests are over, and the process is kept alive by: ${open}\n`)
    process.exit(1)
  }, exitGraceMs).unref()
}

/** @returns {(() => Promise<void>)[] | undefined} none where a test file runs by itself */
export function processEnds() {
  return Reflect.get(globalThis, endsName)
}
