/** Dated and `-latest` spellings of available models are resolved, and nothing else is. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelNamed } from './spellings.ts'
import type { Model, Snapshot } from './types.ts'

const model = (name: string, provider: string, upstreamModel = name) =>
  [name, { name, provider, upstreamModel } as Model] as const

const snapshot: Snapshot = {
  models: new Map([
    model('gpt-5-mini', 'openai'),
    model('gpt-4o', 'openai'),
    model('gpt-4o-2024-05-13', 'openai'),
    model('claude-sonnet-4-5', 'anthropic'),
    model('claude-3-5-haiku-20241022', 'anthropic'),
    model('claude-3-5-haiku-20240901', 'anthropic'),
    model('gemini-2.0-flash', 'google'),
    model('gpt-house', 'openai', 'llama-3'),
    model('llama-3', 'openai'),
  ]),
  families: [
    { prefix: 'claude-', provider: 'anthropic' },
    { prefix: 'gemini-', provider: 'google' },
    { prefix: 'gpt-', provider: 'openai' },
  ],
  upstreams: [],
  ownUpstreams: [],
  namedUpstreams: new Map(),
  unsold: new Map([['gpt-5-mini-2025-01-01', 'disabled']]),
}

const spellings: readonly (readonly [name: string, model: string | undefined, upstream: string | null])[] = [
  ['gpt-5-mini', 'gpt-5-mini', null],
  ['gpt-5-mini-2025-08-07', 'gpt-5-mini', 'gpt-5-mini-2025-08-07'],
  ['gpt-4o-2024-05-13', 'gpt-4o-2024-05-13', null],
  ['gpt-4o-0613', 'gpt-4o', 'gpt-4o-0613'],
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
  ['claude-sonnet-4-5-latest', 'claude-sonnet-4-5', null],
  ['claude-3-5-haiku-latest', 'claude-3-5-haiku-20241022', null],
  ['gemini-2.0-flash-001', 'gemini-2.0-flash', 'gemini-2.0-flash-001'],
  ['gpt-5-mini-2025-01-01', undefined, null],
  ['gpt-5-mini-preview', undefined, null],
  ['gpt-5', undefined, null],
  ['gpt-house-2025-01-01', undefined, null],
  ['llama-3-2025-01-01', undefined, null],
  ['-latest', undefined, null],
  ['claude-sonnet-4-5[1m]', 'claude-sonnet-4-5', null],
  ['claude-sonnet-4-5-20250929[1m]', 'claude-sonnet-4-5', 'claude-sonnet-4-5-20250929'],
  ['anthropic/claude-sonnet-4-5[1m]', 'claude-sonnet-4-5', null],
  ['[1m]', undefined, null],
  ['openai/gpt-5-mini', 'gpt-5-mini', null],
  ['openai/gpt-5-mini-2025-08-07', 'gpt-5-mini', 'gpt-5-mini-2025-08-07'],
  ['anthropic/claude-sonnet-4-5', 'claude-sonnet-4-5', null],
  ['anthropic/gpt-5-mini', undefined, null],
  ['openai/llama-3', undefined, null],
  ['openai/openai/gpt-5-mini', undefined, null],
]

test('a name means the model, its dated snapshot, or nothing', () => {
  for (const [name, expected, upstream] of spellings) {
    const found = modelNamed(snapshot, name)
    assert.deepEqual([found?.model.name, found?.datedName ?? null], [expected, upstream], name)
  }
})
