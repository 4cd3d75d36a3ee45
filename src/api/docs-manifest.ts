/** The pages of the documentation and their files, from its build to the server. Types and one value. */

export interface DocsPage {
  /** Below the folder of the build. */
  readonly file: string
  /** Whether the page names the address of the server, which is `shownOrigin` in its file. */
  readonly showsAddress: boolean
}

export interface DocsManifest {
  /** The page at the root of the server. */
  readonly home: DocsPage
  /** By path. */
  readonly pages: Readonly<Record<string, DocsPage>>
  readonly notFound: DocsPage
}

/** Server address used in the documentation's sources. */
export const shownOrigin = 'http://127.0.0.1:8080'
