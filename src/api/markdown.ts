/**
 * The part of Markdown that the project's own pages use, as HTML: headings, paragraphs, lists, tables, code, links and
 * emphasis. Everything else stays text; no HTML of a page goes through. Pure.
 */
import { escapeHtml } from './page.ts'

/** Where a page's link leads, or undefined when there is nothing to lead to. */
export type LinkTo = (target: string) => string | undefined

interface Lines {
  readonly lines: readonly string[]
  at: number
}

export function htmlOf(markdown: string, linkTo: LinkTo): string {
  const source: Lines = { lines: markdown.split('\n'), at: 0 }
  const blocks: string[] = []
  while (source.at < source.lines.length) {
    const block = nextBlock(source, linkTo)
    if (block !== '') blocks.push(block)
  }
  return blocks.join('\n')
}

/** As headings are referred to: `## What is refused, and why` is `#what-is-refused-and-why`. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

const fence = /^```/
/** A note to those who edit the page. */
const comment = /^<!-- .* -->$/
const heading = /^(#{1,4}) (.+)$/
const item = /^( *)(?:[-*]|\d+\.) +(.*)$/

/** Takes at least one line. */
function nextBlock(source: Lines, linkTo: LinkTo): string {
  const line = source.lines[source.at] ?? ''
  if (line.trim() === '' || comment.test(line)) {
    source.at += 1
    return ''
  }
  if (fence.test(line)) return code(source)
  if (line.startsWith('|')) return table(source, linkTo)
  if (item.test(line)) return list(source, linkTo)
  const [, marks, title] = heading.exec(line) ?? []
  if (marks === undefined || title === undefined) return `<p>${inline(paragraph(source), linkTo)}</p>`
  source.at += 1
  return `<h${marks.length} id="${escapeHtml(slugOf(title))}">${inline(title, linkTo)}</h${marks.length}>`
}

function taken(source: Lines, goesOn: (line: string) => boolean): readonly string[] {
  const from = source.at
  do source.at += 1
  while (source.at < source.lines.length && goesOn(source.lines[source.at] ?? ''))
  return source.lines.slice(from, source.at)
}

function paragraph(source: Lines): string {
  const goesOn = (line: string) =>
    line.trim() !== '' &&
    !fence.test(line) &&
    !heading.test(line) &&
    !item.test(line) &&
    !line.startsWith('|')
  return taken(source, goesOn).join(' ')
}

function code(source: Lines): string {
  const [, ...lines] = taken(source, (line) => !fence.test(line))
  source.at += 1
  return codeBlock(lines.join('\n'))
}

export function codeBlock(text: string): string {
  return `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`
}

function table(source: Lines, linkTo: LinkTo): string {
  const [head = [], , ...rows] = taken(source, (line) => line.startsWith('|')).map(cells)
  const cellsAs = (tag: string, row: readonly string[]) =>
    row.map((cell) => `<${tag}>${inline(cell, linkTo)}</${tag.split(' ', 1)[0]}>`).join('')
  return `<div class="scroll" tabindex="0"><table>
<thead><tr>${cellsAs('th scope="col"', head)}</tr></thead>
<tbody>
${rows.map((row) => `<tr>${cellsAs('td', row)}</tr>`).join('\n')}
</tbody>
</table></div>`
}

/** A `\|` is no border. */
function cells(line: string): readonly string[] {
  return line
    .replace(/^\||\|\s*$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'))
}

function list(source: Lines, linkTo: LinkTo): string {
  const [, indent = '', first = ''] = item.exec(source.lines[source.at] ?? '') ?? []
  const isOrdered = /^ *\d/.test(source.lines[source.at] ?? '')
  const items: string[] = []
  let text = first
  let inner = ''
  const close = (): void => void items.push(`<li>${inline(text, linkTo)}${inner}</li>`)
  for (source.at += 1; source.at < source.lines.length; ) {
    const line = source.lines[source.at] ?? ''
    const [, deeper, words] = item.exec(line) ?? []
    if (deeper !== undefined && deeper.length > indent.length) {
      inner += list(source, linkTo)
      continue
    }
    if (deeper !== undefined && deeper.length < indent.length) break
    if (deeper === undefined && !line.startsWith(`${indent}  `)) break
    if (deeper === undefined && fence.test(line.trim())) {
      inner += indentedCode(source)
      continue
    }
    if (words === undefined) text += ` ${line.trim()}`
    else {
      close()
      text = words
      inner = ''
    }
    source.at += 1
  }
  close()
  const tag = isOrdered ? 'ol' : 'ul'
  return `<${tag}>\n${items.join('\n')}\n</${tag}>`
}

function indentedCode(source: Lines): string {
  const [opening = '', ...lines] = taken(source, (line) => !fence.test(line.trim()))
  source.at += 1
  const indent = opening.length - opening.trimStart().length
  return codeBlock(lines.map((line) => line.slice(indent)).join('\n'))
}

const spans = /`([^`]+)`|\[((?:[^\]`]|`[^`]*`)+)\]\(([^)\s]+)\)|\*\*([^*]+)\*\*|\*([^*\s][^*]*)\*/g

function inline(text: string, linkTo: LinkTo): string {
  let html = ''
  let from = 0
  for (const match of text.matchAll(spans)) {
    const [whole, code, label, target, strong, emphasis] = match
    html += escapeHtml(text.slice(from, match.index))
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`
    else if (strong !== undefined) html += `<strong>${inline(strong, linkTo)}</strong>`
    else if (emphasis !== undefined) html += `<em>${inline(emphasis, linkTo)}</em>`
    else html += link(inline(label ?? '', linkTo), linkTo(target ?? ''))
    from = match.index + whole.length
  }
  return html + escapeHtml(text.slice(from))
}

function link(label: string, target: string | undefined): string {
  return target === undefined ? label : `<a href="${escapeHtml(target)}">${label}</a>`
}
