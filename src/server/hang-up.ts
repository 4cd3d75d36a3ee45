/**
 * What SIGHUP asks of a server. Init systems and people send it to have a configuration read again; a terminal sends it to the
 * programs in it when it is closed.
 */
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs'

/** `drain`: shut down. `nothing`: the server was started so that it outlives its terminal, as with `nohup`. */
export type HangUp = 'reload' | 'drain' | 'nothing'

/** To be asked at the start: a terminal that was closed cannot be opened any more. `startedBy`: what the shell says, in `_`. */
export function hangUpMeaning(startedBy: string | undefined): HangUp {
  // The console was closed, and Windows ends the process soon.
  if (process.platform === 'win32') return 'drain'
  if (wasIgnored(startedBy)) return 'nothing'
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

/**
 * Whether the program was started with SIGHUP ignored. Node sets it back before any of our code runs, so that it is known by what
 * `nohup` leaves behind, and by a parent that ignores the signal itself, which its programs inherit.
 */
function wasIgnored(startedBy = ''): boolean {
  return /(?:^|\/)nohup$/.test(startedBy) || hasInputOfNohup() || isIgnoredByParents()
}

/** Where its input is a terminal, `nohup` puts a device in its place that can only be written. */
function hasInputOfNohup(): boolean {
  const flags = /^flags:\s*([0-7]+)$/m.exec(readOrEmpty('/proc/self/fdinfo/0'))?.[1]
  if (flags === undefined || (Number.parseInt(flags, 8) & accessModes) !== writeOnly) return false
  try {
    return readlinkSync('/proc/self/fd/0') === '/dev/null'
  } catch {
    return false
  }
}

const accessModes = 3
const writeOnly = 1
const parentsMax = 16

/** Of the same session: others were not started from the same terminal. */
function isIgnoredByParents(): boolean {
  const session = statOf('self')?.session
  let pid = process.ppid
  for (let looked = 0; looked < parentsMax && pid > 1; looked += 1) {
    const parent = statOf(String(pid))
    if (parent === undefined || parent.session !== session) return false
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1] ?? '0'
    if ((BigInt(`0x${ignored}`) & hangUpBit) !== 0n) return true
    pid = parent.parent
  }
  return false
}

/** SIGHUP is the first signal. */
const hangUpBit = 1n

/** undefined: the system has no such file. */
function statOf(pid: string): { readonly parent: number; readonly session: number } | undefined {
  const text = readOrEmpty(`/proc/${pid}/stat`)
  // A program's name may contain anything, so the fields are counted from its end: state, parent, group, session.
  const [, parent, , session] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return text === '' ? undefined : { parent: Number(parent), session: Number(session) }
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
