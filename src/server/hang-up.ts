/**
 * Meaning of SIGHUP. Init systems and people send it to reload the configuration; a terminal sends it to the
 * programs in it when it is closed.
 */
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs'

/** `drain`: shut down. `nothing`: the server was started so that it outlives its terminal, as with `nohup`. */
export type HangUp = 'reload' | 'drain' | 'nothing'

/** To be called at startup: a terminal that was closed cannot be opened any more. `startedBy`: the shell's `_` variable. */
export function hangUpMeaning(startedBy: string | undefined): HangUp {
  // The console was closed, and Windows ends the process soon.
  if (process.platform === 'win32') return 'drain'
  if (isOfNohup(startedBy)) return 'nothing'
  return hasTerminal() ? 'drain' : 'reload'
}

/** Whether it was started in a terminal. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

/** Whether `nohup` started the program. Node resets an ignored signal before any of our code runs, but not what `nohup` leaves behind. */
function isOfNohup(startedBy = ''): boolean {
  return /(?:^|\/)nohup$/.test(startedBy) || hasInputOfNohup()
}

/** Where the input is a terminal, `nohup` replaces it with a device that can only be written. */
function hasInputOfNohup(): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8'))?.[1] ?? '0'
    const isWriteOnly = (Number.parseInt(flags, 8) & accessModes) === writeOnly
    return isWriteOnly && readlinkSync('/proc/self/fd/0') === '/dev/null'
  } catch {
    // No Linux.
    return false
  }
}

const accessModes = 3
const writeOnly = 1
