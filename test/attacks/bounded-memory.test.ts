/**
 * In a small container the server is not killed, whatever two accounts with half a dollar or none send from many addresses:
 * they get errors, and a paying neighbor gets every response.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { payingNeighbor, startAttack } from '../support/attacks.ts'
import { makeInstallation } from '../support/gateway-process.ts'
import { memoryGroup, programInGroup } from '../support/memory-group.ts'

const mebibyte = 1024 * 1024
const attacker = new URL('./large-bodies.ts', import.meta.url)
const models = (origin: string): string => `
sandbox: off
upstreams:
  - { name: openai, provider: openai, url: '${origin}', credential: any }
  - { name: anthropic, provider: anthropic, url: '${origin}', credential: any }
models:
  - { id: chat-echo, provider: openai, offers: [openai], upstreamId: sandbox-echo, formats: [openai-chat], context: 1000000, maxOutput: 10000, prices: [{ input: 0.03, output: 0.15 }] }
  - { id: messages-echo, provider: anthropic, offers: [anthropic], upstreamId: sandbox-echo, formats: [anthropic], context: 1000000, maxOutput: 10000, prices: [{ input: 0.03, output: 0.15 }] }
limits: { requestsPerMinute: none }
`

for (const { credit, memory, requests } of [
  { credit: '0.5', memory: 512, requests: 3 },
  // Every body is rejected before it is read, and discarded while it arrives.
  { credit: '0', memory: 352, requests: 6 },
])
  test(`large bodies of two accounts with ${credit} USD do not end a server of ${memory} MiB`, (context) =>
    attacked(context, { credit, memory, requests }))

interface Poor {
  readonly credit: string
  /** MiB. */
  readonly memory: number
  readonly requests: number
}

async function attacked(context: TestContext, { credit, memory, requests }: Poor): Promise<void> {
  const group = memoryGroup(memory * mebibyte)
  if (typeof group === 'string') return context.skip(group)
  const sandbox = await startSandbox({ clock: systemClock })
  const installation = makeInstallation(models(sandbox.origin), { main: programInGroup })
  context.after(async () => {
    await installation.remove()
    await sandbox.close()
    group.remove()
  })
  const server = await installation.start({ environment: group.environment })
  const keyOf = async (name: string, balance: string): Promise<string> =>
    (await installation.ask('account.create', { email: `${name}@example.org`, credit: balance } as never)).key
  const port = Number(new URL(server.origin).port)
  const neighbor = payingNeighbor(port, await keyOf('ada', '10'), {
    body: JSON.stringify({
      ...{ model: 'messages-echo', max_tokens: 64 },
      messages: [{ role: 'user', content: 'hello' }],
    }),
  })
  const keys = [await keyOf('eve', credit), await keyOf('mallory', credit)].join()
  let isOver = false
  void server.ended.then(() => {
    isOver = true
  })
  const attack = startAttack(attacker, { port, values: { keys, addresses: 50, requests } }).finally(() => {
    isOver = true
  })
  const outcomes: string[] = []
  do outcomes.push((await neighbor.ask()) ?? 'served')
  while (!isOver)
  const failures = outcomes.filter((outcome) => outcome !== 'served')
  const { counts, stop } = await attack
  await stop()
  const line = `${outcomes.length} requests of the neighbor, ${failures.length} failed; at most ${Math.round(group.peakBytes() / mebibyte)} MiB; attackers: ${JSON.stringify(counts())}`
  context.diagnostic(line)
  assert.equal(group.kills(), 0, line)
  assert.deepEqual([...new Set(failures)], [], line)
  // All have an answer that says what to do.
  const unexpected = Object.keys(counts()).filter((what) => !/^status(200|402|413|429|503|529)$/.test(what))
  assert.deepEqual(unexpected, [], line)
}
