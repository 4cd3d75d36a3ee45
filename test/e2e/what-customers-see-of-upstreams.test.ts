/**
 * `TOLLGATE_SHOW_UPSTREAMS`: what a customer reads of the upstreams that served, in every place: headers, receipts of the
 * data plane and of the control plane, files, model lists and errors. Administrators read their names everywhere.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { scopes } from '../../contract/operation.ts'
import { formatId } from '../../src/base/ids.ts'
import { type UpstreamView, upstreamViews } from '../../src/catalog/customer-view.ts'
import { ControlClient, sendTo } from '../support/control-client.ts'
import {
  type Behaviour,
  chunkedHead,
  type FaultUpstream,
  faultUpstream,
  httpChunk,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { type Path, Sent } from '../support/paying-client.ts'
import { rejects, standInWhole, streams } from '../support/stand-in.ts'

const names = ['failing-west', 'serving-east', 'house-server'] as const
const providers = ['groq', 'mistral'] as const

/** What a text may say of them, by the view of the installation. */
const allowed: Readonly<Record<UpstreamView, readonly string[]>> = {
  names: [...names, ...providers],
  providers,
  none: [],
}

/** What is changed in the texts of responses. */
let rewrite = (text: string): string => text

/** A whole response with the headers in which hosts say who they are. */
const telling: Behaviour = {
  answer(reply) {
    const { body } = reply.request
    if (/"stream": *true/.test(body.toString('latin1'))) {
      const { opening, content, finish } = streams.chat
      return reply.send(chunkedHead + httpChunk(rewrite(opening + content('hello') + finish)) + httpChunk())
    }
    const headers = [
      'content-type: application/json',
      'x-request-id: req_of_mistral',
      'openai-version: 2020-10-01',
    ]
    return wholeAnswer(200, rewrite(standInWhole('chat', 'hello')), headers).answer(reply)
  },
}

let behaviour = telling

for (const view of upstreamViews)
  describe(`customers see ${view}`, () => {
    let hosts: readonly FaultUpstream[]
    let gate: TestGateway
    let account: TestAccount
    let customer: ControlClient
    const receipts: string[] = []

    before(async () => {
      hosts = await Promise.all([
        faultUpstream(() => rejects(503)),
        ...[1, 2].map(() => faultUpstream(() => behaviour)),
      ])
      const upstream = (at: number, provider: string, more: object = {}) => ({
        ...{
          name: names[at]!,
          provider,
          url: `${hosts[at]!.origin}/v1`,
          models: [],
          weight: 1,
          tags: ['eu'],
        },
        ...{ credential: `credential-${at}`, ...more },
      })
      const custom = {
        kind: 'custom' as const,
        formats: ['openai-chat' as const],
        keyHeader: 'authorization',
        headers: {},
      }
      const facts = { context: 100_000, maxOutput: 1_000, prices: [{ input: '3', output: '15' }] }
      const formats = ['openai-chat' as const]
      gate = await testGateway({
        offers: 'as configured',
        environment: { TOLLGATE_SHOW_UPSTREAMS: view },
        limits: { retriesMin: 100, cooldownMsMax: 0, failuresBeforeEjection: 1_000 },
        upstreams: [upstream(0, 'groq'), upstream(1, 'mistral'), upstream(2, names[2], { custom })],
        models: [
          {
            ...{ id: 'offered', provider: 'mistral', formats, ...facts },
            offers: [
              { upstream: names[0], model: 'm-there', priority: 1 },
              { upstream: names[1], model: 'm-there', priority: 2 },
            ],
          },
          {
            ...{ id: 'ours', provider: names[2], formats, ...facts },
            offers: [{ upstream: names[2], model: 'm-there' }],
          },
        ],
      })
      account = await gate.account('100')
      const asked = { account: account.id, name: 'reporting', scopes, expiresMs: null }
      const { secret } = await gate.gateway.services.managementKeys.create(asked)
      customer = new ControlClient(gate.origin, secret)
    })
    after(async () => {
      await gate.close()
      for (const host of hosts) await host.close()
    })

    /** Fails where a text names an upstream that customers do not see. */
    function assertShown(what: string, text: string): void {
      const hidden = [...names, ...providers].filter((name) => !allowed[view].includes(name))
      const found = hidden.filter((name) => text.includes(name))
      assert.deepEqual(found, [], `${what}: ${text}`)
    }

    const headersText = (headers: object) => JSON.stringify(headers)
    const body = (model: string, more: object = {}) => ({
      ...{ model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 100, ...more },
    })
    const send = (model: string, path: Path, more: { route?: string; body?: object } = {}) =>
      new Sent(gate.origin, {
        ...{ key: account.key, format: path, body: body(model, more.body) },
        headers: more.route === undefined ? {} : { 'x-tollgate-route': more.route },
      }).whole()

    test('response headers, whole and streamed, in two formats', async () => {
      for (const path of ['/v1/chat/completions', '/v1/messages'] as const)
        for (const model of ['offered', 'ours'])
          for (const stream of [false, true]) {
            const { status, text, headers } = await send(model, path, { body: { stream } })
            assert.equal(status, 200, text)
            assertShown(`${path} ${model}`, headersText(headers))
            receipts.push(String(headers['x-request-id']))
            const expected = {
              names: model === 'ours' ? names[2] : names[1],
              providers: model === 'ours' ? 'custom' : 'mistral',
              none: undefined,
            }
            assert.equal(headers['x-tollgate-upstream'], expected[view])
            assert.equal(headers['x-tollgate-model'], model)
            if (view === 'none') {
              assert.equal(headers['x-upstream-request-id'], undefined)
              assert.equal(headers['openai-version'], undefined)
            }
          }
    })

    test('receipts of the data plane', async () => {
      const read = { method: 'GET', headers: { authorization: `Bearer ${account.key}` } }
      for (const id of receipts) {
        const { status, text } = await sendTo(gate.origin, { ...read, path: `/v1/generations/${id}` })
        assert.equal(status, 200, text)
        assertShown('generation', text)
      }
      const { body: first } = await sendTo(gate.origin, { ...read, path: `/v1/generations/${receipts[0]}` })
      const { provider, attempts } = (
        first as { data: { provider: unknown; attempts: { upstream: unknown }[] } }
      ).data
      const expected = {
        names: ['mistral', [names[0], names[1]]],
        providers: ['mistral', ['groq', 'mistral']],
        none: [null, [null, null]],
      }
      assert.deepEqual([provider, attempts.map(({ upstream }) => upstream)], expected[view])
    })

    test('receipts of the management API, one, all and as a file', async () => {
      const listed = await customer.done('requests.list', {})
      assert.equal(listed.length, receipts.length)
      assertShown('requests.list', JSON.stringify(listed))
      const shown = await customer.done('request.show', { request: receipts[0]! })
      assertShown('request.show', JSON.stringify(shown))
      const isNamed = view === 'names'
      assert.equal(shown.upstreamModel, isNamed ? 'm-there' : null)
      assert.equal(shown.upstreamCost === null, view === 'none')
      const file = await customer.ask('requests.csv', {})
      assert.equal(file.status, 200, file.text)
      assert.equal(file.text.trim().split('\n').length, receipts.length + 1)
      assertShown('requests.csv', file.text)
    })

    test('bodies that are passed through, whole and streamed, and of an error', async () => {
      const own =
        '"provider":"mistral","cost":0.5,"cost_details":{"a":[1]},"is_byok":false,"cost_in_usd_ticks":5,"estimated_cost":2,'
      const writes = (text: string) =>
        text.replaceAll('{"id":"chat-1"', `{${own}"id":"chat-1"`).replaceAll('"usage":{', `"usage":{${own}`)
      const ask = async (stream: boolean) => {
        const more = { stream, ...(stream ? { stream_options: { include_usage: true } } : {}) }
        const answer = await send('offered', '/v1/chat/completions', { body: more })
        return answer.text
      }
      for (const stream of [false, true]) {
        const plain = await ask(stream)
        rewrite = writes
        const shown = await ask(stream)
        assert.equal(shown, view === 'names' ? writes(plain) : plain)
        rewrite = (text) => text
      }
      const error = '{"error":{"message":"no","metadata":{"provider_name":"Azure","raw":"too long"}}}'
      behaviour = wholeAnswer(400, error, ['content-type: application/json'])
      const { text } = await send('offered', '/v1/chat/completions')
      behaviour = telling
      assert.equal(text, view === 'names' ? error : error.replace('"provider_name":"Azure",', ''))
    })

    test('the export of a person', async () => {
      const { nextId, ledger } = gate.gateway.services
      const person = personActor(`customer-${view}`)
      const id = nextId()
      const owner = `person:customer-${view}`
      await ledger.createAccount({ id, kind: 'personal', email: 'c@example.org', name: 'c', owner, nowMs: 0 })
      const named = { ...(await ledger.receipts(account.id, 1, null))[0]!, account: id }
      const control = controlOf(gate)
      const withReceipt = { ...control, ledger: { ...control.ledger, receipts: async () => [named] } }
      const { text } = await asking(withReceipt, person).done('me.export', {})
      assert.match(text, /"attempts"/)
      assertShown('me.export', text)
    })

    test('model lists and the price list', async () => {
      const headers = { authorization: `Bearer ${account.key}` }
      const messages = { 'x-api-key': account.key, 'anthropic-version': '2023-06-01' }
      for (const [path, sent] of [
        ['/v1/models', headers],
        ['/v1/models', messages],
        ['/v1/models/ours', headers],
        ['/v1beta/models', { 'x-goog-api-key': account.key }],
        ['/api/pricing', {}],
      ] as const) {
        const { status, text } = await sendTo(gate.origin, { method: 'GET', path, headers: sent })
        assert.equal(status, 200, text)
        assert.match(text, /ours/)
        assertShown(path, text)
      }
    })

    test('errors of the routing header, which names only what is shown', async () => {
      for (const route of [
        'require=us',
        `avoid=${names[0]}`,
        'only=groq; require=us',
        'order=nowhere',
        'only=custom',
      ]) {
        const { text } = await send('offered', '/v1/chat/completions', { route })
        // The response may repeat the header, and nothing more.
        assertShown(route, text.replaceAll(/is named [\w-]+/g, ''))
      }
      const byName = await send('offered', '/v1/chat/completions', { route: `only=${names[1]}` })
      assert.equal(byName.status, view === 'names' ? 200 : 400, byName.text)
      const byProvider = await send('offered', '/v1/chat/completions', { route: 'only=mistral' })
      assert.equal(byProvider.status, view === 'none' ? 400 : 200, byProvider.text)
      const byTag = await send('offered', '/v1/chat/completions', { route: 'require=eu' })
      assert.equal(byTag.status, 200, byTag.text)
      const none = await send('offered', '/v1/chat/completions', { route: 'require=us' })
      assert.equal(none.status, 404, none.text)
      assert.match(none.text, /lacks the tag us/)
    })

    test('administrators read the names', async () => {
      const operator = asking(controlOf(gate), personActor('operator', { operator: true }))
      const [shown] = await operator.done('requests.list', {
        account: formatId('acct', account.id),
        limit: 1,
      })
      assert.deepEqual(
        [shown?.upstream, shown?.upstreamModel, shown?.attempts.map(({ upstream }) => upstream)],
        [names[1], 'm-there', [names[0], names[1]]],
      )
    })
  })
