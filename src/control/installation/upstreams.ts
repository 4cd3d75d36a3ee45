/** `upstreams.*`: where requests go, with the health of each. A credential goes in here and never comes out. */
import { errors } from '../../../contract/errors.ts'
import type { OperationInput, OperationOutput } from '../../../contract/operations.ts'
import { assert } from '../../base/assert.ts'
import { TollgateError } from '../../base/errors.ts'
import type { ListedUpstream, UpstreamChange } from '../../catalog/catalog.ts'
import { originMistake } from '../../catalog/upstream-origin.ts'
import type { UpstreamReport } from '../../providers/health.ts'
import { isoTimeOrNull } from '../iso-time.ts'
import type { ControlParts } from '../parts.ts'
import { verb } from '../verb.ts'

type UpstreamOut = OperationOutput<'upstreams.put'>

export const listUpstreams = verb('upstreams.list', async (parts) =>
  parts.catalog.upstreams.map((upstream) => upstreamOutput(parts, upstream)),
)

export const putUpstream = verb('upstreams.put', async (parts, asked) => {
  checkForm(asked, parts.plainOrigins)
  const { upstream: name, provider, weight, disabled } = asked
  const origin = asked.origin === undefined ? null : new URL(asked.origin).origin
  const credential = asked.credential ?? null
  assertWritten(
    await parts.catalog.putUpstream({ name, provider, origin, weight, disabled, credential }),
    asked,
  )
  parts.health.forget(name)
  parts.changes.publishToAll(['upstreams', 'models'])
  const put = parts.catalog.upstreams.find((upstream) => upstream.name === name)
  assert(put !== undefined, 'an upstream that was written is there')
  return upstreamOutput(parts, put)
})

export const removeUpstream = verb('upstreams.remove', async (parts, { upstream }) => {
  if (!(await parts.catalog.removeUpstream(upstream))) throw notRemoved(parts, upstream)
  parts.health.forget(upstream)
  parts.changes.publishToAll(['upstreams', 'models'])
  return { upstream, removed: true }
})

function notRemoved({ catalog }: Pick<ControlParts, 'catalog'>, name: string): TollgateError {
  if (catalog.upstreams.some((upstream) => upstream.name === name)) return configured(name)
  return new TollgateError('upstream_not_found', {
    message: `No upstream has the name ${name}.`,
    param: 'upstream',
  })
}

/** As the configuration's own upstreams are checked; a credential goes into a header as it is. */
function checkForm(
  { origin, credential }: OperationInput<'upstreams.put'>,
  plainOrigins: readonly string[],
): void {
  const wrong = origin === undefined ? undefined : originMistake(origin, plainOrigins)
  if (wrong !== undefined) {
    throw new TollgateError('invalid_value', { message: `origin: ${wrong}.`, param: 'origin' })
  }
  if (credential === undefined || /^[\x21-\x7e]+$/.test(credential)) return
  throw new TollgateError('invalid_value', {
    message: 'credential: must be visible ASCII characters without spaces.',
    param: 'credential',
  })
}

function assertWritten(
  change: UpstreamChange,
  { upstream, provider }: OperationInput<'upstreams.put'>,
): void {
  switch (change.kind) {
    case 'written':
      return
    case 'needs_credential':
      throw new TollgateError('missing_field', {
        message: 'credential: enter it again. A credential is kept for one provider and address alone.',
        param: 'credential',
      })
    case 'unknown_provider':
      throw new TollgateError('invalid_value', {
        message: `provider: there is no provider ${provider}. There are: ${change.providers.join(', ')}.`,
        param: 'provider',
      })
    case 'configured':
      throw configured(upstream)
  }
}

function configured(name: string): TollgateError {
  return new TollgateError('conflict', {
    message: `The upstream ${name} is set in tollgate.yaml or the environment, and changed there.`,
    param: 'upstream',
  })
}

function upstreamOutput({ health }: Pick<ControlParts, 'health'>, upstream: ListedUpstream): UpstreamOut {
  const report = health.report(upstream.name)
  return {
    name: upstream.name,
    provider: upstream.provider,
    origin: upstream.origin,
    weight: upstream.weight,
    from: upstream.from,
    disabled: upstream.disabled,
    credentialEnd: upstream.credentialEnd,
    health: {
      state: report.state,
      until: isoTimeOrNull(report.untilMs),
      failures: report.failures,
      requests: report.requests,
      lastError: upstream.trouble ?? failureWords(report.lastFailure),
    },
  }
}

/** In our words: what an upstream says may name the operator's account. */
export function failureWords(failure: UpstreamReport['lastFailure']): string | null {
  if (failure === null) return null
  if (failure.operator) return "It refuses this gateway's own credential, bill or model."
  return `${errors[failure.code].title}.`
}
