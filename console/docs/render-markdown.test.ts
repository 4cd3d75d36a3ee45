/** Markdown becomes HTML without raw HTML, and every source of the documentation is rendered completely. */
// own-process: the console's highlighter configures the highlight.js instance that all code of a process shares
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type PageContext, renderMarkdown, slugOf } from './render-markdown.ts'
import { siteLink } from './site-links.ts'

const context: PageContext = {
  linkTo: (target) => (target.startsWith('x') ? undefined : `/to/${target}`),
  pictureHtml: (target, description) => `[${target}: ${description}]`,
}

const cases: readonly (readonly [markdown: string, html: string | RegExp])[] = [
  ['# A `b`', '<h1 id="a-b">A <code>b</code></h1>'],
  ['## A\n\n## A', '<h2 id="a">A</h2>\n<h2 id="a-1">A</h2>'],
  ['[a `b`](c) [d](x)', '<p><a href="/to/c">a <code>b</code></a> d</p>'],
  ['<script>alert(1)</script>', '&#60;script&#62;alert(1)&#60;/script&#62;'],
  ['a <b onclick="x">', '<p>a &#60;b onclick=&#34;x&#34;&#62;</p>'],
  ['<!-- for editors -->\n\na', '<p>a</p>'],
  ['![b](a.svg)', '<p>[a.svg: b]</p>'],
  ['```sh\nls <b>\n```', /Shell<\/p><pre tabindex="0"><code>.*ls.*&lt;b&gt;/],
  ['```sh\ncurl x\n```', /curl<\/p>/],
  ['```\n<b>\n```', /Text<\/p><pre tabindex="0"><code>&#60;b&#62;<\/code>/],
  ['| a | b |\n|---|---|\n| `1 \\| 2` | 3 |', /<th scope="col">a<\/th>[\s\S]*<td><code>1 \| 2<\/code><\/td>/],
]

for (const [markdown, html] of cases) {
  test(JSON.stringify(markdown), () => {
    const rendered = renderMarkdown(markdown, context).html.trim()
    if (typeof html === 'string') assert.equal(rendered, html)
    else assert.match(rendered, html)
  })
}

test('code blocks in different languages that follow one another are one group', () => {
  const { html } = renderMarkdown('```sh\ncurl x\n```\n\n```ts\nx\n```\n\ntext\n\n```ts\ny\n```', context)
  assert.equal(html.match(/class="code-tabs"/g)?.length, 1)
  assert.match(html, /code-tabs">(?:<div.*?<\/div>){2}<\/div><p>text/s)
})

test('headings have the anchors of code hosts', () => {
  assert.equal(slugOf('What is rejected, and why'), 'what-is-rejected-and-why')
})

const docs = new URL('../../docs/', import.meta.url)
const sources = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.md'),
)

for (const path of sources) {
  test(`docs/${path} leaves no mark behind, and its anchors exist`, () => {
    const source = path.replace(/\.md$/, '')
    const { html, headings } = renderMarkdown(readFileSync(new URL(path, docs), 'utf8'), {
      linkTo: (target) => siteLink(source, target),
      pictureHtml: () => '',
    })
    const text = html.replaceAll(/<code>[\s\S]*?<\/code>/g, '')
    assert.doesNotMatch(text, /`|\]\(|^#|\*\*|^\|/m)
    for (const [, fragment] of html.matchAll(/href="#([^"]+)"/g))
      assert.ok(
        headings.some(({ id }) => id === fragment),
        `#${fragment}`,
      )
  })
}
