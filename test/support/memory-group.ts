/**
 * A control group of Linux with a limit of memory, as a container has it: what exceeds it is killed. Needs the right to make
 * one; both versions of the interface.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { program } from './gateway-process.ts'

/** The file that Node runs in place of the program: it enters the group that `environment` names. */
export const programInGroup = fileURLToPath(new URL('./run-in-group.js', import.meta.url))

/** With what `bin/tollgate.js` starts a server. */
const launcherSettings = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-semi-space-size=16',
}

export interface MemoryGroup {
  readonly environment: Readonly<Record<string, string>>
  /** Processes that the system killed for their memory. */
  kills(): number
  /** Most memory that was used together, file caches included. */
  peakBytes(): number
  /** After its processes have ended. */
  remove(): void
}

interface Interface {
  readonly root: string
  readonly limit: string
  readonly kills: string
  readonly peak: string
}

const root = '/sys/fs/cgroup'
const interfaces: readonly Interface[] = [
  {
    root: join(root, 'memory'),
    limit: 'memory.limit_in_bytes',
    kills: 'memory.oom_control',
    peak: 'memory.max_usage_in_bytes',
  },
  { root, limit: 'memory.max', kills: 'memory.events', peak: 'memory.peak' },
]

/** A text: why there is none here. */
export function memoryGroup(bytes: number): MemoryGroup | string {
  if (process.platform !== 'linux') return 'only Linux has control groups'
  const folderName = `tollgate-test-${process.pid}`
  for (const { root: parent, limit, kills, peak } of interfaces) {
    const folder = join(parent, folderName)
    try {
      mkdirSync(folder)
    } catch {
      continue
    }
    if (!existsSync(join(folder, limit))) {
      rmdirSync(folder)
      continue
    }
    writeFileSync(join(folder, limit), String(bytes))
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8')
    return {
      environment: {
        ...launcherSettings,
        TEST_MEMORY_GROUP: join(folder, 'cgroup.procs'),
        TEST_MEMORY_PROGRAM: program,
      },
      kills: () => Number(/^oom_kill (\d+)$/m.exec(read(kills))?.[1] ?? 0),
      peakBytes: () => Number(read(peak)),
      remove: () => rmdirSync(folder),
    }
  }
  return 'this user may not limit the memory of a process'
}
