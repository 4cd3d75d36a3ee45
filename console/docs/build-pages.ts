/**
 * Writes the documentation into a build of the console: a file for each page, a table of them for the server, the index
 * of the search. Reads `docs/*.md`, the contract and the tables of the API.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import type { DocsManifest, DocsPage } from '../../src/api/docs-manifest.ts'
import { shownOrigin } from '../../src/api/docs-manifest.ts'
import { controlReference } from './control-reference.ts'
import { errorListHtml, homePageHtml, linkCards, notFoundHtml } from './generated-pages.ts'
import { framedHtml, homeHtml, type SiteAssets } from './page-frame.ts'
import { drawingHtml } from './pictures.ts'
import { type Heading, renderMarkdown } from './render-markdown.ts'
import { searchIndex } from './search-index.ts'
import { siteLink } from './site-links.ts'
import { controlApiPath, errorsPath, isAboutServer, overviewPath, sitePages } from './site-map.ts'

const docsFolder = fileURLToPath(new URL('../../docs/', import.meta.url))
/** The script of the pages, as the manifest of the bundler names it. */
const scriptSource = 'docs/client/main.ts'
const assetsPath = '/console/assets/'
const homeFile = 'docs/home.html'

interface Page {
  readonly path: string
  readonly listedPath: string
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
  readonly showsAddress: boolean
}

/** `folder`: of the build, where the bundler has written its files. */
export function buildDocs(folder: string): void {
  const pages = allPages()
  const index = searchIndex(pages.map((page) => ({ ...page, html: shortened(page) })))
  const hash = createHash('sha256').update(index).digest('hex').slice(0, 8)
  const indexFile = `docs-search-${hash}.json`
  writeFileSync(join(folder, 'assets', indexFile), index)
  const assets: SiteAssets = { ...bundled(folder), searchIndex: `${assetsPath}${indexFile}` }
  const manifest: Record<string, DocsPage> = {}
  for (const page of pages) {
    manifest[page.path] = write(folder, page, assets)
  }
  const notFound = write(folder, { ...unknown, html: notFoundHtml }, assets)
  writeFileSync(join(folder, homeFile), homeHtml(homePageHtml(), assets))
  const written: DocsManifest = { home: { file: homeFile, showsAddress: true }, pages: manifest, notFound }
  writeFileSync(join(folder, 'docs', 'pages.json'), JSON.stringify(written))
}

const unknown = {
  path: '/docs/404',
  listedPath: '',
  title: 'Page not found',
  headings: [],
  showsAddress: false,
}

function write(folder: string, page: Page, assets: SiteAssets): DocsPage {
  const file = `docs/${page.path === overviewPath ? 'index' : page.path.slice('/docs/'.length)}.html`
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), framedHtml(page, assets))
  return { file, showsAddress: page.showsAddress }
}

interface BundledEntry {
  readonly file: string
  readonly css?: readonly string[]
}

function bundled(folder: string): Omit<SiteAssets, 'searchIndex'> {
  const manifest = JSON.parse(readFileSync(join(folder, '.vite', 'manifest.json'), 'utf8')) as Readonly<
    Record<string, BundledEntry>
  >
  const entry = manifest[scriptSource]
  if (entry === undefined) throw new Error(`the build has no ${scriptSource}`)
  return { script: `/console/${entry.file}`, styles: (entry.css ?? []).map((file) => `/console/${file}`) }
}

function allPages(): readonly Page[] {
  const listed = sitePages.map(({ source, path, title }): Page => {
    if (source === null)
      return { path, listedPath: path, title, html: errorListHtml(), headings: [], showsAddress: false }
    return {
      ...rendered(source),
      path,
      listedPath: path,
      title,
      showsAddress: !isAboutServer(source),
    }
  })
  const errorPages = (Object.keys(errors) as ErrorCode[]).map((code): Page => {
    const page = rendered(`errors/${code}`)
    const { title } = errors[code]
    return { ...page, path: `${errorsPath}/${code}`, listedPath: errorsPath, title, showsAddress: false }
  })
  return [...listed.map(withReference).map(withCards), ...errorPages]
}

function rendered(source: string) {
  return renderMarkdown(readFileSync(join(docsFolder, `${source}.md`), 'utf8'), {
    linkTo: (target) => siteLink(source, target),
    pictureHtml: (target, description) => drawingHtml(join(docsFolder, dirname(source), target), description),
  })
}

function withReference(page: Page): Page {
  if (page.path !== controlApiPath) return page
  const { html, headings } = controlReference(shownOrigin)
  return { ...page, html: `${page.html}\n${html}`, headings: [...page.headings, ...headings] }
}

/** The overview shows its lists of pages as cards. */
function withCards(page: Page): Page {
  return page.path === overviewPath ? { ...page, html: linkCards(page.html) } : page
}

/** Tables of hundreds of rows would make most of the index: of generated references it has the headings. */
function shortened({ path, html }: Page): string {
  return path === controlApiPath ? html.replaceAll(/<div class="(?:scroll|code)"[\s\S]*?<\/div>/g, '') : html
}
