/** Default messages of schemas. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import './schema-messages.ts'

const cases: readonly (readonly [schema: z.ZodType, value: unknown, message: string])[] = [
  [z.string(), 1, 'must be a string'],
  [z.int(), 'x', 'must be a number'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.array(z.string()), 'x', 'must be an array'],
  [z.strictObject({}), 'x', 'must be an object'],
  [z.string().min(8), 'short', 'must have at least 8 characters'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(1), 'xx', 'must have at most 1 character'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
  [z.int().min(1), 0, 'must be at least 1'],
  [z.int().max(9), 10, 'must be at most 9'],
  [z.number().positive(), 0, 'must be more than 0'],
  [z.enum(['open', 'closed']), 'ajar', 'must be one of "open", "closed"'],
  [z.literal('local'), 'remote', 'must be "local"'],
  [z.email(), 'x', 'must be an email address'],
  [z.iso.datetime(), 'x', 'must be an ISO 8601 time such as 2026-07-01T12:00:00Z'],
  [z.string().regex(/a/), 'b', 'must be in the documented format'],
  [z.string().min(8, 'must be long'), 'x', 'must be long'],
]

for (const [schema, value, message] of cases) {
  test(`${JSON.stringify(value)}: ${message}`, () => {
    assert.equal(schema.safeParse(value).error?.issues[0]?.message, message)
  })
}
