/** Tests the credentials of configured upstreams by a real call to each provider. Logs nothing. */
import type { Clock } from '../base/clock.ts'
import { formatId } from '../base/ids.ts'
import { parseAddress } from '../catalog/upstreams/upstream-address.ts'
import type { Config } from '../config/config.ts'
import { type HostModels, testCredential } from '../providers/host-models.ts'
import { findHostPaths, type HostPath } from '../providers/host-paths.ts'
import { connectorOfUpstream } from '../providers/registry.ts'
import { openSender } from '../providers/send.ts'

export interface TestedCredential {
  readonly upstream: string
  readonly answer: HostModels
  /** Where its requests go. */
  readonly paths: readonly HostPath[]
}

export async function testCredentials(
  { upstreams, limits }: Pick<Config, 'upstreams' | 'limits'>,
  clock: Clock,
): Promise<readonly TestedCredential[]> {
  const sender = openSender({ limits, clock })
  const requestId = formatId('req', 0n)
  try {
    return await Promise.all(
      upstreams.map(async (upstream) => {
        const { name, url, credential, formats } = upstream
        const connector = connectorOfUpstream(upstream)
        const { origin, basePath } = parseAddress(url ?? connector.defaultOrigin)
        const host = { origin, basePath, credential, requestId }
        const asking = { sender, clock, limits }
        const [answer, paths] = await Promise.all([
          testCredential(asking, connector, host),
          findHostPaths(asking, connector, host),
        ])
        return {
          upstream: name,
          answer,
          paths: paths.filter(({ format }) => formats?.includes(format) ?? true),
        }
      }),
    )
  } finally {
    await sender.close()
  }
}
