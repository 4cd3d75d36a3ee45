/**
 * Lets one process at a time do a piece of work: a lock file contains the IDs of the processes involved. A stale file
 * is taken over, so that a crash does not block later runs. Knows nothing of the work.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hasCode, isRunning } from './running-process.js'

const lookEveryMs = 200
const waitMaxMs = 15 * 60_000

/**
 * Waits for its turn, at most a quarter of an hour, then runs `work`.
 * @param {string} turnFile
 * @param {(text: string) => void} say called once if another process holds the lock
 * @param {(nameWorker: (pid: number) => void) => Promise<void>} work may name children that would continue without us:
 *   while one of them runs, the lock is held
 */
export async function exclusively(turnFile, say, work) {
  for (let waitedMs = 0; !take(turnFile); waitedMs += lookEveryMs) {
    const pids = holders(turnFile)
    if (waitedMs === 0)
      say(`waiting for process ${pids.join(', ')}, which is preparing this checkout (${basename(turnFile)})`)
    if (waitedMs >= waitMaxMs)
      throw new Error(
        `${turnFile} is held by process ${pids.join(', ')}; remove ${turnFile}* if that is something else`,
      )
    await pause(lookEveryMs)
  }
  try {
    const pids = [process.pid]
    await work((pid) => {
      pids.push(pid)
      const draft = `${turnFile}.${process.pid}`
      writeFileSync(draft, pids.join(' '))
      renameSync(draft, turnFile)
    })
  } finally {
    rmSync(turnFile, { force: true })
  }
}

/** @param {string} turnFile */
function take(turnFile) {
  const pids = holders(turnFile)
  if (pids.length > 0 && !pids.some(isRunning)) clearIfHolderDied(turnFile)
  return writeNew(turnFile, String(process.pid))
}

/**
 * @param {string} path
 * @returns {number[]} none also where the file was made this moment and is still empty
 */
function holders(path) {
  try {
    return readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  }
}

/**
 * Only one process at a time may take over a stale file: it checks again then, and the file cannot change in between.
 * @param {string} turnFile
 */
function clearIfHolderDied(turnFile) {
  const clearing = `${turnFile}.clearing`
  if (!writeNew(clearing, String(process.pid))) return
  const pids = holders(turnFile)
  if (pids.length > 0 && !pids.some(isRunning)) rmSync(turnFile)
  rmSync(clearing)
}

/**
 * @param {string} path
 * @param {string} text
 * @returns {boolean} false where the file exists already
 */
function writeNew(path, text) {
  try {
    writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false
    throw error
  }
}
