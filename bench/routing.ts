/**
 * `node scripts/run.js bench/routing.ts`: the CPU time of routing one request, and of rebuilding the catalog after a
 * change, with 1,500 models at 40 upstreams.
 */
import type { Caller } from '../src/access/types.ts'
import { systemClock } from '../src/base/clock.ts'
import { runInTurns } from '../src/base/steps.ts'
import type { ModelDefinition, UpstreamDefinition } from '../src/catalog/definition.ts'
import { draftModels, draftSteps } from '../src/catalog/drafts.ts'
import { catalogTurns } from '../src/catalog/live.ts'
import { buildSnapshot, snapshotSteps } from '../src/catalog/snapshot.ts'
import type { CatalogSources } from '../src/catalog/sources.ts'
import { limitDefaults } from '../src/config/config.ts'
import { type RouteDeps, route } from '../src/gateway/phases/route.ts'
import type { ParsedRequest, RequestContext } from '../src/gateway/request.ts'
import { openOwnKeyHealth } from '../src/provider-keys/own-key-health.ts'
import { orderUpstreams } from '../src/providers/health.ts'
import { connectorOf, connectors } from '../src/providers/registry.ts'
import { clientFormats } from '../src/wire/formats.ts'

const modelsTotal = 1_500
const upstreamsTotal = 40
const calls = 200_000

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
  ...{ dialect: clientFormats['openai-chat'], operation: 'generate', startedMs },
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
  'catalog built anew',
  measured(20, () => void build()),
)

/** The longest piece of a rebuild, in microseconds of the wall clock. */
async function longestTurn(): Promise<number> {
  let longest = 0
  let began = process.hrtime.bigint()
  const note = () => {
    longest = Math.max(longest, Number(process.hrtime.bigint() - began) / 1_000)
  }
  const turns = {
    ...catalogTurns,
    async yieldTurn() {
      note()
      await catalogTurns.yieldTurn()
      began = process.hrtime.bigint()
    },
  }
  const drafts = await runInTurns(draftSteps(sources), turns)
  await runInTurns(
    snapshotSteps(drafts, sources, () => 1n),
    turns,
  )
  note()
  return longest
}

const longest: number[] = []
for (let run = 0; run < 20; run += 1) longest.push(await longestTurn())
longest.sort((one, other) => one - other)
process.stdout.write(
  `longest turn of a rebuild, median and maximum of 20: ${longest[10]?.toFixed(0)} and ${longest[19]?.toFixed(0)} µs\n`,
)
