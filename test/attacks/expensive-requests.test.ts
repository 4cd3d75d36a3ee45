/**
 * Expensive requests from keys that cannot pay for them must cost the main thread little, and two connections full of
 * them must not slow down the responses and streams of a paying client.
 */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, test } from 'node:test'
import {
  type AttackedGateway,
  assertUnharmed,
  attackedGateway,
  describeMeasured,
  measureInTurn,
  measureUnderAttack,
  type Neighbor,
  neighborThatPosts,
  payingNeighbor,
  startAttack,
} from '../support/attacks.ts'
import { contentEvents } from '../support/paying-client.ts'
import { mainThreadMs, mainThreadWaitMs, type ProcessCost, processCost } from '../support/process-cost.ts'
import { repeated } from '../support/sampled.ts'
import { bodyOf, expensiveRequests, sendExpensive } from './expensive-requests.ts'

const attacker = new URL('./expensive-requests.ts', import.meta.url)
/** The default limits of an account; here only the attackers are limited. */
const perMinute = 600
let gateway: AttackedGateway

before(async () => {
  gateway = await attackedGateway({ yaml: 'limits: { requestsPerMinute: none, tokensPerMinute: none }' })
})
after(() => gateway.end())

const model = 'sandbox-echo'
const credits = { empty: '0', poor: '1' } as const
const accounts = ['empty', 'poor'] as const

async function attackersKey(kind: (typeof accounts)[number]): Promise<string> {
  const { account } = await gateway.account(credits[kind])
  const asked = { account, name: 'limited', limits: { requestsPerMinute: perMinute } }
  const { key } = await gateway.installation.ask('key.create', asked as never)
  return key
}

const bytesPerMegabyte = 1e6
const runs = repeated(2, 2, 4)
const mainMsPerMegabyteMax = 15

for (const kind of accounts) {
  const isLinux = process.platform === 'linux'
  test(`a balance of ${credits[kind]}: the cost of each request`, { skip: !isLinux }, async (context) => {
    const { port, server } = gateway
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    context.after(() => agent.destroy())
    for (const one of expensiveRequests[kind]) {
      const body = bodyOf(one, model)
      const key = await attackersKey(kind)
      const costs: ProcessCost[] = []
      const outcomes = new Set<string>()
      for (let run = 0; run < runs; run += 1) {
        const from = processCost(server.pid)
        outcomes.add(await sendExpensive({ port, key, agent }, one.path, body))
        const until = processCost(server.pid)
        costs.push({ mainMs: until.mainMs - from.mainMs, allMs: until.allMs - from.allMs })
      }
      const mainMs = Math.min(...costs.map((cost) => cost.mainMs))
      const allMs = Math.min(...costs.map((cost) => cost.allMs))
      const megabytes = body.length / bytesPerMegabyte
      const line = `${one.content} to ${one.path}, ${megabytes.toFixed(1)} MB: ${mainMs.toFixed(0)} ms of the thread that relays, ${allMs.toFixed(0)} ms of all, ${[...outcomes].join(' ')}`
      context.diagnostic(line)
      assert.ok(mainMs <= mainMsPerMegabyteMax * megabytes, line)
    }
  })
}

const tokens = 60

/** Reads one stream after another until stopped; resolves with the failures and the number of streams. */
function readStreams(key: string): { stop(): Promise<{ wrong: readonly string[]; streams: number }> } {
  const reader = neighborThatPosts({
    port: gateway.port,
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({
      ...{ model: 'sandbox-stream', max_tokens: 200, stream: true },
      messages: [{ role: 'user', content: `tokens=${tokens} rate=100` }],
    }),
    isRight: (status, text) =>
      status === 200 && contentEvents(text) === tokens && text.includes('data: [DONE]'),
  })
  const wrong: string[] = []
  let streams = 0
  let isOver = false
  const reading = (async () => {
    while (!isOver) {
      const failure = await reader.ask()
      streams += 1
      if (failure !== undefined) wrong.push(failure)
    }
  })()
  return {
    async stop() {
      isOver = true
      await reading
      return { wrong, streams }
    },
  }
}

/** Outcomes that an attacker may see: the requested count or a rejection, and no internal error. */
const outcomes = /^(status(200|400|402|429|503)|ECONNRESET|EPIPE)$/
/** Reads and rejects one of each; a request waits for parts of it in each of its event-loop turns. */
const loopMsFloor = 150

const p99Of = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.ceil(0.99 * numbers.length) - 1] ?? 0

/** The neighbor, and the event-loop CPU time from each of its requests to the response. */
function watchingTheLoop(neighbor: Neighbor, take: (loopMs: number) => void): Neighbor {
  const { pid } = gateway.server
  return {
    ...neighbor,
    async ask() {
      const fromMs = mainThreadMs(pid)
      const failure = await neighbor.ask()
      take(mainThreadMs(pid) - fromMs)
      return failure
    },
  }
}

test('two connections full of expensive requests from an account with too little credit', async (context) => {
  const { port, server } = gateway
  const { key } = await gateway.account('10')
  const loopMs = { calm: [] as number[], attacked: [] as number[] }
  const wrong: string[] = []
  const totals: Record<string, number> = {}
  let streams = 0
  let rounds = 0
  let phase: keyof typeof loopMs = 'calm'
  const measured = await measureUnderAttack({
    neighbor: watchingTheLoop(payingNeighbor(port, key), (ms) => loopMs[phase].push(ms)),
    pace: { requests: 40 },
    measure: measureInTurn,
    waitedMs: () => mainThreadWaitMs(server.pid) + mainThreadWaitMs(process.pid),
    async attack() {
      // A new account each time, whose rate limit is not exhausted.
      const values = { key: await attackersKey('poor'), connections: 2, account: 'poor', model }
      const running = await startAttack(attacker, { port, values })
      const reading = readStreams(key)
      phase = 'attacked'
      rounds += 1
      return {
        counts: () => totals,
        async stop() {
          phase = 'calm'
          const read = await reading.stop()
          await running.stop()
          wrong.push(...read.wrong)
          streams += read.streams
          for (const [what, count] of Object.entries(running.counts()))
            totals[what] = (totals[what] ?? 0) + count
        },
      }
    },
  })
  const loop = { calm: p99Of(loopMs.calm), attacked: p99Of(loopMs.attacked) }
  const line = `${describeMeasured(measured)}, ${streams} streams; the event loop worked for each request ${loop.calm.toFixed(1)} ms, under attack ${loop.attacked.toFixed(1)} ms`
  context.diagnostic(line)
  assertUnharmed(measured)
  assert.deepEqual(wrong, [], line)
  assert.ok(streams >= rounds && (totals.status400 ?? 0) > 0, line)
  const unexpected = Object.keys(totals).filter((what) => !outcomes.test(what))
  assert.deepEqual(unexpected, [], line)
  assert.ok(loop.attacked <= Math.max(loopMsFloor, 2 * loop.calm), line)
})
