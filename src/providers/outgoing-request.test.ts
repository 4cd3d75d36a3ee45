/** Where the count of gateways is sent: to addresses that may be another gateway, and never to a provider's own. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { customHostOf } from '../../contract/custom-hosts.ts'
import { parseAddress } from '../catalog/upstreams/upstream-address.ts'
import type { FormatName } from '../wire/format-names.ts'
import { hopsOf, hopsTo, modelListPath, requestPath } from './outgoing-request.ts'
import { connectors } from './registry.ts'

test("a provider's own address and a cloud never get the count", () => {
  for (const connector of connectors) {
    const { origin } = parseAddress(connector.defaultOrigin)
    assert.equal(hopsTo(connector, { origin }, { 'x-tollgate-hops': '2' }), null, connector.provider)
  }
  for (const connector of connectors.filter(({ addressExample }) => addressExample !== undefined))
    assert.equal(hopsTo(connector, { origin: 'https://elsewhere.example' }, {}), null, connector.provider)
})

test('an address of the operator gets it, also where a well-known server usually is', () => {
  const [connector] = connectors
  assert.ok(connector !== undefined)
  assert.equal(hopsTo(connector, { origin: 'https://proxy.example' }, {}), 1)
  const custom = customHostOf('ollama', {})
  const { defaultOrigin: origin } = connector
  assert.equal(hopsTo(connector, { origin, custom }, { 'x-tollgate-hops': '1' }), 2)
})

test('the largest of several values counts, and what is not a count is ignored', () => {
  for (const [value, count] of [
    [undefined, 0],
    ['', 0],
    ['3', 3],
    ['1, 7', 7],
    [['2', '1'], 2],
    ['1e3', 0],
    ['99999999999', 0],
  ] as const) {
    assert.equal(hopsOf({ 'x-tollgate-hops': value as string | string[] | undefined }), count)
  }
})

const rows: readonly (readonly [typed: string, format: FormatName, asked: string])[] = [
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
  for (const [typed, format, asked] of rows) {
    const { origin, basePath } = parseAddress(typed)
    assert.equal(origin + requestPath({}, format, basePath), asked, typed)
  }
})

test("a host's models are listed next to its format", () => {
  assert.equal(modelListPath('openai-chat', '/openai/v1'), '/openai/v1/models')
  assert.equal(modelListPath('openai-chat', ''), '/v1/models')
  assert.equal(modelListPath('anthropic', '/anthropic'), '/anthropic/v1/models?limit=1000')
  assert.equal(modelListPath('gemini', ''), '/v1beta/models?pageSize=1000')
})
