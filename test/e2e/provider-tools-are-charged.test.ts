/**
 * Tools that run at the provider are charged as it charges for them: uses that no request can cap up to the hold, code
 * that runs inside of a search not at all, and a fee for each successful request once.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { type Answer, bearer, send } from '../support/bytes-client.ts'
import { faultUpstream } from '../support/fault-upstream.ts'
import { clientOf } from '../support/format-clients.ts'
import { testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'

let status = 200
let answer: object = {}
const upstream = await faultUpstream(() => ({
  answer: (reply) => {
    const body = JSON.stringify(answer)
    const head = `HTTP/1.1 ${status} Said\r\ncontent-type: application/json\r\ncontent-length: ${body.length}`
    reply.send(`${head}\r\n\r\n${body}`)
  },
}))
const { origin } = upstream
const gate = await testGateway({ openai: origin, anthropic: origin, google: origin })
after(async () => {
  await gate.close()
  await upstream.close()
})

interface Asked {
  readonly format: ConversationFormat
  readonly model: string
  readonly more: object
}

async function charged({ format, model, more }: Asked): Promise<{ said: Answer; receipt: ReceiptRow }> {
  const account = await gate.account('50')
  const client = clientOf(format)
  const said = await send(gate.origin, {
    path: client.path(model, false),
    headers: bearer(account.key),
    body: { ...client.body(model, 'What is new?', false), ...more },
  })
  const read = () => gate.gateway.services.ledger.receipts(account.id, 1, null)
  const [receipt] = await eventually('a receipt', read, (rows) => rows.length > 0)
  assert.ok(receipt !== undefined)
  return { said, receipt }
}

const searches = (count: number) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'ok' }] },
      finishReason: 'STOP',
      index: 0,
      groundingMetadata: { webSearchQueries: Array.from({ length: count }, (_, at) => `query ${at}`) },
    },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 1, totalTokenCount: 11 },
})
const grounded: Asked = {
  format: 'gemini',
  model: 'gemini-3-flash-preview',
  more: { tools: [{ googleSearch: {} }] },
}

test('uses that cannot be capped are charged up to the hold, and the rest is written off', async () => {
  answer = searches(9)
  const within = (await charged(grounded)).receipt
  assert.deepEqual(
    [within.fees, within.implausible, within.writtenOff],
    [{ web_search: 9 }, null, 0n],
    'what was held for its tokens pays for more uses than were assumed',
  )
  assert.ok(within.charged >= 9n * parseUsd('0.014')! && within.charged <= within.hold)
  answer = searches(1_000)
  const above = (await charged(grounded)).receipt
  assert.deepEqual([above.fees, above.implausible], [{ web_search: 1_000 }, null])
  assert.equal(above.charged, above.hold)
  assert.equal(above.charged + above.writtenOff, within.charged + 991n * parseUsd('0.014')!)
})

for (const [model, uses] of [
  ['gemini-2.5-flash', 1],
  ['gemini-3-flash-preview', 3],
] as const) {
  test(`${model}: the model that was asked for decides whether a request or each search is charged`, async () => {
    // A response may come from another version, or say none.
    for (const modelVersion of ['gemini-2.5-flash', 'gemini-3.1-flash', undefined]) {
      answer = { ...searches(3), modelVersion }
      const { receipt } = await charged({ ...grounded, model })
      assert.deepEqual([receipt.fees, receipt.implausible], [{ web_search: uses }, null])
    }
  })
}

test('uses of a tool that was not offered are not charged', async () => {
  answer = searches(9)
  const { receipt } = await charged({ ...grounded, more: {} })
  assert.deepEqual([receipt.fees, receipt.implausible], [{ web_search: 0 }, { web_search: 9 }])
})

const ranCode = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: { code: 'search()' } },
    { type: 'text', text: 'ok' },
  ],
  stop_reason: 'end_turn',
  usage: { input_tokens: 10, output_tokens: 1, server_tool_use: { web_search_requests: 1 } },
}
const search = (version: string) => ({ type: `web_search_${version}`, name: 'web_search' })
const code = { type: 'code_execution_20250825', name: 'code_execution' }
const container = 4_166_667n

for (const [what, tools, containers, implausible] of [
  ['inside of a search is free', [search('20260209')], undefined, null],
  ['beside such a search is free', [search('20260209'), code], undefined, null],
  ['beside an older search has its fee', [search('20250305'), code], 1, null],
  ['that was not offered cannot be', [search('20250305')], 0, { code_execution: 1 }],
] as const) {
  test(`code that runs ${what}`, async () => {
    answer = ranCode
    const { said, receipt } = await charged({
      format: 'anthropic',
      model: 'claude-sonnet-4-6',
      more: { tools },
    })
    assert.equal(said.status, 200, said.text)
    const fees = { web_search: 1, ...(containers === undefined ? {} : { code_execution: containers }) }
    assert.deepEqual([receipt.fees, receipt.implausible], [fees, implausible])
    assert.equal(receipt.charged, 45_000n + parseUsd('0.01')! + container * BigInt(containers ?? 0))
    assert.equal(receipt.unpricedUsage, false)
  })
}

test('free code execution is not reserved', async () => {
  answer = ranCode
  const holds: bigint[] = []
  for (const version of ['20250305', '20260209']) {
    const more = { tools: [search(version), code] }
    const { said } = await charged({ format: 'anthropic', model: 'claude-sonnet-4-6', more })
    holds.push(parseUsd(String(said.headers['x-tollgate-hold']))!)
  }
  assert.equal(holds[0]! - holds[1]!, container * 5n)
})

const completion = {
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
}
const searchPreview: Asked = {
  format: 'openai-chat',
  model: 'gpt-4o-search-preview',
  more: { web_search_options: {} },
}

test('a fee per request is charged once per response, and shown on its receipt', async () => {
  answer = completion
  const { said, receipt } = await charged(searchPreview)
  assert.equal(said.status, 200, said.text)
  assert.deepEqual([receipt.fees, receipt.implausible, receipt.unpricedUsage], [{ request: 1 }, null, false])
  assert.equal(formatUsd(receipt.charged), '0.025035')
  assert.equal(said.headers['x-tollgate-cost'], '0.025035')
  assert.equal(receipt.upstreamCost, receipt.charged)
})

test('a request that is rejected upstream pays no fee', async () => {
  status = 400
  answer = { error: { message: 'No.', type: 'invalid_request_error' } }
  const { receipt } = await charged(searchPreview)
  status = 200
  assert.deepEqual([receipt.charged, receipt.fees], [0n, {}])
})
