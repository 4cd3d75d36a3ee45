/**
 * `node scripts/run.js bench/routing.ts`: the CPU time of routing one request and of building the catalog, and how
 * long a change of the catalog holds up requests, with 1,500 models at 40 upstreams.
 */

import { createSealer } from '../src/access/sealing.ts'
import type { Caller } from '../src/access/types.ts'
import { systemClock } from '../src/base/clock.ts'
import { idSource, systemRandom } from '../src/base/ids.ts'
import { openCatalog } from '../src/catalog/catalog.ts'
import type { ModelDefinition, UpstreamDefinition } from '../src/catalog/definition.ts'
import { draftModels } from '../src/catalog/drafts.ts'
import { buildSnapshot } from '../src/catalog/snapshot.ts'
import type { CatalogSources } from '../src/catalog/sources.ts'
import { limitDefaults } from '../src/config/config.ts'
import { type RouteDeps, route } from '../src/gateway/phases/route.ts'
import type { ParsedRequest, RequestContext } from '../src/gateway/request.ts'
import { openUnrequestedTiers } from '../src/gateway/targets/routing.ts'
import { openOwnKeyHealth } from '../src/provider-keys/own-key-health.ts'
import { orderUpstreams } from '../src/providers/health.ts'
import { connectorOf, connectors } from '../src/providers/registry.ts'
import { settingsOf } from '../src/store/settings.ts'
import { clientFormats } from '../src/wire/formats.ts'
import { openTestLedger } from '../test/support/open-ledger.ts'

const modelsTotal = 1_500
const upstreamsTotal = 40
const calls = 200_000
const changes = 20

const providers = ['openai', 'anthropic', 'google']
const upstreams: readonly UpstreamDefinition[] = Array.from({ length: upstreamsTotal }, (_, at) => ({
  name: `upstream-${at}`,
  provider: providers[at % providers.length] ?? 'openai',
  url: 'https://host.example',
  credential: 'a-credential',
  weight: 1,
  models: [],
}))

/** Every tenth model has three offers at different providers, the others one. */
const configured: readonly ModelDefinition[] = Array.from({ length: modelsTotal }, (_, at) => ({
  id: `model-${at}`,
  context: 100_000,
  maxOutput: 1_000,
  prices: [{ input: '1', output: '2' }],
  offers: Array.from({ length: at % 10 === 0 ? 3 : 1 }, (_offer, more) => ({
    upstream: `upstream-${(at + more) % upstreamsTotal}`,
  })),
}))

const sources: CatalogSources = {
  builtin: [],
  configured,
  overrides: [],
  aliases: {},
  disabled: [],
  markup: null,
  upstreams,
  providers: connectors,
}

const build = () => buildSnapshot(draftModels(sources), sources, () => 1n)

const startedMs = Date.now()
const context = {
  ...{ format: clientFormats['openai-chat'], operation: 'generate', startedMs },
  request: { headers: {} },
} as RequestContext
const caller = { account: 1n, policy: { models: null } } as unknown as Caller
const deps: RouteDeps = {
  snapshot: build(),
  connectorOf,
  providerKeys: {
    fee: { numerator: 0n, denominator: 1n },
    of: () => [],
    health: openOwnKeyHealth({ clock: systemClock, limits: limitDefaults }),
  },
  unrequestedTiers: openUnrequestedTiers(),
  order: (candidates) => orderUpstreams(candidates, { health: new Map(), sticky: 1, nowMs: 0 }),
}

function requestFor(model: string): ParsedRequest {
  const facts = { model, functionTools: false, effort: null, canPassThrough: true }
  return { facts } as ParsedRequest
}

/** CPU microseconds of one run. */
function measured(times: number, run: (at: number) => void): number {
  for (let at = 0; at < times / 10; at += 1) run(at)
  const before = process.cpuUsage()
  for (let at = 0; at < times; at += 1) run(at)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

function print(what: string, micros: number): void {
  process.stdout.write(`${what.padEnd(40)} ${micros.toFixed(2)} µs CPU\n`)
}

const single = Array.from({ length: 100 }, (_, at) => requestFor(`model-${at * 10 + 1}`))
const several = Array.from({ length: 100 }, (_, at) => requestFor(`model-${at * 10}`))
const routeOne = (requests: readonly ParsedRequest[]) => (at: number) => {
  const parsed = requests[at % requests.length]
  if (parsed !== undefined) route(deps, caller, context, parsed)
}

print('route, one offer', measured(calls, routeOne(single)))
print('route, three offers', measured(calls, routeOne(several)))
print(
  'the whole catalog',
  measured(20, () => void build()),
)

/** The longest time between two turns of the event loop while a change is made, in milliseconds of the wall clock. */
async function longestTurn(change: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let isDone = false
  const watch = async () => {
    for (let last = performance.now(); !isDone; ) {
      await new Promise((resolve) => setImmediate(resolve))
      const now = performance.now()
      longest = Math.max(longest, now - last)
      last = now
    }
  }
  const watched = watch()
  await change()
  isDone = true
  await watched
  return longest
}

async function printTurns(what: string, change: (at: number) => Promise<unknown>): Promise<void> {
  const longest: number[] = []
  for (let at = 0; at < changes; at += 1) longest.push(await longestTurn(() => change(at)))
  longest.sort((one, other) => one - other)
  const [median, maximum] = [longest[changes / 2], longest.at(-1)].map((ms) => ms?.toFixed(1))
  process.stdout.write(
    `longest turn, ${what.padEnd(26)} ${median} ms, maximum of ${changes}: ${maximum} ms\n`,
  )
}

const closing: (() => void | Promise<void>)[] = []
const { store } = await openTestLedger({ after: (run) => void closing.push(run) }, { clock: systemClock })
const { overrides: _none, ...given } = sources
const catalog = await openCatalog({
  ...{ store, clock: systemClock, nextId: idSource(systemClock, 3), settings: settingsOf(store) },
  sealer: createSealer(systemRandom(32), systemRandom),
  sources: given,
})
const price = { input: '3', output: '4' }
const definition = { context: 1_000, maxOutput: 100, prices: [price] }
const added = (at: number) => ({
  ...{ name: `added-${at}`, provider: 'openai', url: null, weight: 1, disabled: false },
  credential: 'a-credential',
})
await printTurns('nothing', () => new Promise((resolve) => setTimeout(resolve, 10)))
await printTurns('a price', (at) => catalog.price(`model-${at}`, price))
await printTurns('a preview of an upstream', (at) => catalog.previewUpstream(added(at)))
await printTurns('an upstream', (at) => catalog.putUpstream(added(at)))
await printTurns('an offer', (at) => catalog.offer({ model: 'gpt-new', upstream: `added-${at}`, definition }))
await printTurns('the whole catalog', async () => {
  await catalog.reload({ ...given, markup: catalog.markup.markup === null ? '5%' : null })
})
for (const close of closing.reverse()) await close()
