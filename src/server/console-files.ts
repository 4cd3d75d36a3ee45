/**
 * Serves the built console: hashed files as immutable, everything else with revalidation, and every deep link with the
 * single page. Without a build it explains how to make one.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify'
import { notBuiltPage } from '../api/page.ts'
import { packageFolder } from '../base/program.ts'

export const builtConsole = fileURLToPath(new URL('console/dist/', packageFolder))

const index = 'index.html'
/** Files of the build that keep their name from build to build. */
const fixedNames = {
  '/console/theme.js': 'theme.js',
  '/console/favicon.svg': 'favicon.svg',
  '/favicon.ico': 'favicon.svg',
}

/** Only for a file that was found: an error must not be cached. */
const immutableCache = { cacheControl: true, maxAge: '1y', immutable: true }

/** The routes of the console in `folder`, which may appear and change while the server runs. */
export function consoleFiles(folder: string): FastifyPluginAsync {
  return async (app) => {
    // Routes of our own: the plugin sends files, it does not decide which.
    await app.register(fastifyStatic, {
      root: folder,
      serve: false,
      preCompressed: true,
      cacheControl: false,
    })
    app.get<{ Params: { '*': string } }>('/console/assets/*', (request, reply) =>
      reply.sendFile(join('assets', request.params['*']), immutableCache),
    )
    for (const [path, file] of Object.entries(fixedNames))
      app.get(path, (_request, reply) => sendRevalidated(reply, file))
    for (const path of ['/console', '/console/*', '/pricing']) addIndex(app, path, folder)
  }
}

function addIndex(app: FastifyInstance, path: string, folder: string): void {
  app.get(path, (_request, reply) =>
    existsSync(join(folder, index))
      ? sendRevalidated(reply, index)
      : reply
          .code(503)
          .type('text/html; charset=utf-8')
          .header('cache-control', 'no-store')
          .send(notBuiltPage),
  )
}

/** A file that the browser may cache and revalidates each time. */
function sendRevalidated(reply: FastifyReply, file: string): FastifyReply {
  return reply.header('cache-control', 'no-cache').sendFile(file)
}
