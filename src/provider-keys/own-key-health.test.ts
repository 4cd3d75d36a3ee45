/** Cooldowns of provider keys: per account, bounded in number, and forgotten after a success. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import type { Upstream } from '../catalog/types.ts'
import { openOwnKeyHealth } from './own-key-health.ts'
import type { OwnKeyHealth } from './types.ts'

const limits = { cooldownMsMax: 300_000, providerKeyStatesMax: 2 }

function upstreamOf(account: bigint): Upstream {
  return {
    ...{ name: 'own:openai', provider: 'openai', origin: 'https://api.example', basePath: '', weight: 1 },
    credential: 'a-key',
    ownKey: { account, displayName: 'OpenAI' },
  }
}

type Failure = Parameters<OwnKeyHealth['failed']>[2]

const rejected: Failure = {
  ...{ operator: true, cooldownMs: 60_000, message: 'rejected' },
  retry: 'elsewhere',
  concerns: 'credential',
}
const limited: Failure = { ...rejected, operator: false, concerns: 'model', cooldownMs: 5_000 }
const callers: Failure = { ...limited, retry: 'never' }

test('a failing model leaves the others, and a rejection of the request shows a key that works', () => {
  const health = openOwnKeyHealth({ clock: manualClock(), limits })
  health.failed(upstreamOf(1n), 'gpt', limited, 429)
  assert.equal(health.state(1n, 'openai', 'gpt'), 'cooling')
  assert.equal(health.state(1n, 'openai', 'other'), 'usable')
  assert.equal(health.state(1n, 'openai', null), 'usable')
  health.failed(upstreamOf(1n), 'gpt', callers, 400)
  assert.equal(health.state(1n, 'openai', 'gpt'), 'usable')
})

test('the least recent failures are forgotten', () => {
  const health = openOwnKeyHealth({ clock: manualClock(), limits })
  for (const account of [1n, 2n, 3n]) health.failed(upstreamOf(account), 'gpt', rejected, 401)
  assert.deepEqual(
    [1n, 2n, 3n].map((account) => health.state(account, 'openai', 'gpt')),
    ['usable', 'rejected', 'rejected'],
  )
})
