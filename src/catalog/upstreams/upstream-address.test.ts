/** URLs of upstreams: which are accepted, in any spelling. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addedAddressMistake, canonicalAddress, parseAddress } from './upstream-address.ts'

const taken = [
  'https://api.example.com',
  'https://api.example.com:8443',
  'https://10.0.0.1',
  'https://[2001:db8::1]:8443/',
  'http://localhost:8000',
  'http://127.0.0.1:8000',
  'http://127.9.8.7',
  'http://0x7f.1:80',
  'http://2130706433',
  'http://[::1]:8000',
  'http://10.0.0.5:8000',
  'http://10.0.0.5:8000/v1',
  'https://api.groq.com/openai/v1',
  'https://openrouter.ai/api/v1/',
]

const rejected = [
  'http://api.example.com',
  'http://10.0.0.5',
  'http://10.0.0.5:8001',
  'http://0.0.0.0',
  'http://169.254.169.254',
  'http://[::ffff:10.0.0.1]',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'http://api.localhost',
  'https://api.example.com/v1/chat/completions',
  'https://api.example.com/?x=1',
  'https://api.example.com?',
  'https://api.example.com/#x',
  'https://name:word@api.example.com',
  'https://name@api.example.com',
  'ftp://api.example.com',
  'file:///etc/passwd',
  'unix:/run/x.sock',
  'data:text/plain,x',
  'api.example.com',
  'https://',
  '',
]

test('https anywhere, plain HTTP to this machine and to where the configuration allows it', () => {
  for (const origin of taken)
    assert.equal(addedAddressMistake(origin, ['http://10.0.0.5:8000']), undefined, origin)
})

test('anything else is rejected in a sentence', () => {
  for (const origin of rejected) {
    assert.match(addedAddressMistake(origin, ['http://10.0.0.5:8000']) ?? '', /^must be /, origin)
  }
})

const spellings: readonly (readonly [typed: string, origin: string, basePath: string])[] = [
  ['https://api.deepseek.com', 'https://api.deepseek.com', ''],
  ['https://API.example.com:443/', 'https://api.example.com', ''],
  ['https://api.groq.com/openai/v1', 'https://api.groq.com', '/openai/v1'],
  ['https://api.inceptionlabs.ai/v1/', 'https://api.inceptionlabs.ai', '/v1'],
  ['https://openrouter.ai//api//v1//', 'https://openrouter.ai', '/api/v1'],
  ['https://host.example/a/../openai', 'https://host.example', '/openai'],
]

test('an address has one spelling: an origin, and a path without a slash at the end', () => {
  for (const [typed, origin, basePath] of spellings) {
    assert.deepEqual(parseAddress(typed), { origin, basePath }, typed)
    assert.equal(canonicalAddress(typed), `${origin}${basePath}`, typed)
  }
})

const corrected: readonly (readonly [typed: string, right: string])[] = [
  ['https://api.groq.com/openai/v1/chat/completions', 'https://api.groq.com/openai/v1'],
  ['https://api.groq.com/openai/v1/models', 'https://api.groq.com/openai/v1'],
  ['https://host.example/v1/responses/', 'https://host.example/v1'],
  ['https://host.example/v1/embeddings', 'https://host.example/v1'],
  ['https://host.example/anthropic/v1/messages', 'https://host.example/anthropic/v1'],
  ['https://host.example/v1beta/models/gemini-2.5-pro:generateContent', 'https://host.example/v1beta'],
  [
    'https://house.openai.azure.com/openai/deployments/gpt/chat/completions?api-version=2024-10-21',
    'https://house.openai.azure.com/openai/v1',
  ],
]

test('an address that cannot be meant is rejected with the right one', () => {
  for (const [typed, right] of corrected) {
    const mistake = addedAddressMistake(typed, []) ?? ''
    assert.ok(mistake.endsWith(`: ${right}`), `${typed}: ${mistake}`)
  }
})
