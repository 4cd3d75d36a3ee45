/**
 * The process is killed between any two steps of a request, for both formats and for JSON: the client never saw
 * a success mark before its charge was durable, the next start leaves no hold open, and no charge exceeds
 * the upstream's own meter.
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import type { OperationOutput } from '../../contract/operations.ts'
import { parseUsd } from '../../contract/usd.ts'
import type { LoggedRequest } from '../../sandbox/request-log.ts'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { limitDefaults } from '../../src/config/config.ts'
import { threadEntries } from '../../src/server/thread-entries.ts'
import { openCounter } from '../../src/tokens/count.ts'
import { patientLimits } from '../support/gateway.ts'
import { type Installation, makeInstallation } from '../support/gateway-process.ts'
import { isWholeRun } from '../support/sampled.ts'
import { exchange, type FormatPath, plainBody, type Reply } from '../support/sandbox-client.ts'

type Receipt = OperationOutput<'requests.list'>[number]

/** Nano-USD per token, as `prices` below in USD per million. */
const rate = { input: 3_000n, output: 15_000n }

const settings = (origin: string) => `
sandbox: off
upstreams:
  - { name: trial, provider: sandbox, url: '${origin}', credential: any, models: all }
models:
  - { id: sandbox-stream, provider: sandbox, context: 1000000, maxOutput: 200000, prices: [{ input: 3, output: 15 }] }
`

const chat = '/v1/chat/completions'
const messages = '/v1/messages'

const successMarks: Readonly<Record<FormatPath, RegExp>> = {
  [chat]: /\[DONE\]|"finish_reason":"/,
  [messages]: /message_stop|message_delta/,
}

/** What the next start must find of a request that was killed at a point. */
type Left =
  /** No trace, no charge. */
  | 'nothing'
  /** A receipt with `interrupted` and no charge. */
  | 'unpaid'
  /** One of both: the hold of a request that has delivered nothing is stored within a moment, not before. */
  | 'nothing or unpaid'
  /** `interrupted`, charged for some of what was delivered, and no more. */
  | 'partly paid'
  /** `interrupted`, charged at most what was delivered. */
  | 'at most delivered'
  /** `complete` and charged to the token. */
  | 'paid'

interface Case {
  readonly failpoint: string
  readonly left: Left
  readonly path: FormatPath
  readonly stream: boolean
  readonly upstream: 'asked' | 'not asked'
  /** Words in the response, and their rate. */
  readonly flow: string
  /** A point of a case above in another format: only in full runs. */
  readonly isAgain?: boolean
}

const again = { isAgain: true } as const
const short = { upstream: 'asked', flow: 'tokens=100' } as const
const long = { upstream: 'asked', flow: 'tokens=20000 rate=1000' } as const
const early = { upstream: 'not asked', flow: 'tokens=100' } as const

const asChat = { path: chat, stream: true } as const
const asMessages = { path: messages, stream: true } as const
const asJson = { path: chat, stream: false } as const

/**
 * Each start recovers from the previous kill and is killed in turn. Where a settlement is the point,
 * the previous case leaves none to recover.
 */
const cases: readonly Case[] = [
  { failpoint: 'before-commit-admit:kill', left: 'nothing', ...asChat, ...early },
  { failpoint: 'after-commit-admit:kill', left: 'unpaid', ...asMessages, ...early },
  { failpoint: 'before-dispatch:kill', left: 'nothing or unpaid', ...asChat, ...early },
  { failpoint: 'after-dispatch:kill', left: 'nothing or unpaid', ...asJson, ...short },
  { failpoint: 'after-content:kill', left: 'at most delivered', ...asChat, ...short },
  { failpoint: 'after-content:kill=20', left: 'at most delivered', ...asMessages, ...long },
  { failpoint: 'before-commit-checkpoint:kill', left: 'unpaid', ...asChat, ...long },
  { failpoint: 'after-commit-checkpoint:kill', left: 'partly paid', ...asMessages, ...long },
  { failpoint: 'after-checkpoint:kill=3', left: 'partly paid', ...asChat, ...long },
  { failpoint: 'after-checkpoint:kill=3', left: 'partly paid', ...asMessages, ...long, ...again },
  { failpoint: 'before-settle:kill', left: 'at most delivered', ...asChat, ...short },
  { failpoint: 'before-settle:kill', left: 'nothing or unpaid', ...asJson, ...short, ...again },
  { failpoint: 'after-settle:kill', left: 'paid', ...asChat, ...short },
  { failpoint: 'before-commit-settle:kill', left: 'at most delivered', ...asMessages, ...short },
  { failpoint: 'before-terminal-event:kill', left: 'paid', ...asMessages, ...short },
  { failpoint: 'after-commit-settle:kill', left: 'paid', ...asMessages, ...short },
  { failpoint: 'before-commit-settle:kill', left: 'at most delivered', ...asChat, ...short, ...again },
  { failpoint: 'before-terminal-event:kill', left: 'paid', ...asChat, ...short, ...again },
  { failpoint: 'after-commit-settle:kill', left: 'paid', ...asChat, ...short, ...again },
  { failpoint: 'before-commit-settle:kill', left: 'nothing or unpaid', ...asJson, ...short, ...again },
  { failpoint: 'before-terminal-event:kill', left: 'paid', ...asJson, ...short, ...again },
  { failpoint: 'after-commit-settle:kill', left: 'paid', ...asJson, ...short, ...again },
]

let sandbox: Sandbox
let installation: Installation
const counter = openCounter({
  clock: systemClock,
  limits: { ...limitDefaults, ...patientLimits },
  entry: threadEntries.counter,
})
before(async () => {
  sandbox = await startSandbox({ clock: systemClock })
  installation = makeInstallation(settings(sandbox.origin))
})
after(async () => {
  await installation.remove()
  await sandbox.close()
  await counter.close()
})

function bodyOf({ flow, stream }: Case): object {
  return plainBody('sandbox-stream', flow, { max_tokens: 20_000, stream })
}

/** What the response cost, by the upstream's meter. */
function worth({ inputTokens, outputTokens }: Pick<LoggedRequest, 'inputTokens' | 'outputTokens'>): bigint {
  return BigInt(inputTokens) * rate.input + BigInt(outputTokens) * rate.output
}

function charge(receipt: Receipt): bigint {
  return parseUsd(receipt.charged)!
}

/**
 * The maximum charge. Chat Completions reports its input only at the end, so a response that never got
 * there is charged the gateway's own count of the input.
 */
async function mostFor(killed: Case, made: LoggedRequest): Promise<bigint> {
  if (killed.left === 'paid' || killed.path === messages) return worth(made)
  const inputTokens = (await counter.count(JSON.stringify(bodyOf(killed))))!
  return worth({ inputTokens, outputTokens: made.outputTokens })
}

async function checkLeft(killed: Case, receipts: readonly Receipt[]): Promise<void> {
  const { left } = killed
  if (left === 'nothing') return assert.deepEqual(receipts, [])
  if (left === 'nothing or unpaid' && receipts.length === 0) return
  const [receipt, ...more] = receipts
  assert(receipt !== undefined && more.length === 0, 'one request, one receipt')
  assert.equal(receipt.endReason, left === 'paid' ? 'complete' : 'interrupted')
  assert.equal(receipt.writtenOff, '0.00')
  if (left === 'unpaid' || left === 'nothing or unpaid') return assert.equal(charge(receipt), 0n)
  const made = sandbox.logged(receipt.id)
  assert(made !== undefined)
  assert(receipt.usage.output <= made.outputTokens, `${receipt.usage.output} of ${made.outputTokens}`)
  const most = await mostFor(killed, made)
  assert(charge(receipt) <= most, `${receipt.charged} for ${most}`)
  if (left === 'paid') assert.equal(charge(receipt), most)
  if (left === 'partly paid') assert(charge(receipt) > 0n)
}

interface Killed {
  readonly killed: Case
  readonly account: string
}

/** What the kill before this start left is closed, and the ledger verifies. */
async function checkRecovered({ killed, account }: Killed): Promise<void> {
  const receipts = await installation.ask('requests.list', { account })
  await checkLeft(killed, receipts)
  const balance = await installation.ask('account.show', { account })
  assert.deepEqual([balance.openHolds, balance.held], [0, '0.00'])
  const spent = receipts.reduce((sum, receipt) => sum + charge(receipt), 0n)
  assert.equal(parseUsd(balance.posted), 1_000_000_000n - spent)
  const verified = await installation.ask('ledger.verify', {})
  assert.deepEqual([verified.ok, verified.openHolds, verified.drift], [true, 0, []])
}

async function ask(origin: string, key: string, wanted: Case): Promise<Reply> {
  return exchange(origin, {
    path: wanted.path,
    body: bodyOf(wanted),
    headers: { authorization: `Bearer ${key}` },
  })
}

suite('killed between two steps', { concurrency: 1 }, () => {
  let before: Killed | undefined

  for (const [number, wanted] of cases.filter(({ isAgain }) => isWholeRun || !isAgain).entries()) {
    const { failpoint, left, path, stream, upstream } = wanted
    test(`${failpoint} of ${path}${stream ? '' : ' as JSON'}: ${left}`, async () => {
      const doomed = await installation.start({ failpoint })
      if (before !== undefined) await checkRecovered(before)
      const { account, key } = await installation.ask('account.create', {
        email: `${number}@example.org`,
        credit: '1',
      })
      const askedBefore = sandbox.requests()
      const reply = await ask(doomed.origin, key, wanted)
      assert.deepEqual(await doomed.ended, { code: null, signal: 'SIGKILL' })
      assert.notEqual(reply.broken, null, 'the client sees that its answer was cut')
      assert.doesNotMatch(reply.body, successMarks[path])
      assert((upstream === 'asked' ? [0, 1] : [0]).includes(sandbox.requests() - askedBefore))
      before = { killed: wanted, account }
    })
  }

  test('the CLI closes what the last kill left, and a start serves again', async () => {
    // A verification changes nothing; any other command takes ownership of the folder and closes what is open.
    assert.equal((await installation.command('account', 'list')).code, 0)
    const verified = await installation.call('ledger', 'verify', '--json')
    assert.equal(verified.code, 0, verified.stderr)
    const { ok, openHolds, drift } = JSON.parse(verified.stdout)
    assert.deepEqual([ok, openHolds, drift], [true, 0, []])
    const next = await installation.start()
    assert(before !== undefined)
    await checkRecovered(before)
    const { key } = await installation.ask('account.create', { email: 'last@example.org', credit: '1' })
    const reply = await ask(next.origin, key, { ...cases[0]!, ...short })
    assert.match(reply.body, successMarks[chat])
    assert.equal(reply.broken, null)
  })
})
