/** Whether a process that is known by its ID still runs, whichever user it belongs to. */
import { readFileSync } from 'node:fs'

/** @param {number} pid */
export function isRunning(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
  return !isZombie(pid)
}

/**
 * In a container whose first process collects no orphans, the dead keep their id.
 * @param {number} pid
 */
function isZombie(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false
    throw error
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
export function hasCode(error, code) {
  return error instanceof Error && 'code' in error && error.code === code
}
