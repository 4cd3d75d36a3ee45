/**
 * The CPU time of this process and of the processes that it started, from the system's accounting; only on Linux.
 */
import { existsSync, readFileSync } from 'node:fs'

const statFile = '/proc/self/stat'
const ticksPerSecond = 100

/**
 * @typedef {object} ProcessorSeconds
 * @property {number} own user and system time of this process
 * @property {number} childUser of processes that have ended and were waited for, and theirs
 * @property {number} childSystem
 */

/** @returns {ProcessorSeconds | undefined} undefined where the system does not say */
export function processorSeconds() {
  if (!existsSync(statFile)) return undefined
  // The name of the program, in parentheses, may hold anything.
  const fields = readFileSync(statFile, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  const seconds = (/** @type {number} */ place) => Number(fields[place]) / ticksPerSecond
  return { own: seconds(11) + seconds(12), childUser: seconds(13), childSystem: seconds(14) }
}
