/** The audit's list by every filter, and that none of them scans all of it. Real database. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { watchQueries } from '../../test/support/query-plans.ts'
import { openAudit } from './audit.ts'

const filters = { account: 7n, operation: 'key.create', actor: 'ada@example.org', before: 9n } as const
const names = Object.keys(filters) as (keyof typeof filters)[]
/** Every choice of filters. */
const chosen = Array.from({ length: 1 << names.length }, (_, bits) =>
  names.filter((_name, place) => bits & (1 << place)),
)

test('every choice of filters finds what it names, by an index', async (context) => {
  const on = await openTestLedger(context)
  const watched = watchQueries(on)
  const audit = openAudit(watched.store)
  const rows = Array.from({ length: 16 }, (_, bits) => ({
    id: BigInt(bits + 1),
    account: bits & 1 ? 7n : 8n,
    operation: bits & 2 ? 'key.create' : 'key.update',
    actor: bits & 4 ? 'ada@example.org' : 'bob@example.org',
  }))
  for (const row of rows) await audit.begin({ ...row, atMs: 1, input: {}, address: null })
  watched.plans()
  const all = { account: null, operation: null, actor: null, before: null }
  for (const choice of chosen) {
    const wanted = Object.fromEntries(choice.map((name) => [name, filters[name]]))
    const found = await audit.list({ limit: 20, ...all, ...wanted })
    const meant = rows.filter((row) =>
      choice.every((name) => (name === 'before' ? row.id < filters.before : row[name] === filters[name])),
    )
    assert.deepEqual(
      found.map(({ id }) => id),
      meant.map(({ id }) => id).reverse(),
    )
    const plan = watched.plans().join('; ')
    const isSorted = !plan.includes('TEMP B-TREE')
    // Without a filter the list is the table's own order, and ends with its page.
    const isIndexed = choice.length === 0 ? plan === 'SCAN audit' : plan.startsWith('SEARCH audit')
    assert.ok(isSorted && isIndexed, `${choice}: ${plan}`)
  }
})
