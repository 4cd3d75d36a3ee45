/**
 * Writes docs/decisions/README.md, the list of all decisions with their status, from the decisions themselves:
 * `node scripts/run.js scripts/decisions-index.ts`. A test compares them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'

const folder = new URL('../docs/decisions/', import.meta.url)
export const decisionsIndexPath = new URL('README.md', folder)

/** The page's text. A decision is in force where no paragraph `**Status.**` says otherwise. */
export function decisionsIndex(): string {
  const files = readdirSync(folder).filter((name) => /^\d{4}-/.test(name))
  return `# Decisions

Why Tollgate is the way it is. Numbers that are missing were never published. The packages it uses are in
[dependencies](dependencies.md).

| Number | Decision | Status |
|---:|---|---|
${files.map(rowOf).join('\n')}
`
}

function rowOf(file: string): string {
  const text = readFileSync(new URL(file, folder), 'utf8')
  const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
  const status = /^\*\*Status\.\*\* ([\s\S]+?[.:])\s/m.exec(text)?.[1] ?? 'In force.'
  return `| ${number} | [${title}](${file}) | ${status.replaceAll(/\s+/g, ' ').replace(/[.:]$/, '')} |`
}

if (import.meta.main) writeFileSync(decisionsIndexPath, decisionsIndex())
