/**
 * Files that the request references → the upstream that stores them, and their sizes, which bound the cost. Accepts only
 * files that the caller's own account uploaded.
 */
import type { Caller } from '../../../access/types.ts'
import type { Clock } from '../../../base/clock.ts'
import { TollgateError } from '../../../base/errors.ts'
import type { FileRow, ProviderFiles } from '../../../ledger/provider-file-types.ts'
import { mediaTypeOf } from '../../../providers/file-hosts-table.ts'
import type { Media, Reference } from '../../../wire/dialect.ts'
import type { ParsedRequest, Route } from '../../request.ts'

export interface ResolveFilesDeps {
  readonly files: Pick<ProviderFiles, 'find'>
  readonly clock: Clock
}

/** The request with the sizes of its files, and the candidates that store all of them. */
export interface RequestWithFiles {
  readonly parsed: ParsedRequest
  readonly route: Route
}

/**
 * Throws the same 400 for every file that is not the caller's own. Sends no request to a provider. A promise only where
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
  if (foreign !== undefined) throw notOwned(foreign)
  const candidates = route.candidates.filter(({ upstream }) => upstream.name === upstreamName)
  if (candidates.length === 0) throw isOnlyOwnKey(route) ? onlyOwnKey(first) : notOwned(first)
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

function notOwned({ pointer }: Reference): TollgateError {
  return new TollgateError('reference_not_owned', {
    message: `${pointer}: this account has no file with this ID at the provider of this model. Upload it first, or send its content instead.`,
    param: pointer,
  })
}
