/** Addresses of upstreams: which are taken, in whatever spelling. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { originMistake } from './upstream-origin.ts'

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
]

const refused = [
  'http://api.example.com',
  'http://10.0.0.5',
  'http://10.0.0.5:8001',
  'http://0.0.0.0',
  'http://169.254.169.254',
  'http://[::ffff:10.0.0.1]',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'http://api.localhost',
  'https://api.example.com/v1',
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
  for (const origin of taken) assert.equal(originMistake(origin, ['http://10.0.0.5:8000']), undefined, origin)
})

test('anything else is refused in a sentence', () => {
  for (const origin of refused) {
    assert.match(originMistake(origin, ['http://10.0.0.5:8000']) ?? '', /^must be /, origin)
  }
})
