/**
 * Many steps of one tool loop, from every format to every format: every call has a unique ID, the reasoning that the
 * vendor signed in the first step still returns in the last, earlier turns never change upstream, and the work per request
 * grows linearly with the history.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectorOf } from '../../src/providers/registry.ts'
import type { ReadLimits } from '../../src/wire/format.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { translateRequest } from '../../src/wire/translation/translate.ts'
import { type Agent, agentOf } from '../support/agents.ts'
import {
  answered,
  assertGrows,
  broken,
  formats,
  providers,
  type Reached,
  sealsIn,
} from '../support/conversations.ts'
import { costRatio } from '../support/cost-ratio.ts'
import type { Json } from '../support/format-clients.ts'
import { relayedGateway } from '../support/relayed-gateway.ts'
import { repeated } from '../support/sampled.ts'
import { codecs } from '../support/wire-formats.ts'

const stepsMax = repeated(20, 30, 60)

const models: readonly Reached[] = [
  { model: 'gpt-4.1', format: 'openai-chat' },
  { model: 'gpt-6.1', format: 'openai-responses' },
  { model: 'claude-sonnet-4-5', format: 'anthropic' },
  { model: 'gemini-3-flash-preview', format: 'gemini' },
]

const served = await relayedGateway(models, { context: 1_000_000 })
const { gateway, relay } = served
after(served.close)

const more: Readonly<Record<ConversationFormat, Json>> = {
  'openai-chat': { reasoning_effort: 'low' },
  'openai-responses': { reasoning: { effort: 'low', summary: 'auto' } },
  anthropic: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
  gemini: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
}

function newAgent(format: ConversationFormat): Agent {
  const schema = { type: 'object', properties: { step: { type: 'integer' } } }
  return agentOf(format, {
    fidelity: 'faithful',
    tools: [{ name: 'work', schema }],
    instructions: 'Work on.',
    more: more[format],
  })
}

const asksFor = (step: number) => `use work {"step":${step}}`

/** Streams every other step. Returns the IDs of all calls. */
async function worked(agent: Agent, reached: Reached, key: string): Promise<readonly string[]> {
  const ids: string[] = []
  agent.say(asksFor(0))
  for (let step = 0; step < stepsMax; step += 1) {
    const said = await answered(agent, reached, { origin: gateway.origin, key, stream: step % 2 === 1 })
    const [call] = said.calls
    assert.ok(call !== undefined && said.calls.length === 1, JSON.stringify(said))
    assert.deepEqual(call.input, { step })
    ids.push(call.id)
    agent.give([{ call, text: step === stepsMax - 1 ? 'done' : asksFor(step + 1) }])
  }
  const said = await answered(agent, reached, { origin: gateway.origin, key, stream: true })
  assert.equal(said.text, 'The tool answered: done')
  return ids
}

/** Histories with this many steps, for measurements. */
const histories = new Map<ConversationFormat, readonly unknown[]>()

for (const format of formats) {
  for (const reached of models) {
    test(`${format} → ${reached.model}: ${stepsMax} steps`, async () => {
      const { key } = await gateway.account('1000')
      const agent = newAgent(format)
      const from = relay.requests.length
      const ids = await worked(agent, reached, key)
      assert.equal(new Set(ids).size, stepsMax, 'no id stands for two calls')
      const requests = relay.requests.slice(from)
      assert.equal(requests.length, stepsMax + 1)
      const capabilities = connectorOf(providers[reached.format]).capabilities(reached.model)
      for (const request of requests) assert.deepEqual(broken(request, agent, capabilities), [], request.body)
      assertGrows(requests)
      const last = requests.at(-1)
      assert.ok(last !== undefined)
      if (reached.format !== 'openai-chat') assert.equal(sealsIn(last), stepsMax, last.body)
      if (reached.format !== format) histories.set(format, agent.history)
    })
  }
}

const limits: ReadLimits = { depthMax: 64, valuesMax: 10_000_000, integerMax: 1_000_000_000 }

/** Four times the history may take this many times the work; quadratic work would take sixteen times. */
const growthMax = 10

for (const from of formats) {
  test(`${from}: four times the history takes about four times the work`, () => {
    const agent = newAgent(from)
    const lap = histories.get(from)
    assert.ok(lap !== undefined)
    const bodyOf = (laps: number) => {
      agent.history.length = 0
      for (let count = 0; count < laps; count += 1) agent.history.push(...lap)
      agent.say('And now?')
      return Buffer.from(agent.prompt('any', true).body)
    }
    const short = bodyOf(3)
    const long = bodyOf(12)
    for (const { model, format } of models) {
      const capabilities = connectorOf(providers[format]).capabilities(model)
      const of = {
        from: codecs[from],
        to: codecs[format],
        toName: format,
        target: { model, capabilities },
        limits,
        address: { model: 'any', stream: true },
      }
      const translating = costRatio(growthMax, {
        small: () => translateRequest(short, of),
        large: () => translateRequest(long, of),
      })
      assert.ok(translating < growthMax, `to ${format}: ${translating.toFixed(1)} times the work`)
      const removing = costRatio(growthMax, {
        small: () => codecs[from].stripCarriers(short, limits),
        large: () => codecs[from].stripCarriers(long, limits),
        floorUs: 500,
      })
      assert.ok(removing < growthMax, `carriers: ${removing.toFixed(1)} times the work`)
    }
  })
}
