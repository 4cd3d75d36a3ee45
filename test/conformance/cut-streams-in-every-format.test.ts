/**
 * A stream that breaks after any of its events, or that reports an error in its middle, read by a client
 * of every format: an error in the client's format at the end, never a success mark, no
 * operator details, and libraries that throw.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ErrorCategory, type ErrorCode, errors } from '../../contract/errors.ts'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { type Answer, type Receipt, receiptOf, send } from '../support/bytes-client.ts'
import {
  type Behaviour,
  chunkedHead,
  faultUpstream,
  httpChunk,
  sends,
  sendsThen,
} from '../support/fault-upstream.ts'
import { clientOf, type FormatClient, formatClients } from '../support/format-clients.ts'
import {
  contextPhrases,
  errorReaders,
  failedCodes,
  streamedError,
  streamReaders,
  wordsOf,
} from '../support/format-errors.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { sampled } from '../support/sampled.ts'
import { exchange } from '../support/sandbox-client.ts'
import { plainRequest } from '../support/sandbox-formats.ts'

const formats: readonly ConversationFormat[] = formatClients.map(({ format }) => format)
const models: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': 'gpt-of-chat',
  'openai-responses': 'gpt-of-responses',
  anthropic: 'claude-of-messages',
  gemini: 'gemini-of-google',
}
const providers = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  anthropic: 'anthropic',
  gemini: 'google',
} as const

/** How the upstream responds to every request. */
let behaviour: Behaviour
const upstream = await faultUpstream(() => behaviour)
let tollgate: TestGateway
let account: TestAccount
/** A stream of reasoning, text and tool calls in each format, event by event. */
const streams = new Map<ConversationFormat, readonly string[]>()

/** What the operator sees. */
const texts: string[] = []
const log = createLog({ level: 'error', destination: { write: (line) => void texts.push(line) } })

before(async () => {
  tollgate = await testGateway({
    log,
    openai: upstream.origin,
    anthropic: upstream.origin,
    google: upstream.origin,
    models: formats.map((format) => ({
      id: models[format],
      provider: providers[format],
      formats: [format],
      context: 10_000,
      maxOutput: 6_000,
      reasoning: false,
      prices: [{ input: '1', output: '1' }],
    })),
    limits: {
      requestsPerMinute: null,
      tokensPerMinute: null,
      cooldownMsMax: 0,
      failuresBeforeEjection: 1_000_000,
    },
  })
  account = await tollgate.account('100')
  await recordSandbox()
})
after(async () => {
  assert.deepEqual((await tollgate.gateway.services.ledger.verify()).drift, [])
  await tollgate.close()
  await upstream.close()
})

const names: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': 'chat',
  'openai-responses': 'responses',
  anthropic: 'messages',
  gemini: 'gemini',
}
const tool = {
  'openai-chat': { type: 'function', function: { name: 'look', parameters: { type: 'object' } } },
  'openai-responses': { type: 'function', name: 'look', parameters: { type: 'object' } },
  anthropic: { name: 'look', input_schema: { type: 'object' } },
  gemini: { functionDeclarations: [{ name: 'look', parameters: { type: 'object' } }] },
} as const

const showsThoughts = { generationConfig: { thinkingConfig: { includeThoughts: true } } }

async function recordSandbox(): Promise<void> {
  const sandbox = await startSandbox({ clock: systemClock })
  for (const format of formats) {
    const model = `sandbox-${names[format]}-thinking-tools`
    const request = plainRequest(format, model, 'use look {"at":"the sea"}', {
      more: { tools: [tool[format]], ...(format === 'gemini' ? showsThoughts : {}) },
    })
    const { status, body } = await exchange(sandbox.origin, request)
    assert.equal(status, 200, body)
    streams.set(
      format,
      body.split(/(?<=\n\r?\n)/).filter((event) => event.includes('data:')),
    )
  }
  await sandbox.close()
}

async function ask(
  client: FormatClient,
  clientFormat: ConversationFormat,
): Promise<{ answer: Answer; receipt: Receipt }> {
  const { key } = account
  const answer = await send(tollgate.origin, {
    path: client.path(models[clientFormat], true),
    headers: { [client.keyHeader]: client.keyHeader === 'authorization' ? `Bearer ${key}` : key },
    body: client.body(models[clientFormat], 'hello', true),
  })
  assert.equal(answer.isCut, false, 'our own end is a proper one')
  return { answer, receipt: await receiptOf(tollgate.origin, key, answer) }
}

async function libraryRejects(format: ConversationFormat, stream: string, at: string): Promise<void> {
  if (format === 'gemini') return
  await assert.rejects(streamReaders[format](stream), at)
}

/** Each event as a separate chunk, so that content is seen before what follows it. */
function pieces(events: readonly string[]): readonly string[] {
  return [chunkedHead, ...events.map((event) => httpChunk(event))]
}

/** The sample of each stream: enough for each kind of end, before and after content. */
const cutsSampled = 7

function everyThird(events: readonly string[]): readonly number[] {
  return [...events.keys()].filter((count) => count % 3 === 0)
}

/** How the upstream's connection ends: closed, reset, or as after a complete response. */
const ends = ['fin', 'rst', 'proper'] as const

for (const clientFormat of formats) {
  for (const [shift, client] of formatClients.entries()) {
    test(`${client.format} → ${clientFormat}: cut after any event, it is not a complete response`, async () => {
      const events = streams.get(clientFormat) ?? []
      assert.ok(events.length > 5, 'there is something to cut')
      let relayed = 0
      for (const count of sampled([...events.keys()], cutsSampled, 2 * cutsSampled)) {
        const end = ends[(count + shift) % ends.length] ?? 'fin'
        const sent = pieces(events.slice(0, count))
        behaviour = end === 'proper' ? sends(...sent, httpChunk()) : sendsThen(end, ...sent)
        if (end === 'proper' && isWhole(clientFormat, events.slice(0, count))) continue
        const { answer, receipt } = await ask(client, clientFormat)
        const at = `${end} after ${count}: ${answer.text.slice(-500)}`
        const codes = count === 0 ? ['upstream_truncated', 'upstream_error'] : ['upstream_truncated']
        assert.ok(codes.includes(String(receipt.error)), `${receipt.error}: ${at}`)
        assert.doesNotMatch(answer.text, client.finishes, at)
        if (answer.status === 200) {
          relayed += 1
          assert.equal(streamedError(client.format, answer.text).code, receipt.error, at)
          await libraryRejects(client.format, answer.text, at)
        } else {
          assert.equal(answer.status, 502, at)
          assert.equal(errorReaders[client.format](JSON.parse(answer.text)).code, receipt.error)
          assert.equal(receipt.cost, '0.00', at)
        }
      }
      assert.ok(relayed > 3, 'some were cut after content')
      behaviour = sends(...pieces(events), httpChunk())
      const { answer, receipt } = await ask(client, clientFormat)
      assert.equal(receipt.status, 'complete')
      assert.match(answer.text, client.finishes)
      if (client.format !== 'gemini') await streamReaders[client.format](answer.text)
    })
  }
}

/** Gemini's streams have no end but the connection's, and those of a chat can do without theirs. */
function isWhole(format: ConversationFormat, events: readonly string[]): boolean {
  const finish = { gemini: 'finishReason', 'openai-chat': '"finish_reason":"' } as const
  const word = format === 'gemini' || format === 'openai-chat' ? finish[format] : null
  return word !== null && events.some((event) => event.includes(word))
}

/** An error in the middle of a stream: how the provider sends it, and how we classify it. */
interface StreamFault {
  readonly code: ErrorCode
  readonly message: string
  readonly upstreamEvents: Readonly<Partial<Record<ConversationFormat, string>>>
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const chatSays = (type: string, code: string | null, message: string) =>
  data({ error: { message, type, param: null, code } })
const responsesSay = (code: string, message: string) =>
  `event: response.failed\n${data({ type: 'response.failed', sequence_number: 9, response: { id: 'resp_1', status: 'failed', error: { code, message }, output: [] } })}`
const responsesError = (type: string, code: string | null, message: string) =>
  `event: error\n${data({ type: 'error', sequence_number: 9, error: { type, code, message, param: null } })}`
const messagesSay = (type: string, message: string) =>
  `event: error\n${data({ type: 'error', error: { type, message } })}`
const geminiSays = (code: number, status: string, message: string) =>
  data({ error: { code, status, message } })

const streamFaults: readonly StreamFault[] = [
  {
    code: 'upstream_overloaded',
    message: 'The upstream is overloaded',
    upstreamEvents: {
      'openai-chat': chatSays('overloaded_error', null, 'Overloaded, so sorry'),
      'openai-responses': responsesSay('server_is_overloaded', 'Overloaded, so sorry'),
      anthropic: messagesSay('overloaded_error', 'Overloaded, so sorry'),
      gemini: geminiSays(503, 'UNAVAILABLE', 'Overloaded, so sorry'),
    },
  },
  {
    code: 'upstream_error',
    message: 'The upstream failed.',
    upstreamEvents: {
      'openai-chat': chatSays('server_error', null, 'It broke'),
      'openai-responses': responsesError('server_error', null, 'It broke'),
      anthropic: messagesSay('api_error', 'It broke'),
      gemini: geminiSays(500, 'INTERNAL', 'It broke'),
    },
  },
  {
    code: 'upstream_rate_limited',
    message: "The upstream's rate limit was exceeded",
    upstreamEvents: {
      'openai-chat': chatSays('requests', 'rate_limit_exceeded', 'Slow down, organization org-4wA9'),
      'openai-responses': responsesSay('rate_limit_exceeded', 'Slow down, organization org-4wA9'),
      anthropic: messagesSay('rate_limit_error', 'Slow down, organization org-4wA9'),
      gemini: geminiSays(429, 'RESOURCE_EXHAUSTED', 'Slow down, organization org-4wA9'),
    },
  },
  {
    code: 'upstream_unavailable',
    message:
      'This model is currently unavailable. If this continues, contact the administrator of this server.',
    upstreamEvents: {
      'openai-chat': chatSays('insufficient_quota', 'insufficient_quota', 'Your quota, your billing'),
      'openai-responses': responsesSay('insufficient_quota', 'Your quota, your billing'),
      anthropic: messagesSay('billing_error', 'Your credit balance is too low'),
      gemini: geminiSays(403, 'PERMISSION_DENIED', 'Your billing'),
    },
  },
  {
    code: 'context_too_long',
    message: 'too long',
    upstreamEvents: {
      'openai-chat': chatSays('invalid_request_error', 'context_length_exceeded', 'It is too long'),
      'openai-responses': responsesSay('context_length_exceeded', 'It is too long'),
      anthropic: messagesSay('invalid_request_error', 'prompt is too long: 9 tokens > 8 maximum'),
      gemini: geminiSays(400, 'INVALID_ARGUMENT', 'The input token count is too long'),
    },
  },
  {
    code: 'upstream_rejected',
    message: 'We refuse',
    upstreamEvents: {
      'openai-chat': chatSays('invalid_request_error', null, 'We refuse'),
      'openai-responses': responsesSay('invalid_prompt', 'We refuse'),
      anthropic: messagesSay('invalid_request_error', 'We refuse'),
      gemini: geminiSays(400, 'INVALID_ARGUMENT', 'We refuse'),
    },
  },
]

for (const { code, message, upstreamEvents } of streamFaults) {
  for (const clientFormat of formats) {
    test(`${clientFormat}: ${code} in the middle of a stream, reported in every format`, async () => {
      const events = streams.get(clientFormat) ?? []
      for (const client of formatClients) {
        for (const count of sampled(everyThird(events), 2, 4)) {
          if (isWhole(clientFormat, events.slice(0, count))) break
          behaviour = sends(
            ...pieces([...events.slice(0, count), upstreamEvents[clientFormat] ?? '']),
            httpChunk(),
          )
          const { answer, receipt } = await ask(client, clientFormat)
          const at = `${client.format} after ${count}: ${answer.text.slice(-500)}`
          const { category }: { category: ErrorCategory } = errors[code]
          const read =
            answer.status === 200
              ? streamedError(client.format, answer.text)
              : { ...errorReaders[client.format](JSON.parse(answer.text)), failedCode: null }
          const isAway = client.format === 'gemini' && code === 'upstream_unavailable'
          const words = isAway ? ['UNAVAILABLE'] : (wordsOf[client.format][category] ?? [])
          assert.deepEqual(read.words.slice(0, words.length), words, at)
          assert.deepEqual([read.code, read.source, receipt.error], [code, 'upstream', code], at)
          assert.ok(read.message.includes(message), at)
          if (code === 'context_too_long') assert.match(answer.text, contextPhrases[client.format])
          if (read.failedCode !== null) assert.equal(read.failedCode, failedCodes[category], at)
          assert.doesNotMatch(answer.text, client.finishes, at)
          assert.doesNotMatch(answer.text, /org-\w|quota|billing|credit/, at)
          if (answer.status === 200) await libraryRejects(client.format, answer.text, at)
          const isOperators = code === 'upstream_unavailable'
          assert.equal(
            texts.splice(0).length > 0,
            isOperators,
            'the operator hears of it, and of nothing else',
          )
        }
      }
    })
  }
}

test('a Gemini client without events gets the error as the last element of its array', async () => {
  const client = clientOf('gemini')
  for (const clientFormat of formats) {
    const events = streams.get(clientFormat) ?? []
    for (let count = 0; count < events.length; count += 1) {
      if (isWhole(clientFormat, events.slice(0, count))) break
      behaviour = sendsThen('fin', ...pieces(events.slice(0, count)))
      const answer = await send(tollgate.origin, {
        path: `/v1beta/models/${models[clientFormat]}:streamGenerateContent`,
        headers: { 'x-goog-api-key': account.key },
        body: client.body(models[clientFormat], 'hello', true),
      })
      if (answer.status !== 200) continue
      const elements = JSON.parse(answer.text) as readonly unknown[]
      assert.equal(errorReaders.gemini(elements.at(-1)).code, 'upstream_truncated', answer.text)
      assert.doesNotMatch(answer.text, client.finishes)
    }
  }
})
