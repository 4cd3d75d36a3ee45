/**
 * Missing or implausible usage is replaced by a count and reported to the operator, and what exceeds the hold is not charged: in
 * every format and between any two.
 */
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import type { LoggedRequest } from '../../sandbox/request-log.ts'
import { formatId } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import {
  eventsIn,
  type FormatClient,
  formatClients,
  type Json,
  streamedText,
} from '../support/format-clients.ts'
import { meteredGateway, type UpstreamName, upstreamNames } from '../support/metered-gateway.ts'
import type { Whole } from '../support/paying-client.ts'
import { sampled } from '../support/sampled.ts'

const lines: string[] = []
const gate = await meteredGateway({
  limits: { requestsPerMinute: null, concurrent: null },
  log: createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } }),
})
after(() => gate.end())

const cost = (input: number, output: number): bigint => BigInt(input) * 3_000n + BigInt(output) * 15_000n

interface Pair {
  readonly client: FormatClient
  readonly upstream: UpstreamName
}

interface Done {
  readonly answer: Whole
  readonly receipt: ReceiptRow
  readonly meter: LoggedRequest
  readonly left: bigint
}

async function done(
  { client, upstream }: Pair,
  asked: {
    readonly behaviour: string
    readonly text: string
    readonly stream: boolean
    readonly usd?: string
  },
): Promise<Done> {
  const { behaviour, text, stream, usd = '1' } = asked
  const account = await gate.account(usd)
  const mark = `mark${account.id}x`
  const model = `${upstream}-${behaviour}`
  const sent = gate.askAs(account, client, {
    model,
    text: `${text} ${mark}`,
    stream,
    more: client.limit(100),
  })
  const answer = await sent.whole()
  assert.equal(answer.status, 200, answer.text)
  const receipt = await gate.receiptOf(account)
  const meter = gate.sandbox.requestLog().find(({ body }) => body?.includes(mark) === true)
  assert.ok(meter !== undefined)
  const { posted, held } = await gate.balance(account.id)
  assert.deepEqual([parseUsd(usd)! - posted, held], [receipt.charged, 0n])
  return { answer, receipt, meter, left: posted }
}

const pairs: readonly Pair[] = sampled(
  formatClients.flatMap((client) => upstreamNames.map((upstream) => ({ client, upstream }))),
  8,
)

for (const stream of [true, false]) {
  suite(stream ? 'streamed' : 'whole', { concurrency: 8 }, () => {
    for (const pair of pairs) {
      const name = `${pair.client.format} → ${pair.upstream}`

      for (const value of ['-5', '"7"', '1e20', '4.5e9']) {
        test(`${name}: an output of ${value} is replaced by a count, and flagged`, async () => {
          const { receipt, meter } = await done(pair, {
            behaviour: 'odd-usage',
            text: `tokens=30 value=${value}`,
            stream,
          })
          assert.equal(receipt.endReason, 'complete')
          assert.equal(receipt.unpricedUsage, true)
          const reported = lines.find((line) => line.includes(formatId('req', receipt.id))) ?? '{}'
          const { model, meters } = JSON.parse(reported) as { model?: string; meters?: string[] }
          assert.deepEqual([model, (meters ?? []).length > 0], [`${pair.upstream}-odd-usage`, true])
          assert.equal(receipt.charged, cost(meter.inputTokens, 30), `${receipt.output} of output`)
        })
      }

      test(`${name}: without any usage everything is counted`, async () => {
        const text = `tokens=30 ${'window '.repeat(400)}`
        const { receipt, meter, answer } = await done(pair, { behaviour: 'no-usage', text, stream })
        assert.deepEqual([receipt.usageSource, receipt.output], ['counted', 30])
        const apart = Math.abs(receipt.inputUncached - meter.inputTokens)
        assert.ok(apart < 90, `${receipt.inputUncached}, ${meter.inputTokens}`)
        assert.equal(receipt.charged, cost(receipt.inputUncached, 30))
        const last = stream ? eventsIn(answer.text) : [JSON.parse(answer.text) as Json]
        for (const told of last.map((event) => pair.client.costOf(event))) {
          assert.ok(told === undefined || told === Number(formatUsd(receipt.charged)), `told ${String(told)}`)
        }
      })

      for (const [behaviour, says, reported] of [
        ['over', 'extra=101', 201],
        ['over', 'extra=200000', 200_100],
        ['odd-usage', 'value=1000000000', 1_000_000_000],
      ] as const) {
        test(`${name}: ${reported} of output, more than the limit: recorded, not trusted, and not charged`, async () => {
          const { receipt, meter, left } = await done(pair, { behaviour, text: `tokens=10 ${says}`, stream })
          assert.equal(receipt.charged, cost(meter.inputTokens, 10))
          assert.ok(receipt.charged <= receipt.hold)
          assert.deepEqual(receipt.implausible, { output: reported })
          assert.deepEqual([receipt.writtenOff, receipt.output], [0n, 10])
          assert.equal(left, parseUsd('1')! - receipt.charged)
        })
      }

      if (!stream) continue
      test(`${name}: what follows the end is neither delivered nor charged`, async () => {
        const { receipt, meter, answer } = await done(pair, {
          behaviour: 'after-end',
          text: 'tokens=9',
          stream,
        })
        assert.equal(receipt.charged, cost(meter.inputTokens, 9))
        assert.equal(streamedText(pair.client, answer.text).trim().split(' ').length, 9)
        // Google's format has no end marker: everything belongs to it, and is relayed unchanged.
        if (pair.client.format === 'gemini' && pair.upstream === 'gemini') return
        assert.equal(answer.text.split(pair.client.finishes).length - 1, marksOf(pair.client), answer.text)
      })
    }
  })
}

/** How often a complete stream signals its end. */
function marksOf({ format }: FormatClient): number {
  return { 'openai-chat': 2, 'openai-responses': 1, anthropic: 3, gemini: 1 }[format]
}
