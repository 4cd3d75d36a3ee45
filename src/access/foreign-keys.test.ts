/** Keys of other services, assembled here so that none is in the source. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignProvider } from './access.ts'

const filler = 'Ab1'.repeat(20)
const cases: readonly [parts: readonly string[], provider: string | undefined][] = [
  [['sk', 'ant', 'api03', filler], 'Anthropic'],
  [['sk', 'ant', 'oat01', filler], 'Anthropic'],
  [['sk', 'proj', filler], 'OpenAI'],
  [['sk', 'svcacct', filler], 'OpenAI'],
  [['sk', 'admin', filler], 'OpenAI'],
  [['sk', `${filler.slice(0, 20)}T3Blbk${'FJ'}${filler.slice(0, 20)}`], 'OpenAI'],
  [['sk', 'or', 'v1', filler], 'OpenRouter'],
  [[`AI${'za'}${filler.slice(0, 35)}`], 'Google'],
  [[`gs${'k_'}${filler}`], 'Groq'],
  [['xai', filler], 'xAI'],
  [[`h${'f_'}${filler}`], 'Hugging Face'],
  [[`AK${'IA'}${'A1'.repeat(8)}`], 'Amazon Web Services'],
  [['sk', 'tg', filler], undefined],
  [['sk', filler], undefined],
  [['SK', 'ANT', filler], undefined],
  [[''], undefined],
]

for (const [parts, provider] of cases) {
  const shown = parts.join('-').slice(0, 12)
  test(`${shown}… is ${provider ?? 'unknown'}`, () =>
    assert.equal(foreignProvider(parts.join('-')), provider))
}
