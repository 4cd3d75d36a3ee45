/** Schema descriptions match the schemas, and their examples are valid. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OperationName, operations } from '../../contract/operations.ts'
import { answerSchemas, inputOf, type JsonSchema } from './operation-schemas.ts'
import { exampleOf, fieldRows, typeText } from './schema-text.ts'

for (const name of Object.keys(operations) as OperationName[]) {
  test(`the example of ${name} is taken`, () => {
    const example = exampleOf(inputOf(name))
    const parsed = operations[name].input.safeParse(example)
    assert.ok(parsed.success, `${JSON.stringify(example)} ${parsed.error?.message}`)
  })
}

const texts: readonly (readonly [schema: JsonSchema, text: string])[] = [
  [{ type: 'string' }, 'string'],
  [{ type: 'string', minLength: 1, maxLength: 100 }, 'string, 1 to 100'],
  [{ type: ['string', 'null'] }, 'string, or null'],
  [{ anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] }, 'integer, at least 1, or null'],
  [{ type: 'string', enum: ['day', 'week'] }, '"day" or "week"'],
  [{ type: 'array', items: { $ref: '#/components/schemas/Key' } }, 'array of Key'],
  [{ type: 'object', additionalProperties: { type: 'integer' } }, 'map of integer'],
  [{ type: 'string', format: 'date-time' }, 'timestamp'],
  [{}, 'any value'],
]

for (const [schema, text] of texts) {
  test(`${JSON.stringify(schema)}: ${text}`, () => assert.equal(typeText(schema), text))
}

test('IDs and amounts are named as such', () => {
  const { properties = {} } = answerSchemas.Account ?? {}
  assert.equal(typeText(properties.account ?? {}), 'ID acct_…')
  assert.equal(typeText(properties.posted ?? {}), 'USD')
  assert.equal(typeText(inputOf('credit').properties?.amount ?? {}), 'USD')
})

test('fields at every depth have a path', () => {
  const rows = fieldRows(inputOf('key.create'))
  const budget = rows.filter(({ path }) => path.startsWith('budget'))
  assert.deepEqual(
    budget.map(({ path, required }) => [path, required]),
    [
      ['budget', false],
      ['budget.amount', true],
      ['budget.window', true],
    ],
  )
  assert.ok(fieldRows(answerSchemas.Receipt ?? {}).some(({ path }) => path === 'attempts[].upstream'))
})
