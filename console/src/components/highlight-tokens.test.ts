/** Highlighting colors code and changes no character of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokensOf } from './highlight-tokens.ts'

const shown = (code: string, language: string): string =>
  tokensOf(code, language)
    .map(({ text }) => text)
    .join('')

test('a shell command has its strings colored and reads the same', () => {
  const code = `curl http://localhost/v1 \\\n  -H "Authorization: Bearer $TOLLGATE_KEY" # "<b>"`
  assert.equal(shown(code, 'sh'), code)
  const scopes = tokensOf(code, 'sh').map(({ scope }) => scope)
  assert.ok(scopes.includes('string') && scopes.includes('variable') && scopes.includes('comment'))
})

test('an unknown language and very long code stay plain', () => {
  assert.deepEqual(tokensOf('a <b>', 'brainfuck'), [{ text: 'a <b>', scope: undefined }])
  const long = 'x = "y"\n'.repeat(10_000)
  assert.deepEqual(tokensOf(long, 'python'), [{ text: long, scope: undefined }])
})

test('code within code is colored in its own language', () => {
  const code = `<script>const answer = 'yes'</script>`
  assert.equal(shown(code, 'xml'), code)
})
