/**
 * Identifiers and randomness. Ids are 63-bit integers in time order (41 bits of milliseconds since
 * 2024, 10 bits of process, 12 bits of sequence), so that tables grow at their end and an ID
 * shows its age; outside they are written as a prefix and 13 base-32 digits.
 */
import { randomBytes } from 'node:crypto'
import type { Clock } from './clock.ts'

const epochMs = Date.UTC(2024, 0, 1)
const processBits = 10n
const sequenceBits = 12n
const sequenceMax = (1 << Number(sequenceBits)) - 1

export const processSlots = 1 << Number(processBits)

/** Makes the next ID; unique within one process slot, even when the wall clock steps back. */
export type NextId = () => bigint

export function idSource(clock: Clock, processSlot: number): NextId {
  let lastMs = 0
  let sequence = 0
  return () => {
    const nowMs = clock.wallMs() - epochMs
    if (nowMs > lastMs) {
      lastMs = nowMs
      sequence = 0
    } else if (sequence < sequenceMax) {
      sequence += 1
    } else {
      lastMs += 1
      sequence = 0
    }
    return (((BigInt(lastMs) << processBits) | BigInt(processSlot)) << sequenceBits) | BigInt(sequence)
  }
}

/** The wall-clock millisecond in which the ID was made. */
export function idTimeMs(id: bigint): number {
  return Number(id >> (processBits + sequenceBits)) + epochMs
}

/** The smallest id that can have been made in this millisecond; 0 for all time before there were ids. */
export function firstIdAt(wallMs: number): bigint {
  return BigInt(Math.max(0, wallMs - epochMs)) << (processBits + sequenceBits)
}

const hourMs = 3_600_000

/** The hour since 1970 in which the id was made. */
export function hourOf(id: bigint): number {
  return Math.floor(idTimeMs(id) / hourMs)
}

/** The same of the ids in a column of the database. */
export function idHourSql(column: string): string {
  return `((${column} >> ${processBits + sequenceBits}) + ${epochMs}) / ${hourMs}`
}

const digits = '0123456789abcdefghjkmnpqrstvwxyz'
const digitCount = 13

/** `req_` + 13 base-32 digits for a request or receipt, `ent_` for an entry, and so on. */
export function formatId(prefix: string, id: bigint): string {
  return `${prefix}_${digitsOf(Number(id >> lowBits), digitCount - lowDigits)}${digitsOf(Number(BigInt.asUintN(Number(lowBits), id)), lowDigits)}`
}

/** Numbers are divided faster than bigints: an ID is written as two of them. */
const lowDigits = 6
const lowBits = BigInt(lowDigits * 5)

function digitsOf(value: number, count: number): string {
  let text = ''
  for (let left = value, place = 0; place < count; place += 1, left = Math.floor(left / 32))
    text = digits[left % 32] + text
  return text
}

/** The inverse of `formatId`; undefined for anything that `formatId` cannot have written. */
export function parseId(prefix: string, text: string): bigint | undefined {
  if (text.length !== prefix.length + 1 + digitCount || !text.startsWith(`${prefix}_`)) return undefined
  let id = 0n
  for (const character of text.slice(prefix.length + 1)) {
    const digit = digits.indexOf(character)
    if (digit < 0) return undefined
    id = (id << 5n) | BigInt(digit)
  }
  return id < 1n << 63n ? id : undefined
}

/** Cryptographic randomness, handed in so that a test can own it. */
export type RandomBytes = (count: number) => Uint8Array
export const systemRandom: RandomBytes = (count) => randomBytes(count)
