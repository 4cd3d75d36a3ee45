/**
 * A running server reads its configuration again: by SIGHUP and by `tollgate reload`, in all of its threads, whole or not at all.
 */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { Agent, createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, beforeEach, suite, test } from 'node:test'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'

const answer = JSON.stringify({
  ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})
const metricsToken = 'for-the-scraper-of-this-test'
const threads = process.platform === 'linux' ? 2 : 1

/** The host of the upstream: it answers, and tells with which credential it was asked. */
let host: Server
let credentials: string[] = []
let installation: Installation
let key: string

let server: GatewayProcess

before(async () => {
  host = createServer((request, response) => {
    credentials.push(request.headers.authorization ?? '')
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(answer))
  })
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
  installation = makeInstallation('', { fixed: { eventLoopDelayMsMax: 1e9, commitMsMax: 1e9 } })
  writeSecret('token', metricsToken)
  writeSecret('key', 'first-key')
  configure({ models: ['one'] })
  server = await installation.start()
  key = (await installation.ask('account.create', { email: 'ada@example.org', credit: '10' })).key
})
after(async () => {
  await installation.remove()
  await new Promise((resolve) => host.close(resolve))
})
beforeEach(() => {
  credentials = []
})

interface Written {
  readonly models: readonly string[]
  readonly limits?: string
  readonly more?: string
}

function configure({ models, limits = 'hopsMax: 10', more = '' }: Written): void {
  const { port } = host.address() as AddressInfo
  const rows = models.map(
    (id) => `{ id: ${id}, provider: own, context: 1000, maxOutput: 100, prices: [{ input: 1, output: 1 }] }`,
  )
  installation.configure(`
sandbox: off
server: { threads: ${threads}, metricsToken: { file: token } }
upstreams:
  - name: own
    provider: custom
    url: http://127.0.0.1:${port}/v1
    formats: [openai-chat]
    credential: { file: key }
    models: [${models.join(', ')}]
models: [${rows.join(', ')}]
limits: { ${limits} }
${more}`)
}

const writeSecret = (name: string, text: string): void =>
  writeFileSync(join(installation.folder, name), `${text}\n`)

/** The statuses and codes of a request on each of many connections, of which each thread has some. */
async function ask(model: string): Promise<readonly string[]> {
  const asked = Array.from({ length: 16 }, () => askOnce(model))
  return [...new Set(await Promise.all(asked))]
}

function askOnce(model: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = httpRequest(
      `${server.origin}/v1/chat/completions`,
      { method: 'POST', agent: new Agent(), headers: { authorization: `Bearer ${key}` } },
      (response) => {
        let body = ''
        response.setEncoding('utf8').on('data', (text: string) => {
          body += text
        })
        response.on('end', () => {
          const code = (JSON.parse(body) as { error?: { code?: string } }).error?.code
          resolve(code ?? String(response.statusCode))
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify({ model, max_tokens: 5, messages: [{ role: 'user', content: 'hello' }] }))
  })
}

async function reloadMetric(token = metricsToken): Promise<string | undefined> {
  const answered = await fetch(`${server.origin}/metrics`, { headers: { authorization: `Bearer ${token}` } })
  return /^tollgate_config_last_reload_successful (\S+)$/m.exec(await answered.text())?.[1]
}

suite('a reload', { concurrency: 1 }, () => {
  const broken: readonly (readonly [what: string, breakIt: () => void, mistake: string])[] = [
    ['a value', () => configure({ models: ['one', 'two'], limits: 'hopsMax: many' }), 'limits.hopsMax: must'],
    ['the syntax', () => installation.configure('models: ['), 'tollgate.yaml: '],
    [
      'a name',
      () => configure({ models: ['one', 'two'], more: 'aliases: { a: nothing }' }),
      'aliases.a: unknown model',
    ],
    [
      'a secret',
      () => {
        configure({ models: ['one', 'two'] })
        rmSync(join(installation.folder, 'key'))
      },
      'upstreams[0].credential: key cannot be read (ENOENT)',
    ],
  ]
  for (const [what, breakIt, mistake] of broken) {
    test(`changes nothing where ${what} is wrong, and says what by path`, async () => {
      breakIt()
      const reloaded = await installation.call('reload')
      assert.equal(reloaded.code, 1)
      assert.ok(reloaded.stdout.startsWith('The configuration was not reloaded:\n'), reloaded.stderr)
      assert.ok(reloaded.stdout.includes(mistake), reloaded.stdout)
      await server.written(mistake)
      assert.equal(await reloadMetric(), '0')
      writeSecret('key', 'first-key')
      assert.deepEqual(await ask('one'), ['200'])
      assert.deepEqual(await ask('two'), ['model_not_found'])
      assert.deepEqual(new Set(credentials), new Set(['Bearer first-key']))
    })
  }

  test('changes upstreams, models, limits and secrets of files in all threads', async () => {
    writeSecret('key', 'second-key')
    writeSecret('token', 'another-token-of-the-scraper')
    configure({
      models: ['one', 'two'],
      limits: 'connectionsMax: 9000, hopsMax: 9',
      more: 'aliases: { three: two }',
    })
    const reloaded = await installation.call('reload')
    assert.deepEqual(
      [reloaded.code, reloaded.stdout],
      [
        0,
        'Reloaded; changed: upstreams, models, aliases, server.metricsToken, limits.hopsMax\n' +
          'Takes effect after a restart: limits.connectionsMax\n',
      ],
    )
    for (const model of ['one', 'two', 'three']) assert.deepEqual(await ask(model), ['200'])
    assert.deepEqual(new Set(credentials), new Set(['Bearer second-key']))
    assert.equal(await reloadMetric(), undefined, 'the former token')
    assert.equal(await reloadMetric('another-token-of-the-scraper'), '1')
  })

  test('changes the rate of accounts that are known already', async () => {
    configure({ models: ['one'], limits: 'requestsPerMinute: 1' })
    assert.equal((await installation.call('reload')).code, 0)
    assert.ok((await ask('one')).includes('rate_limit_exceeded'))
    configure({ models: ['one'] })
    assert.equal((await installation.call('reload')).code, 0)
    assert.deepEqual(await ask('two'), ['model_not_found'])
  })

  test('by SIGHUP where no terminal sends it; many in a moment are two at most', async () => {
    const before = timesReloaded()
    configure({ models: ['one', 'two'] })
    for (let sent = 0; sent < 20; sent += 1) server.signal('SIGHUP')
    await eventually(
      'reloaded',
      async () => timesReloaded(),
      (times) => times > before,
    )
    assert.deepEqual(await ask('two'), ['200'])
    // The next one has waited for all before it.
    assert.equal((await installation.call('reload')).code, 0)
    assert.ok(timesReloaded() <= before + 3)
  })

  test('needs a server', async () => {
    server.signal('SIGTERM')
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    const stopped = await installation.call('reload')
    assert.deepEqual(
      [stopped.code, stopped.stdout],
      [1, 'The configuration was not reloaded:\nNo server is running.\n'],
    )
  })
})

function timesReloaded(): number {
  return server.stdout().split('the configuration was reloaded').length - 1
}
