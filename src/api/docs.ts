/** For programs: the OpenAPI documents of both APIs; and the style sheet of the pages that the server writes itself. */
import type { FastifyInstance } from 'fastify'
import type { ApiDeps } from './api-deps.ts'
import { gatewayOpenApi, gatewayOpenApiPath } from './gateway-openapi.ts'
import { openApi } from './openapi.ts'
import { otherRoutes } from './other-routes-table.ts'
import { stylePath } from './page.ts'
import { styleText } from './style-text.ts'

export function addDocs(app: FastifyInstance, { control }: Pick<ApiDeps, 'control'>): void {
  const { address, server } = control
  const about = { address, version: server.version }
  for (const [path, make] of [
    [otherRoutes.openapi.path, openApi],
    [gatewayOpenApiPath, gatewayOpenApi],
  ] as const) {
    // Made when it is first read: it takes a third of what a start takes on the main thread.
    let json: string | undefined
    app.get(path, (_request, reply) => {
      json ??= JSON.stringify(make(about))
      return reply.type('application/json; charset=utf-8').send(json)
    })
  }
  app.get(stylePath, (_request, reply) => reply.type('text/css; charset=utf-8').send(styleText))
}
