/**
 * A gateway whose models of real families are all served by one sandbox, behind a relay that records what the gateway
 * sends: for tests of whole conversations.
 */
import { startSandbox } from '../../sandbox/sandbox.ts'
import { systemClock } from '../../src/base/clock.ts'
import { providers, type Reached, shortNames } from './conversations.ts'
import { type TestGateway, testGateway } from './gateway.ts'
import { type Relaying, type RelayUpstream, relayUpstream } from './relay-upstream.ts'

interface RelayedGateway {
  readonly gateway: TestGateway
  readonly relay: RelayUpstream
  close(): Promise<void>
}

/** `context`: the context window of each model, in tokens. */
export async function relayedGateway(
  models: readonly Reached[],
  { context, ...relaying }: { readonly context: number } & Partial<Relaying>,
): Promise<RelayedGateway> {
  const sandbox = await startSandbox({ clock: systemClock })
  const relay = await relayUpstream(sandbox.origin, {
    rename: (format) => `sandbox-${shortNames[format]}-thinking-tools`,
    ...relaying,
  })
  const { origin } = relay
  const gateway = await testGateway({
    ...{ openai: origin, anthropic: origin, google: origin },
    models: models.map(({ model, format }) => ({
      ...{ id: model, provider: providers[format], formats: [format] },
      ...{ context, maxOutput: 32_000, prices: [{ input: '3', output: '15' }] },
    })),
    limits: { requestsPerMinute: null, tokensPerMinute: null },
  })
  return {
    gateway,
    relay,
    async close() {
      await gateway.close()
      await relay.close()
      await sandbox.close()
    },
  }
}
