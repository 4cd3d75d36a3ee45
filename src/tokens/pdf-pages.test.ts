/** Pages are counted as the file has them; no entry of it lowers the number, and none makes counting slow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync } from 'node:zlib'
import { costRatio } from '../../test/support/cost-ratio.ts'
import { pdfOf } from '../../test/support/pdf.ts'
import { systemClock } from '../base/clock.ts'
import { limitDefaults } from '../config/limits-table.ts'
import { threadEntries } from '../server/thread-entries.ts'
import { pdfPages } from './pdf-pages.ts'
import { openPdfReader } from './pdf-reader.ts'

const limits = { pdfInflatedBytesMax: 1024 * 1024 }
const pagesOf = (file: Buffer | string) => pdfPages(Buffer.from(file), limits)

for (const form of ['open', 'packed'] as const) {
  for (const pages of [1, 2, 50, 600]) {
    test(`a PDF of ${pages} pages with its objects ${form}`, () => {
      assert.equal(pagesOf(pdfOf(pages, form)), pages)
    })
  }
}

const open = pdfOf(50).toString('latin1')
const lies: readonly (readonly [text: string, file: string, pages: number | undefined])[] = [
  ['a count of one', open.replace('/Count 50', '/Count 1'), 50],
  ['no count', open.replace('/Count 50', ''), 50],
  ['pages without a type', open.replaceAll('/Type /Page ', '').replace('/Count 50', '/Count 1'), 50],
  ['one page, shown fifty times', sharedPage(50), 50],
  ['a count above the pages', open.replace('/Count 50', '/Count 70'), 70],
  ['an outline with a count of its own', `${open}<< /Type /Outlines /Count 900 >>`, 50],
  ['names that are spelled in numbers', open.replaceAll('/Type /Page ', '/Type /P#61ge '), undefined],
  ['encryption', `${open}<< /Encrypt 9 0 R >>`, undefined],
  ['no page', '%PDF-1.7\nnothing', undefined],
  ['another file', 'GIF89a', undefined],
  ['an unknown packing', streamOf('LZWDecode', Buffer.from('x')), undefined],
  ['damaged objects', streamOf('FlateDecode', Buffer.from('not deflated')), undefined],
  [
    'more objects than are unpacked',
    streamOf('FlateDecode', deflateSync(Buffer.alloc(2 * 1024 * 1024))),
    undefined,
  ],
]

function sharedPage(times: number): string {
  const kids = '10 0 R '.repeat(times)
  return `%PDF-1.7\n2 0 obj << /Type /Pages /Kids [${kids}] /Count 1 >> endobj 10 0 obj << /Type /Page >> endobj`
}

function streamOf(filter: string, data: Buffer): string {
  return `${open}\n7 0 obj\n<< /Type /ObjStm /Filter /${filter} >>\nstream\n${data.toString('latin1')}\nendstream`
}

for (const [text, file, pages] of lies) {
  test(`${text}: ${pages ?? 'not known'}`, () => assert.equal(pagesOf(Buffer.from(file, 'latin1')), pages))
}

const costly: readonly (readonly [text: string, piece: string])[] = [
  ['children that never end', '/Kids [ 1 0 R '],
  ['digits', '1'],
  ['nodes', '/Type /Pages '],
  ['dictionaries before streams', '<< >> stream '],
  ['streams that are not ended', '>>stream\n<< /ObjStm '],
  ['spaces', '/Type  /Kids  '],
]

for (const [text, piece] of costly) {
  test(`a file of ${text} takes time in proportion to its size`, () => {
    const fileOf = (bytes: number) => Buffer.from(`%PDF-1.7\n/Kids [${piece.repeat(bytes / piece.length)}`)
    pagesOf(fileOf(32 * 1024))
    const [small, large] = [fileOf(64 * 1024), fileOf(1024 * 1024)]
    const bound = 16 * 16
    const work = { small: () => pagesOf(small), large: () => pagesOf(large), floorUs: 1_000 }
    const ratio = costRatio(bound, work)
    assert.ok(ratio < bound, `${ratio.toFixed(1)} times the work for 16 times as much`)
  })
}

test('a thread reads files one after another, so many of one account, and none when it is closed', async () => {
  const reader = openPdfReader({
    clock: systemClock,
    limits: { ...limitDefaults, pdfsQueuedPerAccountMax: 2 },
    entry: threadEntries.pdfs,
  })
  const file = Buffer.from(pdfOf(50, 'packed').toString('base64'))
  const other = Buffer.from('bm90aGluZw==')
  const read = [
    reader.pages(1n, file),
    reader.pages(1n, other),
    reader.pages(1n, file),
    reader.pages(2n, file),
  ]
  assert.deepEqual(await Promise.all(read), [50, undefined, undefined, 50])
  assert.equal(file.length > 0, true, 'the caller keeps its bytes')
  const last = reader.pages(1n, file)
  await reader.close()
  assert.deepEqual([await last, await reader.pages(1n, file)], [undefined, undefined])
})

test('a file that the parser throws at fails its own call alone', async () => {
  // With a limit of the wrong type the parser throws at a file with object streams, and reads all others.
  const pdfInflatedBytesMax = 1n as unknown as number
  const reader = openPdfReader({
    clock: systemClock,
    limits: { ...limitDefaults, pdfInflatedBytesMax },
    entry: threadEntries.pdfs,
  })
  const encoded = (file: string) => Buffer.from(Buffer.from(file, 'latin1').toString('base64'))
  const throwing = encoded(`${open}\n7 0 obj\n<< /Type /ObjStm >>\nstream\n1 0\nendstream`)
  const readable = encoded(open)
  const results = await Promise.allSettled([
    reader.pages(1n, readable),
    reader.pages(1n, throwing),
    reader.pages(2n, readable),
  ])
  const outcomes = results.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))
  assert.deepEqual([outcomes[0], outcomes[2]], [50, 50])
  assert.match(String(outcomes[1]), /BigInt/)
  assert.equal(await reader.pages(1n, readable), 50, 'the thread answers later calls')
  await reader.close()
})
