/**
 * Where funds are short the output limit is lowered in the body that goes upstream, in every format, and
 * reported; below the minimum the error names a limit that passes when requested in the caller's own format.
 */
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import type { ModelDefinition } from '../../src/catalog/definition.ts'
import { at, type FormatClient, formatClients, type Json } from '../support/format-clients.ts'
import {
  listPrice,
  meteredGateway,
  type UpstreamName,
  upstreamNames,
  upstreams,
} from '../support/metered-gateway.ts'
import { rejectionIn } from '../support/paying-client.ts'
import { sampled } from '../support/sampled.ts'

/** Models whose names tell the translation what they support; all are served by the sandbox. */
const thinkers: readonly ModelDefinition[] = [
  { id: 'claude-sonnet-4-5', ...upstreams.messages },
  { id: 'claude-opus-4-8', ...upstreams.messages },
  { id: 'gemini-2.5-pro', ...upstreams.gemini },
  { id: 'gemini-3-pro-preview', ...upstreams.gemini },
  { id: 'gpt-5.5', ...upstreams.responses },
].map((model) => ({ ...model, context: 200_000, maxOutput: 32_000, reasoning: true, prices: [listPrice] }))

const limits = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }
const gate = await meteredGateway({ limits, models: thinkers })
after(() => gate.end())

const text = `tokens=3 ${'hello there, my dear '.repeat(100)}`

/** Where the limit is in the body that each upstream received. */
const written: Readonly<Record<UpstreamName, (body: Json) => unknown>> = {
  chat: (body) => body.max_completion_tokens ?? body.max_tokens,
  responses: (body) => body.max_output_tokens,
  messages: (body) => body.max_tokens,
  gemini: (body) => at(body, 'generationConfig', 'maxOutputTokens'),
}

function lastBody(): Json {
  return JSON.parse(String(gate.sandbox.requestLog().at(-1)?.body)) as Json
}

interface Trial {
  readonly client: FormatClient
  readonly model: string
  readonly onShortBalance?: 'lower' | 'reject'
}

async function ask(usd: string, { client, model, onShortBalance = 'lower' }: Trial, more: object) {
  const account = await gate.account(usd, { onShortBalance })
  const answer = await gate.askAs(account, client, { model, text, more }).whole()
  return { account, answer }
}

const budgets = ['0.0039', '0.0040', '0.0042', '0.0049', '0.0084', '0.0123', '0.0161']
const thinkingBudgets = ['0.01', '0.03', '0.06', '0.1', '0.14', '0.2', '0.3']

/** Each client and each upstream is in the sample twice. */
const pairs = sampled(
  formatClients.flatMap((client) => upstreamNames.map((upstream) => ({ client, upstream }))),
  8,
)

suite('short of funds', () => {
  for (const { client, upstream } of pairs) {
    const name = `${client.format} → ${upstream}`
    const model = `${upstream}-stream`

    for (const wanted of [undefined, 30_000]) {
      test(`${name}: a limit of ${wanted ?? 'nothing'} is lowered in the body, and reported`, async () => {
        const more = wanted === undefined ? {} : client.limit(wanted)
        const { account, answer } = await ask('0.06', { client, model }, more)
        assert.equal(answer.status, 200, answer.text)
        const told = Number(answer.headers['x-tollgate-max-output'])
        assert.ok(told >= 1_024 && told < 30_000, `told ${told}`)
        assert.equal(written[upstream](lastBody()), told)
        const receipt = await gate.receiptOf(account)
        assert.deepEqual([receipt.outputLimit, receipt.outputLowered], [told, true])
      })
    }

    test(`${name}: a limit within the balance is forwarded unchanged`, async () => {
      const { answer } = await ask('1', { client, model }, client.limit(777))
      assert.equal(answer.headers['x-tollgate-max-output'], undefined)
      assert.equal(written[upstream](lastBody()), 777)
    })

    for (const onShortBalance of ['lower', 'reject'] as const) {
      test(`${name}: the limit that an error names passes (${onShortBalance})`, async () => {
        let named = 0
        for (const usd of sampled(budgets, 4)) {
          for (const wanted of [undefined, 31_000, 17]) {
            const more = wanted === undefined ? {} : client.limit(wanted)
            const { answer } = await ask(usd, { client, model, onShortBalance }, more)
            if (answer.status === 200) continue
            const { facts, message } = rejectionIn(answer.text)
            const affordable = Number(facts.affordable_max_tokens)
            if (affordable === 0) continue
            named += 1
            assert.match(message, new RegExp(`\\b${client.limitName}\\b`), 'in the words of the format')
            const again = await ask(usd, { client, model, onShortBalance }, client.limit(affordable))
            assert.equal(again.answer.status, 200, `${usd}, ${wanted} → ${affordable}: ${again.answer.text}`)
            assert.equal(again.answer.headers['x-tollgate-max-output'], undefined, 'exactly that number')
          }
        }
        assert.ok(named > 3, `${named} limits were named`)
      })
    }
  }
})

/** How each format requests a large reasoning budget. */
const thinking: Readonly<Record<string, (limit: number) => object>> = {
  'openai-chat': (limit) => ({ reasoning_effort: 'high', max_completion_tokens: limit }),
  'openai-responses': (limit) => ({ reasoning: { effort: 'high' }, max_output_tokens: limit }),
  anthropic: (limit) => ({ thinking: { type: 'enabled', budget_tokens: 6_000 }, max_tokens: limit }),
  gemini: (limit) => ({
    generationConfig: { thinkingConfig: { thinkingBudget: 6_000 }, maxOutputTokens: limit },
  }),
}

/** What the upstream received, in any format. */
function limitAndBudget(body: Json): { limit: number; budget: number } {
  const limits = upstreamNames.map((upstream) => written[upstream](body))
  const budget =
    at(body, 'thinking', 'budget_tokens') ?? at(body, 'generationConfig', 'thinkingConfig', 'thinkingBudget')
  return { limit: Number(limits.find((limit) => limit !== undefined)), budget: Number(budget ?? 0) }
}

suite('short of funds for reasoning', () => {
  for (const client of formatClients) {
    for (const { id } of thinkers) {
      test(`${client.format} → ${id}: the named limit passes, and leaves room for a response`, async (t) => {
        const more = thinking[client.format]
        assert.ok(more !== undefined)
        let passed = 0
        for (const usd of sampled(thinkingBudgets, 4)) {
          const { answer } = await ask(usd, { client, model: id }, more(30_000))
          if (answer.status !== 402) continue
          const affordable = Number(rejectionIn(answer.text).facts.affordable_max_tokens)
          if (affordable === 0) continue
          const again = await ask(usd, { client, model: id }, more(affordable))
          assert.notEqual(again.answer.status, 402, `${usd} → ${affordable}: ${again.answer.text}`)
          const { limit, budget } = limitAndBudget(lastBody())
          assert.ok(limit <= affordable && limit > budget, `${limit} with ${budget} of thinking`)
          passed += 1
        }
        t.diagnostic(`${passed} limits were named`)
      })
    }
  }
})
