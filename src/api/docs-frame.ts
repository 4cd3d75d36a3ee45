/** The frame of a page of the documentation: where one is, and where one can go. Pure. */
import { escapeHtml, pageOf } from './page.ts'

/** Pages made from the project's Markdown, by their path below `docs`, without the ending. */
export const markdownPages = {
  'first-requests': 'First requests',
  api: 'The data plane',
  clients: 'Clients',
  compatibility: 'Between formats',
  'operate/running': 'Running an installation',
  'operate/people': 'People',
  'operate/keys': 'Keys',
  'operate/payments': 'Payments',
  'operate/configuration': 'Configuration',
  'operate/models': 'Models and prices',
  'operate/price-options': 'What changes a price',
  'operate/cli': 'The command line',
} as const satisfies Readonly<Record<string, string>>

export type MarkdownPage = keyof typeof markdownPages

const places: readonly (readonly [path: string, title: string])[] = [
  ['/docs', 'Overview'],
  ['/docs/first-requests', markdownPages['first-requests']],
  ['/docs/api', markdownPages.api],
  ['/docs/clients', markdownPages.clients],
  ['/docs/compatibility', markdownPages.compatibility],
  ['/docs/control-api', 'The API of accounts and keys'],
  ['/docs/errors', 'Errors'],
  ['/docs/operate/keys', markdownPages['operate/keys']],
  ['/docs/operate/running', markdownPages['operate/running']],
  ['/docs/operate/people', markdownPages['operate/people']],
  ['/docs/operate/payments', markdownPages['operate/payments']],
  ['/docs/operate/configuration', markdownPages['operate/configuration']],
  ['/docs/operate/models', markdownPages['operate/models']],
  ['/docs/operate/price-options', markdownPages['operate/price-options']],
  ['/docs/operate/cli', markdownPages['operate/cli']],
]

/** `path`: of this page; `main`: HTML with the page's one `h1`. */
export function docsPage(path: string, title: string, main: string): string {
  const links = places.map(([to, label]) => {
    const current = to === path ? ' aria-current="page"' : ''
    return `<li><a href="${to}"${current}>${escapeHtml(label)}</a></li>`
  })
  return pageOf(
    `${title} – Tollgate`,
    `<a class="skip" href="#content">Skip to the text</a>
<header class="bar"><a href="/">Tollgate</a> <a href="/console">Console</a> <a href="/pricing">Pricing</a></header>
<div class="columns">
<nav aria-label="Documentation"><ul>
${links.join('\n')}
</ul></nav>
<main id="content">
${main}
</main>
</div>`,
  )
}

/** Where a link of one of the project's pages leads in the documentation; `from`: that page's path below `docs`. */
export function docsLink(from: string, target: string): string | undefined {
  if (/^https?:\/\//.test(target) || target.startsWith('#')) return target
  const { pathname, hash } = new URL(target, `docs:/${from}`)
  const page = pathname.replace(/^\//, '').replace(/\.md$|\/$/, '')
  const isThere = Object.hasOwn(markdownPages, page) || /^(?:errors|control-api)(?:\/|$)/.test(page)
  return isThere ? `/docs/${page}${hash}` : undefined
}
