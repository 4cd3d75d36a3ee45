/** How a spreadsheet reads our files: text stays text, whatever a key or a model is called. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CsvCell, csvText } from './csv.ts'

const cells: readonly [cell: CsvCell, written: string][] = [
  ['plain', 'plain'],
  ['', ''],
  [null, ''],
  [12, '12'],
  [-3n, '-3'],
  [{ amount: '-0.054399' }, '-0.054399'],
  ['a,b', '"a,b"'],
  ['say "so"', '"say ""so"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  [' =1', "' =1"],
  ['\r=1', '"\'\r=1"'],
  ['=HYPERLINK("http://x.example","y")', '"\'=HYPERLINK(""http://x.example"",""y"")"'],
  ['＝1', "'＝1"],
  ['3=3', '3=3'],
]

for (const [cell, written] of cells) {
  test(`${JSON.stringify(typeof cell === 'bigint' ? cell.toString() : cell)} is written ${JSON.stringify(written)}`, () => {
    assert.equal(csvText(['a', 'b'], [[cell, 1]]), `a,b\r\n${written},1\r\n`)
  })
}

test('a header is guarded too', () => {
  assert.equal(csvText(['=x'], []), "'=x\r\n")
})

/** Reads CSV as RFC 4180 describes. */
function read(text: string): string[][] {
  const rows: string[][] = [[]]
  let [cell, isQuoted] = ['', false]
  const end = () => rows.at(-1)?.push(cell)
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? ''
    if (isQuoted && character === '"' && text[at + 1] === '"') {
      cell += '"'
      at += 1
    } else if (character === '"' && (isQuoted || cell === '')) isQuoted = !isQuoted
    else if (!isQuoted && (character === ',' || (character === '\r' && text[at + 1] === '\n'))) {
      end()
      cell = ''
      if (character === ',') continue
      rows.push([])
      at += 1
    } else cell += character
  }
  assert.ok(!isQuoted && cell === '', 'every line ends')
  return rows.slice(0, -1)
}

const dangerous = fc.constantFrom(
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  '"',
  "'",
  ',',
  '=cmd',
  ' ',
  '＝',
  'ü',
  '漢',
  '🙂',
)
const texts = fc
  .array(fc.oneof(dangerous, fc.string({ unit: 'grapheme' })), { maxLength: 8 })
  .map((parts) => parts.join(''))

test('any text comes back, behind at most one guard, and begins no formula', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(texts, texts), { minLength: 1, maxLength: 5 }), (rows) => {
      const [header, ...back] = read(csvText(['one', 'two'], rows))
      assert.deepEqual(header, ['one', 'two'])
      for (const [place, row] of rows.entries()) {
        for (const [column, text] of row.entries()) {
          const cell = back[place]?.[column] ?? ''
          assert.ok(cell === text || cell === `'${text}`, JSON.stringify([text, cell]))
          assert.doesNotMatch(cell, /^[=+\-@\t\r]/)
        }
      }
    }),
    { numRuns: 500 },
  )
})
