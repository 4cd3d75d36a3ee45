/**
 * Files that the request names → only those that the caller's own account uploaded, the upstream that keeps them, and their
 * sizes, which bound what the request may cost.
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

/** The request with the sizes of its files, and the places that have them all. */
export interface RequestWithFiles {
  readonly parsed: ParsedRequest
  readonly route: Route
}

/** Throws 400 for what is not the caller's own, in the same words whatever else it may be. Asks no provider. */
export async function resolveFiles(
  { files, clock }: ResolveFilesDeps,
  { account }: Pick<Caller, 'account'>,
  parsed: ParsedRequest,
  route: Route,
): Promise<RequestWithFiles> {
  const named = (parsed.facts.references ?? []).filter(({ kind }) => kind === 'file')
  const [first] = named
  if (first === undefined) return { parsed, route }
  const of = { account, provider: route.model.provider, nowMs: clock.wallMs() }
  const ids = named.map(({ id }) => id)
  const rows = new Map((await files.find(of, ids)).map((row) => [row.fileId, row]))
  const keeper = rows.get(first.id)?.upstream
  const stranger = named.find(({ id }) => rows.get(id)?.upstream !== keeper || keeper === undefined)
  if (stranger !== undefined) throw notOwned(stranger)
  const candidates = route.candidates.filter(({ upstream }) => upstream.name === keeper)
  if (candidates.length === 0) throw notOwned(first)
  const media = parsed.facts.media.map((one) => sized(one, rows))
  return { parsed: { ...parsed, facts: { ...parsed.facts, media } }, route: { ...route, candidates } }
}

function sized(media: Media, rows: ReadonlyMap<string, FileRow>): Media {
  const row = media.fileId === undefined ? undefined : rows.get(media.fileId)
  if (row === undefined) return media
  return { ...media, bytes: row.bytes, mediaType: media.mediaType || mediaTypeOf(row.object) }
}

function notOwned({ pointer }: Reference): TollgateError {
  return new TollgateError('reference_not_owned', {
    message: `${pointer}: no file with this id was uploaded by this account to where this model is served. Upload it first, or send its content instead.`,
    param: pointer,
  })
}
