/** Pages of an allowed origin call the data plane with the official SDK in a real browser; other pages and paths stay closed. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { send } from '../support/bytes-client.ts'
import { type TestGateway, testGateway, undividedBudgets } from '../support/gateway.ts'

const library = fileURLToPath(new URL('../../node_modules/openai', import.meta.url))

/** As a bundler would serve it: one file of the SDK is CommonJS. */
async function scriptAt(path: string): Promise<string> {
  const text = await readFile(join(library, path), 'utf8')
  if (extname(path) === '.mjs') return text
  return `const module = { exports: {} }, exports = module.exports\n${text}\nexport default module.exports`
}

/** An empty page, at an origin that has the SDK's files too. */
async function openPages(): Promise<{ readonly origin: string; readonly server: Server }> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    if (path === '/') {
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>App</title><h1>App</h1>')
      return
    }
    scriptAt(path).then(
      (text) => response.setHeader('content-type', 'text/javascript').end(text),
      () => response.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server }
}

const metricsToken = 'metrics-for-tests-only'
const largeBody = JSON.stringify({
  model: 'sandbox-echo',
  messages: [{ role: 'user', content: 'x'.repeat(2_000) }],
})
const jsonOf = (key: string) => ({ authorization: `Bearer ${key}`, 'content-type': 'application/json' })

let browser: TestBrowser
let gateway: TestGateway
let app: Awaited<ReturnType<typeof openPages>>
let other: Awaited<ReturnType<typeof openPages>>

before(async () => {
  app = await openPages()
  other = await openPages()
  browser = await openBrowser()
  gateway = await testGateway({ environment: { TOLLGATE_BROWSER_ORIGINS: app.origin }, metricsToken })
})
after(async () => {
  await browser.close()
  await gateway.close()
  app.server.close()
  other.server.close()
})

interface Asked {
  readonly base: string
  readonly key: string
}

interface Seen {
  readonly status: number | null
  readonly code: string | null
  readonly text: string
  readonly requestId: string | null
  readonly balance: string | null
}

/** Runs in the page. */
async function askWithSdk({ base, key }: Asked): Promise<Seen> {
  const address = '/index.mjs'
  const { default: OpenAI } = (await import(address)) as typeof import('openai')
  const client = new OpenAI({
    baseURL: `${base}/v1`,
    apiKey: key,
    dangerouslyAllowBrowser: true,
    maxRetries: 0,
  })
  const messages = [{ role: 'user' as const, content: 'Hello from a page' }]
  try {
    const { data, response } = await client.chat.completions
      .create({ model: 'sandbox-echo', messages, stream: true })
      .withResponse()
    let text = ''
    for await (const chunk of data) text += chunk.choices[0]?.delta.content ?? ''
    const header = (name: string): string | null => response.headers.get(name)
    return {
      status: response.status,
      code: null,
      text,
      requestId: header('x-request-id'),
      balance: header('x-tollgate-balance'),
    }
  } catch (thrown) {
    const { status = null, code = null, message } = thrown as InstanceType<typeof OpenAI.APIError>
    return { status, code: code ?? null, text: message, requestId: null, balance: null }
  }
}

async function askFrom(page: string, asked: Asked): Promise<Seen> {
  const visit = await browser.visit(page)
  await visit.page.goto('/')
  const seen = await visit.page.evaluate(askWithSdk, asked)
  await visit.close()
  return seen
}

test('the OpenAI SDK in a page of an allowed origin gets its response, and reads request ID and balance', async () => {
  const { key } = await gateway.account('1')
  const seen = await askFrom(app.origin, { base: gateway.origin, key })
  assert.deepEqual([seen.status, seen.text], [200, 'Hello from a page'])
  assert.match(seen.requestId ?? '', /^req_/)
  assert.match(seen.balance ?? '', /^\d+\.\d+$/)
})

test('the SDK in a page sees the reason of an error: an invalid key, and a balance that is used up', async () => {
  const wrong = await askFrom(app.origin, { base: gateway.origin, key: 'not-a-key' })
  assert.deepEqual([wrong.status, wrong.code], [401, 'invalid_api_key'])
  const { key } = await gateway.account('0')
  const poor = await askFrom(app.origin, { base: gateway.origin, key })
  assert.equal(poor.status, 402, poor.text)
  assert.match(poor.text, /balance/)
})

test('a page of any other origin gets nothing', async () => {
  const { key } = await gateway.account('1')
  const seen = await askFrom(other.origin, { base: gateway.origin, key })
  assert.deepEqual([seen.status, seen.requestId], [null, null])
})

const preflightHeaders = (): Readonly<Record<string, string>> => ({
  origin: app.origin,
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
})

test('a preflight is answered with 204 and no body, and has no request ID', async () => {
  const answer = await send(gateway.origin, {
    method: 'OPTIONS',
    path: '/v1/chat/completions',
    headers: preflightHeaders(),
  })
  assert.deepEqual([answer.status, answer.text], [204, ''])
  assert.equal(answer.headers['access-control-allow-origin'], app.origin)
  assert.equal(answer.headers['access-control-allow-credentials'], undefined)
  assert.equal(answer.headers['x-request-id'], undefined)
})

/** Runs in the page. */
async function balanceByFetch({ base, key, credentials }: Asked & { credentials: 'omit' | 'include' }) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] })
  const sent = { method: 'POST', credentials, headers, body } as const
  try {
    const answer = await fetch(`${base}/v1/chat/completions`, sent)
    return ['x-request-id', 'x-tollgate-balance', 'x-tollgate-cost'].map((name) => answer.headers.has(name))
  } catch {
    return 'blocked'
  }
}

test('every header is readable without cookies, and a page that wants to send cookies is blocked', async () => {
  const { key } = await gateway.account('1')
  const visit = await browser.visit(app.origin)
  await visit.page.goto('/')
  const asked = { base: gateway.origin, key }
  const seen = await visit.page.evaluate(balanceByFetch, { ...asked, credentials: 'omit' as const })
  assert.deepEqual(seen, [true, true, true])
  const withCookies = { ...asked, credentials: 'include' as const }
  assert.equal(await visit.page.evaluate(balanceByFetch, withCookies), 'blocked')
  await visit.close()
})

/** The counters of requests; those of time and memory change by themselves. */
async function requestMetrics(): Promise<readonly string[]> {
  const headers = { authorization: `Bearer ${metricsToken}` }
  const text = await (await fetch(`${gateway.origin}/metrics`, { headers })).text()
  return text.split('\n').filter((line) => line.startsWith('tollgate_'))
}

test('1,000 preflights become no requests, and are answered while bodies have used all memory', async () => {
  const full = await testGateway({
    environment: { TOLLGATE_BROWSER_ORIGINS: app.origin },
    limits: { ...undividedBudgets, bodyBudgetBytes: 1_000 },
  })
  const { key } = await full.account('1')
  const preflight = { method: 'OPTIONS', path: '/v1/chat/completions', headers: preflightHeaders() }
  try {
    const post = {
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { ...jsonOf(key), origin: app.origin },
    }
    const rejected = await send(full.origin, { ...post, body: largeBody })
    assert.equal(rejected.status, 503, rejected.text)
    assert.equal((await send(full.origin, preflight)).status, 204)
  } finally {
    await full.close()
  }
  const earlier = await requestMetrics()
  const statuses = new Set<number>()
  for (let round = 0; round < 20; round++) {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(gateway.origin, preflight)))
    for (const { status } of answers) statuses.add(status)
  }
  assert.deepEqual([...statuses], [204])
  assert.deepEqual(await requestMetrics(), earlier)
})

test('the control plane and the playground allow no other origin', async () => {
  for (const path of ['/api/me', '/api/pricing', '/api/auth/get-session', '/api/play/v1/chat/completions']) {
    for (const method of ['OPTIONS', 'GET']) {
      const { headers, status } = await send(gateway.origin, { method, path, headers: preflightHeaders() })
      assert.notEqual(status, 204, `${method} ${path}`)
      assert.equal(headers['access-control-allow-origin'], undefined, `${method} ${path}`)
    }
  }
})

test('by default no origin is allowed, and responses have no CORS headers', async () => {
  const closed = await testGateway()
  try {
    const { key } = await closed.account('1')
    for (const method of ['OPTIONS', 'GET']) {
      const answer = await send(closed.origin, {
        method,
        path: '/v1/models',
        headers: { ...preflightHeaders(), authorization: `Bearer ${key}` },
      })
      assert.equal(answer.status, method === 'GET' ? 200 : 405)
      assert.equal(answer.headers['access-control-allow-origin'], undefined)
      assert.equal(answer.headers.vary, undefined)
    }
  } finally {
    await closed.close()
  }
})
