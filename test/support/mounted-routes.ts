/** Every route that is mounted in addition to the data plane, as the real server mounts it: `GET /api/keys/:key`. */
import { createServer } from 'node:http'
import { EventStreams } from '../../src/api/event-streams.ts'
import { systemClock } from '../../src/base/clock.ts'
import { limitDefaults } from '../../src/config/config.ts'
import { metricsText } from '../../src/gateway/observation/metrics.ts'
import { builtConsole, consoleFiles } from '../../src/server/console-files.ts'
import { createControlPlane } from '../../src/server/control-plane.ts'
import { docsFiles } from '../../src/server/docs-files.ts'
import { offlineStatus } from '../../src/server/server-status.ts'
import type { TestGateway } from './gateway.ts'

export async function mountedRoutes({ gateway, origin }: TestGateway): Promise<readonly string[]> {
  const { services, deps: serving } = gateway
  const { app, paths } = createControlPlane(
    {
      api: {
        control: services.control(origin, offlineStatus(systemClock)),
        handleAuth: services.handleAuth,
        clientAddress: services.clientAddress,
        streams: new EventStreams(systemClock, limitDefaults),
      },
      metrics: metricsText(serving.metrics.registry, async () => []),
      metricsToken: () => null,
      ready: async () => true,
      consoleFiles: consoleFiles(builtConsole),
      docsFiles: docsFiles(builtConsole, origin),
    },
    (handler) => createServer(handler),
  )
  await app.ready()
  const mounted = paths.addresses()
  await app.close()
  return mounted
}
