/** The merged list of requests: order, pages, and what a list that ends early hides. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Receipt } from './receipt-words.ts'
import { type Rejection, requestPage } from './request-rows.ts'

const receipt = (id: number) => ({ id: `req_${id}` }) as Receipt
const rejection = (id: number) => ({ request: `req_${id}` }) as Rejection

const cases: readonly {
  readonly name: string
  readonly receipts: readonly number[]
  readonly rejections: readonly number[]
  readonly receiptsEndEarly?: boolean
  readonly rows: readonly number[]
  readonly hasOlder: boolean
}[] = [
  { name: 'nothing', receipts: [], rejections: [], rows: [], hasOlder: false },
  { name: 'in the order of time', receipts: [8, 5], rejections: [7], rows: [8, 7, 5], hasOlder: false },
  { name: 'a full page', receipts: [9, 8], rejections: [7, 6], rows: [9, 8, 7], hasOlder: true },
  {
    name: 'rejections older than the last of many receipts wait for their page',
    receipts: [9, 8, 7],
    rejections: [6, 5],
    rows: [9, 8, 7],
    hasOlder: true,
  },
  {
    name: 'receipts older than the last of many rejections wait too',
    receipts: [9, 2],
    rejections: [8, 7, 6],
    rows: [9, 8, 7],
    hasOlder: true,
  },
  {
    name: 'a search that ended early',
    receipts: [9],
    rejections: [8],
    receiptsEndEarly: true,
    rows: [9],
    hasOlder: true,
  },
  {
    name: 'a search without a result has ended',
    receipts: [],
    rejections: [8],
    receiptsEndEarly: true,
    rows: [8],
    hasOlder: false,
  },
]

for (const { name, receipts, rejections, receiptsEndEarly = false, rows, hasOlder } of cases) {
  test(`requests and rejections on one page: ${name}`, () => {
    const lists = { receipts: receipts.map(receipt), rejections: rejections.map(rejection) }
    const page = requestPage(lists, { size: 3, receiptsEndEarly })
    assert.deepEqual(
      page.rows.map(({ id }) => id),
      rows.map((id) => `req_${id}`),
    )
    assert.equal(page.hasOlder, hasOlder)
  })
}
