/** `upstreams.test`, `upstreams.models`, and the test before an upstream is saved: what the hosts of upstreams say. */

import { createHash } from 'node:crypto'
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import type { ListedUpstream } from '../catalog/catalog.ts'
import type { UpstreamDefinition } from '../catalog/definition.ts'
import { priceAt } from '../catalog/types.ts'
import type { UpstreamInput } from '../catalog/upstreams/console-upstreams.ts'
import type {
  AskedHost,
  CheckedHost,
  CheckedHostMemory,
  CheckedHostPath,
  ControlDeps,
  HostAnswer,
  OperationHandlers,
} from './control-deps.ts'
import { upstreamNotFound } from './upstream-status.ts'

export const upstreamHostHandlers = {
  'upstreams.test': async (deps, { upstream }) => {
    const found = findUpstream(deps, upstream)
    const host = findHost(deps, found)
    const [answer, paths] = await Promise.all([deps.server.testCredential(host), deps.server.findPaths(host)])
    const used = paths.filter(({ format }) => found.formats?.includes(format) ?? true)
    return { upstream, ...credentialOutput(answer), models: answer.names.length, paths: used }
  },

  'upstreams.models': async (deps, { upstream }) => {
    const found = findUpstream(deps, upstream)
    const { names, problem } = await deps.server.listHostModels(findHost(deps, found))
    const { snapshot } = deps.catalog
    const nowMs = deps.clock.wallMs()
    const offered = new Map(
      [...snapshot.models.values()].flatMap((model) => {
        const offer = model.offers.find((one) => one.upstream.name === upstream)
        return offer === undefined ? [] : [[offer.upstreamModel, model] as const]
      }),
    )
    const prefix =
      found.custom === undefined && snapshot.families.every((row) => row.prefix !== `${found.provider}/`)
        ? ''
        : `${found.provider}/`
    return {
      upstream,
      problem,
      models: names.map((upstreamModel) => {
        const model = offered.get(upstreamModel)
        const price = model === undefined ? undefined : priceAt(model, nowMs).rates
        return {
          upstreamModel,
          model: model?.name ?? `${prefix}${upstreamModel}`,
          offered: model !== undefined,
          input: price === undefined ? null : formatUsd(price.input),
          output: price === undefined ? null : formatUsd(price.output),
        }
      }),
    }
  },
} satisfies Partial<OperationHandlers>

type HostDeps = Pick<ControlDeps, 'catalog' | 'server'>

function findUpstream({ catalog }: HostDeps, name: string): ListedUpstream {
  const found = catalog.upstreams.find((upstream) => upstream.name === name)
  if (found === undefined) throw upstreamNotFound(name)
  return found
}

function findHost({ catalog }: HostDeps, upstream: ListedUpstream): AskedHost {
  const kept = catalog.keptSecrets(upstream)
  if (kept === undefined) {
    throw new TollgateError('conflict', {
      message: `The API key of ${upstream.name} cannot be decrypted. Enter it again.`,
      param: 'upstream',
    })
  }
  const { provider, url, custom } = upstream
  return { provider, url, custom, credential: kept.credential }
}

/** The result of testing a credential. */
export function credentialOutput(
  host: HostAnswer,
): NonNullable<OperationOutput<'upstreams.check'>['credential']> {
  return { state: host.credential, problem: host.problem, hostMessage: host.hostMessage }
}

/** Throws where the host rejects the credential or cannot be reached; the message ends with the advice. */
export function assertAccepted(
  { credential, problem, hostMessage }: HostAnswer,
  advice: string,
  unreachableParam: 'url' | 'credential',
): void {
  if (credential !== 'rejected' && credential !== 'unreachable') return
  const words = hostMessage === null ? null : `It says: ${hostMessage.replace(/\.$/, '')}.`
  throw new TollgateError('upstream_test_failed', {
    message: [problem, words, advice].filter((text) => text !== null).join(' '),
    param: credential === 'rejected' ? 'credential' : unreachableParam,
  })
}

/** The host of an upstream that is to be saved. */
interface HostToSave {
  readonly ask: Omit<UpstreamInput, 'credential'>
  /** undefined: no credential is stored for it. */
  readonly host: AskedHost | undefined
  /** The host's answers when it was reviewed; undefined: not reviewed. */
  readonly checked: CheckedHost | undefined
}

/** Throws where the host rejects what is to be saved; a change of neither address nor credential is saved untested. */
export async function assertTested(
  deps: HostDeps,
  asked: OperationInput<'upstreams.put'>,
  { ask, host, checked }: HostToSave,
): Promise<void> {
  const isSame = asked.credential === undefined && deps.catalog.keptSecrets(ask) !== undefined
  if (asked.saveAnyway || asked.disabled || isSame || host === undefined) return
  const answer = checked?.credential ?? (await deps.server.testCredential(host))
  assertAccepted(answer, 'Set saveAnyway to save the upstream.', 'url')
}

/** The formats whose paths a host has; null: none is missing, or all are. */
export function listPresentFormats(paths: readonly CheckedHostPath[]): UpstreamDefinition['formats'] | null {
  const present = paths.filter(({ state }) => state !== 'missing').map(({ format }) => format)
  return present.length === 0 || present.length === paths.length ? null : present
}

/**
 * The formats of its host that an upstream stores: null for all, undefined for those stored already. Throws where the host
 * has none of their paths. Custom hosts have the formats that their operator says.
 */
export async function formatsToStore(
  deps: HostDeps,
  asked: OperationInput<'upstreams.put'>,
  { ask, host, checked }: HostToSave,
): Promise<UpstreamInput['formats']> {
  if (host === undefined || asked.disabled || ask.custom !== undefined) return undefined
  const paths = checked?.paths ?? (await deps.server.findPaths(host))
  const tested = paths.filter(({ state }) => state !== 'untested')
  const isNone = tested.length > 0 && tested.every(({ state }) => state === 'missing')
  if (isNone && !asked.saveAnyway) {
    const urls = tested.map(({ url, status }) => `POST ${url} (HTTP ${status ?? 0})`).join(', ')
    throw new TollgateError('upstream_test_failed', {
      message: `url: this server has none of the API's paths: ${urls}. Set saveAnyway to save the upstream.`,
      param: 'url',
    })
  }
  const isKnown = deps.catalog.keptSecrets(ask) !== undefined
  return tested.length === 0 && isKnown ? undefined : listPresentFormats(paths)
}

/** How long what a provider said in the review of an upstream is used to save it. */
const hostReviewMs = 600_000

/**
 * Keeps the answers of a host from the last review of an upstream for the save that follows: the host is asked once, and
 * the upstream is stored as it was reviewed.
 */
export class LastCheckedHost implements CheckedHostMemory {
  readonly #clock: Clock
  #last: (CheckedHost & { readonly digest: string; readonly untilMs: number }) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  keep(host: AskedHost, checked: CheckedHost): void {
    this.#last = { ...checked, digest: digestHost(host), untilMs: this.#clock.monoMs() + hostReviewMs }
  }

  take(host: AskedHost): CheckedHost | undefined {
    const last = this.#last
    if (last === undefined || last.digest !== digestHost(host)) return undefined
    this.#last = undefined
    return last.untilMs < this.#clock.monoMs() ? undefined : last
  }
}

/** Everything that a request to it depends on, without keeping its credential. */
function digestHost({ provider, url, custom, credential }: AskedHost): string {
  return createHash('sha256')
    .update(JSON.stringify([provider, url, custom ?? null, credential]))
    .digest('hex')
}
