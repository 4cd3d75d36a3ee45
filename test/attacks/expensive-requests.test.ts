/**
 * Requests that are made to be expensive, from keys that cannot pay for them, cost the thread that relays little, and
 * two connections full of them keep no paying client from its answers and streams.
 */
import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import {
  type AttackedGateway,
  attackedGateway,
  type Neighbor,
  neighborThatPosts,
  payingNeighbor,
  startAttack,
} from '../support/attacks.ts'
import { contentEvents } from '../support/paying-client.ts'
import { mainThreadMs, type ProcessCost, processCost } from '../support/process-cost.ts'
import { bodyOf, expensiveRequests, sendExpensive } from './expensive-requests.ts'

const attacker = new URL('./expensive-requests.ts', import.meta.url)
/** What an account may send by default; here only the attackers are limited. */
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
const runs = 4
const mainMsPerMegabyteMax = 15

for (const kind of accounts) {
  const isLinux = process.platform === 'linux'
  test(`a balance of ${credits[kind]}: what each request costs`, { skip: !isLinux }, async (context) => {
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

/** Reads one stream after another until it is stopped; resolves with what was wrong with them and how many there were. */
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

interface Turn {
  readonly failure: string | undefined
  readonly tookMs: number
  /** Processor time of the server's event loop from the request to its answer. */
  readonly loopMs: number
}

const requests = 40
const everyMs = 20
const rounds = 2

/** One request after another, so that each waits for what others cost and not for this client's own. */
async function askInTurn(neighbor: Neighbor): Promise<Turn[]> {
  const { pid } = gateway.server
  const turns: Turn[] = []
  for (let dueMs = systemClock.monoMs(); turns.length < requests; dueMs += everyMs) {
    const delayMs = Math.max(0, dueMs - systemClock.monoMs())
    await new Promise<void>((resolve) => systemClock.after(delayMs, resolve))
    const from = { mono: systemClock.monoMs(), loop: mainThreadMs(pid) }
    const failure = await neighbor.ask()
    const loopMs = mainThreadMs(pid) - from.loop
    turns.push({ failure, tookMs: systemClock.monoMs() - from.mono, loopMs })
  }
  return turns
}

const p99Of = (turns: readonly Turn[], of: (turn: Turn) => number): number =>
  turns.map(of).toSorted((a, b) => a - b)[Math.ceil(0.99 * turns.length) - 1] ?? 0
const loopOf = ({ loopMs }: Turn): number => loopMs

function describe(name: string, turns: readonly Turn[]): string {
  const failed = turns.filter(({ failure }) => failure !== undefined).length
  const share = ((100 * (turns.length - failed)) / turns.length).toFixed(1)
  const took = p99Of(turns, ({ tookMs }) => tookMs).toFixed(0)
  const loop = p99Of(turns, loopOf).toFixed(1)
  return `${name}: ${share} % of ${turns.length}, p99 ${took} ms, of which the event loop worked ${loop} ms`
}

/** What an attacker may get: nothing but the count that it asked for, and no failure of the server. */
const outcomes = /^(status(200|400|402|429|503)|ECONNRESET|EPIPE)$/
/** Reading and refusing one of each; a request waits for parts of it in each of its several turns of the event loop. */
const loopMsFloor = 150

for (const kind of accounts) {
  test(`a balance of ${credits[kind]}: two connections full of them`, async (context) => {
    const { port } = gateway
    const { key } = await gateway.account('10')
    const neighbor = payingNeighbor(port, key)
    const calm: Turn[] = []
    const attacked: Turn[] = []
    const wrong: string[] = []
    let streams = 0
    const totals: Record<string, number> = {}
    await askInTurn(neighbor)
    for (let round = 0; round < rounds; round += 1) {
      calm.push(...(await askInTurn(neighbor)))
      // A new account each time, whose rates are not used up.
      const values = { key: await attackersKey(kind), connections: 2, account: kind, model }
      const running = await startAttack(attacker, { port, values })
      const reading = readStreams(key)
      attacked.push(...(await askInTurn(neighbor)))
      const read = await reading.stop()
      await running.stop()
      wrong.push(...read.wrong)
      streams += read.streams
      for (const [what, count] of Object.entries(running.counts())) totals[what] = (totals[what] ?? 0) + count
    }
    const counts = JSON.stringify({ ...totals, streams })
    const line = `${describe('calm', calm)}; ${describe('under attack', attacked)}; attacker: ${counts}`
    context.diagnostic(line)
    const failures = [...calm, ...attacked].flatMap(({ failure }) => failure ?? [])
    assert.deepEqual([...failures, ...wrong], [], line)
    assert.ok(streams >= rounds && (totals.status400 ?? 0) > 0, line)
    const unexpected = Object.keys(totals).filter((what) => !outcomes.test(what))
    assert.deepEqual(unexpected, [], line)
    // Elapsed time is that of a busy machine as well, which takes turns between the threads of all programs.
    assert.ok(p99Of(attacked, loopOf) <= Math.max(loopMsFloor, 2 * p99Of(calm, loopOf)), line)
  })
}
