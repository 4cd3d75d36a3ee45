/** The frame of a page of the documentation: header, navigation, contents of the page, previous and next page. Pure. */
import { escapeHtml } from '../../src/api/page.ts'
import type { Heading } from './render-markdown.ts'
import { type SitePage, sitePages, siteSections } from './site-map.ts'

/** Addresses of what the build made. */
export interface SiteAssets {
  readonly script: string
  readonly styles: readonly string[]
  readonly searchIndex: string
}

export interface FramedPage {
  readonly path: string
  /** The page that the navigation marks, where this one is not listed itself. */
  readonly listedPath: string
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
}

const logo = `<svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#065f46"/><path d="M9 23V9M23 23V9M9 13.5h14" stroke="#fff" stroke-width="3" stroke-linecap="round" fill="none"/><circle cx="16" cy="20.5" r="2" fill="#6ee7b7"/></svg>`

export function framedHtml(page: FramedPage, assets: SiteAssets): string {
  return documentHtml(
    `${page.title} – Tollgate`,
    `<header class="top">
<button type="button" class="menu-button" popovertarget="navigation">Menu</button>
<a class="logo" href="/docs">${logo}<span>Tollgate</span> <span class="soft">Docs</span></a>
<nav aria-label="Site" class="site-links"><a href="/pricing">Pricing</a> <a href="/console">Console</a></nav>
</header>
<div class="columns">
<nav id="navigation" class="navigation" aria-label="Documentation" popover>
${siteSections.map((section) => navigationSection(section, page)).join('\n')}
<section class="site-pages"><h2>Site</h2><ul><li><a href="/pricing">Pricing</a></li><li><a href="/console">Console</a></li></ul></section>
</nav>
<main id="content">
<article>
${page.html}
</article>
${neighbors(page)}
</main>
${contents(page.headings)}
</div>`,
    assets,
  )
}

/** The home page: `html` below the header, without the navigation of the documentation. */
export function homeHtml(html: string, assets: SiteAssets): string {
  return documentHtml(
    'Tollgate',
    `<header class="top">
<a class="logo" href="/">${logo}<span>Tollgate</span></a>
<nav aria-label="Site" class="site-links"><a href="/docs">Docs</a> <a href="/pricing">Pricing</a> <a href="/console">Console</a></nav>
</header>
<main id="content" class="home">
<article>
${html}
</article>
</main>`,
    assets,
  )
}

function documentHtml(title: string, body: string, assets: SiteAssets): string {
  const styles = assets.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" type="image/svg+xml" href="/console/favicon.svg">
<script src="/console/theme.js"></script>
${styles}
<script type="module" src="${assets.script}"></script>
</head>
<body data-search-index="${assets.searchIndex}">
<a class="skip" href="#content">Skip to content</a>
${body}
</body>
</html>
`
}

function navigationSection(
  { title, pages }: (typeof siteSections)[number],
  { path, listedPath }: FramedPage,
): string {
  const items = pages.map((page) => {
    const current =
      page.path === path ? ' aria-current="page"' : page.path === listedPath ? ' aria-current="true"' : ''
    return `<li><a href="${page.path}"${current}>${escapeHtml(page.title)}</a></li>`
  })
  return `<section><h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul></section>`
}

function contents(headings: readonly Heading[]): string {
  const shown = headings.filter(({ level }) => level === 2 || level === 3)
  if (shown.length < 2) return ''
  const items = shown.map(
    ({ id, level, text }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(text)}</a></li>`,
  )
  return `<aside class="contents"><nav aria-labelledby="contents-title"><h2 id="contents-title">On this page</h2><ul>${items.join('')}</ul></nav></aside>`
}

function neighbors({ path }: FramedPage): string {
  const at = sitePages.findIndex((page) => page.path === path)
  if (at < 0) return ''
  const link = (page: SitePage | undefined, label: string, relation: string) =>
    page === undefined
      ? ''
      : `<a rel="${relation}" href="${page.path}"><span>${label}</span>${escapeHtml(page.title)}</a>`
  return `<nav class="neighbors" aria-label="Previous and next page">${link(sitePages[at - 1], 'Previous', 'prev')}${link(sitePages[at + 1], 'Next', 'next')}</nav>`
}
