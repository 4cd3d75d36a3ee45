/**
 * The documentation at `/docs`: the project's own pages, a page for each error, the description of the control plane
 * for readers, and for programs at `/api/openapi.json`. Every page that is served is named in a table; no path of a
 * request reaches the file system.
 */
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type ErrorCode, errors } from '../../contract/errors.ts'
import { TollgateError } from '../base/errors.ts'
import type { ApiParts } from './api-parts.ts'
import { docsLink, docsPage, type MarkdownPage, markdownPages } from './docs-frame.ts'
import { overviewHtml } from './docs-overview.ts'
import { htmlOf } from './markdown.ts'
import { openApi } from './openapi.ts'
import { otherRoutes } from './other-routes-table.ts'
import { escapeHtml, stylePath } from './page.ts'
import { referenceHtml } from './reference-page.ts'
import { styleText } from './style-text.ts'

type DocsParts = Pick<ApiParts, 'control' | 'docsFolder'>

const html = 'text/html; charset=utf-8'

export function addDocs(app: FastifyInstance, parts: DocsParts): void {
  const { address, server } = parts.control
  const described = JSON.stringify(openApi({ address, version: server.version }))
  const reference = referenceHtml(address)
  app.get(otherRoutes.openapi.path, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(described),
  )
  app.get(stylePath, (_request, reply) => reply.type('text/css; charset=utf-8').send(styleText))
  app.get('/docs', (_request, reply) =>
    send(reply, docsPage('/docs', 'Documentation', overviewHtml(address))),
  )
  app.get('/docs/control-api', async (_request, reply) => {
    const introduction = await markdownHtml(parts, 'control-api')
    return send(reply, docsPage('/docs/control-api', 'The API', `${introduction}\n${reference}`))
  })
  app.get('/docs/errors', (_request, reply) =>
    send(reply, docsPage('/docs/errors', 'Errors', errorListHtml())),
  )
  app.get<{ Params: { code: string } }>('/docs/errors/:code', async ({ params }, reply) => {
    const { code } = params
    if (!Object.hasOwn(errors, code))
      throw new TollgateError('unknown_path', { message: 'There is no such error.' })
    const page = await markdownHtml(parts, `errors/${code as ErrorCode}`)
    return send(reply, docsPage('/docs/errors', errors[code as ErrorCode].title, page))
  })
  for (const [page, title] of Object.entries(markdownPages) as [MarkdownPage, string][]) {
    app.get(`/docs/${page}`, async (_request, reply) =>
      send(reply, docsPage(`/docs/${page}`, title, await markdownHtml(parts, page))),
    )
  }
}

function send(reply: FastifyReply, page: string): FastifyReply {
  return reply.type(html).send(page)
}

/** `page`: its path below `docs`, without the ending; one of the program's own tables. */
async function markdownHtml(
  { docsFolder }: Pick<DocsParts, 'docsFolder'>,
  page: MarkdownPage | 'control-api' | `errors/${ErrorCode}`,
): Promise<string> {
  const markdown = await readFile(new URL(`${page}.md`, docsFolder), 'utf8')
  return htmlOf(markdown, (target) => docsLink(page, target))
}

function errorListHtml(): string {
  const rows = Object.entries(errors).map(
    ([code, { status, title, retry }]) =>
      `<tr><td>${status}</td><th scope="row"><a href="/docs/errors/${code}">${code}</a></th><td>${escapeHtml(title)}</td><td>${retry}</td></tr>`,
  )
  return `<h1>Errors</h1>
<p>Every error has a code, and every code a page. <em>never</em>: the same request fails again. <em>later</em>: wait, then repeat.</p>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">status</th><th scope="col">code</th><th scope="col">what happened</th><th scope="col">again?</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`
}
