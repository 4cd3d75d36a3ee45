/**
 * A conversation outlives its model: agents of each format, lossless and lossy, switch from Google's models to OpenAI's,
 * Anthropic's and back, with tools and reasoning. No request is rejected, a vendor gets its signed reasoning back, and
 * every turn begins upstream with the bytes of the previous one.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectorOf } from '../../src/providers/registry.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import {
  type Agent,
  type AgentResult,
  type AgentTool,
  agentOf,
  type Fidelity,
  fidelities,
  type Said,
} from '../support/agents.ts'
import {
  answered,
  assertGrows,
  broken,
  formats,
  nameUpstream,
  providers,
  type Reached,
  sealsIn,
  shortNames,
} from '../support/conversations.ts'
import type { Json } from '../support/format-clients.ts'
import { relayedGateway } from '../support/relayed-gateway.ts'
import { isExhaustiveRun, runSeed, sampled } from '../support/sampled.ts'

interface Step extends Reached {
  /** The upstream does not accept images inside tool results. */
  readonly blind?: boolean
}

interface Tour {
  readonly name: string
  readonly steps: readonly Step[]
  /** How a Messages client requests reasoning from its own models. */
  readonly thinking: Json
}

/** Older Google models give their calls no IDs, and do not require signatures back. */
const older = 'gemini-2.5-flash'

const sandboxTour: Tour = {
  name: "the sandbox's models",
  steps: (
    [
      'gemini',
      'openai-responses',
      'openai-chat',
      'anthropic',
      'gemini',
      'openai-responses',
      'anthropic',
    ] as const
  ).map((format) => ({
    model: `sandbox-${shortNames[format]}-thinking-tools`,
    format,
    blind: format === 'openai-chat',
  })),
  thinking: { type: 'enabled', budget_tokens: 2_000 },
}

const tours: readonly Tour[] = [
  {
    name: 'older models',
    steps: [
      { model: older, format: 'gemini', blind: true },
      { model: 'gpt-5', format: 'openai-responses' },
      { model: 'gpt-4.1', format: 'openai-chat', blind: true },
      { model: 'claude-sonnet-4-5', format: 'anthropic' },
      { model: older, format: 'gemini', blind: true },
      { model: 'claude-sonnet-4-5', format: 'anthropic' },
      { model: 'gpt-5', format: 'openai-responses' },
    ],
    thinking: { type: 'enabled', budget_tokens: 2_000 },
  },
  {
    name: 'newer models',
    steps: [
      { model: 'gemini-3-flash-preview', format: 'gemini' },
      { model: 'gpt-6.1', format: 'openai-responses' },
      { model: 'gpt-4o', format: 'openai-chat', blind: true },
      { model: 'claude-opus-5-5', format: 'anthropic' },
      { model: 'gemini-3-flash-preview', format: 'gemini' },
      { model: 'claude-opus-5-5', format: 'anthropic' },
      { model: 'gpt-6.1', format: 'openai-responses' },
    ],
    thinking: { type: 'adaptive', display: 'summarized' },
  },
]

/** Each model in one format, so that the other format of OpenAI is translated too. */
const isFirst = ({ model }: Step, index: number, steps: readonly Step[]) =>
  steps.findIndex((step) => step.model === model) === index
const connectors = new Map(
  tours.flatMap(({ steps }) =>
    steps.map(({ model, format }) => [model, connectorOf(providers[format])] as const),
  ),
)

const standIn = 'skip_thought_signature_validator'

function withStandIns(body: string): string {
  return JSON.stringify(JSON.parse(body), (_, value: Json | null) =>
    value?.functionCall === undefined ? value : { thoughtSignature: standIn, ...value },
  )
}
const served = await relayedGateway(tours.flatMap(({ steps }) => steps).filter(isFirst), {
  context: 200_000,
  rename: (format, model) =>
    `sandbox-${shortNames[format]}-thinking-tools${model === older ? ':ids=no' : ''}`,
  lenient: (model, body) => (model === older ? withStandIns(body) : body),
})
const { gateway, relay } = served
after(served.close)

const schema: Json = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** Names that their own format allows and others do not. */
const toolNames: Readonly<Record<ConversationFormat, { readonly long: string; readonly odd: string }>> = {
  'openai-chat': { long: `mcp__server__${'x'.repeat(51)}`, odd: '7-Zip' },
  'openai-responses': { long: `mcp__server__${'x'.repeat(51)}`, odd: '7-Zip' },
  anthropic: { long: `mcp__server__${'x'.repeat(110)}`, odd: '-7-Zip' },
  gemini: { long: `mcp.server.${'x'.repeat(110)}`, odd: 'files.read:one' },
}

function toolsOf(format: ConversationFormat): readonly AgentTool[] {
  const { long, odd } = toolNames[format]
  return [
    { name: 'get_weather', schema },
    { name: 'now', schema: null },
    { name: long, schema },
    { name: odd, schema: { ...schema, additionalProperties: false } },
  ]
}

/** A call of an earlier conversation, with an ID that only its own format accepts. */
const prehistory: Readonly<Record<ConversationFormat, readonly Json[]>> = {
  'openai-chat': [
    { role: 'user', content: 'Before.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'functions.lookup:0', type: 'function', function: { name: 'lookup', arguments: '' } },
      ],
    },
    { role: 'tool', tool_call_id: 'functions.lookup:0', content: 'found' },
    { role: 'assistant', content: 'It was found.' },
  ],
  'openai-responses': [
    { role: 'user', content: 'Before.' },
    { type: 'function_call', call_id: 'functions.lookup:0/é', name: 'lookup', arguments: '' },
    { type: 'function_call_output', call_id: 'functions.lookup:0/é', output: 'found' },
    { role: 'assistant', content: 'It was found.' },
  ],
  anthropic: [
    { role: 'user', content: 'Before.' },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: `toolu_${'y'.repeat(90)}`, name: 'lookup', input: {} }],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `toolu_${'y'.repeat(90)}`, content: 'found' }],
    },
    { role: 'assistant', content: 'It was found.' },
  ],
  gemini: [
    { role: 'user', parts: [{ text: 'Before.' }] },
    {
      role: 'model',
      parts: [
        {
          functionCall: { id: 'lookup:0 é', name: 'lookup', args: {} },
          thoughtSignature: 'skip_thought_signature_validator',
        },
      ],
    },
    {
      role: 'user',
      parts: [{ functionResponse: { id: 'lookup:0 é', name: 'lookup', response: { output: 'found' } } }],
    },
    { role: 'model', parts: [{ text: 'It was found.' }] },
  ],
}

const asked: Readonly<Record<ConversationFormat, (tour: Tour) => Json>> = {
  'openai-chat': () => ({ reasoning_effort: 'medium' }),
  'openai-responses': () => ({ reasoning: { effort: 'medium', summary: 'auto' } }),
  anthropic: ({ thinking }) => ({ thinking }),
  gemini: () => ({ generationConfig: { thinkingConfig: { includeThoughts: true } } }),
}

function begin(format: ConversationFormat, fidelity: Fidelity, tour: Tour): Agent {
  const agent = agentOf(format, {
    fidelity,
    tools: toolsOf(format),
    instructions: 'Be brief.',
    more: asked[format](tour),
  })
  agent.history.push(...prehistory[format])
  return agent
}

/** The results of an agent's tools: one leads to another call, one fails, one may contain an image, one is empty. */
function resultsOf(said: Said, next: string, image: boolean): readonly AgentResult[] {
  const [first, second, third, fourth] = said.calls
  assert.ok(first !== undefined && second !== undefined && third !== undefined && fourth !== undefined)
  return [
    { call: first, text: next },
    { call: second, text: 'no such city', failed: true },
    { call: third, text: 'noon', image },
    { call: fourth, text: '' },
  ]
}

/** One turn of the user: parallel calls, one more after their results, and a response. */
async function turn(
  agent: Agent,
  step: Step,
  of: { key: string; stream: boolean; index: number },
): Promise<readonly Said[]> {
  const { long, odd } = toolNames[agent.format]
  const named = (name: string) => nameUpstream(agent, step, name)
  agent.say(
    `Turn ${of.index}: use ${named('get_weather')} {"city":"Zürich \\"1\\""} use ${named('get_weather')} {"city":"Oslo"} use ${named('now')} {} use ${named(long)} {"city":"世界 🦉"}`,
    of.index === 2,
  )
  const asking = { ...of, origin: gateway.origin }
  const first = await answered(agent, step, asking)
  assert.deepEqual(
    first.calls.map(({ name, input }) => ({ name, input })),
    [
      { name: 'get_weather', input: { city: 'Zürich "1"' } },
      { name: 'get_weather', input: { city: 'Oslo' } },
      { name: 'now', input: {} },
      { name: long, input: { city: '世界 🦉' } },
    ],
    JSON.stringify(first),
  )
  const results = resultsOf(first, `use ${named(odd)} {"city":"${of.index}"}`, step.blind !== true)
  // Only Google requires results in the order of the calls.
  agent.give(agent.format === 'gemini' ? results : results.toReversed())
  const second = await answered(agent, step, asking)
  assert.deepEqual(
    second.calls.map(({ name, input }) => ({ name, input })),
    [{ name: odd, input: { city: String(of.index) } }],
    JSON.stringify(second),
  )
  const [call] = second.calls
  assert.ok(call !== undefined)
  // An image that follows the results is the last content of the request.
  const isBehind = step.blind === true && agent.format !== 'openai-chat' && agent.format !== step.format
  agent.give([{ call, text: `done ${of.index}`, image: true }])
  const third = await answered(agent, step, asking)
  if (isBehind) assert.match(third.text, /^\[.*returned by tool call/)
  else assert.equal(third.text, `The tool answered: done ${of.index}`)
  return [first, second, third]
}

/** How many of three reasoning parts in a turn return: with each call's ID, and with the response where nothing is lost. */
function keptPerTurn(agent: Agent, fidelity: Fidelity, step: Step): number {
  // Between formats Google's signature of a text, which is optional, is left out.
  if (fidelity === 'faithful') return step.format === 'gemini' && agent.format !== 'gemini' ? 2 : 3
  // Google's libraries have always preserved the fields of a call.
  if (agent.format === 'gemini') return step.format === 'gemini' ? 2 : 0
  if (fidelity === 'cutting' || step.format === agent.format) return 0
  // Chat has no field for reasoning, so all of it is in IDs; elsewhere only what is on the call itself.
  return agent.format === 'openai-chat' || step.format === 'gemini' ? 2 : 0
}

const agents = formats.flatMap((format) => fidelities.map((fidelity) => ({ format, fidelity })))

for (const { format, fidelity } of sampled(agents, 6)) {
  test(`a ${fidelity} ${format} agent: ${sandboxTour.name}`, async () => {
    const { key } = await gateway.account('100')
    const agent = begin(format, fidelity, sandboxTour)
    for (const [index, step] of sandboxTour.steps.entries())
      await turn(agent, step, { key, stream: index % 2 === 1, index })
  })
}

for (const { format, fidelity } of agents) {
  for (const stream of [false, true]) {
    const title = `a ${fidelity} ${format} agent, ${stream ? 'streamed' : 'whole'}`
    // Unless the run is exhaustive, each tour is either streamed or whole, alternately.
    const taken = tours.filter((_, place) => isExhaustiveRun || ((place + runSeed) % 2 === 1) === stream)
    for (const tour of taken) {
      test(`${title}: ${tour.name}`, async () => {
        const { key } = await gateway.account('100')
        const agent = begin(format, fidelity, tour)
        const from = relay.requests.length
        const ids: string[] = []
        const turns = new Map<string, number>()
        for (const [index, step] of tour.steps.entries()) {
          const said = await turn(agent, step, { key, stream, index })
          ids.push(...said.flatMap(({ calls }) => calls.map(({ id }) => id)))
          const request = relay.requests.at(-1)
          assert.ok(request !== undefined)
          assert.equal(request.format, step.format, step.model)
          const earlier = turns.get(step.model) ?? 0
          turns.set(step.model, earlier + 1)
          if (step.format === 'openai-chat') continue
          const preserved = keptPerTurn(agent, fidelity, step)
          // The last reasoning of the turn is still being produced.
          const expected = earlier * preserved + Math.min(2, preserved)
          assert.equal(sealsIn(request), expected, `${index} ${step.model} ${request.body}`)
        }
        const named = ids.filter((id) => id !== '')
        assert.equal(new Set(named).size, named.length, 'no id stands for two calls')
        const requests = relay.requests.slice(from)
        for (const request of requests) {
          const capabilities = connectors.get(request.model)?.capabilities(request.model)
          assert.deepEqual(broken(request, agent, capabilities), [], request.body)
        }
        assertGrows(requests)
      })
    }
  }
}

/** In the middle of a loop, where vendors require the reasoning of its steps; two rounds. */
const midLoop: readonly Reached[] = [
  { model: 'gemini-3-flash-preview', format: 'gemini' },
  { model: 'gpt-6.1', format: 'openai-responses' },
  { model: 'claude-sonnet-4-5', format: 'anthropic' },
  { model: 'gpt-4.1', format: 'openai-chat' },
  { model: 'claude-opus-5-5', format: 'anthropic' },
]

for (const { format, fidelity } of sampled(agents, 6)) {
  test(`a ${fidelity} ${format} agent: another vendor at every step of one loop`, async () => {
    const { key } = await gateway.account('100')
    const tour: Tour = { name: '', steps: [], thinking: { type: 'adaptive', display: 'summarized' } }
    const agent = begin(format, fidelity, tour)
    const from = relay.requests.length
    agent.say('use get_weather {"city":"0"} use get_weather {"city":"0"}')
    for (const [index, reached] of [...midLoop, ...midLoop, ...midLoop].entries()) {
      const asking = { origin: gateway.origin, key, stream: index % 2 === 0 }
      const { calls } = await answered(agent, reached, asking)
      assert.deepEqual(
        calls.map(({ input }) => input),
        [{ city: String(index) }, { city: String(index) }],
      )
      const next = `use get_weather {"city":"${index + 1}"}`
      agent.give(calls.map((call) => ({ call, text: next })))
    }
    const requests = relay.requests.slice(from)
    for (const request of requests) {
      const capabilities = connectors.get(request.model)?.capabilities(request.model)
      assert.deepEqual(broken(request, agent, capabilities), [], request.body)
    }
    assertGrows(requests)
  })
}
