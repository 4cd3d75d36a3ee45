/**
 * A table of fields and columns, from which come the names in a statement, the values to bind and the reading of a row,
 * so that no order is written twice. It must not know a statement.
 */
import type { Input, Output } from './connection.ts'

/** How a field is stored: what reads it from `stored`, and what makes the values to bind of `given`, as source text. */
interface Storage {
  readonly read: (stored: string) => string
  readonly write: (given: string) => string
}

const unchanged = (value: string): string => value
const orNull =
  (convert: (value: string) => string) =>
  (value: string): string =>
    `${value} === null ? null : ${convert(value)}`
const parsed = (stored: string): string => `JSON.parse(${stored})`
const asJson = (given: string): string => `JSON.stringify(${given})`

const storage = {
  same: { read: unchanged, write: unchanged },
  number: { read: (stored) => `Number(${stored})`, write: unchanged },
  numberOrNull: { read: orNull((stored) => `Number(${stored})`), write: unchanged },
  flag: { read: (stored) => `Number(${stored}) !== 0`, write: (given) => `${given} === true ? 1 : 0` },
  json: { read: parsed, write: asJson },
  jsonOrNull: { read: orNull(parsed), write: orNull(asJson) },
} as const satisfies Readonly<Record<string, Storage>>

type Kind = keyof typeof storage | 'codec' | 'row' | 'rowOrNull'

interface Codec<Value> {
  read(value: Output): Value
  write(value: Value): Input
}

/** A field of a row: in one column, or in several for a nested row. */
export interface Field<Value> {
  readonly columns: readonly string[]
  readonly kind: Kind
  /** Set for the kind `codec`. */
  readonly codec: Codec<Value> | null
  /** Set for the kinds `row` and `rowOrNull`. */
  readonly layout: Layout | null
  /** Never set: it carries the type. */
  readonly value?: Value
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** The value of a field, or the row of a table. */
export type ValueOf<Of> = Of extends Field<infer Value> ? Value : never

type RowOf<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }

/** The fields of a row in their order. */
type Layout = readonly (readonly [name: string, field: Field<unknown>])[]

export interface Row<Table extends Fields> extends Field<RowOf<Table>> {
  readonly fields: Table
  /** The names of all columns, as a statement has them. */
  readonly names: string
  /** `?, ?, …`, one for each column. */
  readonly placeholders: string
  /** `name = ?, …` for each column. */
  readonly assignments: string
  /** The index of each field's first value among the bound values. */
  readonly index: Readonly<Record<keyof Table, number>>
  readonly toRow: (row: readonly Output[]) => RowOf<Table>
  readonly bind: (value: RowOf<Table>) => Input[]
}

const columnOf =
  <Value>(kind: Kind, codec: Codec<Value> | null = null) =>
  (name: string): Field<Value> => ({ columns: [name], kind, codec, layout: null })

/** A value that is stored, or crosses threads, unchanged. */
export const same = <Value>(name: string): Field<Value> => columnOf<Value>('same')(name)
/** Amounts and ids. */
export const integer = columnOf<bigint>('same')
export const integerOrNull = columnOf<bigint | null>('same')
export const text = columnOf<string>('same')
export const textOrNull = columnOf<string | null>('same')
/** A text that is one of a few. */
export const oneOf = <Value extends string | null>(name: string): Field<Value> => same<Value>(name)
/** Counts and times. */
export const number = columnOf<number>('number')
export const numberOrNull = columnOf<number | null>('numberOrNull')
export const flag = columnOf<boolean>('flag')
export const json = <Value>(name: string): Field<Value> => columnOf<Value>('json')(name)
export const jsonOrNull = <Value>(name: string): Field<Value | null> =>
  columnOf<Value | null>('jsonOrNull')(name)
export const blob = <Value>(read: (bytes: Uint8Array) => Value, write: (value: Value) => Uint8Array) =>
  columnOf<Value>('codec', { read: (value) => read(value as Uint8Array), write })
export const custom = <Value>(codec: Codec<Value>) => columnOf<Value>('codec', codec)

/** A row that may be absent: its first value is null then. */
export const rowOrNull = <Value>(row: Field<Value>): Field<Value | null> => ({ ...row, kind: 'rowOrNull' })

export function rowOf<Table extends Fields>(table: Table): Row<Table> {
  const fields: readonly Field<unknown>[] = Object.values(table)
  const columns = fields.flatMap((field) => field.columns)
  const layout: Layout = Object.entries(table)
  const index: Record<string, number> = {}
  let next = 0
  for (const [name, field] of layout) {
    index[name] = next
    next += field.columns.length
  }
  return {
    fields: table,
    columns,
    kind: 'row',
    codec: null,
    layout,
    names: columns.join(', '),
    placeholders: columns.map(() => '?').join(', '),
    assignments: columns.map((name) => `${name} = ?`).join(', '),
    index: index as Readonly<Record<keyof Table, number>>,
    ...compiled<RowOf<Table>>(layout),
  }
}

interface Compiled<Value> {
  readonly toRow: (row: readonly Output[]) => Value
  readonly bind: (value: Value) => Input[]
}

/**
 * Compiles a table at its first use, since a loop over the fields costs four times as much. The source text has names
 * and positions of the table alone, never a value.
 */
function compiled<Value>(layout: Layout): Compiled<Value> {
  let made: Compiled<Value> | undefined
  const compile = (): Compiled<Value> => {
    const codecs: Codec<unknown>[] = []
    const toRow = `(row) => (${readRow(layout, 0, codecs)})`
    const bind = `(value) => [${writeRow(layout, 'value', codecs)}]`
    made = new Function('codecs', `return { toRow: ${toRow}, bind: ${bind} }`)(codecs) as Compiled<Value>
    return made
  }
  return {
    toRow: (row) => (made ?? compile()).toRow(row),
    bind: (value) => (made ?? compile()).bind(value),
  }
}

/** `{ "id": row[0], "running": Number(row[1]), … }` from the index `start` on. */
function readRow(layout: Layout, start: number, codecs: Codec<unknown>[]): string {
  let at = start
  const members = layout.map(([name, field]) => {
    const member = `${JSON.stringify(name)}: ${readField(field, at, codecs)}`
    at += field.columns.length
    return member
  })
  return `{ ${members.join(', ')} }`
}

function readField({ kind, codec, layout }: Field<unknown>, at: number, codecs: Codec<unknown>[]): string {
  const stored = `row[${at}]`
  switch (kind) {
    case 'codec':
      return `codecs[${codecs.push(codec!) - 1}].read(${stored})`
    case 'row':
      return readRow(layout!, at, codecs)
    case 'rowOrNull':
      return `${stored} === null ? null : ${readRow(layout!, at, codecs)}`
    default:
      return storage[kind].read(stored)
  }
}

/**
 * `value["id"], value["running"], …`: a literal has no holes, and an array that once had some would cross threads as a
 * slow map of indexes.
 */
function writeRow(layout: Layout, value: string, codecs: Codec<unknown>[]): string {
  return layout
    .map(([name, field]) => writeField(field, `${value}[${JSON.stringify(name)}]`, codecs))
    .join(', ')
}

function writeField(field: Field<unknown>, given: string, codecs: Codec<unknown>[]): string {
  const { kind, codec, layout } = field
  switch (kind) {
    case 'codec':
      return `codecs[${codecs.push(codec!) - 1}].write(${given})`
    case 'row':
      return writeRow(layout!, given, codecs)
    case 'rowOrNull':
      return `...(${given} === null ? [${field.columns.map(() => 'null').join(', ')}] : [${writeRow(layout!, given, codecs)}])`
    default:
      return storage[kind].write(given)
  }
}
