/** How a spreadsheet reads our files: text stays text, whatever a key or a model is called. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
