/**
 * Writes the tables of docs/operate/configuration.md from the tables that the configuration is read with:
 * `node scripts/run.js scripts/configuration-page.ts`. The text around them is written by hand. A test compares
 * the page with the tables.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import type { z } from 'zod'
import { model, offer, price, scheduled, signInProvider, tier, upstream } from '../src/config/file-lists.ts'
import { type Limit, limitsAtStart, limitsTable, memoryDivisors } from '../src/config/limits-table.ts'
import { mappingSections, type Setting, settingsTable } from '../src/config/settings-table.ts'

/** Where the page is. */
export const configurationPath = new URL('../docs/operate/configuration.md', import.meta.url)

const settings = Object.values<Setting>(settingsTable)

/** Members of a price with nested rates, and for each the only member that a price does not have. */
const priceParts: readonly (readonly [name: string, member: string, text: string | undefined])[] = [
  ['tiers', 'aboveInputTokens', tier.shape.aboveInputTokens.description],
  ['schedule', 'times', scheduled.shape.times.description],
]

/** The tables by the name in the comment `<!-- table: name -->` on the page. */
const tables: Readonly<Record<string, () => string>> = {
  variables: () =>
    table(
      ['Variable', 'Default', 'Description'],
      settings.flatMap((row) =>
        row.variable === undefined ? [] : [[code(row.variable), defaultOf(row), row.doc]],
      ),
    ),
  sections: () =>
    table(
      ['Section', 'Description'],
      [...sections()].map(([name, doc]) => [code(name), doc]),
    ),
  server: () =>
    table(
      ['Name', 'Environment variable'],
      members('server').map(([name, { variable = '', variableSchema }]) => [
        code(name),
        `${code(variable)}${variableSchema === undefined ? '' : ', as a list'}`,
      ]),
    ),
  operator: () => memberTable('operator'),
  providerKeys: () => memberTable('providerKeys'),
  telemetry: () => memberTable('telemetry'),
  upstreams: () => itemTable(upstream),
  signIn: () => itemTable(signInProvider),
  models: () => itemTable(model),
  offers: () => itemTable(offer),
  // Tiers and schedules repeat the rates of their price; their additional members follow their name.
  prices: () =>
    table(
      ['Name', 'Description'],
      itemRows(price).flatMap((row) => {
        const own = priceParts.find(([name]) => row[0] === code(name))
        return own === undefined ? [row] : [row, [code(own[1]), own[2] ?? '']]
      }),
    ),
  limits: () =>
    table(
      ['Name', 'Default', 'Description'],
      Object.entries<Limit>(limitsTable).map(([name, row]) => [
        code(name),
        shown(row.default),
        docOf(name, row.doc),
      ]),
    ),
  limitsAtStart: () => `${[...limitsAtStart].sort().map(code).join(', ')}.\n`,
}

/** The page with its generated tables replaced. */
export function configurationPage(page: string): string {
  return page.replaceAll(
    /(<!-- table: (\w+) -->\n)[\s\S]*?(<!-- end of table -->)/g,
    (_, start: string, name: string, end: string) => {
      const make = tables[name]
      if (make === undefined) throw new Error(`unknown table ${name}`)
      return `${start}\n${make()}\n${end}`
    },
  )
}

/** In the order of the table; a mapping where its first setting is. */
function sections(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const { path, doc, fileDoc } of settings) {
    if (path === undefined) continue
    const [section = ''] = path.split('.')
    if (!found.has(section)) found.set(section, mappingSections[section] ?? fileDoc ?? doc)
  }
  return found.set('limits', mappingSections['limits'] ?? '')
}

function members(section: string): readonly (readonly [name: string, row: Setting])[] {
  return settings.flatMap((row) => {
    const [owner, name] = row.path?.split('.') ?? []
    return owner === section && name !== undefined ? [[name, row] as const] : []
  })
}

function memberTable(section: string): string {
  return table(
    ['Name', 'Description'],
    members(section).map(([name, { doc, fileDoc }]) => [code(name), fileDoc ?? doc]),
  )
}

function itemTable(item: z.ZodObject): string {
  return table(['Name', 'Description'], itemRows(item))
}

function itemRows(item: z.ZodObject): readonly (readonly string[])[] {
  return Object.entries(item.shape as Record<string, z.ZodType>).map(([name, schema]) => {
    const needed = schema.safeParse(undefined).success ? '' : 'Required. '
    return [code(name), `${needed}${schema.description ?? ''}`]
  })
}

function defaultOf({ default: value, defaultText }: Setting): string {
  if (defaultText !== undefined) return defaultText
  const isNothing =
    value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)
  return isNothing ? 'none' : code(String(value))
}

function docOf(name: string, doc: string): string {
  const divisor = Object.entries(memoryDivisors).find(([other]) => other === name)?.[1]
  return divisor === undefined
    ? doc
    : `${doc} The default is at most 1/${divisor} of the [memory](running.md#memory).`
}

function shown(value: Limit['default']): string {
  if (value === null) return 'none'
  if (typeof value === 'object') return String(Number(value.numerator) / Number(value.denominator))
  return value.toLocaleString('en-US')
}

function code(text: string): string {
  return `\`${text}\``
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return `${[line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')}\n`
}

if (import.meta.main)
  writeFileSync(configurationPath, configurationPage(readFileSync(configurationPath, 'utf8')))
