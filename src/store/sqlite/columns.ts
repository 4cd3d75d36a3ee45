/**
 * A table of fields and columns, from which come the names in a statement, the values to bind and the reading of a row,
 * so that no order is written twice. It must not know a statement.
 */
import type { Input, Output } from './connection.ts'

/** How a field is stored. One switch over these reads a row and one writes it: a function per field costs several times as much. */
type Kind =
  | 'same'
  | 'number'
  | 'numberOrNull'
  | 'flag'
  | 'json'
  | 'jsonOrNull'
  | 'codec'
  | 'row'
  | 'rowOrNull'

interface Codec<Value> {
  read(value: Output): Value
  write(value: Value): Input
}

/** One field of a row: in one column, or in several for a nested row. */
export interface Field<Value> {
  readonly columns: readonly string[]
  readonly kind: Kind
  /** Of the kind `codec`. */
  readonly codec: Codec<Value> | null
  /** Of the kinds `row` and `rowOrNull`. */
  readonly layout: Layout | null
  /** Never set: it carries the type. */
  readonly value?: Value
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** The value of a field, or the row of a table. */
export type ValueOf<Of> = Of extends Field<infer Value> ? Value : never

type RowOf<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }

/** The fields of a row in their order, as the loops read them. */
interface Layout {
  readonly names: readonly string[]
  readonly kinds: readonly Kind[]
  readonly fields: readonly Field<unknown>[]
  /** How many columns it has. */
  readonly width: number
}

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

/** A row that may be absent as a whole: its first value is null then. */
export const rowOrNull = <Value>(row: Field<Value>): Field<Value | null> => ({ ...row, kind: 'rowOrNull' })

export function rowOf<Table extends Fields>(table: Table): Row<Table> {
  const fields: readonly Field<unknown>[] = Object.values(table)
  const columns = fields.flatMap((field) => field.columns)
  const names = Object.keys(table)
  const kinds = fields.map(({ kind }) => kind)
  const layout: Layout = { names, kinds, fields, width: columns.length }
  const index: Record<string, number> = {}
  let next = 0
  for (const [name, field] of Object.entries(table)) {
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
    toRow: (row) => readRow(layout, row, 0) as RowOf<Table>,
    bind(value) {
      const row: Input[] = []
      writeRow(layout, value, row)
      return row
    },
  }
}

/** Reads the values from the index `start` on. */
function readRow(layout: Layout, row: readonly Output[], start: number): unknown {
  const { names, kinds, fields } = layout
  const value: Record<string, unknown> = {}
  let at = start
  for (let field = 0; field < names.length; field += 1) {
    const stored = row[at] as Output
    const name = names[field]!
    at += 1
    switch (kinds[field]) {
      case 'same':
        value[name] = stored
        break
      case 'number':
        value[name] = Number(stored)
        break
      case 'numberOrNull':
        value[name] = stored === null ? null : Number(stored)
        break
      case 'flag':
        value[name] = Number(stored) !== 0
        break
      case 'json':
        value[name] = JSON.parse(stored as string)
        break
      case 'jsonOrNull':
        value[name] = stored === null ? null : JSON.parse(stored as string)
        break
      case 'codec':
        value[name] = fields[field]!.codec!.read(stored)
        break
      default: {
        const inner = fields[field]!.layout!
        const isAbsent = stored === null && kinds[field] === 'rowOrNull'
        value[name] = isAbsent ? null : readRow(inner, row, at - 1)
        at += inner.width - 1
      }
    }
  }
  return value
}

/** Appends the values. The array has no holes at any time: one that had would cross threads as a slow map of indexes. */
function writeRow(layout: Layout, value: unknown, row: Input[]): void {
  const { names, kinds, fields } = layout
  const values = value as Readonly<Record<string, unknown>>
  for (let field = 0; field < names.length; field += 1) {
    const given = values[names[field]!]
    switch (kinds[field]) {
      case 'same':
      case 'number':
      case 'numberOrNull':
        row.push(given as Input)
        break
      case 'flag':
        row.push(given === true ? 1 : 0)
        break
      case 'json':
        row.push(JSON.stringify(given))
        break
      case 'jsonOrNull':
        row.push(given === null ? null : JSON.stringify(given))
        break
      case 'codec':
        row.push(fields[field]!.codec!.write(given))
        break
      default: {
        const inner = fields[field]!.layout!
        if (given === null) for (let column = 0; column < inner.width; column += 1) row.push(null)
        else writeRow(inner, given, row)
      }
    }
  }
}
