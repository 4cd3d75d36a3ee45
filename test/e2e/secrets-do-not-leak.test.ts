/**
 * Keys, upstream credentials, prompts and responses are in no log and no file, whatever failed in the
 * requests that carried them: every error, every upstream failure, disconnected clients, a crash, the most
 * verbose log level.
 */
import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, suite, test } from 'node:test'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { behaviors } from '../../sandbox/scenarios/behaviors-table.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type GatewayProcess, type Installation, makeInstallation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import { type Format, formats, Sent } from '../support/paying-client.ts'
import { storedIn } from '../support/test-database.ts'

/** Assembled here, so that nothing like a secret is in the repository. */
const mark = (what: string): string => `canary${what}${'7'.repeat(8)}`
const credential = `${mark('credential')}A1b2C3d4E5f6`
const prompt = mark('prompt')
const answer = mark('answer')
const foreignKey = ['sk', 'ant', 'api03', mark('foreign'), 'x'.repeat(60)].join('-')

/** Behaviors that stay silent; a client disconnects from them. */
const endless = ['sandbox-hang', 'sandbox-hang-stream', 'sandbox-pings', 'sandbox-slow', 'sandbox-long-line']

let sandbox: Sandbox
let tattler: Server
let installation: Installation
let server: GatewayProcess
let account: string
let key: string
/** What the CLI printed, except for the keys that it creates. */
let printed = ''

const modelOf = (id: string, upstream: string) =>
  `  - { id: ${id}, provider: ${upstream}, context: 1000000, maxOutput: 100000, inputs: [text, image], prices: [{ input: 3, output: 15 }] }`

before(async () => {
  sandbox = await startSandbox({ clock: systemClock })
  tattler = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => tattle(Buffer.concat(pieces).toString(), response))
  })
  const tattlerOrigin = await new Promise<string>((resolve) => {
    tattler.listen(0, '127.0.0.1', () =>
      resolve(`http://127.0.0.1:${(tattler.address() as AddressInfo).port}`),
    )
  })
  installation = makeInstallation(
    `
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${sandbox.origin}', credential: '\${CANARY}', models: all }
  - { name: tattler, provider: openai, url: '${tattlerOrigin}', credential: '\${CANARY}', models: all }
  - { name: tattler2, provider: anthropic, url: '${tattlerOrigin}', credential: '\${CANARY}', models: all }
models:
${behaviors.map(({ name }) => modelOf(name, 'sandbox')).join('\n')}
${tales.map((_, tale) => `${modelOf(`gpt-tale-${tale}`, 'openai')}\n${modelOf(`claude-tale-${tale}`, 'anthropic')}`).join('\n')}
limits: { keepAliveMs: 20, requestsPerMinute: none, tokensPerMinute: none }
`,
    { fixed: { peekMs: 20 } },
  )
  server = await start()
  const made = await installation.ask('account.create', { email: 'ada@example.org', credit: '100' })
  account = made.account
  key = made.key
})
after(async () => {
  await installation.remove()
  await sandbox.close()
  tattler.close()
})

function start(): Promise<GatewayProcess> {
  return installation.start({ environment: { TOLLGATE_LOG_LEVEL: 'trace', CANARY: credential } })
}

/** Responses in which an upstream repeats what it received. */
const tales: readonly (readonly [status: number, body: object | string])[] = [
  [401, { error: { message: `Incorrect API key provided: ${credential}.`, type: 'invalid_request_error' } }],
  [400, { error: { message: `You wrote ${prompt}`, type: 'invalid_request_error', code: prompt } }],
  [403, { type: 'error', error: { type: 'permission_error', message: `${credential} may not ${prompt}` } }],
  [429, { error: { message: `Slow down, ${credential}`, type: prompt, code: credential } }],
  [500, `<h1>${credential} ${prompt} ${answer}</h1>`],
  [200, `data: ${answer} ${credential}\n\n`],
  [200, { error: { message: `${credential} ${prompt}`, type: answer } }],
  [302, `${credential} ${prompt}`],
]

function tattle(asked: string, response: ServerResponse): void {
  const [status, body] = tales[Number(/-tale-(\d)/.exec(asked)?.[1])]!
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  response.writeHead(status, {
    'content-type': text.startsWith('data:') ? 'text/event-stream' : 'application/json',
    'x-echo': `${credential} ${prompt}`,
    location: `/${credential}`,
  })
  response.end(text)
}

function ask(
  format: Format,
  model: string,
  of: { key?: string; stream?: boolean; more?: object } = {},
): Sent {
  const messages = [{ role: 'user', content: `tokens=20 events=2 thinking=5 delay=30 ${prompt} ${answer}` }]
  const body = { model, max_tokens: 200, stream: of.stream ?? true, messages, ...of.more }
  return new Sent(server.origin, { key: of.key ?? key, format, body })
}

/** The response, or what arrived before the client disconnected. */
async function textOf(sent: Sent, model: string): Promise<string> {
  if (endless.includes(model)) {
    await eventually(
      'it is on its way',
      () => sandbox.requests(),
      (count) => count > 0,
    )
    await Promise.race([sent.contents(1), new Promise<void>((resolve) => systemClock.after(60, resolve))])
    sent.leave()
    return sent.text
  }
  return sent.whole().then(
    ({ text }) => text,
    () => sent.text,
  )
}

async function assertNowhere(): Promise<void> {
  const secret = key.slice(key.lastIndexOf('-') + 1)
  const canaries = { credential, prompt, answer, foreignKey, key, secret }
  const places = [
    ['stdout', logged + server.stdout()] as const,
    ['stderr', server.stderr()] as const,
    ['the command line', printed] as const,
    ...(await storedIn(installation.dataFolder)),
  ]
  for (const [what, canary] of Object.entries(canaries)) {
    for (const form of [canary, Buffer.from(canary).toString('base64').slice(2, -4)]) {
      for (const [place, text] of places) {
        assert.equal(text.includes(form), false, `${what} in ${place}: ${around(text, form)}`)
      }
    }
  }
}

function around(text: string, form: string): string {
  const at = text.indexOf(form)
  return text.slice(Math.max(0, at - 200), at + 100)
}

/** The output of servers that have ended. */
let logged = ''

suite('secrets', { concurrency: 1 }, () => {
  test('through every upstream failure', async () => {
    for (const { name } of behaviors) {
      for (const format of formats) {
        for (const stream of [true, false]) {
          const text = await textOf(ask(format, name, { stream }), name)
          assert.equal(text.includes(credential), false, `${name} ${format}: ${text}`)
        }
      }
    }
    await assertNowhere()
  })

  test('through responses that repeat what the upstream received', async () => {
    for (const [tale] of tales.entries()) {
      for (const [format, model] of [
        ['chat', `gpt-tale-${tale}`],
        ['messages', `claude-tale-${tale}`],
      ] as const) {
        for (const stream of [true, false]) {
          const sent = ask(format, model, { stream })
          const { text, headers } = await sent.whole()
          assert.equal(text.includes(credential), false, `${model}: ${text}`)
          assert.equal(JSON.stringify(headers).includes(credential), false, `${model}: headers`)
        }
      }
    }
    await assertNowhere()
  })

  test('through every rejection', async () => {
    const poor = await installation.ask('account.create', { email: 'bo@example.org', credit: '0' })
    const revoked = await installation.ask('key.create', { account, name: 'gone' })
    await installation.ask('key.revoke', { key: revoked.id })
    const wrongSum = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
    const bodies: readonly (object | string)[] = [
      `{"model": "sandbox-echo", "messages": [{"role": "user", "content": "${prompt}`,
      `${prompt}`,
      { model: 'no-such-model', messages: [{ role: 'user', content: prompt }] },
      {
        model: 'sandbox-echo',
        max_tokens: 5,
        messages: [{ role: prompt, content: prompt }],
        service_tier: 'no-such-tier',
      },
      { model: 'sandbox-echo', max_tokens: prompt, messages: prompt },
      { model: 'sandbox-echo', max_tokens: 5, messages: [], previous_response_id: prompt, [prompt]: prompt },
    ]
    for (const format of formats) {
      for (const used of [poor.key, revoked.key, wrongSum, foreignKey, credential, prompt]) {
        await ask(format, 'sandbox-echo', { key: used }).whole()
      }
      for (const body of bodies) await new Sent(server.origin, { key, format, body }).whole()
    }
    await fetch(`${server.origin}/v1/models?key=${key}`)
    await fetch(`${server.origin}/v1/${key}/x?key=${key}&prompt=${prompt}`)
    await fetch(`${server.origin}/api/x?key=${key}`, { method: 'POST', body: prompt })
    await fetch(`${server.origin}/console/setup?token=${key}`)
    for (const words of [
      ['key', 'revoke', key],
      ['key', 'create', 'ada@example.org', '--name', 'x', '--models', 'none-such'],
      ['doctor'],
      ['requests', 'ada@example.org', '--limit', '500'],
      ['key', 'list', 'ada@example.org'],
      ['models'],
    ]) {
      const { stdout, stderr } = await installation.call(...words, '--json')
      printed += (stdout + stderr).replaceAll(key, words.includes(key) ? '' : key)
    }
    await assertNowhere()
  })

  test('through a crash, its recovery, and an orderly shutdown', async () => {
    const running = formats.map((format) =>
      ask(format, 'sandbox-stream:tokens=9000:rate=500', { more: { max_tokens: 9_000 } }),
    )
    await Promise.all(running.map((sent) => sent.contents(100)))
    server.signal('SIGKILL')
    await server.ended
    logged += server.stdout() + server.stderr()
    server = await start()
    await assertNowhere()
    const last = formats.map((format) => ask(format, 'sandbox-stream'))
    for (const sent of last) await sent.whole()
    server.signal('SIGTERM')
    assert.deepEqual(await server.ended, { code: 0, signal: null })
    await assertNowhere()
  })
})
