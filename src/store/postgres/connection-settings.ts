/** How values of the server are read, and the settings of connections whose statements are planned as the server sees fit. */

const types = { flag: 16, bytes: 17, bigint: 20, small: 21, integer: 23, real: 701, numeric: 1700 } as const

/** Aligned in a buffer of its own, so that it can be read as words. */
const toBytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.slice(2), 'hex'))

/** Integers are bigint, also sums of them; truth is 1 and 0, as the embedded database has it. */
const parsers: Readonly<Record<number, (value: string) => unknown>> = {
  [types.flag]: (value) => (value === 't' ? 1n : 0n),
  [types.bytes]: toBytes,
  [types.bigint]: BigInt,
  [types.small]: BigInt,
  [types.integer]: BigInt,
  [types.real]: Number,
  [types.numeric]: (value) => (value.includes('.') ? Number(value) : BigInt(value)),
}
const asText = (value: string): string => value

/** The reader of a type of the server, by its number. */
export const readValue = (type: number): ((value: string) => unknown) => parsers[type] ?? asText

/** A commit is on disk. */
export const poolSettings = '-c synchronous_commit=on -c timezone=UTC'
