/**
 * Everything that can change what a request costs is priced or rejected before an upstream receives it, what
 * clients send by default is neither, and a hold is close to what the request really costs.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import type { ModelDefinition, PriceDefinition } from '../../src/catalog/definition.ts'
import { freeContextEdits, messagesPriceFields } from '../../src/wire/anthropic/request-price-table.ts'
import { chatPriceFields } from '../../src/wire/openai-chat/request-price-table.ts'
import type { PriceField } from '../../src/wire/price-fields.ts'
import { fixtureCases } from '../support/fixtures.ts'
import { listPrice, meteredGateway } from '../support/metered-gateway.ts'
import { type Format, formats, rejectionIn, Sent, type Whole } from '../support/paying-client.ts'

const connectors = { chat: 'openai', messages: 'anthropic' } as const

function model(id: string, format: Format, price: PriceDefinition): ModelDefinition {
  return {
    id,
    provider: connectors[format],
    upstreamId: 'sandbox-echo',
    context: 200_000,
    maxOutput: 64_000,
    inputs: ['text', 'image', 'pdf'],
    prices: [price],
  }
}

const tables: Readonly<Record<Format, Readonly<Record<string, PriceField>>>> = {
  chat: chatPriceFields,
  messages: messagesPriceFields,
}

/** Every option that the expensive values below enable. */
const options = Object.fromEntries(
  Object.values(tables)
    .flatMap((table) => Object.values(table))
    .flatMap((field) =>
      field.rule === 'option' ? [field.name] : 'name' in field ? [`${field.name}:new`] : [],
    )
    .map((name) => [name, '2']),
)
const gate = await meteredGateway({
  models: formats
    .flatMap((format) => [
      model(`${format}-plain`, format, listPrice),
      { ...model(`${format}-large`, format, listPrice), upstreamId: 'sandbox-stream', context: 1_000_000 },
      { ...model(`${format}-usual`, format, listPrice), upstreamId: 'sandbox-stream' },
      model(`${format}-priced`, format, {
        ...listPrice,
        options,
        fees: { web_search: '0.01', web_fetch: '0', mcp: '0', code_execution: '0.05', tool_search: '0' },
      }),
    ])
    .concat(model('claude-sonnet-4-5', 'messages', { ...listPrice, fees: { web_search: '0.01' } })),
})
after(() => gate.end())
const rich = await gate.account('1000')

function bodyOf(name: string, more: object): object {
  return { model: name, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }], ...more }
}

async function ask(
  name: string,
  more: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Whole> {
  const format = name.startsWith('chat') ? 'chat' : 'messages'
  return new Sent(gate.origin, { key: rich.key, format, body: bodyOf(name, more), headers }).whole()
}

interface Expected {
  readonly code: string
  /** What the error message names. */
  readonly field: RegExp
}

/** Asserts that the request is rejected with this code, names the field, and reaches no upstream. */
async function assertRejected(name: string, more: object, expected: Expected, headers = {}): Promise<void> {
  const before = gate.sandbox.requests()
  const { posted } = await gate.balance(rich.id)
  const answer = await ask(name, more, headers)
  const rejection = rejectionIn(answer.text)
  assert.deepEqual([answer.status, rejection.code], [400, expected.code], answer.text)
  assert.match(rejection.message, expected.field)
  assert.equal(gate.sandbox.requests(), before, 'nothing was sent')
  assert.deepEqual(await gate.balance(rich.id), { posted, held: 0n, openHolds: 0 })
}

/** Asserts that the request is served and that its fields reach the upstream unchanged. */
async function assertSent(name: string, more: object, headers = {}): Promise<void> {
  const before = gate.sandbox.requests()
  const answer = await ask(name, more, headers)
  assert.equal(gate.sandbox.requests(), before + 1, answer.text)
  const { body } = gate.sandbox.requestLog().at(-1)!
  assert.deepEqual(JSON.parse(String(body)), { ...bodyOf(name, more), model: 'sandbox-echo' })
}

/** A value that costs something, for each kind of rule. */
function dearValue(field: PriceField): unknown {
  if (field.rule === 'values') return 'new'
  return field.rule === 'each' ? ['text', 'new'] : { some: 'thing' }
}

for (const format of formats) {
  for (const [name, field] of Object.entries(tables[format])) {
    // Has tests of its own.
    if (field.rule === 'own') continue
    const dear = { [name]: dearValue(field) }
    if (field.rule === 'free') {
      test(`${format}: ${name} costs nothing, whatever its value`, () => assertSent(`${format}-plain`, dear))
      continue
    }
    const code = field.rule === 'reference' ? 'reference_not_owned' : 'unpriced_option'
    test(`${format}: ${name} is rejected where it has no price`, () =>
      assertRejected(`${format}-plain`, dear, { code, field: new RegExp(`^${name}\\b`) }))
    test(`${format}: ${name} is rejected in every spelling`, async () => {
      const other = { [name.toUpperCase()]: dearValue(field) }
      const spelt = new RegExp(name, 'i')
      await assertRejected(`${format}-plain`, other, { code: 'ambiguous_field', field: spelt })
    })
    if (field.rule === 'values' || field.rule === 'each') {
      for (const value of field.free) {
        const free = { [name]: field.rule === 'each' ? [value] : value }
        test(`${format}: ${name} ${value} is the standard price`, () => assertSent(`${format}-plain`, free))
      }
    }
    if (
      field.rule === 'option' ||
      field.rule === 'values' ||
      field.rule === 'each' ||
      field.rule === 'tool'
    ) {
      test(`${format}: ${name} is forwarded where it has a price`, () => assertSent(`${format}-priced`, dear))
    }
  }
}

const chatContent = (part: object) => ({ messages: [{ role: 'user', content: [part] }] })

const rejected: readonly (readonly [
  what: string,
  format: Format,
  more: object,
  code: string,
  field: RegExp,
])[] = [
  ['a tool at the provider', 'chat', { tools: [{ type: 'web_search' }] }, 'unpriced_option', /^tools\[0\]/],
  [
    'a lifetime',
    'chat',
    { prompt_cache_options: { ttl: '24h' } },
    'unpriced_option',
    /^prompt_cache_options\.ttl/,
  ],
  [
    'video',
    'chat',
    chatContent({ type: 'video_url', video_url: { url: 'https://a.example/v' } }),
    'unpriced_option',
    /video_url/,
  ],
  [
    'audio',
    'chat',
    chatContent({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
    'unpriced_option',
    /audio/,
  ],
  [
    'a kept file',
    'chat',
    chatContent({ type: 'file', file: { file_id: 'file-1' } }),
    'reference_not_owned',
    /file_id/,
  ],
  [
    'kept audio',
    'chat',
    { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
    'reference_not_owned',
    /audio\.id/,
  ],
  [
    'a search without a price',
    'messages',
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'unpriced_option',
    /^tools\[0\]/,
  ],
  [
    'code that runs upstream',
    'messages',
    { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
    'unpriced_option',
    /^tools\[0\]/,
  ],
  [
    'a tool of tomorrow',
    'messages',
    { tools: [{ type: 'mind_reading_20300101', name: 'x' }] },
    'unpriced_option',
    /^tools\[0\]/,
  ],
  [
    'a lifetime',
    'messages',
    { cache_control: { type: 'ephemeral', ttl: '24h' } },
    'unpriced_option',
    /^cache_control\.ttl/,
  ],
  [
    'a compaction',
    'messages',
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
    'unpriced_option',
    /^context_management/,
  ],
  [
    'another payer',
    'messages',
    { billing_policy: { bill_to: 'organization' } },
    'unpriced_option',
    /^billing_policy\.bill_to/,
  ],
  [
    'a kept file',
    'messages',
    chatContent({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    'reference_not_owned',
    /file_id/,
  ],
]

for (const [what, format, more, code, field] of rejected) {
  test(`${format}: ${what} is rejected`, () => assertRejected(`${format}-plain`, more, { code, field }))
}

test('messages: a beta that changes the price is rejected, by its header', () =>
  assertRejected(
    'messages-plain',
    {},
    { code: 'unpriced_option', field: /^anthropic-beta/ },
    {
      'anthropic-beta': 'context-1m-2025-08-07, user-profiles-billing-2026-01-01',
    },
  ))

const usual: readonly (readonly [what: string, format: Format, more: object, headers: object])[] = [
  [
    'an agent’s usual request',
    'chat',
    {
      service_tier: 'auto',
      store: false,
      reasoning_effort: 'high',
      parallel_tool_calls: true,
      prompt_cache_key: 'a',
      verbosity: 'low',
      metadata: { a: 'b' },
      tools: [
        { type: 'function', function: { name: 'f', parameters: {} } },
        { type: 'custom', custom: { name: 'g' } },
      ],
      tool_choice: 'none',
    },
    {},
  ],
  [
    'an agent’s usual request',
    'messages',
    {
      metadata: { user_id: 'a' },
      service_tier: 'auto',
      system: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }],
      tools: [
        { name: 'f', input_schema: { type: 'object' } },
        { type: 'bash_20250124', name: 'bash' },
      ],
      tool_choice: { type: 'none' },
      context_management: { edits: freeContextEdits.map((type) => ({ type: `${type}_20250919` })) },
    },
    {
      'anthropic-beta':
        'claude-code-20250219,interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14,context-1m-2025-08-07,context-management-2025-06-27',
    },
  ],
]

for (const [what, format, more, headers] of usual) {
  test(`${format}: ${what} is served`, () => assertSent(`${format}-plain`, more, headers))
}

const sellable: readonly (readonly [what: string, more: object, line: string])[] = [
  ['an option', { speed: 'fast' }, 'options: { "speed:fast": "1" }'],
  [
    'a tool whose uses cannot be capped',
    { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
    'fees: { "code_execution": "0" }',
  ],
  [
    'tools on other servers',
    { mcp_servers: [{ type: 'url', url: 'https://a.example' }] },
    'fees: { "mcp": "0" }',
  ],
]
for (const [what, more, line] of sellable) {
  test(`the error for ${what} names the setting that would enable it`, async () => {
    const { message } = rejectionIn((await ask('messages-plain', more)).text)
    assert.ok(message.includes(`${line} (with its price) to the prices of messages-plain`), message)
  })
}

for (const [tool, fee] of [
  ['code_execution_20250825', '0.05'],
  ['tool_search_tool_bm25_20251119', '0'],
] as const) {
  test(`${tool} is available at the fee that its price names, and reserved`, async () => {
    const tools = [{ type: tool, name: tool.replace(/_\d+$/, '') }]
    await assertSent('messages-priced', { tools })
    const answer = await ask('messages-priced', { tools })
    assert.ok(parseUsd(String(answer.headers['x-tollgate-hold']))! > parseUsd(fee)! * 2n, answer.text)
  })
}

for (const [given, sent] of [
  [undefined, 5],
  [null, 5],
  [3, 3],
  [9, 5],
] as const) {
  test(`a search of ${given ?? 'no'} uses goes upstream with ${sent}`, async () => {
    const tool = {
      type: 'web_search_20250305',
      name: 'web_search',
      ...(given === undefined ? {} : { max_uses: given }),
    }
    const answer = await ask('messages-priced', { tools: [tool] })
    assert.equal(answer.status, 200, answer.text)
    const body = JSON.parse(String(gate.sandbox.requestLog().at(-1)!.body)) as {
      tools: [{ max_uses: number }]
    }
    assert.equal(body.tools[0].max_uses, sent)
    const fees = parseUsd('0.01')! * BigInt(sent)
    assert.ok(parseUsd(String(answer.headers['x-tollgate-hold']))! > fees, 'the hold covers the fees')
  })
}

const recordedRequest = (name: string) =>
  fixtureCases('anthropic').find((found) => found.name === name)?.request

/** What a recorded request gets from an account with five cents. */
async function askWithFiveCents(request: Buffer | string) {
  const account = await gate.account('0.05')
  const body = { ...(JSON.parse(String(request)) as object), max_tokens: 200 }
  const answer = await new Sent(gate.origin, { key: account.key, format: 'messages', body }).whole()
  return { account, answer }
}

const searching = recordedRequest('pause-turn')
test('the recorded request pause-turn does not fit into five cents, and is not sent', {
  skip: searching === undefined,
}, async () => {
  const before = gate.sandbox.requests()
  const { account, answer } = await askWithFiveCents(searching ?? '')
  const { code, facts, message } = rejectionIn(answer.text)
  assert.deepEqual([answer.status, code, facts.affordable_max_tokens], [402, 'insufficient_balance', 0])
  assert.match(message, /reserves up to \$0\.[67]/)
  assert.equal(gate.sandbox.requests(), before)
  assert.deepEqual(await gate.balance(account.id), { posted: parseUsd('0.05'), held: 0n, openHolds: 0 })
})

const referring = recordedRequest('document-url')
test('the recorded request document-url is counted by its provider, and fits into five cents', {
  skip: referring === undefined,
}, async () => {
  const { answer } = await askWithFiveCents(referring ?? '')
  assert.equal(answer.status, 200, answer.text)
  assert.ok(parseUsd(String(answer.headers['x-tollgate-hold']))! < parseUsd('0.01')!)
})

const words =
  'the of and to a in is it you that he was for on are with as his they be at one have this from or had by ' +
  'word but what some we can out other were all there when up use your how said an each she which do their ' +
  'time if will way about many then them write would like so these her long make thing see him two has look ' +
  'more day could go come did number sound no most people my over know water than call first who may down ' +
  'side been now find any new work part take get place made live where after back little only round man year'

/** Similar to English in word length: sentences of a linear congruential sequence. */
function english(bytes: number): string {
  const list = words.split(' ')
  let state = 11
  let text = ''
  let inSentence = 0
  while (text.length < bytes) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const word = list[Math.floor((state / 2_147_483_648) * list.length)]!
    inSentence += 1
    text += inSentence > 12 ? `${word}. ` : `${word} `
    if (inSentence > 12) inSentence = 0
  }
  return text
}

for (const format of formats) {
  for (const window of ['large', 'usual'] as const)
    test(`${format}, ${window} window: 400 kB of English that cost about 30 cents fit into one dollar, with a hold near the cost`, async () => {
      const account = await gate.account('1')
      const messages = [
        { role: 'user', content: english(400_000) },
        { role: 'assistant', content: 'I have read it.' },
        { role: 'user', content: 'tokens=5' },
      ]
      const answer = await gate
        .ask(account, { model: `${format}-${window}`, max_tokens: 500, messages })
        .whole()
      assert.equal(answer.status, 200, answer.text)
      const { charged, hold, inputUncached } = await gate.receiptOf(account)
      assert.ok(charged > parseUsd('0.25')! && charged < parseUsd('0.35')!, `${charged} for ${inputUncached}`)
      assert.ok(hold >= charged && hold * 2n <= charged * 3n, `held ${hold}, cost ${charged}`)
    })
}
