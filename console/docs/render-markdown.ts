/** Markdown → HTML for the site: links and images that resolve there, headings with anchors, text to search. */
import { Marked, type Token, type Tokens } from 'marked'
import { escapeHtml } from '../../src/api/page.ts'
import { areTabs, type CodeBlock, codeBlockHtml, codeTabsHtml } from './highlight.ts'

export interface PageContext {
  /** The address of what a link in the source leads to, or undefined where the site has no such page. */
  readonly linkTo: (target: string) => string | undefined
  /** The HTML of a picture. */
  readonly pictureHtml: (target: string, description: string) => string
}

export interface Heading {
  readonly id: string
  readonly level: number
  readonly text: string
}

export interface RenderedPage {
  readonly html: string
  readonly headings: readonly Heading[]
}

interface TabsToken extends Tokens.Generic {
  readonly type: 'codeTabs'
  readonly blocks: readonly CodeBlock[]
}

/** `## What is rejected, and why` is `#what-is-rejected-and-why`, as on code hosts. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

export function renderMarkdown(markdown: string, context: PageContext): RenderedPage {
  const headings: Heading[] = []
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const heading = { ...anchored(textOf(tokens), headings), level: depth }
        headings.push(heading)
        return `<h${depth} id="${heading.id}">${html}</h${depth}>\n`
      },
      code: ({ text, lang = '' }) => codeBlockHtml({ language: lang, text }),
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens)
        const target = context.linkTo(href)
        return target === undefined ? label : `<a href="${escapeHtml(target)}">${label}</a>`
      },
      image: ({ href, text }) => context.pictureHtml(href, text),
      // Comments are for those who edit the source, and the sources hold no other HTML.
      html: ({ text }) => (/^\s*<!--[\s\S]*-->\s*$/.test(text) ? '' : escapeHtml(text)),
      table({ header, rows }) {
        const cells = (row: readonly Tokens.TableCell[], open: string, close: string) =>
          row.map(({ tokens }) => `<${open}>${this.parser.parseInline(tokens)}</${close}>`).join('')
        return `<div class="scroll" tabindex="0"><table>
<thead><tr>${cells(header, 'th scope="col"', 'th')}</tr></thead>
<tbody>\n${rows.map((row) => `<tr>${cells(row, 'td', 'td')}</tr>`).join('\n')}\n</tbody>
</table></div>\n`
      },
    },
    extensions: [
      { name: 'codeTabs', renderer: (token) => codeTabsHtml((token as unknown as TabsToken).blocks) },
    ],
  })
  const tokens = marked.lexer(markdown)
  return { html: marked.parser(withTabs(tokens)), headings }
}

function anchored(text: string, earlier: readonly Heading[]): { readonly id: string; readonly text: string } {
  const slug = slugOf(text)
  const same = earlier.filter((heading) => slugOf(heading.text) === slug).length
  return { id: same === 0 ? slug : `${slug}-${same}`, text }
}

/** What is read of inline tokens, without marks. */
function textOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) =>
      'tokens' in token && token.tokens !== undefined
        ? textOf(token.tokens)
        : 'text' in token
          ? String(token.text)
          : '',
    )
    .join('')
}

/** Runs of code blocks in different languages become one token each. */
function withTabs(tokens: readonly Token[]): Token[] {
  const result: Token[] = []
  let run: Tokens.Code[] = []
  const flush = () => {
    const blocks = run.map(({ lang = '', text }) => ({ language: lang, text }))
    result.push(...(areTabs(blocks) ? [{ type: 'codeTabs', raw: '', blocks }] : run))
    run = []
  }
  for (const token of tokens) {
    if (token.type === 'code') run.push(token as Tokens.Code)
    else if (token.type !== 'space') {
      flush()
      result.push(token)
    }
  }
  flush()
  return result
}
