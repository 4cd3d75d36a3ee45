/**
 * The bytes that providers match by prefix stay the same: equal history gives an equal body, what a client changes
 * for its own vendor alone changes nothing for another, our reasoning carriers are removed from a body without changing
 * the rest, and lost reasoning does not stop a loop.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { connectorOf } from '../../src/providers/registry.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { plainId } from '../../src/wire/translation/reasoning-carriers.ts'
import { type Agent, agentOf, type Fidelity } from '../support/agents.ts'
import {
  type Asking,
  answered,
  assertGrows,
  broken,
  formats,
  promptOf,
  providers,
  type Reached,
  sealsIn,
} from '../support/conversations.ts'
import { at, clientOf, type Json } from '../support/format-clients.ts'
import type { RelayedRequest } from '../support/relay-upstream.ts'
import { relayedGateway } from '../support/relayed-gateway.ts'
import { isWholeRun, repeated, sampled } from '../support/sampled.ts'

const models: readonly Reached[] = [
  { model: 'gpt-4.1', format: 'openai-chat' },
  { model: 'gpt-6.1', format: 'openai-responses' },
  { model: 'claude-sonnet-4-5', format: 'anthropic' },
  { model: 'claude-opus-5-5', format: 'anthropic' },
  { model: 'gemini-3-flash-preview', format: 'gemini' },
]

const served = await relayedGateway(models, { context: 200_000 })
const { gateway, relay } = served
after(served.close)

const { key } = await gateway.account('1000')
const asking: Asking = { origin: gateway.origin, key, stream: false }

const thinks: Readonly<Record<ConversationFormat, Json>> = {
  'openai-chat': { reasoning_effort: 'medium' },
  'openai-responses': { reasoning: { effort: 'medium', summary: 'auto' } },
  anthropic: { thinking: { type: 'enabled', budget_tokens: 2_048 } },
  gemini: { generationConfig: { thinkingConfig: { includeThoughts: true } } },
}

const schema = { type: 'object', properties: { step: { type: 'integer' } } }

/** What it loses can change while it works. */
interface Losing {
  fidelity: Fidelity
}

function newAgent(format: ConversationFormat, losing: Losing = { fidelity: 'faithful' }): Agent {
  const settings = { tools: [{ name: 'work', schema }], instructions: 'Work on.', more: thinks[format] }
  return agentOf(format, Object.assign(losing, settings))
}

function lastRequest(): RelayedRequest {
  const request = relay.requests.at(-1)
  assert.ok(request !== undefined)
  return request
}

/** Two calls in sequence, and a response. */
async function worked(agent: Agent, reached: Reached, of: Asking = asking): Promise<void> {
  agent.say('use work {"step":0}')
  for (const text of ['use work {"step":1}', 'done']) {
    const [call] = (await answered(agent, reached, of)).calls
    assert.ok(call !== undefined)
    agent.give([{ call, text }])
  }
  assert.equal((await answered(agent, reached, of)).text, 'The tool answered: done')
}

function modelOf(format: ConversationFormat): Reached {
  const found = models.find((reached) => reached.format === format)
  assert.ok(found !== undefined)
  return found
}

const ways = formats.flatMap((format) => models.map((reached) => ({ format, reached })))
for (const { format, reached } of sampled(ways, 9, 16)) {
  test(`${format} → ${reached.model}: equal history gives an equal body`, async () => {
    const agent = newAgent(format)
    await worked(agent, modelOf('gemini'))
    await worked(agent, modelOf('anthropic'))
    await worked(agent, modelOf('openai-responses'))
    agent.say('And now?')
    const body = agent.prompt(reached.model, false).body
    const twin = agentOf(format, {
      fidelity: 'faithful',
      tools: [{ name: 'work', schema }],
      instructions: 'Work on.',
      more: thinks[format],
    })
    twin.history.splice(0, twin.history.length, ...agent.history)
    assert.equal(twin.prompt(reached.model, false).body, body)
    await answered(agent, reached, asking)
    const first = lastRequest()
    await answered(twin, reached, asking)
    assert.notEqual(lastRequest(), first)
    assert.equal(lastRequest().body, first.body)
  })
}

async function post(format: ConversationFormat, path: string, body: string): Promise<void> {
  const { keyHeader } = clientOf(format)
  const response = await fetch(gateway.origin + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      [keyHeader]: keyHeader === 'authorization' ? `Bearer ${key}` : key,
    },
    body,
  })
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
}

/** What the coding client of Messages sends in a turn: its first block and its cache markers differ each time. */
function codingRequest(turn: number): Json {
  const marked = { cache_control: { type: 'ephemeral' } }
  const said = Array.from({ length: turn + 1 }, (_, index) => [
    {
      role: 'user',
      content: [{ type: 'text', text: `say ${index}`, ...(index === turn ? marked : {}) }],
    },
    { role: 'assistant', content: [{ type: 'text', text: `said ${index}` }] },
  ]).flat()
  return {
    max_tokens: 4_000,
    system: [
      { type: 'text', text: `x-anthropic-billing-header: cc_version=2.1; cch=${turn}f3a${turn}` },
      { type: 'text', text: 'You write code.', ...marked },
    ],
    tools: [{ name: 'work', input_schema: schema, ...(turn === 0 ? marked : {}) }],
    messages: said.slice(0, -1),
    metadata: { user_id: `user_${'a'.repeat(64)}_session_${turn}` },
    stream: false,
  }
}

const breakpoint = ',"prompt_cache_breakpoint":{"mode":"explicit"}'

for (const { model, format } of models.filter((reached) => reached.format !== 'anthropic')) {
  test(`a coding client that changes its own billing block and moves its markers keeps the prompt of ${model}`, async () => {
    const from = relay.requests.length
    for (const turn of [0, 1, 2]) {
      await post('anthropic', '/v1/messages?beta=true', JSON.stringify({ model, ...codingRequest(turn) }))
    }
    const requests = relay.requests.slice(from)
    assert.deepEqual(
      requests.map((request) => request.format),
      [format, format, format],
    )
    for (const { body } of requests) assert.doesNotMatch(body, /x-anthropic-billing-header/)
    // Markers say where a provider may cut the prompt; they are not content.
    assertGrows(requests.map((request) => ({ ...request, body: request.body.replaceAll(breakpoint, '') })))
  })
}

/** Where the prompt of a chat request is marked for Claude's cache. */
function marksIn(body: Json): readonly string[] {
  const found: string[] = []
  const visit = (value: unknown, place: string) => {
    if (typeof value !== 'object' || value === null) return
    const { cache_control: mark } = value as Json
    if (mark !== undefined) found.push(`${place} ${String(at(mark, 'ttl') ?? '5m')}`)
    for (const [name, inner] of Object.entries(value)) visit(inner, place === '' ? name : `${place}.${name}`)
  }
  visit(body, '')
  return found
}

test('cache markers of a chat client go to Claude, at most four and the hour before five minutes', async () => {
  const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } }
  const short = { cache_control: { type: 'ephemeral' } }
  const said = (text: string, mark: object = {}) => ({
    role: 'user',
    content: [{ type: 'text', text, ...mark }],
  })
  const body = {
    model: 'claude-opus-5-5',
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...hour }] },
      said('one', short),
      { role: 'assistant', content: 'yes' },
      said('two', short),
      { role: 'assistant', content: 'yes' },
      said('three', hour),
      { role: 'assistant', content: 'yes' },
      said('four', short),
    ],
  }
  await post('openai-chat', '/v1/chat/completions', JSON.stringify(body))
  assert.deepEqual(marksIn(JSON.parse(lastRequest().body) as Json), [
    'system.0 1h',
    'messages.2.content.0 5m',
    'messages.4.content.0 5m',
    'messages.6.content.0 5m',
  ])
})

test('a prompt that will repeat is cached at Claude without markers, and nothing in it moves', async () => {
  const agent = newAgent('openai-chat')
  const from = relay.requests.length
  await worked(agent, modelOf('anthropic'))
  await worked(agent, modelOf('anthropic'))
  const requests = relay.requests.slice(from)
  const [first, ...later] = requests.map(({ body }) => marksIn(JSON.parse(body) as Json))
  assert.deepEqual(first, [], 'nothing says yet that it will be asked again')
  assert.ok(later.length > 2)
  for (const marks of later) assert.deepEqual(marks, [' 5m'])
  assertGrows(requests)
})

/** What Google's format requires where a content had only reasoning of other vendors. */
const emptied = '{"text":""}'
/** What Google's models take in place of another maker's signature. */
const placeholder = '"thoughtSignature": "skip_thought_signature_validator"'

/** The lines of `part` in their order among those of `whole`. */
function assertLinesOf(part: string, whole: string): void {
  const lines = whole.split('\n')
  let next = 0
  for (const line of part.split('\n')) {
    if (line.trim() === emptied || line.trim() === placeholder) continue
    // The comma is removed with what was cut after it.
    const found = lines.findIndex((other, index) => index >= next && (other === line || other === `${line},`))
    assert.notEqual(found, -1, `not the caller's: ${line}`)
    next = found + 1
  }
}

/** What is once in each call, and in each result. */
const callWords: Readonly<Record<ConversationFormat, readonly string[]>> = {
  'openai-chat': ['"arguments"', '"tool_call_id"'],
  'openai-responses': ['"function_call"', '"function_call_output"'],
  anthropic: ['"tool_use"', '"tool_result"'],
  gemini: ['"functionCall"', '"functionResponse"'],
}

/** Parts that are reasoning, in any format. */
function thoughtsIn(body: string): number {
  return body.match(/"thought": ?true|"type": ?"(thinking|reasoning)"|"reasoning_content"/g)?.length ?? 0
}

const idCharactersMax: Readonly<Record<ConversationFormat, number>> = {
  'openai-chat': 40,
  'openai-responses': 64,
  anthropic: 64,
  gemini: 64,
}

for (const format of formats) {
  for (const stream of [false, true]) {
    test(`${format} to its own vendor${stream ? ', streamed' : ''}: our carriers are cut, and every other line is the caller's`, async () => {
      const agent = newAgent(format)
      const own = modelOf(format)
      await worked(agent, own, { ...asking, stream })
      const ownThoughts = thoughtsIn(JSON.stringify(agent.history))
      for (const other of formats.filter((one) => one !== format))
        await worked(agent, modelOf(other), { ...asking, stream })
      agent.say('And now?')
      const { path, body } = agent.prompt(own.model, false)
      assert.match(body, /_tg1_|tg1\.|dGcxL/)
      const pretty = JSON.stringify(JSON.parse(body), null, 3)
      await post(format, path, pretty)
      const request = lastRequest()
      assert.deepEqual(broken(request, agent), [])
      const short = pretty.replace(/"([\w-]+_tg1_[\w-]+)"/g, (_, id: string) =>
        JSON.stringify(plainId(id, idCharactersMax[format])),
      )
      assertLinesOf(request.body, short)
      for (const said of callWords[format]) assert.equal(request.body.split(said).length - 1, 8, said)
      assert.equal(request.body.split('answered').length - 1, 4, 'all that was said')
      assert.equal(thoughtsIn(request.body), ownThoughts, 'no thought of another maker')
      if (format !== 'openai-chat')
        assert.equal(sealsIn(request), 3, 'all thoughts of its own, and no others')
    })
  }

  test(`${format} to its own vendor: a body without carriers is the caller's, byte for byte`, async () => {
    const agent = newAgent(format)
    const own = modelOf(format)
    await worked(agent, own)
    agent.say('Grüße — \u2028 tg2. dGVzdA== _tg2_')
    const { path, body } = agent.prompt(own.model, false)
    const odd = ` ${JSON.stringify(JSON.parse(body), null, '\t')}\r\n`
    await post(format, path, odd)
    assert.equal(lastRequest().body, odd)
  })
}

for (const format of formats.filter((one) => one !== 'anthropic')) {
  for (const { model } of models.filter((reached) => reached.format === 'anthropic')) {
    test(`${format} → ${model}: reasoning that is lost for a while does not stop a loop`, async () => {
      const losing: Losing = { fidelity: 'faithful' }
      const agent = newAgent(format, losing)
      const reached: Reached = { model, format: 'anthropic' }
      const from = relay.requests.length
      for (const fidelity of ['faithful', 'cutting', 'faithful', 'typed', 'faithful'] as const) {
        losing.fidelity = fidelity
        await worked(agent, reached, { ...asking, stream: fidelity === 'typed' })
      }
      agent.say('use work {"step":7}')
      losing.fidelity = 'cutting'
      const [lost] = (await answered(agent, reached, asking)).calls
      assert.ok(lost !== undefined)
      agent.give([{ call: lost, text: 'use work {"step":8}' }])
      losing.fidelity = 'faithful'
      const [storedCall] = (await answered(agent, reached, asking)).calls
      assert.ok(storedCall !== undefined)
      agent.give([{ call: storedCall, text: 'done' }])
      await answered(agent, reached, asking)
      const requests = relay.requests.slice(from)
      const { capabilities } = connectorOf('anthropic')
      for (const request of requests) {
        assert.deepEqual(broken(request, agent, capabilities(model)), [], request.body)
      }
      assertGrows(requests)
      const off = requests.filter(({ body }) => at(JSON.parse(body), 'thinking', 'type') === 'disabled')
      const isBudgeted = model === 'claude-sonnet-4-5'
      assert.equal(off.length > 0, isBudgeted, 'a loop that began without a thought goes on without one')
    })
  }
}

/** What keeps reasoning from being readable, in each format that can request it. */
const hides: Readonly<Record<ConversationFormat, Json>> = {
  'openai-chat': { reasoning_effort: 'medium' },
  'openai-responses': { reasoning: { effort: 'medium' } },
  anthropic: { thinking: { type: 'adaptive', display: 'omitted' } },
  gemini: { generationConfig: { thinkingConfig: { includeThoughts: false, thinkingLevel: 'LOW' } } },
}

for (const format of formats) {
  for (const [at, reached] of models.filter((one) => one.format !== 'openai-chat').entries()) {
    for (const stream of isWholeRun ? [false, true] : [at % 2 === 0]) {
      const title = `${format} → ${reached.model}${stream ? ', streamed' : ''}`
      test(`${title}: hidden reasoning returns as well`, async () => {
        const tools = [{ name: 'work', schema }]
        const settings = { tools, instructions: 'Work on.', more: hides[format] }
        const agent = agentOf(format, { fidelity: 'faithful', ...settings })
        const from = relay.requests.length
        await worked(agent, reached, { ...asking, stream })
        await worked(agent, reached, { ...asking, stream })
        const requests = relay.requests.slice(from)
        const { capabilities } = connectorOf(providers[reached.format])
        for (const request of requests)
          assert.deepEqual(broken(request, agent, capabilities(reached.model)), [], request.body)
        assertGrows(requests)
        // Between formats Google's signature of a text, which is optional, is left out.
        const isLeftOut = reached.format === 'gemini' && format !== 'gemini'
        assert.equal(sealsIn(lastRequest()), isLeftOut ? 4 : 5, lastRequest().body)
      })
    }
  }

  test(`${format}: reasoning too large for an ID is lost, and nothing else`, async () => {
    const agent = newAgent(format, { fidelity: 'typed' })
    const from = relay.requests.length
    for (const reached of [...models, ...models.slice(0, repeated(2, 2, 5))]) {
      agent.say('thinking=4000 use work {"step":0}')
      const [call] = (await answered(agent, reached, asking)).calls
      assert.ok(call !== undefined)
      agent.give([{ call, text: 'use work {"step":1}' }])
      const [next] = (await answered(agent, reached, { ...asking, stream: true })).calls
      assert.ok(next !== undefined)
      agent.give([{ call: next, text: 'done' }])
      await answered(agent, reached, asking)
    }
    const requests = relay.requests.slice(from)
    for (const request of requests) {
      const { capabilities } = connectorOf(providers[request.format])
      assert.deepEqual(broken(request, agent, capabilities(request.model)), [], request.body)
    }
    assertGrows(requests)
  })
}

test('a prompt is the whole body except its settings', () => {
  const request = { format: 'openai-chat', body: '{"model":"m","messages":[{"role":"user"}],"n":1}' } as const
  assert.equal(promptOf(request), '{"model":"m","messages":[{"role":"user"}')
})
