/** Which requests another site's page may have made a browser send, judged by its headers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TollgateError } from '../base/errors.ts'
import type { Actor } from '../control/actor.ts'
import { assertSameSite } from './same-site.ts'

const address = 'https://gateway.example'
const own = { origin: address }

interface Case {
  readonly actor: Actor['kind']
  readonly method?: string
  readonly headers: Readonly<Record<string, string>>
  readonly at?: string
  readonly passes: boolean
}

const loopback = 'http://127.0.0.1:8080'

const cases: readonly Case[] = [
  { actor: 'person', headers: own, passes: true },
  { actor: 'person', headers: { 'sec-fetch-site': 'same-origin' }, passes: true },
  { actor: 'person', headers: { ...own, 'sec-fetch-site': 'same-origin' }, passes: true },
  { actor: 'person', headers: {}, passes: false },
  { actor: 'person', headers: { origin: 'null' }, passes: false },
  { actor: 'person', headers: { origin: '' }, passes: false },
  { actor: 'person', headers: { origin: 'https://evil.example' }, passes: false },
  { actor: 'person', headers: { origin: 'https://console.gateway.example' }, passes: false },
  { actor: 'person', headers: { origin: 'https://gateway.example.evil.test' }, passes: false },
  { actor: 'person', headers: { origin: 'http://gateway.example' }, passes: false },
  { actor: 'person', headers: { origin: 'https://gateway.example:8443' }, passes: false },
  { actor: 'person', headers: { ...own, 'sec-fetch-site': 'same-site' }, passes: false },
  { actor: 'person', headers: { ...own, 'sec-fetch-site': 'cross-site' }, passes: false },
  { actor: 'person', headers: { ...own, 'sec-fetch-site': 'none' }, passes: false },
  {
    actor: 'person',
    headers: { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    passes: false,
  },
  { actor: 'anyone', headers: {}, passes: true },
  { actor: 'anyone', headers: own, passes: true },
  { actor: 'anyone', headers: { origin: 'https://evil.example' }, passes: false },
  { actor: 'anyone', headers: { 'sec-fetch-site': 'cross-site' }, passes: false },
  { actor: 'management_key', headers: {}, passes: true },
  { actor: 'management_key', headers: { origin: 'https://evil.example' }, passes: true },
  { actor: 'person', method: 'GET', headers: { 'sec-fetch-site': 'cross-site' }, passes: true },
  { actor: 'person', method: 'HEAD', headers: {}, passes: true },
  { actor: 'person', method: 'DELETE', headers: {}, passes: false },
  { actor: 'person', method: 'PATCH', headers: {}, passes: false },
  { actor: 'person', method: 'PUT', headers: {}, passes: false },
  { actor: 'person', headers: { origin: 'http://localhost:8080' }, at: loopback, passes: true },
  { actor: 'person', headers: { origin: 'http://127.0.0.1:8080' }, at: loopback, passes: true },
  { actor: 'person', headers: { origin: 'http://[::1]:8080' }, at: loopback, passes: true },
  { actor: 'person', headers: { origin: 'http://localhost:8081' }, at: loopback, passes: false },
  { actor: 'person', headers: { origin: 'http://localhost' }, at: loopback, passes: false },
  { actor: 'person', headers: { origin: 'https://localhost:8080' }, at: loopback, passes: false },
  { actor: 'person', headers: { origin: 'http://evil.localhost:8080' }, at: loopback, passes: false },
]

for (const { actor, method = 'POST', headers, at = address, passes } of cases) {
  test(`${actor} ${method} ${JSON.stringify(headers)} at ${at} ${passes ? 'passes' : 'is rejected'}`, () => {
    const ask = () => assertSameSite({ method, headers }, actor, at)
    if (passes) ask()
    else assert.throws(ask, (error) => error instanceof TollgateError && error.code === 'cross_site')
  })
}
