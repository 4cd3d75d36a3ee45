/**
 * Gemini usage: which counters a response or an event may report, and how they become disjoint meters.
 * `promptTokenCount` includes what was read from the cache; reasoning is separate from candidates, and tool
 * results are separate from the prompt. A missing count is 0. Must not price anything.
 */

import { isRecord, type JsonRecord, recordIn, recordsIn, textIn } from '../json/parsed.ts'
import { CleanCounters, type CounterTable, isPlausible, isReported, RawUsageDraft } from '../raw-usage.ts'
import type { RawUsage, ReportedTotals, Usage } from '../usage.ts'

const prompt = 'promptTokenCount'
const candidates = 'candidatesTokenCount'
const thoughts = 'thoughtsTokenCount'
const toolPrompt = 'toolUsePromptTokenCount'
const cached = 'cachedContentTokenCount'
const total = 'totalTokenCount'

/** https://ai.google.dev/api/generate-content#UsageMetadata */
const counters: CounterTable = {
  [prompt]: 'used',
  [candidates]: 'used',
  [thoughts]: 'used',
  [toolPrompt]: 'used',
  [cached]: 'used',
  [total]: 'used',
  trafficType: 'ignored',
  /** The input of the first of several requests that made one answer. */
  initialPromptTokenCount: 'ignored',
  // The price that another gateway charges.
  cost: 'ignored',
}

/** Our counts from an answer's grounding metadata; usage does not report them. */
const groundingPrefix = 'groundingMetadata.'
const searchQueries = `${groundingPrefix}webSearchQueries`
const mapsPrompts = `${groundingPrefix}maps`
/** Up to 2.5 a prompt that searched is charged once, from 3 on each search: https://ai.google.dev/gemini-api/docs/pricing */
const chargedByPrompt = /^gemini-[12](?:[.-]|$)/

/** Meters that are charged once a request, however often this model used them. */
export function chargedOnce(upstreamModel: string): readonly string[] {
  return chargedByPrompt.test(upstreamModel) ? ['web_search'] : []
}

/** The lists that split a counter by kind of medium. */
const details: readonly string[] = [
  'promptTokensDetails',
  'cacheTokensDetails',
  'candidatesTokensDetails',
  'toolUsePromptTokensDetails',
]
const mediaNames: readonly string[] = ['TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT']
/** Output that costs something else than text does. */
const dearOutputs: readonly string[] = ['IMAGE', 'VIDEO']

/** Values of `serviceTier` at which the list price applies. */
const defaultTiers = ['standard', 'unspecified', 'service_tier_standard', 'service_tier_unspecified']

/** The counters of each direction, the parts of which can be restored with them. */
const inputCounters = [prompt, toolPrompt, cached]
const outputCounters = [candidates, thoughts]

/** How Vertex AI names the tier; capacity that the operator has bought costs the list price here. */
function tierOfTraffic(traffic: string): string {
  const [, tier] = /^ON_DEMAND_(\w+)$/.exec(traffic) ?? []
  if (tier !== undefined) return tier.toLowerCase()
  return ['ON_DEMAND', 'PROVISIONED_THROUGHPUT', 'TRAFFIC_TYPE_UNSPECIFIED'].includes(traffic)
    ? 'standard'
    : traffic
}

export function geminiReport(): RawUsageDraft {
  return new RawUsageDraft(counters)
}

/**
 * Reads what an answer or an event tells of usage. Counts go up and down while a stream runs, and a count
 * that an event leaves out is 0 in it: the last event that counts is the one that is true, unless it takes back all of the input
 * or all of the output.
 */
export function readUsage(draft: RawUsageDraft, body: JsonRecord): void {
  const usage = body.usageMetadata
  if (!isRecord(usage)) draft.read(usage)
  else {
    const isCounting = [prompt, candidates, total].some((name) => typeof usage[name] === 'number')
    const before = isCounting ? draft.restartExcept(groundingPrefix) : null
    for (const list of details) readDetails(draft, usage, list)
    draft.read(usage)
    if (before !== null) {
      const isInputLost = draft.restoreLost(before, inputCounters)
      draft.outputShrank = draft.restoreLost(before, outputCounters)
      // The total included the counts that were restored.
      if (isInputLost || draft.outputShrank) draft.restart(total)
    }
    const tier = usage.serviceTier
    draft.servedOptions('service_tier', typeof tier === 'string' ? tier.toLowerCase() : tier, defaultTiers)
    const traffic = usage.trafficType
    draft.servedOptions(
      'service_tier',
      typeof traffic === 'string' ? tierOfTraffic(traffic) : traffic,
      defaultTiers,
    )
  }
  readGrounding(draft, body)
}

/** Every event with grounding metadata repeats all of it, so the largest number is the total. */
function readGrounding(draft: RawUsageDraft, body: JsonRecord): void {
  const candidates = recordsIn(body, 'candidates').map((candidate) =>
    recordIn(candidate, 'groundingMetadata'),
  )
  const searches = sum(candidates.map(queriesIn))
  if (searches > 0) draft.raise(searchQueries, searches)
  if (candidates.some(usesMaps)) draft.raise(mapsPrompts, 1)
}

/** Different queries, of pictures too; empty ones are not charged: https://ai.google.dev/gemini-api/docs/google-search#pricing */
function queriesIn({ webSearchQueries: web, imageSearchQueries: images }: JsonRecord): number {
  return sum(
    [web, images].map((queries) => new Set(Array.isArray(queries) ? queries.filter(isQuery) : []).size),
  )
}

const isQuery = (query: unknown): boolean => typeof query !== 'string' || query.trim() !== ''

function usesMaps(grounding: JsonRecord): boolean {
  return recordsIn(grounding, 'groundingChunks').some((chunk) => isRecord(chunk.maps))
}

const sum = (counts: readonly number[]): number => counts.reduce((so, count) => so + count, 0)

function readDetails(draft: RawUsageDraft, usage: JsonRecord, list: string): void {
  if (!Array.isArray(usage[list])) return
  draft.restart(`${list}.`)
  for (const entry of recordsIn(usage, list)) {
    const medium = textIn(entry, 'modality')
    if (mediaNames.includes(medium)) draft.count(`${list}.${medium}`, entry.tokenCount)
    else if (entry.tokenCount !== 0 && entry.tokenCount !== undefined) draft.flag(`${list}.${medium}`)
  }
}

/** Whether the totals were reported, as numbers that can be true; a total implies the missing count. */
export function reportedTotals(report: RawUsage): ReportedTotals {
  const input = isReported(report, prompt) && isPlausible(report, toolPrompt)
  const isWhole = isReported(report, candidates) || (input && isReported(report, total))
  return { input, output: isWhole && isPlausible(report, candidates) && isPlausible(report, thoughts) }
}

/** Reported fields → disjoint classes. */
export function toUsage(report: RawUsage): Usage {
  const clean = new CleanCounters(report)
  const sent = clean.take(prompt)
  const returned = clean.take(toolPrompt)
  const cacheRead = clean.part(cached, sent)
  const inputAudio = inputAudioOf(clean, { fresh: sent - cacheRead, returned, cacheRead })
  const candidateTokens = clean.take(candidates)
  const outputAudio = clean.part('candidatesTokensDetails.AUDIO', candidateTokens)
  const reasoning = clean.take(thoughts)
  const isContradicted =
    clean.has(total) && clean.take(total) !== sent + returned + candidateTokens + reasoning
  const dear = dearOutputs
    .map((medium) => `candidatesTokensDetails.${medium}`)
    .filter((name) => clean.take(name) > 0)
  return {
    inputUncached: sent + returned - cacheRead - inputAudio,
    cacheRead,
    cacheWrite5m: 0,
    cacheWrite1h: 0,
    inputAudio,
    output: candidateTokens - outputAudio + reasoning,
    outputAudio,
    reasoning,
    fees: feesOf(clean),
    servedOptions: report.servedOptions,
    unknown: [...new Set([...clean.flagged, ...dear, ...(isContradicted ? [total] : [])])],
  }
}

/** Audio in the prompt includes what of it was read from the cache. */
function inputAudioOf(
  clean: CleanCounters,
  parts: { readonly fresh: number; readonly returned: number; readonly cacheRead: number },
): number {
  const cachedAudio = clean.part('cacheTokensDetails.AUDIO', parts.cacheRead)
  const audio = clean.part('promptTokensDetails.AUDIO', parts.fresh + cachedAudio)
  const returned = clean.part('toolUsePromptTokensDetails.AUDIO', parts.returned)
  return Math.max(0, audio - cachedAudio) + returned
}

function feesOf(clean: CleanCounters): Readonly<Record<string, number>> {
  const uses = [
    ['web_search', clean.take(searchQueries)],
    ['google_maps', clean.take(mapsPrompts)],
  ] as const
  return Object.fromEntries(uses.filter(([, count]) => count > 0))
}
