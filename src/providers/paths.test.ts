/** URLs of real hosts, as documented and as people type them, and where requests then go. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAddress } from '../catalog/upstream-address.ts'
import type { DialectName } from '../wire/format-names.ts'
import { modelListPath, requestPath } from './paths.ts'

const rows: readonly (readonly [typed: string, dialect: DialectName, asked: string])[] = [
  ['https://api.openai.com', 'openai-chat', 'https://api.openai.com/v1/chat/completions'],
  ['https://api.openai.com/v1', 'openai-responses', 'https://api.openai.com/v1/responses'],
  ['https://api.groq.com/openai/v1', 'openai-chat', 'https://api.groq.com/openai/v1/chat/completions'],
  ['https://api.groq.com/openai/', 'openai-chat', 'https://api.groq.com/openai/v1/chat/completions'],
  ['https://api.deepseek.com', 'openai-chat', 'https://api.deepseek.com/v1/chat/completions'],
  ['https://openrouter.ai/api/v1/', 'openai-chat', 'https://openrouter.ai/api/v1/chat/completions'],
  ['https://openrouter.ai/api', 'anthropic', 'https://openrouter.ai/api/v1/messages'],
  [
    'https://api.fireworks.ai/inference/v1',
    'openai-responses',
    'https://api.fireworks.ai/inference/v1/responses',
  ],
  [
    'https://api.deepinfra.com/v1/openai',
    'openai-chat',
    'https://api.deepinfra.com/v1/openai/chat/completions',
  ],
  ['https://api.z.ai/api/paas/v4', 'openai-chat', 'https://api.z.ai/api/paas/v4/chat/completions'],
  ['https://api.upstage.ai/v1/solar', 'openai-chat', 'https://api.upstage.ai/v1/solar/chat/completions'],
  ['https://api.novita.ai/openai', 'openai-chat', 'https://api.novita.ai/openai/v1/chat/completions'],
  [
    'https://house.openai.azure.com/openai/v1',
    'openai-chat',
    'https://house.openai.azure.com/openai/v1/chat/completions',
  ],
  [
    'https://host.example/openai/deployments/gpt',
    'openai-chat',
    'https://host.example/openai/deployments/gpt/chat/completions',
  ],
  ['https://api.minimax.io/anthropic/v1', 'anthropic', 'https://api.minimax.io/anthropic/v1/messages'],
  ['https://api.deepseek.com/anthropic', 'anthropic', 'https://api.deepseek.com/anthropic/v1/messages'],
  [
    'https://gateway.example/v1/account/anthropic',
    'anthropic',
    'https://gateway.example/v1/account/anthropic/v1/messages',
  ],
  ['https://host.example', 'gemini', 'https://host.example/v1beta/models/{model}:generateContent'],
  [
    'https://host.example/gemini/v1beta',
    'gemini',
    'https://host.example/gemini/v1beta/models/{model}:generateContent',
  ],
]

test('the address of a host is continued to where its format is asked, with and without its version', () => {
  for (const [typed, dialect, asked] of rows) {
    const { origin, basePath } = parseAddress(typed)
    assert.equal(origin + requestPath({}, dialect, basePath), asked, typed)
  }
})

test("a host's models are listed next to its format", () => {
  assert.equal(modelListPath('openai-chat', '/openai/v1'), '/openai/v1/models')
  assert.equal(modelListPath('openai-chat', ''), '/v1/models')
  assert.equal(modelListPath('anthropic', '/anthropic'), '/anthropic/v1/models?limit=1000')
  assert.equal(modelListPath('gemini', ''), '/v1beta/models?pageSize=1000')
})
