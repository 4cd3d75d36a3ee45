/**
 * Messages usage: which counters `message_start`, `message_delta` or a response may report, and how
 * they become disjoint meters. The meters are disjoint already; only sub-requests that the top
 * level omits are added. Must not price anything.
 */

import { isRecord, type JsonRecord, recordIn, textIn } from '../json/parsed.ts'
import { CleanCounters, type CounterTable, isReported, RawUsageDraft } from '../raw-usage.ts'
import type { RawUsage, ReportedTotals, Usage } from '../usage.ts'

const inputTokens = 'input_tokens'
const outputTokens = 'output_tokens'
const cacheReads = 'cache_read_input_tokens'
const cacheWrites = 'cache_creation_input_tokens'
const cacheWrites5m = 'cache_creation.ephemeral_5m_input_tokens'
const cacheWrites1h = 'cache_creation.ephemeral_1h_input_tokens'
const thinkingTokens = 'output_tokens_details.thinking_tokens'

/** https://platform.claude.com/docs/en/api/messages (usage) */
const counters: CounterTable = {
  [inputTokens]: 'input',
  [outputTokens]: 'output',
  [cacheReads]: 'input',
  [cacheWrites]: 'input',
  [cacheWrites5m]: 'input',
  [cacheWrites1h]: 'input',
  [thinkingTokens]: 'used',
  'server_tool_use.web_search_requests': 'used',
  'server_tool_use.web_fetch_requests': 'used',
  'server_tool_use.tool_search_requests': 'used',
  // The price that another gateway charges.
  cost: 'ignored',
}

/** Server tools by meter, with the counter of their uses. */
const fees: Readonly<Record<string, string>> = {
  web_search: 'server_tool_use.web_search_requests',
  web_fetch: 'server_tool_use.web_fetch_requests',
  tool_search: 'server_tool_use.tool_search_requests',
}

/** Our count of the answer's code execution blocks; usage does not report them. */
const codeExecutions = 'code_executions'
const codeExecutionTools: readonly string[] = [
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
]

/** Where the answer says it ran, and the values for which the list price holds. */
const places: Readonly<Record<string, readonly string[]>> = {
  service_tier: ['standard'],
  speed: ['standard'],
  inference_geo: ['global', 'not_available'],
}

/**
 * Entries of `usage.iterations` by type. The top level is the sum of the samplings by the model and
 * omits the summarizing ones: https://platform.claude.com/docs/en/build-with-claude/compaction-threshold.
 * Other types ran on a model with a different price, which the top level omits too.
 */
const iterationKinds: Readonly<Record<string, string>> = { message: 'message', compaction: 'compaction' }
const iterationsPrefix = 'iterations.'
const iterated = [inputTokens, outputTokens, cacheReads, cacheWrites, cacheWrites5m, cacheWrites1h]

export function messagesReport(): RawUsageDraft {
  return new RawUsageDraft(counters)
}

/** Reads one `usage` object; later ones win field by field, and a split of what was written replaces the one before. */
export function readUsage(draft: RawUsageDraft, usage: unknown): void {
  if (!isRecord(usage)) return draft.read(usage)
  draft.read(withWholeSplit(usage))
  for (const [place, defaults] of Object.entries(places)) draft.servedOptions(place, usage[place], defaults)
  const { fallback_credit: credit, iterations } = usage
  if (isRecord(credit)) draft.flag('fallback_credit')
  if (!Array.isArray(iterations)) return
  draft.restart(iterationsPrefix)
  for (const iteration of iterations) readIteration(draft, iteration)
}

/** A lifetime that a split leaves out has none of it. */
function withWholeSplit(usage: JsonRecord): JsonRecord {
  const split = recordIn(usage, 'cache_creation')
  if (!Object.values(split).some((count) => count)) return usage
  return {
    ...usage,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0, ...split },
  }
}

function readIteration(draft: RawUsageDraft, iteration: unknown): void {
  if (!isRecord(iteration)) return draft.flag('iterations')
  const type = String(iteration.type)
  const kind = Object.hasOwn(iterationKinds, type) ? iterationKinds[type] : undefined
  if (kind === undefined) return draft.flag(`${iterationsPrefix}${type}`)
  for (const name of iterated) {
    const [outer = '', inner] = name.split('.')
    const value = iteration[outer]
    const counted = inner === undefined ? value : isRecord(value) ? value[inner] : null
    draft.count(`${iterationsPrefix}${kind}.${name}`, counted)
  }
}

/** Counts a block by which a tool that usage does not report shows that it ran. */
export function countBlock(draft: RawUsageDraft, block: JsonRecord): void {
  if (block.type !== 'server_tool_use') return
  if (codeExecutionTools.includes(textIn(block, 'name'))) draft.count(codeExecutions, 1)
}

/** Reads the usage of `message_start`: its output count is a placeholder for one that is not known yet. */
export function readOpeningUsage(draft: RawUsageDraft, usage: unknown): void {
  readUsage(draft, usage)
  draft.restart(outputTokens)
}

/** Whether the totals were reported, as numbers that can be true. */
export function reportedTotals(report: RawUsage): ReportedTotals {
  return { input: isReported(report, inputTokens), output: isReported(report, outputTokens) }
}

/** Reported fields → disjoint classes. */
export function toUsage(report: RawUsage, unsplit: '5m' | '1h' = '5m'): Usage {
  const clean = new CleanCounters(report)
  const total = (name: string) =>
    Math.max(clean.take(name), clean.take(`${iterationsPrefix}message.${name}`)) +
    clean.take(`${iterationsPrefix}compaction.${name}`)
  const output = total(outputTokens)
  return {
    inputUncached: total(inputTokens),
    cacheRead: total(cacheReads),
    ...split(total(cacheWrites), { short: total(cacheWrites5m), long: total(cacheWrites1h), unsplit }),
    inputAudio: 0,
    output,
    outputAudio: 0,
    reasoning: clean.part(thinkingTokens, output),
    fees: feesOf(clean),
    servedOptions: report.servedOptions,
    unknown: clean.flagged,
  }
}

/**
 * Writes to the cache by lifetime. What has no reported lifetime was written for the one that is marked, unless all that is
 * reported was written for an hour; where the parts are more than the whole, the parts count.
 */
function split(
  written: number,
  { short, long, unsplit }: { short: number; long: number; unsplit: '5m' | '1h' },
): { cacheWrite5m: number; cacheWrite1h: number } {
  const rest = Math.max(0, written - short - long)
  const isLong = short === 0 && (long > 0 || unsplit === '1h')
  return { cacheWrite5m: isLong ? 0 : short + rest, cacheWrite1h: isLong ? long + rest : long }
}

function feesOf(clean: CleanCounters): Readonly<Record<string, number>> {
  const uses = Object.entries(fees).map(([meter, counter]) => [meter, clean.take(counter)] as const)
  // However often it runs in one answer, it runs in one container, which is what the provider charges for.
  const containers = ['code_execution', Math.min(1, clean.take(codeExecutions))] as const
  return Object.fromEntries([...uses, containers].filter(([, count]) => count > 0))
}
