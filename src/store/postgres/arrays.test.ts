/** Array parameters of every type as the server reads them. */
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { postgresIsMissing, sharedPostgres } from '../../../test/support/postgres-server.ts'
import { arrayOf, type ColumnType } from './arrays.ts'
import { connect } from './connection.ts'

const limits = { connectMsMax: 5_000, statementMsMax: 10_000 }

suite('arrays as parameters', { skip: postgresIsMissing ?? false }, () => {
  const largest = 2n ** 63n - 1n
  const numbers = [0, 1, -1, 2 ** 32, -(2 ** 32), 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
  for (const [type, values] of [
    ['bigint', [largest, -largest - 1n, 0n, -1n, null, ...numbers]],
    ['bigint', []],
    ['bigint', [null]],
    ['bigint', [7n]],
    ['text', ['', ' ', 'NULL', null, 'a,b', '"quoted"', 'back\\slash', '{}', 'line\nbreak', 'é 漢 😀']],
    ['text', []],
    ['bytea', [new Uint8Array(), new Uint8Array([0, 255, 34, 92]), null, new Uint8Array(300).fill(7)]],
    ['bytea', []],
  ] as const satisfies readonly (readonly [ColumnType, readonly unknown[]])[]) {
    test(`${values.length} of ${type} arrive as they are`, async (context) => {
      const url = await (await sharedPostgres()).createDatabase()
      const connection = await connect(url, { name: 'arrays', ...limits })
      context.after(connection.close)
      const text = `SELECT given FROM unnest($1::${type}[]) AS given`
      const { rows } = await connection.run({ name: 'given', text }, [arrayOf(type, values)])
      const expected = values.map((value) => (typeof value === 'number' ? BigInt(value) : value))
      assert.deepEqual(
        rows.map(([value]) => value),
        expected,
      )
    })
  }
})

test('a value that its type cannot hold is rejected, not changed', () => {
  for (const value of [2n ** 63n, -(2n ** 63n) - 1n, 1.5, Number.NaN, 2 ** 60, '1'])
    assert.throws(() => arrayOf('bigint', [value]), String(value))
})
