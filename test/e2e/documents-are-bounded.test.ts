/**
 * The hold for a document is based on the provider's count, else on its pages, else on its size, and never on the whole
 * context window while a better bound is known; nothing is counted for accounts that cannot pay.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Limits } from '../../src/config/config.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { type Answer, bearer, send, receiptOf as statedReceipt } from '../support/bytes-client.ts'
import {
  type CountingOptions,
  type CountingUpstream,
  countingUpstream,
} from '../support/counting-upstream.ts'
import { type Behaviour, hangs } from '../support/fault-upstream.ts'
import { clientOf } from '../support/format-clients.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { pdfOf } from '../support/pdf.ts'

const pages = 50
const pdf = pdfOf(pages, 'packed')
const data = pdf.toString('base64')
const dataUrl = `data:application/pdf;base64,${data}`
const url = 'https://files.example/report.pdf'

type Part = 'file' | 'address'

const parts: Readonly<Record<ConversationFormat, Readonly<Record<Part, object>>>> = {
  'openai-chat': {
    file: { type: 'file', file: { filename: 'report.pdf', file_data: dataUrl } },
    address: { type: 'file', file: { filename: 'report.pdf', file_url: url } },
  },
  'openai-responses': {
    file: { type: 'input_file', filename: 'report.pdf', file_data: dataUrl },
    address: { type: 'input_file', file_url: url },
  },
  anthropic: {
    file: { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data } },
    address: { type: 'document', source: { type: 'url', url } },
  },
  gemini: {
    file: { inlineData: { mimeType: 'application/pdf', data } },
    address: { fileData: { mimeType: 'application/pdf', fileUri: url } },
  },
}

function bodyOf(format: ConversationFormat, model: string, part: Part): object {
  const body = clientOf(format).body(model, 'Sum it up.', false)
  const medium = parts[format][part]
  if (format === 'openai-responses') return { ...body, input: [{ role: 'user', content: [medium] }] }
  if (format === 'gemini')
    return { ...body, contents: [{ role: 'user', parts: [medium, { text: 'Sum up.' }] }] }
  const content = [medium, { type: 'text', text: 'Sum it up.' }]
  return { ...body, messages: [{ role: 'user', content }] }
}

const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing.toReversed()) await close()
})

interface Counting {
  readonly gate: TestGateway
  readonly upstream: CountingUpstream
}

async function countingGate(
  options: Partial<CountingOptions> = {},
  limits: Partial<Limits> = {},
): Promise<Counting> {
  const upstream = await countingUpstream({ pages, ...options })
  const { origin } = upstream
  const gate = await testGateway({ openai: origin, anthropic: origin, google: origin, limits })
  closing.push(async () => {
    await gate.close()
    await upstream.close()
  })
  return { gate, upstream }
}

interface Asked {
  readonly format: ConversationFormat
  readonly model: string
  readonly part?: Part
}

function ask(
  { gate }: Counting,
  account: TestAccount,
  { format, model, part = 'file' }: Asked,
): Promise<Answer> {
  return send(gate.origin, {
    path: clientOf(format).path(model, false),
    headers: bearer(account.key),
    body: bodyOf(format, model, part),
  })
}

async function receiptOf({ gate }: Counting, account: TestAccount): Promise<ReceiptRow> {
  const read = () => gate.gateway.services.ledger.receipts(account.id, 1, null)
  const [receipt] = await eventually('a receipt', read, (rows) => rows.length > 0)
  assert.ok(receipt !== undefined)
  return receipt
}

const counting = await countingGate({}, { requestsPerMinute: null })
const ownFormats: readonly ConversationFormat[] = ['openai-chat', 'openai-responses', 'anthropic', 'gemini']
const readers = [...counting.gate.gateway.deps.snapshot.models.values()].filter(
  (model) => model.inputs.includes('pdf') && model.provider !== 'sandbox',
)

test('there are many models that read PDFs', () => assert.ok(readers.length > 40, String(readers.length)))

for (const model of readers) {
  const own = ownFormats.filter((format) => model.formats.includes(format))
  const formats = new Set<ConversationFormat>(['openai-chat', 'anthropic', ...own])
  test(`a new account with 5 USD sends a PDF of ${pages} pages to ${model.name}`, async () => {
    for (const format of formats) {
      const account = await counting.gate.account('5')
      const answer = await ask(counting, account, { format, model: model.name })
      assert.equal(answer.status, 200, `${format}: ${answer.text.slice(0, 300)}`)
      const receipt = await receiptOf(counting, account)
      assert.ok(receipt.charged <= receipt.hold, `${format}: ${receipt.charged} of ${receipt.hold}`)
    }
  })
}
test('a document of unknown length is counted by the provider', async () => {
  for (const [format, model] of [
    ['anthropic', 'claude-opus-4-8'],
    ['openai-responses', 'gpt-5.5'],
    ['gemini', 'gemini-3-pro-preview'],
  ] as const) {
    const account = await counting.gate.account('5')
    const answer = await ask(counting, account, { format, model, part: 'address' })
    assert.equal(answer.status, 200, `${format}: ${answer.text.slice(0, 300)}`)
    const { charged, hold } = await receiptOf(counting, account)
    assert.ok(
      charged <= hold && hold < parseUsd('4')!,
      `${format}: ${formatUsd(charged)} of ${formatUsd(hold)}`,
    )
  }
})

const opus = { format: 'anthropic', model: 'claude-opus-4-8' } as const

test("a provider's count is requested only if the balance may not cover the bound by size", async () => {
  const { gate, upstream } = counting
  const asked = upstream.counts().length
  const rich = await gate.account('1000')
  assert.equal((await ask(counting, rich, opus)).status, 200)
  assert.equal(upstream.counts().length, asked, 'no round trip for who can spare it')
  const poor = await gate.account('5')
  const answer = await ask(counting, poor, opus)
  assert.deepEqual([answer.status, answer.headers['x-tollgate-input-bound']], [200, 'reported'])
  assert.equal(upstream.counts().length, asked + 1)
  assert.equal((await receiptOf(counting, poor)).inputBound, 'reported')
  const shown = await statedReceipt(gate.origin, poor.key, answer)
  assert.equal(shown.input_bound, 'reported')
})

test('nothing is counted for an account that could not pay even for empty documents', async () => {
  const { gate, upstream } = counting
  const requests = upstream.requests.length
  for (const usd of ['0', '0.01', '0.1']) {
    const account = await gate.account(usd)
    for (const part of ['file', 'address'] as const) {
      assert.equal((await ask(counting, account, { ...opus, part })).status, 402)
    }
  }
  const suspended = await gate.account('5')
  await gate.gateway.services.ledger.suspend(suspended.id, systemClock.wallMs())
  assert.equal((await ask(counting, suspended, opus)).status, 403)
  assert.equal(upstream.requests.length, requests, 'nothing reached an upstream')
})

test('an account has a limit of counts per minute, including its own count requests', async () => {
  const few = await countingGate({}, { countRequestsPerMinute: 2 })
  const account = await few.gate.account('5')
  const statuses: number[] = []
  for (let request = 0; request < 4; request += 1) statuses.push((await ask(few, account, opus)).status)
  assert.equal(few.upstream.counts().length, 2)
  assert.deepEqual(statuses, [200, 200, 200, 200], 'pages are read where the provider is not asked')
})

/** If the bound by file size is affordable, its pages are not read. */
const boundBy: Readonly<Record<string, string>> = {
  'claude-opus-4-8': 'pages',
  'claude-sonnet-4-5': 'bytes',
  'gemini-3-pro-preview': 'bytes',
  'gpt-4o': 'bytes',
}

const rejection = 'HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}'
const silences: readonly (readonly [text: string, count: Behaviour])[] = [
  ['has no address that counts', { answer: (reply) => reply.send(rejection) }],
  ['does not answer in time', hangs],
  ['breaks the connection', { answer: (reply) => reply.rst() }],
]

for (const [text, count] of silences) {
  test(`if the provider ${text}, pages are read from the file`, async () => {
    // Only a provider that does not respond costs waiting time.
    const silent = await countingGate({ count }, count === hangs ? { holdCountMs: 200 } : {})
    for (const asked of [
      opus,
      { format: 'openai-chat', model: 'claude-sonnet-4-5' },
      { format: 'gemini', model: 'gemini-3-pro-preview' },
      { format: 'openai-chat', model: 'gpt-4o' },
    ] as const) {
      const account = await silent.gate.account('5')
      const answer = await ask(silent, account, asked)
      assert.equal(answer.status, 200, `${asked.model}: ${answer.text.slice(0, 300)}`)
      assert.equal(answer.headers['x-tollgate-input-bound'] ?? 'bytes', boundBy[asked.model])
      const { charged, hold, inputBound } = await receiptOf(silent, account)
      assert.equal(inputBound, boundBy[asked.model])
      assert.ok(charged > 0n && charged <= hold, `${asked.model}: ${charged} of ${hold}`)
    }
  })
}

test('the token rate is charged the count, not the context window', async () => {
  const limited = await countingGate({}, { tokensPerMinute: 250_000 })
  const account = await limited.gate.account('1000')
  for (const model of ['gpt-5.5', 'gemini-3-pro-preview'] as const) {
    const format = model.startsWith('gpt') ? 'openai-responses' : 'gemini'
    const answer = await ask(limited, account, { format, model, part: 'address' })
    assert.equal(answer.status, 200, `${model}: ${answer.text.slice(0, 300)}`)
  }
})

for (const [lie, what] of [
  [3, 'and can be: charged up to the hold'],
  [8, 'beyond the window: the count before it is charged'],
] as const) {
  test(`a document that grows between its count and its response ${what}`, async () => {
    const lying = await countingGate({ lie })
    const account = await lying.gate.account('5')
    const answer = await ask(lying, account, { ...opus, part: 'address' })
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
    const receipt = await receiptOf(lying, account)
    const { charged, hold, writtenOff, implausible } = receipt
    const amounts = `${charged} of ${hold}, ${writtenOff} written off`
    if (lie === 3) assert.ok(charged === hold && writtenOff > 0n && implausible === null, amounts)
    else {
      const { inputUncached, usageSource } = receipt
      assert.deepEqual([charged < hold, writtenOff, usageSource], [true, 0n, 'counted'], amounts)
      assert.equal(implausible?.inputUncached, inputUncached * lie)
    }
  })
}

const note = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hello' } }

test('a file that contains more than it declares is written off, and its sender loses access to such files', async () => {
  // Three times as many pages as the file declares.
  const hiding = await countingGate({ pages: 3 * pages, count: { answer: (reply) => reply.send(rejection) } })
  const account = await hiding.gate.account('5')
  const { ledger, nextId } = hiding.gate.gateway.services
  let lost = 0n
  for (const reference of ['first', 'second', 'third']) {
    assert.equal((await ask(hiding, account, opus)).status, 200)
    const { charged, hold, writtenOff, implausible } = await receiptOf(hiding, account)
    assert.deepEqual([charged, implausible], [hold, null])
    lost += writtenOff
    assert.equal((await ledger.account(account.id))?.writtenOffToday, lost, reference)
    const credit = { account: account.id, amount: charged, entryId: nextId(), source: 'manual' } as const
    await ledger.credit({ ...credit, reference, nowMs: 1, note: null })
  }
  assert.ok(lost > parseUsd('0.5')!, formatUsd(lost))

  const requests = hiding.upstream.requests.length
  for (const part of ['file', 'address'] as const) {
    const answer = await ask(hiding, account, { ...opus, part })
    assert.deepEqual([answer.status, /account_restricted/.test(answer.text)], [403, true], answer.text)
  }
  assert.equal(hiding.upstream.requests.length, requests)
  const client = clientOf('anthropic')
  const answer = await send(hiding.gate.origin, {
    path: client.path(opus.model, false),
    headers: bearer(account.key),
    body: { ...client.body(opus.model, '', false), messages: [{ role: 'user', content: [note] }] },
  })
  assert.equal(answer.status, 200, answer.text)
})

test('what a provider bills above its own count of an inline file is not counted against the sender', async () => {
  const lying = await countingGate({ lie: 3 })
  const account = await lying.gate.account('5')
  assert.equal((await ask(lying, account, opus)).status, 200)
  const { writtenOff, inputBound } = await receiptOf(lying, account)
  assert.ok(writtenOff > 0n && inputBound === 'reported', formatUsd(writtenOff))
  const row = await lying.gate.gateway.services.ledger.account(account.id)
  assert.deepEqual([row?.writtenOffToday, row?.restrictedMs], [0n, null])
})
