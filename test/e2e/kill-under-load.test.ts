/**
 * The process is killed while 200 requests run, from every format to every format, streamed and not, and for some seeds
 * again while it recovers. Afterwards no hold is open, a client that saw a success mark is charged exactly, no other
 * is charged more than the upstream produced, and no stream loses more than its checkpoint rule allows.
 */
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, suite, type TestContext, test } from 'node:test'
import type { OperationOutput } from '../../contract/operations.ts'
import { parseUsd } from '../../contract/usd.ts'
import type { LoggedRequest } from '../../sandbox/request-log.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { limitDefaults } from '../../src/config/config.ts'
import { threadEntries } from '../../src/server/thread-entries.ts'
import { type Counter, openCounter } from '../../src/tokens/count.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { type FormatClient, formatClients, wholeEventsIn } from '../support/format-clients.ts'
import { patientLimits } from '../support/gateway.ts'
import { type Installation, makeInstallation } from '../support/gateway-process.ts'
import { isExhaustiveRun } from '../support/sampled.ts'
import { exchange, type Reply } from '../support/sandbox-client.ts'

type Receipt = OperationOutput<'requests.list'>[number]

const requests = 200
/** Nano-USD per token, as `settings` below in USD per million. */
const rate = { input: 3_000n, output: 15_000n }

const upstreamFormats = ['openai-chat', 'openai-responses', 'anthropic', 'gemini'] as const
const modelLine = (format: ConversationFormat): string =>
  `  - { id: stream-${format}, provider: sandbox, upstreamId: sandbox-stream, formats: [${format}], context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }`

const settings = (origin: string) => `
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${origin}', credential: any, models: all }
models:
${upstreamFormats.map(modelLine).join('\n')}
limits: { requestsPerMinute: none, tokensPerMinute: none, concurrent: none }
`

/** The number of subsequent starts that are killed before one survives. */
const recoveries: readonly (readonly string[])[] = [
  [],
  ['before-commit-settle:kill=5'],
  ['after-commit-settle:kill=3', 'before-commit-settle:kill'],
]

interface Wish {
  readonly client: FormatClient
  readonly upstream: ConversationFormat
  readonly path: string
  readonly stream: boolean
  /** Tokens per second. */
  readonly pace: number
  readonly body: object
}

function wishes(random: () => number): readonly Wish[] {
  return Array.from({ length: requests }, () => {
    const client = pick(formatClients, random)
    const { format: upstream } = pick(formatClients, random)
    const stream = random() < 0.9
    const pace = 20 + Math.floor(random() * 100)
    const flow = random() < 0.2 ? 'tokens=10' : `tokens=9000 rate=${pace}`
    const limit = random() < 0.5 ? 2_000 : 9_000
    const model = `stream-${upstream}`
    const body = { ...client.body(model, flow, stream), ...client.limit(limit) }
    return { client, upstream, path: client.path(model, stream), stream, pace, body }
  })
}

function pick<Value>(values: readonly Value[], random: () => number): Value {
  return values[Math.floor(random() * values.length)]!
}

/** A small generator with a reproducible seed. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function worth({ inputTokens, outputTokens }: Pick<LoggedRequest, 'inputTokens' | 'outputTokens'>): bigint {
  return BigInt(inputTokens) * rate.input + BigInt(outputTokens) * rate.output
}

/**
 * The maximum loss of what a client received: what the rule leaves unrecorded, and what was delivered while a checkpoint
 * was counted, for at most `countMs`, and written, for which a busy machine is allowed as long again and some. What the
 * gateway had not read yet counts for nothing: on a busy machine it is behind the upstream.
 */
function lossMost({ pace }: Wish, { held }: Receipt): bigint {
  const share = parseUsd(held)! / 100n
  const { checkpointNanoMin } = limitDefaults
  return (
    (share > checkpointNanoMin ? share : checkpointNanoMin) +
    BigInt((3 * limitDefaults.countMs) / 1_000) * BigInt(pace) * rate.output
  )
}

/** One event has one token. */
const tokensIn = (stream: string, { deltaOf }: FormatClient): number =>
  wholeEventsIn(stream).filter((event) => deltaOf(event) !== '').length

/** Formats whose upstreams report their input before any output. */
const tellsEarly: readonly ConversationFormat[] = ['anthropic', 'gemini']
/** The maximum that the members of another format add to a small request. */
const translatedTokensMost = 60

interface Sums {
  delivered: bigint
  charged: bigint
  lost: bigint
}

suite('killed under load', { concurrency: 1 }, () => {
  let sandbox: Sandbox
  let counter: Counter
  before(async () => {
    sandbox = await startSandbox({ clock: systemClock })
    counter = openCounter({
      clock: systemClock,
      limits: { ...limitDefaults, ...patientLimits },
      entry: threadEntries.counter,
    })
  })
  after(async () => {
    await sandbox.close()
    await counter.close()
  })

  async function checkOne(wish: Wish, receipt: Receipt, { reply, sums }: { reply: Reply; sums: Sums }) {
    const made = sandbox.logged(receipt.id)
    assert(made !== undefined)
    const charged = parseUsd(receipt.charged)!
    sums.charged += charged
    sums.delivered += worth(made)
    const isWhole = reply.broken === null && (!wish.stream || wish.client.finishes.test(reply.body))
    if (receipt.endReason === 'complete') return assert.equal(charged, worth(made), receipt.id)
    assert.equal(isWhole, false, `${receipt.id} is ${receipt.endReason} and the client saw its end`)
    assert.equal(receipt.endReason, 'interrupted')
    // OpenAI's formats report their input only at the end: until then the gateway's own count is charged.
    const inputTokens = tellsEarly.includes(wish.upstream)
      ? made.inputTokens
      : (await counter.count(JSON.stringify(wish.body)))! + translatedTokensMost
    assert(charged <= worth({ inputTokens, outputTokens: made.outputTokens }), `${receipt.id} ${charged}`)
    if (!wish.stream) return assert.equal(charged, 0n)
    const lost = worth(made) - charged
    if (lost > 0n) sums.lost += lost
    const received = worth({ ...made, outputTokens: tokensIn(reply.body, wish.client) })
    const lostToClient = received - charged
    assert(
      lostToClient <= lossMost(wish, receipt),
      `${receipt.id} lost ${lostToClient} at ${wish.pace} tokens/s`,
    )
  }

  /** A request whose client did not even receive the head of a response. */
  function checkUnseen(receipt: Receipt, made: LoggedRequest | undefined): void {
    const charged = parseUsd(receipt.charged)!
    if (receipt.endReason === 'complete') assert.equal(charged, worth(made!))
    else if (!receipt.streamed || made === undefined) assert.equal(charged, 0n)
    else assert(receipt.usage.output <= made.outputTokens)
  }

  async function killAndRecover(t: TestContext, seed: number, deaths: readonly string[]): Promise<void> {
    const random = randomFrom(seed)
    const installation: Installation = makeInstallation(settings(sandbox.origin), {
      fixed: { batchOperationsMax: 16 },
    })
    try {
      const doomed = await installation.start()
      const { account, key } = await installation.ask('account.create', {
        email: 'load@example.org',
        credit: '1000',
      })
      const asked = wishes(random)
      const seen = sandbox.requests()
      const replies = asked.map((wish) =>
        exchange(doomed.origin, {
          path: wish.path,
          body: wish.body,
          headers: { authorization: `Bearer ${key}` },
        }),
      )
      const tokens = 8_000 + Math.floor(random() * 24_000)
      await untilMade(sandbox, seen, tokens)
      doomed.signal('SIGKILL')
      await doomed.ended
      const ended = await Promise.all(replies)

      for (const failpoint of deaths) {
        const survivor = await installation.start({ failpoint }).catch((error: unknown) => {
          assert.match(String(error), /ended \(SIGKILL\)/)
        })
        if (survivor === undefined) continue
        // A machine so busy that little was recorded leaves nothing to a recovery after another.
        t.diagnostic(`${failpoint}: nothing was left to settle`)
        survivor.signal('SIGKILL')
        await survivor.ended
      }
      const startedMs = systemClock.monoMs()
      await installation.start()
      const recoveryMs = systemClock.monoMs() - startedMs
      const receipts = await installation.ask('requests.list', { account, limit: 1_000 })
      const sums: Sums = { delivered: 0n, charged: 0n, lost: 0n }
      const byId = new Map(receipts.map((receipt) => [receipt.id, receipt]))
      for (const [index, wish] of asked.entries()) {
        const reply = ended[index]!
        const id = reply.headers['x-request-id']
        const receipt = typeof id === 'string' ? byId.get(id) : undefined
        if (receipt === undefined)
          assert.equal(wish.stream ? wish.client.finishes.test(reply.body) : reply.body !== '', false)
        else await checkOne(wish, receipt, { reply, sums })
        byId.delete(receipt?.id ?? '')
      }
      for (const receipt of byId.values()) checkUnseen(receipt, sandbox.logged(receipt.id))
      const all = receipts.reduce((sum, { charged }) => sum + parseUsd(charged)!, 0n)
      const balance = await installation.ask('account.show', { account })
      assert.deepEqual([balance.openHolds, balance.held], [0, '0.00'])
      assert.equal(parseUsd(balance.posted), 1_000_000_000_000n - all)
      const verified = await installation.call('ledger', 'verify', '--json')
      assert.equal(verified.code, 0, verified.stdout + verified.stderr)
      t.diagnostic(
        `seed ${seed}: ${receipts.length} receipts, delivered ${sums.delivered}, charged ${sums.charged}, lost ${sums.lost} nano-USD, recovered and listening in ${Math.round(recoveryMs)} ms`,
      )
    } finally {
      await installation.remove()
    }
  }

  // The seed with the most kills covers what the others do.
  for (const deaths of isExhaustiveRun ? recoveries : recoveries.slice(-1)) {
    const seed = randomInt(2 ** 31)
    test(`seed ${seed}, ${deaths.length} kills while recovering`, (t) => killAndRecover(t, seed, deaths))
  }
})

/** Resolves once the requests after the first `seen` have produced this many tokens together. */
function untilMade(sandbox: Sandbox, seen: number, tokens: number): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      const made = sandbox
        .requestLog()
        .slice(seen)
        .reduce((sum, { outputTokens }) => sum + outputTokens, 0)
      if (made >= tokens) resolve()
      else systemClock.after(10, look)
    }
    look()
  })
}
