/** The splitter on inputs where a naive one fails. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { splitSource } from './source-text.ts'

const cases: readonly [text: string, bare: string][] = [
  ["const a = 'x // y' // z", "const a = '      '     "],
  ['const a = "it\\"s" /* b\nc */ + 1', 'const a = "     "     \n     + 1'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source text
  ['`a ${f({ b: `c ${d} e` })} g` + h', '`  ${f({ b: `  ${d}  ` })}  ` + h'],
  ["x.replace(/['/]/g, '') / 2 / y", "x.replace(/    /g, '') / 2 / y"],
  ['return /[/"]/.test(a) // b', 'return /    /.test(a)     '],
  ["const url = 'http://a/b'", "const url = '          '"],
]

for (const [text, bare] of cases) {
  test(text, () => {
    const source = splitSource(text)
    assert.equal(source.bare, bare)
    assert.equal(source.code.length, text.length)
  })
}

test('the inside of strings remains in the code', () => {
  assert.equal(splitSource("f('a') // b").code, "f('a')     ")
})
