/**
 * Writes docs/compatibility.md from the tables that translation itself reads, so that the page says what happens:
 * `node scripts/run.js scripts/compatibility-page.ts`. A test holds the written page against the tables.
 */
import { writeFileSync } from 'node:fs'
import { builtinModels } from '../src/catalog/builtin.ts'
import type { Connector } from '../src/providers/connector.ts'
import { connectors } from '../src/providers/registry.ts'
import type { ConversationFormat } from '../src/wire/dialect.ts'
import { clientCodecs } from '../src/wire/formats.ts'
import type { Capabilities } from '../src/wire/translation/capabilities.ts'
import type { PolicyRow } from '../src/wire/translation/policy.ts'

/** Where the page stands. */
export const compatibilityPath = new URL('../docs/compatibility.md', import.meta.url)

const titles: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': 'Chat Completions',
  'openai-responses': 'Responses',
  anthropic: 'Messages',
  gemini: 'Gemini',
}
const formats = Object.keys(titles) as readonly ConversationFormat[]

const beginning = `# Compatibility

Every client format reaches every model. Where the model is reached in the format that the client speaks, the body goes as it is and nothing on this page applies. Elsewhere a request is translated, and each of its fields has one of four fates:

- **carried**: it means the same there.
- **adapted**: it is said in the other format's terms, perhaps rounded.
- **dropped**: it is left out and named in the header \`x-tollgate-adjusted\`, since the answer means the same without it. A field that is in none of the tables is dropped too.
- **refused**: the answer is 400 with the code [\`untranslatable\`](errors/untranslatable.md) and the field's name, since leaving it out would change what you get.

What a model cannot take is left out or refused in the same way, whichever format it came in; the tables at the end tell of which model that is true. This page is written by \`scripts/compatibility-page.ts\` from the tables that the translation reads.
`

/** The whole page. */
export function compatibilityPage(): string {
  const directions = formats.map((from) => direction(from, clientCodecs[from].policy))
  const families = connectors.filter(({ provider }) => modelsOf(provider).length > 0).map(family)
  return [beginning, ...directions, '## What models take\n', ...families].join('\n')
}

function direction(from: ConversationFormat, rows: readonly PolicyRow[]): string {
  // A chat body in which some clients mix formats is written anew, also for a model that is reached in chat.
  const targets = formats.filter((to) => rows.some((row) => row.to[to] !== undefined))
  const heads = targets.map((to) => (to === from ? `${titles[to]}, written anew` : titles[to]))
  const body = rows.map((row) => [
    `\`${row.field}\``,
    ...targets.map((to) => row.to[to] ?? ''),
    sentence(row.note),
  ])
  const own = targets.includes(from)
    ? '\nSome clients mix the blocks or fields of other formats into this one; such a body is written anew.\n'
    : ''
  return `## From ${titles[from]}\n${own}\n${table(['Field', ...heads, 'How, or why not'], body)}`
}

/** Notes are written with and without a capital and a full stop. */
function sentence(note: string): string {
  return note.charAt(0).toUpperCase() + note.slice(1).replace(/\.$/, '')
}

function modelsOf(provider: string): readonly string[] {
  return builtinModels
    .filter((model) => model.provider === provider && model.dialects?.includes('openai-embeddings') !== true)
    .map(({ id }) => id)
}

const columns: readonly (readonly [head: string, cell: (takes: Capabilities) => string])[] = [
  ['Sampling', samplingOf],
  ['Thinking', thinkingOf],
  [
    'Off',
    ({ thinking, thinkingOff }) =>
      thinking === 'none' ? '–' : (thinkingOff?.replaceAll('_', ' ') ?? 'never'),
  ],
  ['Tools', toolsOf],
  ['Schema', schemaOf],
  ['Stop strings', ({ stopsMax }) => (stopsMax === 0 ? 'none' : `at most ${stopsMax}`)],
  ['Reads', ({ inputs }) => inputs.join(', ')],
  ['Besides', besidesOf],
  ['Tokens', ({ outputTokensMax }) => String(outputTokensMax)],
]

function family({ displayName, provider, families, capabilities }: Connector): string {
  const [prefix = ''] = families
  const groups = new Map<string, string[]>()
  const add = (title: string, model: string) => {
    const takes = capabilities(model)
    const key = JSON.stringify(columns.map(([, cell]) => cell(takes)))
    groups.set(key, [...(groups.get(key) ?? []), title])
  }
  for (const model of modelsOf(provider)) add(`\`${model}\``, model)
  add(`and every other \`${prefix}…\``, `${prefix}of-tomorrow`)
  add('and every name of another form', 'of-tomorrow')
  const rows = [...groups].map(([key, models]) => [models.join(' '), ...(JSON.parse(key) as string[])])
  return `### ${displayName}\n\n${table(['Models', ...columns.map(([head]) => head)], rows)}`
}

function samplingOf({ sampling, temperatureMax, topK, penalties, seed }: Capabilities): string {
  if (sampling === 'none') return 'none'
  const more = Object.entries({ 'top k': topK, penalties, seed }).flatMap(([name, is]) => (is ? [name] : []))
  const how = {
    all: 'temperature and top p',
    one_of: 'temperature or top p',
    without_reasoning: 'temperature and top p, without thinking',
  }[sampling]
  return [`${how} (to ${temperatureMax})`, ...more].join(', ')
}

function thinkingOf({ thinking, efforts, budget }: Capabilities): string {
  if (thinking === 'none') return 'none'
  const range = budget === null ? '' : ` ${budget.min}–${budget.max} tokens`
  return `${thinking}${range}${efforts.length === 0 ? '' : `: ${efforts.join(', ')}`}`
}

const chatTools: Readonly<Record<Capabilities['chatTools'], string>> = {
  always: '',
  without_effort: 'over Responses with an effort',
  explicit_none: 'over Responses unless the effort is none',
  never: 'over Responses alone',
}

function toolsOf({ forcedTools, parallelSwitch, chatTools: rule }: Capabilities): string {
  const limits = [
    chatTools[rule],
    forcedTools ? '' : 'cannot be forced',
    parallelSwitch ? '' : 'no switch for parallel calls',
  ].filter((limit) => limit !== '')
  return limits.length === 0 ? 'all' : limits.join('; ')
}

function schemaOf({ schemaOutput, schemaWithTools }: Capabilities): string {
  if (!schemaOutput) return 'none'
  return schemaWithTools ? 'also beside tools' : 'without tools'
}

function besidesOf(takes: Capabilities): string {
  const words: readonly (readonly [is: boolean, word: string])[] = [
    [takes.prefill, 'begun answers'],
    [takes.midSystem, 'instructions between turns'],
    [takes.cacheBreakpoints, 'cache marks'],
    [takes.resultMedia, 'images in results'],
    [takes.logprobs, 'log probabilities'],
  ]
  return words.flatMap(([is, word]) => (is ? [word] : [])).join(', ') || '–'
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return `${[line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')}\n`
}

if (import.meta.main) writeFileSync(compatibilityPath, compatibilityPage())
