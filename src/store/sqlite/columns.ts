/**
 * A table of fields and columns, from which come the names in a statement, the values to bind and the reading of a row,
 * so that no order is written twice. It must not know a statement.
 */
import type { Input, Output } from './connection.ts'

/** One field of a row: in one column, or in several where it is a row of its own. */
export interface Field<Value> {
  readonly columns: readonly string[]
  /** Reads it from the column `at` on. */
  read(row: readonly Output[], at: number): Value
  write(value: Value, row: Input[]): void
}

export type Fields = Readonly<Record<string, Field<unknown>>>

/** The value of a field, or the row of a table. */
export type ValueOf<Of> = Of extends { read(row: readonly Output[], at: number): infer Value } ? Value : never

type RowOf<Table> = { readonly [Name in keyof Table]: ValueOf<Table[Name]> }

export interface Row<Table extends Fields> extends Field<RowOf<Table>> {
  readonly fields: Table
  /** The names of all columns, as a statement has them. */
  readonly names: string
  /** `?, ?, …`, one for each column. */
  readonly places: string
  /** `name = ?, …` for each column. */
  readonly assignments: string
  /** Where each field begins among the bound values. */
  readonly place: Readonly<Record<keyof Table, number>>
  readonly toRow: (row: readonly Output[]) => RowOf<Table>
  readonly bind: (value: RowOf<Table>) => Input[]
}

interface Codec<Value> {
  readonly read: (value: Output) => Value
  readonly write: (value: Value) => Input
}

const columnOf =
  <Value>({ read, write }: Codec<Value>) =>
  (name: string): Field<Value> => ({
    columns: [name],
    read: (row, at) => read(row[at] ?? null),
    write: (value, row) => void row.push(write(value)),
  })

const same = <Value extends Input>(): Codec<Value> => ({
  read: (value) => value as unknown as Value,
  write: (value) => value,
})

/** Amounts and ids. */
export const integer = columnOf(same<bigint>())
export const integerOrNull = columnOf(same<bigint | null>())
export const text = columnOf(same<string>())
export const textOrNull = columnOf(same<string | null>())
/** A text that is one of a few. */
export const oneOf = <Value extends string | null>(name: string): Field<Value> =>
  columnOf(same<Value>())(name)
/** Counts and times. */
export const number = columnOf<number>({ read: Number, write: (value) => value })
export const numberOrNull = columnOf<number | null>({
  read: (value) => (value === null ? null : Number(value)),
  write: (value) => value,
})
export const flag = columnOf<boolean>({
  read: (value) => Number(value) !== 0,
  write: (value) => (value ? 1 : 0),
})
export const json = <Value>(name: string): Field<Value> =>
  columnOf<Value>({
    read: (value) => JSON.parse(value as string) as Value,
    write: (value) => JSON.stringify(value),
  })(name)
export const jsonOrNull = <Value>(name: string): Field<Value | null> =>
  columnOf<Value | null>({
    read: (value) => (value === null ? null : (JSON.parse(value as string) as Value)),
    write: (value) => (value === null ? null : JSON.stringify(value)),
  })(name)
export const blob = <Value>(read: (bytes: Uint8Array) => Value, write: (value: Value) => Uint8Array) =>
  columnOf<Value>({ read: (value) => read(value as Uint8Array), write })

export function rowOf<Table extends Fields>(fields: Table): Row<Table> {
  const list = Object.entries(fields).map(([name, field]) => ({ name, field: field as Field<unknown> }))
  const columns = list.flatMap(({ field }) => field.columns)
  const starts: Record<string, number> = {}
  let next = 0
  for (const { name, field } of list) {
    starts[name] = next
    next += field.columns.length
  }
  const read = (row: readonly Output[], at: number): RowOf<Table> => {
    const value: Record<string, unknown> = {}
    let place = at
    for (const { name, field } of list) {
      value[name] = field.read(row, place)
      place += field.columns.length
    }
    return value as RowOf<Table>
  }
  const write = (value: RowOf<Table>, row: Input[]): void => {
    const values = value as Readonly<Record<string, unknown>>
    for (const { name, field } of list) field.write(values[name], row)
  }
  return {
    fields,
    columns,
    names: columns.join(', '),
    places: columns.map(() => '?').join(', '),
    assignments: columns.map((name) => `${name} = ?`).join(', '),
    place: starts as Readonly<Record<keyof Table, number>>,
    read,
    write,
    toRow: (row) => read(row, 0),
    bind(value) {
      const row: Input[] = []
      write(value, row)
      return row
    },
  }
}
