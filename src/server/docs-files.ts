/**
 * Serves the home page and the built documentation: the pages that its table lists, with the URL of this server in
 * them, and for every other path below `/docs` a page with status 404. No path of a request reaches the file system.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { type DocsManifest, type DocsPage, shownOrigin } from '../api/docs-manifest.ts'
import { escapeHtml, notBuiltPage } from '../api/page.ts'

const html = 'text/html; charset=utf-8'

export interface DocsFiles {
  readonly routes: FastifyPluginAsync
  /** Answers with the page for paths that do not exist. */
  sendNotFound(reply: FastifyReply): Promise<FastifyReply>
}

/** The documentation in `folder`, which may appear and change while the server runs. */
export function docsFiles(folder: string, address: string): DocsFiles {
  const manifestFile = join(folder, 'docs', 'pages.json')
  const send = async (reply: FastifyReply, { file, showsAddress }: DocsPage) => {
    const page = await readFile(join(folder, file), 'utf8')
    return reply.type(html).send(showsAddress ? page.replaceAll(shownOrigin, escapeHtml(address)) : page)
  }
  /** Without `path`: the page for paths that do not exist. */
  const answer = async (path: string | null, reply: FastifyReply) => {
    if (!existsSync(manifestFile))
      return reply.code(503).type(html).header('cache-control', 'no-store').send(notBuiltPage)
    const { home, pages, notFound } = JSON.parse(await readFile(manifestFile, 'utf8')) as DocsManifest
    const page = path === '/' ? home : path !== null && Object.hasOwn(pages, path) ? pages[path] : undefined
    return page === undefined
      ? send(reply.code(404).header('cache-control', 'no-store'), notFound)
      : send(reply.header('cache-control', 'no-cache'), page)
  }
  return {
    async routes(app) {
      app.get('/', (_request, reply) => answer('/', reply))
      app.get('/docs', (_request, reply) => answer('/docs', reply))
      app.get<{ Params: { '*': string } }>('/docs/*', ({ params }, reply) =>
        answer(`/docs/${params['*']}`.replace(/\/$/, ''), reply),
      )
    },
    sendNotFound: (reply) => answer(null, reply),
  }
}
