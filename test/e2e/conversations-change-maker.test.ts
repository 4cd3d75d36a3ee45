/**
 * A conversation outlives its model: agents of each format, faithful and forgetful, go from Google's models to OpenAI's,
 * Anthropic's and back, with tools and thoughts. Nobody refuses anything, what a maker sealed comes back to it, and
 * every turn begins upstream with the bytes of the one before.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { connectorOf } from '../../src/providers/registry.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import type { ConversationFormat } from '../../src/wire/codec.ts'
import { readJson } from '../../src/wire/json.ts'
import { anthropicNames, geminiNames, openaiNames, targetName } from '../../src/wire/tool-names.ts'
import {
  type Agent,
  type AgentResult,
  type AgentTool,
  agentOf,
  type Fidelity,
  fidelities,
  type Said,
} from '../support/agents.ts'
import { clientOf, type Json } from '../support/dialect-clients.ts'
import { testGateway } from '../support/gateway.ts'
import { type RelayedRequest, relayUpstream } from '../support/relay-upstream.ts'
import * as messagesRules from '../support/rules/anthropic.ts'
import * as geminiRules from '../support/rules/gemini.ts'
import * as chatRules from '../support/rules/openai-chat.ts'
import * as responsesRules from '../support/rules/openai-responses.ts'

const rules = {
  'openai-chat': chatRules,
  'openai-responses': responsesRules,
  anthropic: messagesRules,
  gemini: geminiRules,
} as const

const shortNames = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  anthropic: 'messages',
  gemini: 'gemini',
} as const
const formats = Object.keys(shortNames) as readonly ConversationFormat[]

interface Step {
  readonly model: string
  /** In which it is reached. */
  readonly format: ConversationFormat
  /** The upstream takes no pictures inside the results of tools. */
  readonly blind?: boolean
}

interface Tour {
  readonly name: string
  readonly steps: readonly Step[]
  /** How a Messages client asks its own models to think. */
  readonly thinking: Json
}

/** Older models of Google's give their calls no ids, and demand no signatures back. */
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

const providers = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
} as const
/** Each model in one format, so that the other of OpenAI's is translated too. */
const isFirst = ({ model }: Step, index: number, steps: readonly Step[]) =>
  steps.findIndex((step) => step.model === model) === index
const connectors = new Map(
  tours.flatMap(({ steps }) =>
    steps.map(({ model, format }) => [model, connectorOf(providers[format])] as const),
  ),
)

const standIn = 'skip_thought_signature_validator'

const sandbox = await startSandbox({ clock: systemClock })
const relay = await relayUpstream(sandbox.origin, {
  rename: (format, model) =>
    `sandbox-${shortNames[format]}-thinking-tools${model === older ? ':ids=no' : ''}`,
  lenient: (model, body) => (model === older ? withStandIns(body) : body),
})

function withStandIns(body: string): string {
  return JSON.stringify(JSON.parse(body), (_, value: Json | null) =>
    value?.functionCall === undefined ? value : { thoughtSignature: standIn, ...value },
  )
}
const gateway = await testGateway({
  openai: relay.origin,
  anthropic: relay.origin,
  google: relay.origin,
  models: tours
    .flatMap(({ steps }) => steps)
    .filter(isFirst)
    .map(({ model, format }) => ({
      id: model,
      provider: providers[format],
      dialects: [format],
      context: 200_000,
      maxOutput: 32_000,
      prices: [{ input: '3', output: '15' }],
    })),
  limits: { requestsPerMinute: null, tokensPerMinute: null },
})
after(async () => {
  await gateway.close()
  await relay.close()
  await sandbox.close()
})

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

/** A call of the days before, under an id that only its own format takes. */
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

const nameRules = {
  'openai-chat': openaiNames,
  'openai-responses': openaiNames,
  anthropic: anthropicNames,
  gemini: geminiNames,
} as const

function nameAt(step: Step, agent: Agent, name: string): string {
  return step.format === agent.format ? name : targetName(nameRules[step.format], name, null)
}

/** Asks as the agent's library does; the answer must keep the rules of its format where the gateway wrote it. */
async function answered(agent: Agent, step: Step, of: { key: string; stream: boolean }): Promise<Said> {
  const { path, headers, body } = agent.prompt(step.model, of.stream)
  const { keyHeader } = clientOf(agent.format)
  const response = await fetch(gateway.origin + path, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      [keyHeader]: keyHeader === 'authorization' ? `Bearer ${of.key}` : of.key,
    },
    body,
  })
  const answer = await response.text()
  assert.equal(response.status, 200, `${answer}\n${body}`)
  if (step.format !== agent.format) {
    const { brokenAnswerRules, brokenStreamRules } = rules[agent.format]
    assert.deepEqual(
      of.stream ? brokenStreamRules(answer) : brokenAnswerRules(JSON.parse(answer)),
      [],
      answer,
    )
  }
  return agent.take(answer, of.stream)
}

/** What an agent's tools say: one asks for another call, one fails, one may show a picture, one says nothing. */
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

/** One turn of the user: calls in parallel, one more after their results, and an answer. */
async function turn(
  agent: Agent,
  step: Step,
  of: { key: string; stream: boolean; index: number },
): Promise<readonly Said[]> {
  const { long, odd } = toolNames[agent.format]
  const named = (name: string) => nameAt(step, agent, name)
  agent.say(
    `Turn ${of.index}: use ${named('get_weather')} {"city":"Zürich \\"1\\""} use ${named('get_weather')} {"city":"Oslo"} use ${named('now')} {} use ${named(long)} {"city":"世界 🦉"}`,
    of.index === 2,
  )
  const first = await answered(agent, step, of)
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
  // Only Google wants results in the order of the calls.
  agent.give(agent.format === 'gemini' ? results : results.toReversed())
  const second = await answered(agent, step, of)
  assert.deepEqual(
    second.calls.map(({ name, input }) => ({ name, input })),
    [{ name: odd, input: { city: String(of.index) } }],
    JSON.stringify(second),
  )
  const [call] = second.calls
  assert.ok(call !== undefined)
  // A picture that is shown behind the results is the last thing that was said.
  const isBehind = step.blind === true && agent.format !== 'openai-chat' && agent.format !== step.format
  agent.give([{ call, text: `done ${of.index}`, image: true }])
  const third = await answered(agent, step, of)
  if (isBehind) assert.match(third.text, /^\[.*returned by tool call/)
  else assert.equal(third.text, `The tool answered: done ${of.index}`)
  return [first, second, third]
}

const marks = /_tg1_|tg1\.|dGcxL/

/** What is wrong with a body that the gateway wrote. */
function broken({ format, model, body }: RelayedRequest): readonly string[] {
  const capabilities = connectors.get(model)?.capabilities(model)
  return [
    ...rules[format].brokenRequestRules(JSON.parse(body), capabilities),
    ...(marks.test(body) ? ['a mark of ours goes upstream'] : []),
  ]
}

const conversationMember: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': 'messages',
  'openai-responses': 'input',
  anthropic: 'messages',
  gemini: 'contents',
}

/** The body up to the end of what was said, without the bracket that closes it. */
function promptOf({ format, body }: RelayedRequest): string {
  const bytes = Buffer.from(body)
  const limits = { depthMax: 64, valuesMax: 1_000_000 }
  const end = readJson(bytes, limits, (json) => json.end(json.find([conversationMember[format]])))
  return bytes.subarray(0, end - 1).toString('utf8')
}

function assertGrows(requests: readonly RelayedRequest[]): void {
  const last = new Map<string, string>()
  for (const request of requests) {
    const name = `${request.model} in ${request.format}`
    const prompt = promptOf(request)
    const before = last.get(name)
    assert.ok(before === undefined || prompt.startsWith(before), `${name}:\n${before}\n${prompt}`)
    last.set(name, prompt)
  }
}

function countIn(value: unknown, is: (object: Json) => boolean): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = !Array.isArray(value) && is(value as Json) ? 1 : 0
  return Object.values(value).reduce<number>((sum, inner) => sum + countIn(inner, is), own)
}

/** Sealed values of the maker's own in a request. */
function sealsIn({ format, body }: RelayedRequest): number {
  const standIn = /^(skip_thought|c2tpcF90aG91)/
  return countIn(JSON.parse(body), (object) => {
    if (format === 'anthropic') return object.type === 'thinking'
    if (format === 'openai-responses') return object.type === 'reasoning'
    const { thoughtSignature: signature } = object
    return typeof signature === 'string' && !standIn.test(signature)
  })
}

/** How many thoughts of three in a turn come back: with each call's id, and with the answer where nothing is lost. */
function keptPerTurn(agent: Agent, fidelity: Fidelity, step: Step): number {
  if (fidelity === 'faithful') return 3
  // Libraries of Google's always knew what stands on a call.
  if (agent.format === 'gemini') return step.format === 'gemini' ? 2 : 0
  if (fidelity === 'cutting' || step.format === agent.format) return 0
  // Chat has no field for thoughts, so all go in ids; elsewhere only what stands on the call itself.
  return agent.format === 'openai-chat' || step.format === 'gemini' ? 2 : 0
}

for (const format of formats) {
  for (const fidelity of fidelities) {
    for (const stream of [false, true]) {
      const title = `a ${fidelity} ${format} agent, ${stream ? 'streamed' : 'whole'}`
      test(`${title}: ${sandboxTour.name}`, async () => {
        const { key } = await gateway.account('100')
        const agent = begin(format, fidelity, sandboxTour)
        for (const [index, step] of sandboxTour.steps.entries())
          await turn(agent, step, { key, stream, index })
      })

      for (const tour of tours) {
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
            const kept = keptPerTurn(agent, fidelity, step)
            // The last thought of the turn is only being thought.
            const expected = earlier * kept + Math.min(2, kept)
            assert.equal(sealsIn(request), expected, `${index} ${step.model} ${request.body}`)
          }
          const named = ids.filter((id) => id !== '')
          assert.equal(new Set(named).size, named.length, 'no id stands for two calls')
          const requests = relay.requests.slice(from)
          for (const request of requests) {
            if (request.format !== format) assert.deepEqual(broken(request), [], request.body)
            else assert.doesNotMatch(request.body, marks)
          }
          assertGrows(requests)
        })
      }
    }
  }
}
