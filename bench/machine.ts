/**
 * Kernel accounting: CPU time and memory of processes, and how much of the machine other programs used.
 * Linux only: it reads /proc.
 */
import { readFileSync } from 'node:fs'

const clockTicksPerSecond = 100
const microsPerTick = 1_000_000 / clockTicksPerSecond

/** CPU time of all threads of the processes so far, microseconds. */
export function cpuMicros(processes: readonly number[]): number {
  let ticks = 0
  for (const id of processes) {
    const fields = readFileSync(`/proc/${id}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks * microsPerTick
}

/** Resident memory of the processes, bytes. */
export function residentBytes(processes: readonly number[]): number {
  let kilobytes = 0
  for (const id of processes) {
    kilobytes += Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0)
  }
  return kilobytes * 1_024
}

/** CPU time of the whole machine so far, microseconds of all cores. */
export interface MachineTime {
  readonly busy: number
  readonly total: number
  /** Taken by other virtual machines on the same host. */
  readonly stolen: number
}

/** Reads the machine's CPU time. */
export function machineTime(): MachineTime {
  const line = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
  const [user = 0, nice = 0, system = 0, idle = 0, waiting = 0, interrupts = 0, soft = 0, stolen = 0] = line
    .split(' ')
    .map((ticks) => Number(ticks) * microsPerTick)
  const busy = user + nice + system + interrupts + soft
  return { busy, total: busy + idle + waiting + stolen, stolen }
}

/** The share of the machine that others used between two readings, 0 to 1, if `own` is what this run used. */
export function foreignShare(before: MachineTime, after: MachineTime, own: number): number {
  const foreign = after.busy - before.busy + (after.stolen - before.stolen) - own
  return Math.max(0, foreign / Math.max(1, after.total - before.total))
}
