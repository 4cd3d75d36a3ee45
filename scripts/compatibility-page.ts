/**
 * Writes docs/compatibility.md to stdout, made of the tables that the translation itself reads, so that the
 * page cannot say what the program does not do: `node scripts/run.js scripts/compatibility-page.ts`
 */
import { fileURLToPath } from 'node:url'
import { anthropicModels } from '../src/providers/anthropic-models-table.ts'
import type { CapabilityRow } from '../src/providers/capability-row.ts'
import { googleModels } from '../src/providers/google-models-table.ts'
import { openaiModels } from '../src/providers/openai-models-table.ts'
import type { Capabilities } from '../src/wire/capabilities.ts'
import type { ConversationFormat } from '../src/wire/codec.ts'
import { codecs } from '../src/wire/dialects.ts'

const formats: readonly (readonly [name: ConversationFormat, title: string])[] = [
  ['openai-chat', 'Chat Completions'],
  ['openai-responses', 'Responses'],
  ['anthropic', 'Messages'],
  ['gemini', 'Gemini'],
]

const makers: readonly (readonly [title: string, rows: readonly CapabilityRow[]])[] = [
  ['OpenAI', openaiModels],
  ['Anthropic', anthropicModels],
  ['Google', googleModels],
]

/** What a table cell cannot hold is written otherwise. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(' | ')} |`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row)].join('\n')
}

/** One client format: each of its fields on the way to each other format. */
function fieldsOf([name, title]: (typeof formats)[number]): string {
  const { policy } = codecs[name]
  const targets = formats.filter(([target]) => target !== name)
  const rows = policy.map(({ field, to, note }) => [
    `\`${field}\``,
    ...targets.map(([target]) => to[target] ?? 'dropped'),
    note,
  ])
  const head = ['field', ...targets.map(([, target]) => `→ ${target}`), 'what becomes of it']
  return `## Requests in the ${title} format\n\n${table(head, rows)}\n`
}

const gates: readonly (readonly [title: string, read: (takes: Capabilities) => string])[] = [
  ['sampling', ({ sampling }) => sampling.replaceAll('_', ' ')],
  ['stop strings', ({ stopsMax }) => String(stopsMax)],
  ['thinking', ({ thinking }) => thinking],
  ['efforts', ({ efforts }) => (efforts.length === 0 ? '–' : efforts.join(' '))],
  ['off by', ({ thinkingOff }) => thinkingOff ?? 'never'],
  ['forced tool', ({ forcedTools }) => yes(forcedTools)],
  ['prefill', ({ prefill }) => yes(prefill)],
  ['late instructions', ({ midSystem }) => yes(midSystem)],
  ['schema', ({ schemaOutput, schemaWithTools }) => (schemaWithTools ? 'with tools' : yes(schemaOutput))],
  ['cache marks', ({ cacheMarks }) => yes(cacheMarks)],
  ['input', ({ inputs }) => inputs.join(' ')],
  ['tools on Chat', ({ chatTools }) => chatTools.replaceAll('_', ' ')],
]

function yes(is: boolean): string {
  return is ? 'yes' : 'no'
}

function modelsOf([title, rows]: (typeof makers)[number]): string {
  const head = ['names', ...gates.map(([name]) => name), 'source']
  const cells = rows.map(({ names, takes, source }) => [
    `\`${names.source}\``,
    ...gates.map(([, read]) => read(takes)),
    source,
  ])
  return `### ${title}\n\n${table(head, cells)}\n`
}

const opening = `# What becomes of a request in another format

A request whose model is reached in the format that it is written in goes as it came, byte for byte. This page is about the others. It is made from the tables that the translation reads (\`node scripts/run.js scripts/compatibility-page.ts\`), and a test holds it against them.

- *carried*: means the same there.
- *adapted*: said in the other format's terms, perhaps rounded.
- *dropped*: left out, and named in the header \`x-tollgate-adjusted\`.
- *refused*: [\`untranslatable\`](errors/untranslatable.md), 400 naming the field: leaving it out would change what you get.

A field that no row names is dropped, and said. \`[]\` stands for every element of a list.
`

const modelsOpening = `## What a model takes

Even a carried field is rounded, dropped (and said) or refused where the model itself does not take it. The first row whose pattern fits the provider's name of a model counts; the last one of each maker is for names that nobody knows yet, read as its newest model.
`

/** The whole page. */
export function compatibilityPage(): string {
  return [opening, ...formats.map(fieldsOf), modelsOpening, ...makers.map(modelsOf)].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(compatibilityPage())
