/**
 * The caller's request → the request for the upstream, and the bounds of its cost. Rejects what has no price; always
 * reads the body that is sent upstream. Pure except for the memory of a translated body.
 */
import type { AutomaticCaching } from '../../../contract/values.ts'
import type { Caller, KeyPolicy } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import type { BodyOwner, BodyThreads } from '../../bodies/body-threads.ts'
import { responseOptionsOf } from '../../bodies/body-work.ts'
import type { Model, PriceVersion } from '../../catalog/types.ts'
import { formatUsd } from '../../ledger/rules/money.ts'
import type { Connector } from '../../providers/connector.ts'
import { passesAsIs } from '../../providers/upstream-format.ts'
import { noUrlFields } from '../../wire/client-routes.ts'
import {
  type ExtractedFields,
  type Media,
  type PricedOption,
  type ReadLimits,
  type Reference,
  type ServerTool,
  WireError,
} from '../../wire/format.ts'
import type { SourceFormat, TargetFormat } from '../../wire/format-names.ts'
import { clientCodecs, isSourceFormat, isTargetFormat, upstreamCodecs } from '../../wire/formats.ts'
import type { BytePatch } from '../../wire/json/byte-patch.ts'
import type { ForcedTools } from '../../wire/translation/neutral.ts'
import { feesOf, inputSizeOf, optionsOf, outputClassesOf, toolUsesOf } from '../bounds/input-bound.ts'
import type {
  ParsedRequest,
  PreparedRequest,
  RequestContext,
  ServerToolPlan,
  TargetRoute,
  Translation,
} from '../request.ts'
import { wireError, withWireErrors } from '../responses/error-response.ts'
import { adaptToHost, droppedBetas } from '../targets/adapt-to-host.ts'

/** Output limit of a reasoning model below which it is not lowered further. */
const outputFloorReasoning = 8_192

export interface PrepareDeps {
  readonly read: ReadLimits
  readonly bodyThreads: Pick<BodyThreads, 'run'>
  readonly forcedTools: ForcedTools
  readonly unknownMembers: {
    assertNoneRejected(context: RequestContext, parsed: ParsedRequest): void
  }
  readonly limits: {
    readonly serverToolUsesMax: number
    readonly outputFloor: number
  }
}

/** Throws 400 for what has no price or no equivalent in the upstream's format, 503 where there is no memory for a translated body. */
export async function prepare(
  deps: PrepareDeps,
  context: RequestContext,
  {
    caller,
    parsed: received,
    isReadAgain,
  }: {
    readonly caller: Pick<Caller, 'account' | 'policy'>
    readonly parsed: ParsedRequest
    /** Whether the received body may be needed for another target. */
    readonly isReadAgain: boolean
  },
  route: TargetRoute,
): Promise<PreparedRequest> {
  rejectUnpricedOptions(route.price, received.facts.options)
  const automaticCaching = cachingOf(context, caller.policy)
  const owner = { body: received.body, account: caller.account, work: context.work }
  const original = { parsed: received, owner, route, automaticCaching, isReadAgain }
  const formatting = toUpstreamFormat(deps, context, original)
  const formatted = formatting instanceof Promise ? await formatting : formatting
  const { parsed, translation } = formatted
  try {
    deps.unknownMembers.assertNoneRejected(context, parsed)
    const adapting = adaptToHost(deps, { owner, route }, formatted)
    const { bodyPatches, adjusted } = adapting instanceof Promise ? await adapting : adapting
    const { model, price, connector } = route
    const { uses, serverTools } = rejectUnpriced(price, parsed.facts, { connector, limits: deps.limits })
    const plan = {
      ...route,
      translation,
      bodyPatches,
      adjusted: [...adjusted, ...droppedBetas(route, context)],
      inputSize: inputSizeOf(route, { facts: parsed.facts, bodyBytes: parsed.body.bytes.length }, uses),
      serverTools,
      options: optionsOf(route, parsed.facts),
      cacheLifetime: longestOf(parsed.facts),
      choices: parsed.facts.choices,
      outputs: outputClassesOf(model, parsed.facts),
      ...outputBounds(model, parsed.facts, deps.limits),
      // Checked on the received request, because translation lowers the limit as well.
      exceedsFallback: route.isFallback && (received.facts.outputLimit ?? 0) > model.outputTokensMax,
    }
    return { parsed, plan }
  } catch (error) {
    if (parsed.body !== received.body) parsed.body.drop()
    throw error
  }
}

function longestOf({ cacheWrites }: ExtractedFields): '5m' | '1h' {
  return cacheWrites.includes('1h') ? '1h' : '5m'
}

interface FormattedRequest {
  readonly parsed: ParsedRequest
  readonly translation: Translation | null
  /** Patches that remove our reasoning carriers from a body that is passed through. */
  readonly bodyPatches: readonly BytePatch[]
}

const noEdits: readonly BytePatch[] = []

/** The route, and whether translation marks the prompt for caching. */
interface Destination {
  readonly route: TargetRoute
  readonly automaticCaching: AutomaticCaching
}

const cachingHeader = 'x-tollgate-automatic-caching'
const cachings: readonly AutomaticCaching[] = ['conversations', 'always', 'never']

/** The request's header overrides the key's policy. */
function cachingOf(
  { request }: RequestContext,
  policy: Pick<KeyPolicy, 'automaticCaching'>,
): AutomaticCaching {
  const written = request.headers[cachingHeader]
  if (written === undefined) return policy.automaticCaching
  const known = cachings.find((caching) => caching === written)
  if (known !== undefined) return known
  throw new TollgateError('invalid_value', {
    message: `${cachingHeader}: must be one of ${cachings.join(', ')}.`,
    param: cachingHeader,
  })
}

interface OriginalRequest extends Destination {
  readonly parsed: ParsedRequest
  readonly owner: BodyOwner
  readonly isReadAgain: boolean
}

interface TranslationTask extends OriginalRequest {
  /** The format that the body is written in. */
  readonly from: SourceFormat
  readonly to: TargetFormat
  /** The format of the response to the client. */
  readonly own: SourceFormat
}

/** A promise only where it has to wait. */
function toUpstreamFormat(
  deps: PrepareDeps,
  context: RequestContext,
  task: OriginalRequest,
): FormattedRequest | Promise<FormattedRequest> {
  const { parsed, route } = task
  const { name: to } = route.format
  const { name: own } = context.format
  if (!isTargetFormat(to) || !isSourceFormat(own)) return { parsed, translation: null, bodyPatches: noEdits }
  const { facts } = parsed
  const isOwnFormat = to === facts.writtenAs && to === own
  return isOwnFormat && passesAsIs(facts, route.connector.requestDifferences?.[to])
    ? passedThrough(deps, task, to)
    : withWireErrors(() => translated(deps, context, { ...task, from: facts.writtenAs ?? own, to, own }))
}

/** The body as it is, without our reasoning carriers. */
function passedThrough(
  { bodyThreads, read: limits }: PrepareDeps,
  { parsed, route, owner }: OriginalRequest,
  format: TargetFormat,
): FormattedRequest | Promise<FormattedRequest> {
  const without = (bodyPatches: readonly BytePatch[]): FormattedRequest => ({
    parsed,
    translation: null,
    bodyPatches,
  })
  // Adapting a body to its host also removes the carriers.
  if (route.connector.requestDifferences?.[format] !== undefined) return without(noEdits)
  try {
    const carrierPatches = bodyThreads.run('stripCarriers', { format, limits }, owner)
    return carrierPatches instanceof Promise
      ? withWireErrors(() => carrierPatches).then(without)
      : without(carrierPatches)
  } catch (error) {
    throw wireError(error)
  }
}

async function translated(
  deps: PrepareDeps,
  context: RequestContext,
  task: TranslationTask,
): Promise<FormattedRequest> {
  const { owner, own, to } = task
  const { facts: original, body } = task.parsed
  rejectReferences(original)
  const translation = await deps.bodyThreads.run('translate', translateInput(deps, context, task), owner)
  if (!task.isReadAgain) body.free()
  return {
    parsed: { body: body.another(translation.bytes, translation.bytes.length), facts: translation.facts },
    bodyPatches: noEdits,
    translation: {
      from: upstreamCodecs[to],
      to: clientCodecs[own],
      names: translation.names,
      headers: translation.headers,
      adjusted: translation.adjusted,
      emulation: translation.emulation,
      frame: {
        requestId: context.requestId,
        model: task.route.responseModel,
        createdSeconds: Math.floor(context.startedMs / 1_000),
        responseOptions: responseOptionsOf(translation),
      },
    },
  }
}

function translateInput(deps: PrepareDeps, context: RequestContext, task: TranslationTask) {
  const { facts } = task.parsed
  const { from, to } = task
  const { model, connector, format } = task.route
  return {
    format: from,
    to,
    target: {
      model: model.upstreamModel,
      automaticCaching: task.automaticCaching,
      capabilities: {
        ...connector.capabilities(model.upstreamModel),
        outputTokensMax: model.outputTokensMax,
      },
      thoughtsMember: connector.requestDifferences?.[to]?.reasoningHistory?.member,
      forcedTools: forcedToolsOf(deps, context),
    },
    limits: deps.read,
    address: context.address,
    readAt:
      format.paths.ofModel !== null ? { model: model.upstreamModel, stream: facts.stream } : noUrlFields,
  }
}

const forcedToolsHeader = 'x-tollgate-forced-tools'

/** The request's header overrides the setting. */
function forcedToolsOf(deps: PrepareDeps, { request }: RequestContext): ForcedTools {
  const written = request.headers[forcedToolsHeader]
  if (written === undefined) return deps.forcedTools
  if (written === 'adapt' || written === 'reject') return written
  throw new WireError('invalid_value', `${forcedToolsHeader}: must be adapt or reject.`, forcedToolsHeader)
}

/** References are readable only in the format of the provider that stores them; reasoning without content is dropped instead. */
function rejectReferences({ references = [] }: ExtractedFields): void {
  const reference = references.find(({ kind }) => kind !== 'reasoning')
  if (reference !== undefined) throw unresolved(reference)
}

function unresolved({ kind, pointer }: Reference): TollgateError {
  const why =
    kind === 'file'
      ? 'this model is served in another API format, which cannot reference the file. Send its content instead.'
      : 'this model is served in another API format, which cannot reference stored items. Send the earlier items themselves, as clients do with store: false.'
  return new TollgateError('reference_not_owned', { message: `${pointer}: ${why}`, param: pointer })
}

function rejectUnpricedOptions(price: PriceVersion, options: readonly PricedOption[]): void {
  for (const option of options) {
    if (Object.hasOwn(price.options, option.name)) continue
    throw unpriced(option.pointer, `${option.name} changes the price`, {
      model: price.model,
      line: `options: { "${option.name}": "1" }`,
    })
  }
}

interface ServerToolUses {
  /** The most uses by billing unit; each of them reads the input again. */
  readonly uses: Readonly<Record<string, number>>
  readonly serverTools: ServerToolPlan
}

/** Bounds the uses of provider-side tools. */
function rejectUnpriced(
  price: PriceVersion,
  facts: ExtractedFields,
  { connector, limits }: { connector: Connector; limits: Pick<PrepareDeps['limits'], 'serverToolUsesMax'> },
): ServerToolUses {
  rejectUnpricedOptions(price, facts.options)
  const { uses, usesMax, waived } = toolUsesOf(connector, facts, limits)
  for (const tool of facts.serverTools) if (!waived.includes(tool.meter)) rejectUnpricedTool(price, tool)
  rejectUnpricedMedia(price, facts.media)
  return { uses, serverTools: { fees: feesOf(price, { uses, waived }), usesMax, waived } }
}

function rejectUnpricedTool({ fees, model }: PriceVersion, { meter, type, pointer }: ServerTool): void {
  if (Object.hasOwn(fees, meter)) return
  throw unpriced(pointer, `the tool ${type} runs at the provider`, {
    model,
    line: `fees: { "${meter}": "0" }`,
  })
}

/** Video is priced like other input, and its sound like audio. */
function rejectUnpricedMedia(price: PriceVersion, media: readonly Media[]): void {
  const unsold = media.find(({ kind }) => kind === 'audio' || kind === 'video')
  if (unsold === undefined || price.rates.inputAudio !== null) return
  throw unpriced('messages', `${unsold.kind} input`, {
    model: price.model,
    line: `inputAudio: "${formatUsd(price.rates.input)}"`,
  })
}

/** Names the price line that would enable the option. */
function unpriced(pointer: string, what: string, missing: { model: string; line: string }): TollgateError {
  return new TollgateError('unpriced_option', {
    message: `${pointer}: ${what}, and the model ${missing.model} has no price for it. Remove it, or ask an administrator to add ${missing.line} (with its price) to the prices of ${missing.model}.`,
    param: pointer,
  })
}

function outputBounds(
  model: Model,
  facts: ExtractedFields,
  limits: PrepareDeps['limits'],
): { readonly outputWanted: number; readonly outputFloor: number } {
  // A limit above the requested model's maximum is sent upstream unchanged, but cannot cost more than the maximum.
  const outputWanted = Math.min(facts.outputLimit ?? model.outputTokensMax, model.outputTokensMax)
  const floor =
    facts.thinkingBudget !== null
      ? facts.thinkingBudget + limits.outputFloor
      : model.reasons
        ? outputFloorReasoning
        : limits.outputFloor
  return { outputWanted, outputFloor: Math.min(outputWanted, floor) }
}
