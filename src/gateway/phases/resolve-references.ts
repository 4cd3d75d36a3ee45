/**
 * Provider-side state and files that the request references → the upstream that stores them, and their size, which joins the
 * input bound. Accepts only what the same account uploaded, or what an earlier response to it created.
 */
import type { Caller } from '../../access/types.ts'
import type { Clock } from '../../base/clock.ts'
import { TollgateError } from '../../base/errors.ts'
import type { FileRow, ProviderFiles } from '../../ledger/provider-file-types.ts'
import type { Ledger, ProviderObjectRow } from '../../ledger/types.ts'
import { mediaTypeOf } from '../../providers/file-hosts-table.ts'
import type { Media, Reference } from '../../wire/format.ts'
import type { Candidate, InputSize, ParsedRequest, RequestPlan, Route } from '../request.ts'

interface ResolveReferencesDeps {
  readonly ledger: Pick<Ledger, 'providerObjects'>
  readonly clock: Clock
  readonly limits: { readonly referencesMax: number }
}

/** Throws the same 400 for every reference that is not known to be the caller's own. A promise only where there are references. */
export function resolveReferences(
  deps: ResolveReferencesDeps,
  caller: Caller,
  parsed: ParsedRequest,
  plan: RequestPlan,
): RequestPlan | Promise<RequestPlan> {
  return storedItems(parsed).length === 0 ? plan : withReferences(deps, caller, parsed, plan)
}

/** The items of earlier responses that a request references. */
export function storedItems({ facts }: ParsedRequest): readonly Reference[] {
  return facts.references?.filter(({ kind }) => kind !== 'file') ?? []
}

async function withReferences(
  deps: ResolveReferencesDeps,
  caller: Caller,
  parsed: ParsedRequest,
  plan: RequestPlan,
): Promise<RequestPlan> {
  const { candidates, referenced, fillsWindow } = await lookUpReferences(deps, caller, parsed, plan)
  // The referenced input may be audio: its media types are not stored.
  const audioTokens =
    plan.inputSize.audioTokens + (fillsWindow ? plan.inputSize.inputTokensMax : referenced.tokens)
  const inputSize: InputSize = {
    ...plan.inputSize,
    referenced,
    audioTokens,
    fillsWindow: plan.inputSize.fillsWindow || fillsWindow,
  }
  return { ...plan, candidates, inputSize }
}

/** The candidates that store the referenced objects, and the input that these add. */
interface ResolvedReferences {
  readonly candidates: readonly Candidate[]
  readonly referenced: InputSize['referenced']
  /** The length of a referenced object is unknown. */
  readonly fillsWindow: boolean
}

const nothing: InputSize['referenced'] = { tokens: 0, reasoning: 0 }

/** The same without a plan, for counting tokens. */
export async function lookUpReferences(
  { ledger, clock, limits }: ResolveReferencesDeps,
  caller: Caller,
  parsed: ParsedRequest,
  { candidates }: Pick<Route, 'candidates'>,
): Promise<ResolvedReferences> {
  const references = storedItems(parsed)
  const [first] = references
  if (first === undefined) return { candidates, referenced: nothing, fillsWindow: false }
  if (references.length > limits.referencesMax) throw tooMany(first, limits.referencesMax)
  const ids = references.map(({ id }) => id)
  const rows = new Map(
    (await ledger.providerObjects(caller.account, ids, clock.wallMs())).map((row) => [row.id, row]),
  )
  const storing = candidates.filter(({ upstream }) => rows.get(first.id)?.upstream === upstream.name)
  const foreign = references.find(
    ({ id }) => !storing.some((at) => at.upstream.name === rows.get(id)?.upstream),
  )
  if (foreign !== undefined) throw notOwned(foreign)
  const objects = [...rows.values()]
  return {
    candidates: storing,
    referenced: tokensOf(objects),
    fillsWindow: objects.some((row) => storing.some((at) => isUnbounded(row, at.upstreamModel))),
  }
}

/** Items of one response are parts of the same output, which is counted once. */
function tokensOf(objects: readonly ProviderObjectRow[]): InputSize['referenced'] {
  const answers = new Map(objects.map((row) => [`${row.receipt} ${row.referencedScope}`, row]))
  let tokens = 0
  let reasoning = 0
  for (const row of answers.values()) {
    tokens += row.output + (row.referencedScope === 'output' ? 0 : row.input)
    reasoning += row.reasoning
  }
  return { tokens, reasoning }
}

/** Another model counts the same input differently. */
function isUnbounded(
  { referencedScope, upstreamModel, usageSource }: ProviderObjectRow,
  model: string,
): boolean {
  return referencedScope === 'window' || upstreamModel !== model || usageSource !== 'reported'
}

function notOwned({ pointer }: Reference): TollgateError {
  return new TollgateError('reference_not_owned', {
    message: `${pointer}: this account has no stored item with this ID at the provider of this model. Send the earlier items themselves, as clients do with store: false.`,
    param: pointer,
  })
}

function tooMany({ pointer }: Reference, most: number): TollgateError {
  return new TollgateError('reference_not_owned', {
    message: `${pointer}: a request can reference at most ${most} stored items. Send the earlier items themselves, as clients do with store: false.`,
    param: pointer,
  })
}

interface ResolveFilesDeps {
  readonly files: Pick<ProviderFiles, 'find'>
  readonly clock: Clock
}

/** The request with the sizes of its files, and the candidates that store all of them. */
interface RequestWithFiles {
  readonly parsed: ParsedRequest
  readonly route: Route
}

/**
 * The request with the sizes of its files. Throws the same 400 for every file that is not the caller's own. Sends no request to a provider. A promise only where
 * there are files.
 */
export function resolveFiles(
  deps: ResolveFilesDeps,
  caller: Pick<Caller, 'account'>,
  parsed: ParsedRequest,
  route: Route,
): RequestWithFiles | Promise<RequestWithFiles> {
  const named = parsed.facts.references?.filter(({ kind }) => kind === 'file') ?? []
  const [first] = named
  return first === undefined
    ? { parsed, route }
    : withFiles(deps, caller, { parsed, route }, { first, named })
}

async function withFiles(
  { files, clock }: ResolveFilesDeps,
  { account }: Pick<Caller, 'account'>,
  { parsed, route }: RequestWithFiles,
  { first, named }: { readonly first: Reference; readonly named: readonly Reference[] },
): Promise<RequestWithFiles> {
  const ids = named.map(({ id }) => id)
  const nowMs = clock.wallMs()
  const rows = new Map<string, FileRow>()
  for (const provider of new Set(route.candidates.map(({ upstream }) => upstream.provider)))
    for (const row of await files.find({ account, provider, nowMs }, ids)) rows.set(row.fileId, row)
  const upstreamName = rows.get(first.id)?.upstream
  const foreign = named.find(
    ({ id }) => rows.get(id)?.upstream !== upstreamName || upstreamName === undefined,
  )
  if (foreign !== undefined) throw fileNotOwned(foreign)
  const candidates = route.candidates.filter(({ upstream }) => upstream.name === upstreamName)
  if (candidates.length === 0) throw isOnlyOwnKey(route) ? onlyOwnKey(first) : fileNotOwned(first)
  const media = parsed.facts.media.map((one) => sized(one, rows))
  return { parsed: { ...parsed, facts: { ...parsed.facts, media } }, route: { ...route, candidates } }
}

function sized(media: Media, rows: ReadonlyMap<string, FileRow>): Media {
  const row = media.fileId === undefined ? undefined : rows.get(media.fileId)
  if (row === undefined) return media
  return { ...media, bytes: row.bytes, mediaType: media.mediaType || mediaTypeOf(row.object) }
}

/** Files are stored with the server's credentials, which the account excludes. */
function isOnlyOwnKey({ candidates }: Route): boolean {
  return candidates.every(({ upstream }) => upstream.ownKey !== undefined)
}

function onlyOwnKey({ pointer }: Reference): TollgateError {
  return new TollgateError('not_supported', {
    message: `${pointer}: this file is stored with this server's provider key, and the provider key of this account is set to only. Send its content instead.`,
    param: pointer,
  })
}

function fileNotOwned({ pointer }: Reference): TollgateError {
  return new TollgateError('reference_not_owned', {
    message: `${pointer}: this account has no file with this ID at the provider of this model. Upload it first, or send its content instead.`,
    param: pointer,
  })
}
