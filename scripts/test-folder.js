/**
 * The temporary folder of a run of the tests: in memory where there is room, because a commit to a disk waits for the disk.
 * Removed with the run; where a run was killed, a later one removes it.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from './running-process.js'

const memoryFolder = '/dev/shm'
/** Several times what the tests of a run keep concurrently; containers often have 64 MB. */
const memoryBytes = 4 * 1024 * 1024 * 1024
const prefix = 'tollgate-tests-'
/** Tests make folders more often: a process that is not seen here may run in another container. */
const abandonedMs = 15 * 60_000

/**
 * @param {string} place
 * @returns {string} a new folder, which every user may pass through
 */
export function makeTestFolder(place = hasMemory() ? memoryFolder : tmpdir()) {
  removeAbandoned(place)
  const folder = mkdtempSync(join(place, `${prefix}${process.pid}-`))
  // A database server does not run as root.
  chmodSync(folder, 0o711)
  return folder
}

/**
 * A folder that cannot be removed, for example because a stopped process still writes to it, fails no run.
 * @param {string} folder
 */
export function removeTestFolder(folder) {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  } catch (error) {
    process.stderr.write(`tollgate: ${folder} could not be removed: ${error}\n`)
  }
}

function hasMemory() {
  if (!existsSync(memoryFolder)) return false
  const { bavail, bsize } = statfsSync(memoryFolder)
  return bavail * bsize >= memoryBytes
}

/** @param {string} place */
function removeAbandoned(place) {
  for (const name of readdirSync(place)) {
    const pid = Number(new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1])
    if (!(pid > 0) || isRunning(pid)) continue
    const folder = join(place, name)
    // Another run may have removed it since, and another user's is theirs to remove.
    const found = statSync(folder, { throwIfNoEntry: false })
    const isOurs = found?.uid === process.getuid?.()
    if (found !== undefined && isOurs && found.mtimeMs < Date.now() - abandonedMs) removeTestFolder(folder)
  }
}
