/**
 * Runs test files one after the other in this process, each as a suite of its name, and at the end what they left to be
 * done once for all of them.
 */
import { after, suite } from 'node:test'

const endsName = Symbol.for('tollgate.test-process-ends')

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
    for (const end of ends) await end()
  })
}

/** @returns {(() => Promise<void>)[] | undefined} none where a test file runs by itself */
export function processEnds() {
  return Reflect.get(globalThis, endsName)
}
