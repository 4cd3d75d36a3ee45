/** For programs: the description of the management API; and the style sheet of the pages that the server writes itself. */
import type { FastifyInstance } from 'fastify'
import type { ApiDeps } from './api-deps.ts'
import { openApi } from './openapi.ts'
import { otherRoutes } from './other-routes-table.ts'
import { stylePath } from './page.ts'
import { styleText } from './style-text.ts'

export function addDocs(app: FastifyInstance, { control }: Pick<ApiDeps, 'control'>): void {
  const { address, server } = control
  const described = JSON.stringify(openApi({ address, version: server.version }))
  app.get(otherRoutes.openapi.path, (_request, reply) =>
    reply.type('application/json; charset=utf-8').send(described),
  )
  app.get(stylePath, (_request, reply) => reply.type('text/css; charset=utf-8').send(styleText))
}
