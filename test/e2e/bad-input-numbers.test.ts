/**
 * Numbers that affect money: for any output limit, number of choices, thinking
 * budget or number of tool uses, what goes upstream never exceeds the hold, a hold is
 * never zero, and a number that is not an integer within its bounds is rejected without a charge.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { parseUsd } from '../../contract/usd.ts'
import type { TestAccount } from '../support/gateway.ts'
import {
  type Format,
  formats,
  goodBody,
  type HostileGateway,
  headerOf,
  hostileGateway,
  postBytes,
  readRejection,
} from '../support/hostile-gateway.ts'
import { type RawAnswer, RawClient } from '../support/raw-client.ts'
import { repeated } from '../support/sampled.ts'

const integerMax = 1_000_000_000
/** Of the requested model: nano-USD per output token and per search, maximum output tokens. */
const outputNano = 15_000n
const searchNano = 10_000_000n
const modelOutputMax = 32_000
/** The number of cases per format. */
const cases = repeated(600, 1_200, 3_000)

let gateway: HostileGateway
/** One balance pays for any usual request, one only for a lowered limit. */
let accounts: readonly TestAccount[]
before(async () => {
  gateway = await hostileGateway({
    limits: { integerMax, requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
  })
  accounts = [await gateway.account('500'), await gateway.account('0.75')]
})
after(async () => {
  for (const account of accounts) {
    const { held, openHolds, posted } = await gateway.balance(account.id)
    assert.deepEqual([held, openHolds], [0n, 0])
    assert.ok(posted >= 0n)
  }
  await gateway.assertServes()
  await gateway.end()
})

const odd: readonly string[] = [
  '-1',
  '0',
  '-0',
  '0.0',
  '-0.0',
  '1.5',
  '0.5',
  '1e400',
  '-1e400',
  '1e308',
  '5e-324',
  '1e-400',
  '9007199254740991',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  '1000000000',
  '1000000000.0',
  '1000000001',
  '1e9',
  '1e10',
  '4294967296',
  '4294967297',
  '2147483648',
  '-2147483649',
  '1024.0',
  '1e3',
  '1E+3',
  '1000e-3',
  '1000e-4',
  '0.001e3',
  '0.9999999999999999999999',
  '1.0000000000000000000001',
  '100000000000000000000e-18',
  '"5"',
  '"0x10"',
  '""',
  '"NaN"',
  'null',
  'true',
  'false',
  '[]',
  '[5]',
  '{}',
  '{"valueOf":5}',
  '1',
  '2',
  '16',
  '128',
  '1024',
  '8192',
  '31999',
  '32000',
  '32001',
  '100000',
]
const notJson: readonly string[] = [
  'NaN',
  'Infinity',
  '+5',
  '.5',
  '5.',
  '05',
  '0x10',
  '1_000',
  '1n',
  '5e',
  '--5',
]

const number = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.constantFrom(...notJson) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 100_000 }).map(String) },
  { weight: 1, arbitrary: fc.integer().map(String) },
  {
    weight: 1,
    arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.integer({ min: -99, max: 99_999 }),
        fc.integer({ min: 0, max: 99 }),
        fc.integer({ min: -12, max: 12 }),
      )
      .map(([whole, part, power]) => `${whole}.${part}e${power}`),
  },
)

/** What the text means where it must be an integer of at least `min`; undefined where it is rejected, null where it is absent. */
function meaning(text: string | undefined, min: number): number | null | undefined {
  if (text === undefined || text === 'null') return null
  if (notJson.includes(text)) return undefined
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'number' || text.startsWith('-')) return undefined
  return Number.isInteger(value) && value >= min && value <= integerMax ? value : undefined
}

interface Sent {
  readonly answer: RawAnswer
  /** What the upstream received, or undefined if nothing. */
  readonly upstream: Readonly<Record<string, unknown>> | undefined
  readonly hold: bigint
}

/** One connection for all cases of a format. */
async function send(client: RawClient, account: TestAccount, format: Format, body: string): Promise<Sent> {
  const reached = gateway.sandbox.requests()
  client.send(postBytes(format, body, { key: account.key }))
  const answer = await client.answer()
  assert.ok(answer !== undefined, `the connection ended: ${body}`)
  const sent = gateway.sandbox.requests() - reached
  assert.ok(sent <= 1)
  const hold = parseUsd(headerOf(answer, 'x-tollgate-hold') ?? '0')
  assert.ok(hold !== undefined)
  if (sent === 0) return { answer, upstream: undefined, hold }
  const id = headerOf(answer, 'x-upstream-request-id')
  // Google's API returns the request ID only in the body.
  assert.ok(id !== undefined || format === 'gemini', 'the answer tells who was asked')
  const { requestLog, logged } = gateway.sandbox
  const received = (id === undefined ? requestLog().at(-1) : logged(id))?.body?.toString()
  return { answer, upstream: JSON.parse(received ?? '') as Readonly<Record<string, unknown>>, hold }
}

function assertRejected({ answer, upstream, hold }: Sent, format: Format): void {
  const rejection = readRejection(format, answer)
  assert.equal(rejection.status, 400, answer.body)
  assert.match(rejection.code, /^(invalid_value|missing_field|invalid_json)$/)
  assert.deepEqual([upstream, hold], [undefined, 0n])
}

/** The request was accepted, or the balance is insufficient; what went upstream is covered. */
function assertPaid(
  sent: Sent,
  format: Format,
  bound: (upstream: Readonly<Record<string, unknown>>) => bigint,
): void {
  const { answer, upstream, hold } = sent
  if (upstream === undefined) {
    const rejection = readRejection(format, answer)
    assert.deepEqual([rejection.status, rejection.code], [402, 'insufficient_balance'], answer.body)
    assert.equal(hold, 0n)
    return
  }
  assert.ok(hold > 0n, 'nothing is admitted for nothing')
  assert.ok(bound(upstream) < hold, `${JSON.stringify(upstream)} is more than ${hold} nano-USD pay for`)
}

function count(value: unknown, fallback: number): bigint {
  if (value === undefined || value === null) return BigInt(fallback)
  assert.ok(
    typeof value === 'number' && Number.isInteger(value) && value >= 0,
    `${JSON.stringify(value)} upstream`,
  )
  return BigInt(value)
}

/** The maximum output of a model under a limit, which may exceed the model's own. */
function spoken(limit: bigint): bigint {
  return limit < modelOutputMax ? limit : BigInt(modelOutputMax)
}

function member(name: string, text: string | undefined): string {
  return text === undefined ? '' : `,"${name}":${text}`
}

async function property(
  context: { diagnostic(text: string): void },
  run: (client: RawClient) => fc.IAsyncProperty<unknown>,
): Promise<void> {
  const seed = process.pid
  context.diagnostic(`seed ${seed}, ${cases} cases`)
  const reached = gateway.sandbox.requests()
  const client = new RawClient(gateway.port)
  await fc.assert(run(client) as fc.IAsyncProperty<[unknown]>, { numRuns: cases, seed })
  const admitted = gateway.sandbox.requests() - reached
  context.diagnostic(`${admitted} were admitted`)
  assert.ok(admitted > cases / 20 && admitted < cases / 2, 'both sides of the bounds were tried')
  client.close()
}

const optional = fc.option(number, { nil: undefined, freq: 3 })

test('chat: max_tokens, max_completion_tokens and n', (context) =>
  property(context, (client) =>
    fc.asyncProperty(
      fc.record({ old: optional, new: optional, n: optional, poor: fc.boolean(), stream: fc.boolean() }),
      async (given) => {
        const more =
          member('max_tokens', given.old) +
          member('max_completion_tokens', given.new) +
          member('n', given.n) +
          member('stream', String(given.stream))
        const body = goodBody('chat', more).replace('"max_tokens":16,', '')
        const sent = await send(client, accounts[given.poor ? 1 : 0]!, 'chat', body)
        const meanings = [meaning(given.old, 1), meaning(given.new, 1), meaning(given.n, 1)]
        if (meanings.includes(undefined)) return assertRejected(sent, 'chat')
        assertPaid(sent, 'chat', (upstream) => {
          const limits = [upstream.max_tokens, upstream.max_completion_tokens].filter(
            (limit) => limit != null,
          )
          const tokens =
            limits.length === 0 ? [BigInt(modelOutputMax)] : limits.map((limit) => count(limit, 0))
          const [first = 0n] = tokens.sort((one, other) => (one > other ? -1 : 1))
          assert.ok(first > 0n)
          return spoken(first) * count(upstream.n, 1) * outputNano
        })
      },
    ),
  ))

test('messages: max_tokens, budget_tokens and max_uses', (context) =>
  property(context, (client) =>
    fc.asyncProperty(
      fc.record({
        limit: optional,
        budget: optional,
        uses: fc.array(optional, { maxLength: 3 }),
        poor: fc.boolean(),
      }),
      async (given) => {
        const tools = given.uses.map(
          (uses) => `{"type":"web_search_20250305","name":"web_search"${member('max_uses', uses)}}`,
        )
        const more =
          member('max_tokens', given.limit) +
          (given.budget === undefined
            ? ''
            : `,"thinking":{"type":"enabled","budget_tokens":${given.budget}}`) +
          (tools.length === 0 ? '' : `,"tools":[${tools.join(',')}]`)
        const body = goodBody('messages', more).replace('"max_tokens":16,', '')
        const sent = await send(client, accounts[given.poor ? 1 : 0]!, 'messages', body)
        const limit = meaning(given.limit, 0)
        const others = [meaning(given.budget, 0), ...given.uses.map((uses) => meaning(uses, 0))]
        if (limit === null || [limit, ...others].includes(undefined)) return assertRejected(sent, 'messages')
        assertPaid(sent, 'messages', (upstream) => {
          const searches = (upstream.tools ?? []) as readonly { readonly max_uses?: unknown }[]
          const uses = searches.map(({ max_uses: cap }) => {
            assert.notEqual(cap ?? null, null, 'uses are capped')
            return count(cap, 0)
          })
          const sum = uses.reduce((total, use) => total + use, 0n)
          return spoken(count(upstream.max_tokens, 0)) * outputNano + sum * searchNano
        })
      },
    ),
  ))

test('responses: max_output_tokens and max_tool_calls', (context) =>
  property(context, (client) =>
    fc.asyncProperty(
      fc.record({
        limit: optional,
        calls: optional,
        searches: fc.nat(2),
        poor: fc.boolean(),
        stream: fc.boolean(),
      }),
      async (given) => {
        const tools = Array.from({ length: given.searches }, () => '{"type":"web_search"}')
        const more =
          member('max_output_tokens', given.limit) +
          member('max_tool_calls', given.calls) +
          (tools.length === 0 ? '' : `,"tools":[${tools.join(',')}]`) +
          member('stream', String(given.stream))
        const body = goodBody('responses', more).replace('"max_output_tokens":16,', '')
        const sent = await send(client, accounts[given.poor ? 1 : 0]!, 'responses', body)
        if ([meaning(given.limit, 1), meaning(given.calls, 0)].includes(undefined)) {
          return assertRejected(sent, 'responses')
        }
        assertPaid(sent, 'responses', (upstream) => {
          const searches = (upstream.tools ?? []) as readonly unknown[]
          if (searches.length > 0) assert.notEqual(upstream.max_tool_calls ?? null, null, 'uses are capped')
          const uses = searches.length === 0 ? 0n : count(upstream.max_tool_calls, 0)
          const limit = count(upstream.max_output_tokens, modelOutputMax)
          return spoken(limit) * outputNano + uses * searchNano
        })
      },
    ),
  ))

/** Both spellings of a name that Gemini's parsers accept. */
function eitherSpelling(name: string, isSnake: boolean): string {
  return isSnake ? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) : name
}

test('gemini: maxOutputTokens, candidateCount and thinkingBudget, in either spelling', (context) =>
  property(context, (client) =>
    fc.asyncProperty(
      fc.record({
        limit: optional,
        candidates: optional,
        budget: optional,
        spelling: fc.array(fc.boolean(), { minLength: 5, maxLength: 5 }),
        poor: fc.boolean(),
      }),
      async ({ limit, candidates, budget, spelling, poor }) => {
        const names = [
          'generationConfig',
          'maxOutputTokens',
          'candidateCount',
          'thinkingConfig',
          'thinkingBudget',
        ]
        const [config = '', tokens = '', candidateName = '', thinking = '', spent = ''] = names.map(
          (name, index) => eitherSpelling(name, spelling[index] ?? false),
        )
        const thoughts = budget === undefined ? '' : `,"${thinking}":{"${spent}":${budget}}`
        const members = (member(tokens, limit) + member(candidateName, candidates) + thoughts).slice(1)
        const body = goodBody('gemini', `,"${config}":{${members}}`)
        const sent = await send(client, accounts[poor ? 1 : 0]!, 'gemini', body)
        const spending = budget === '-1' ? -1 : meaning(budget, 0)
        if ([meaning(limit, 1), meaning(candidates, 1), spending].includes(undefined)) {
          return assertRejected(sent, 'gemini')
        }
        assertPaid(sent, 'gemini', (upstream) => {
          const settings = (upstream[config] ?? {}) as Readonly<Record<string, unknown>>
          // A lowered limit replaces the original one.
          const limits = [settings.maxOutputTokens, settings.max_output_tokens].filter(
            (value) => value != null,
          )
          assert.ok(limits.length <= 1)
          const limit = spoken(count(limits[0], modelOutputMax))
          return limit * count(settings[candidateName], 1) * outputNano
        })
      },
    ),
  ))

/** A body with this limit, and the limit that a body contains. */
const limited: Readonly<
  Record<Format, { body(text: string): string; read(upstream: Readonly<Record<string, unknown>>): unknown }>
> = {
  chat: tokensUnder('chat', 'max_tokens'),
  messages: tokensUnder('messages', 'max_tokens'),
  responses: tokensUnder('responses', 'max_output_tokens'),
  gemini: {
    body: (text) => goodBody('gemini', `,"generation_config":{"maxOutputTokens":${text}}`),
    read: ({ generation_config: settings }) => (settings as Record<string, unknown>).maxOutputTokens,
  },
}

function tokensUnder(format: Format, name: string): (typeof limited)[Format] {
  return {
    body: (text) => goodBody(format).replace(`"${name}":16`, `"${name}":${text}`),
    read: (upstream) => upstream[name],
  }
}

test('a limit above what a balance pays for is lowered, reported, and forwarded as reported', async () => {
  for (const format of formats) {
    for (const text of ['1e9', '1000000000', '32000', '999999999.0']) {
      const account = await gateway.account('0.3')
      const client = new RawClient(gateway.port)
      const { body, read } = limited[format]
      const { answer, upstream, hold } = await send(client, account, format, body(text))
      client.close()
      assert.equal(answer.status, 200, answer.body)
      const reported = headerOf(answer, 'x-tollgate-max-output')
      assert.equal(String(read(upstream ?? {})), reported)
      if (format !== 'gemini') assert.equal(upstream?.model, 'sandbox-echo')
      assert.ok(BigInt(reported ?? 0) * outputNano <= hold && hold <= 300_000_000n)
    }
  }
})
