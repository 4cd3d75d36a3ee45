/** What the project's pages are written in becomes HTML, and what they are not written in stays text. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { docsLink } from './docs-frame.ts'
import { htmlOf, slugOf } from './markdown.ts'

const linkTo = (target: string) => (target.startsWith('x') ? undefined : `/to/${target}`)

const cases: readonly (readonly [markdown: string, html: string])[] = [
  ['# A `b`', '<h1 id="a-b">A <code>b</code></h1>'],
  ['one\ntwo\n\nthree', '<p>one two</p>\n<p>three</p>'],
  ['- a\n  b\n- c', '<ul>\n<li>a b</li>\n<li>c</li>\n</ul>'],
  ['1. a\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>'],
  ['- a\n  - b\n- c', '<ul>\n<li>a<ul>\n<li>b</li>\n</ul></li>\n<li>c</li>\n</ul>'],
  ['```sh\na <b>\n\n# c\n```', '<pre tabindex="0"><code>a &#60;b&#62;\n\n# c</code></pre>'],
  ['[a `b`](c) [d](x)', '<p><a href="/to/c">a <code>b</code></a> d</p>'],
  ['**a** `**b**`', '<p><strong>a</strong> <code>**b**</code></p>'],
  ['*a* 2 * 3 `*`', '<p><em>a</em> 2 * 3 <code>*</code></p>'],
  ['<script>alert(1)</script>', '<p>&#60;script&#62;alert(1)&#60;/script&#62;</p>'],
  ['[a](j"onclick)', '<p><a href="/to/j&#34;onclick">a</a></p>'],
]

for (const [markdown, html] of cases) {
  test(JSON.stringify(markdown), () => assert.equal(htmlOf(markdown, linkTo), html))
}

test('a table keeps its cells, a border in code too', () => {
  const html = htmlOf('| a | b |\n|---|---|\n| `1 \\| 2` | 3 |', linkTo)
  assert.match(html, /<th scope="col">a<\/th><th scope="col">b<\/th>/)
  assert.match(html, /<td><code>1 \| 2<\/code><\/td><td>3<\/td>/)
})

const docs = new URL('../../docs/', import.meta.url)
const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'))

for (const path of pages) {
  test(`docs/${path} leaves no mark behind, and its links lead somewhere`, () => {
    const page = path.replace(/\.md$/, '')
    const html = htmlOf(readFileSync(new URL(path, docs), 'utf8'), (target) => docsLink(page, target))
    const text = html.replaceAll(/<code>[\s\S]*?<\/code>/g, '')
    assert.doesNotMatch(text, /`|\]\(|^#|\*\*|^\|/m)
    for (const [, target = ''] of html.matchAll(/href="(\/docs\/[^"#]*)/g)) {
      const name = target.slice('/docs/'.length)
      assert.ok(name === 'errors' || pages.includes(`${name}.md`), `${path} → ${target}`)
    }
    const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    for (const [, fragment] of html.matchAll(/href="#([^"]+)"/g))
      assert.ok(ids.includes(fragment), `${path}#${fragment}`)
  })
}

test('headings are referred to as on the page of the repository', () => {
  assert.equal(slugOf('What is refused, and why'), 'what-is-refused-and-why')
})
