/** Which environment variables `doctor` takes for a misspelling of one that it reads. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { variableNames } from '../config/settings-table.ts'
import { nearMisses } from './near-misses.ts'

const misspelt: readonly (readonly [variable: string, meant: string])[] = [
  ['OPENAI_KEY', 'OPENAI_API_KEY'],
  ['OPENAI_APIKEY', 'OPENAI_API_KEY'],
  ['OPENIA_API_KEY', 'OPENAI_API_KEY'],
  ['openai_api_key', 'OPENAI_API_KEY'],
  ['ANTHROPIC_KEY', 'ANTHROPIC_API_KEY'],
  ['CLAUDE_API_KEY', 'ANTHROPIC_API_KEY'],
  ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  ['GROQ_KEY', 'GROQ_API_KEY'],
  ['TOLGATE_PORT', 'TOLLGATE_PORT'],
  ['TOLLGATEE_PUBLIC_URL', 'TOLLGATE_PUBLIC_URL'],
]

for (const [variable, meant] of misspelt) {
  test(`${variable} was meant to be ${meant}`, () => {
    assert.deepEqual(nearMisses([variable], variableNames), [{ variable, meant }])
  })
}

test('a variable whose correct name is set too is not reported', () => {
  assert.deepEqual(nearMisses(['GEMINI_API_KEY', 'GOOGLE_API_KEY'], variableNames), [])
})

for (const variable of [
  ...['PATH', 'HOME', 'PORT', 'HOST', 'NODE_ENV', 'SSH_AUTH_SOCK', 'GITHUB_TOKEN', 'AWS_SECRET_ACCESS_KEY'],
  ...[
    'OPENAI_BASE_URL',
    'OPENAI_ADMIN_KEY',
    'STRIPE_PUBLISHABLE_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'TOLLGATE_KEY',
  ],
]) {
  test(`${variable} is another program's`, () => {
    assert.deepEqual(nearMisses([variable], variableNames), [])
  })
}
