/** The pages of the documentation, in the order of the navigation. Pure data. */

export interface SitePage {
  /** The Markdown file below `docs`, without its ending; generated pages have none. */
  readonly source: string | null
  /** The address on the site. */
  readonly path: string
  readonly title: string
}

export interface SiteSection {
  readonly title: string
  readonly pages: readonly SitePage[]
}

/** The source of the first page, named so that a code host shows it for the folder. */
const overviewSource = 'README'
export const overviewPath = '/docs'

export const sitePath = (source: string): string =>
  source === overviewSource ? overviewPath : `/docs/${source}`

const page = (source: string, title: string): SitePage => ({ source, path: sitePath(source), title })

export const errorsPath = '/docs/errors'
export const controlApiPath = '/docs/control-api'

export const siteSections: readonly SiteSection[] = [
  {
    title: 'Guides',
    pages: [
      page('README', 'Overview'),
      page('quick-start', 'Quick start'),
      page('clients', 'Connect a client'),
      page('sell-access', 'Sell access'),
      page('team', 'Run a team'),
    ],
  },
  {
    title: 'Concepts',
    pages: [
      page('concepts/money', 'How money works'),
      page('concepts/formats', 'Formats'),
      page('concepts/security', 'Security'),
      page('concepts/glossary', 'Glossary'),
    ],
  },
  {
    title: 'Reference',
    pages: [
      page('api', 'API reference'),
      page('background-responses', 'Background responses'),
      page('files', 'Files'),
      page('compatibility', 'Format compatibility'),
      page('control-api', 'Management API'),
      page('operate/cli', 'CLI'),
      page('operate/configuration', 'Configuration'),
      { source: null, path: errorsPath, title: 'Errors' },
    ],
  },
  {
    title: 'Self-hosting',
    pages: [
      page('operate/install', 'Install'),
      page('operate/running', 'Run the server'),
      page('operate/troubleshooting', 'Troubleshooting'),
      page('operate/postgresql', 'PostgreSQL'),
      page('operate/scale', 'Scale'),
      page('operate/providers', 'Providers'),
      page('operate/models', 'Models and upstreams'),
      page('operate/price-options', 'Priced options'),
      page('operate/people', 'People and sign-in'),
      page('operate/keys', 'API keys'),
      page('operate/provider-keys', 'Provider keys'),
      page('operate/payments', 'Payments'),
      page('benchmarks', 'Benchmarks'),
      page('reliability', 'Reliability'),
    ],
  },
]

export const sitePages: readonly SitePage[] = siteSections.flatMap(({ pages }) => pages)

/** Pages about operating a server, where `127.0.0.1:8080` is the server itself and not where clients reach it. */
export const isAboutServer = (source: string): boolean => source.startsWith('operate/')
