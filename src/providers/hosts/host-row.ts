/**
 * The facts about a host that serves another vendor's format. Types alone. A row lists the differences from the vendor of the format;
 * everything it omits is the same. It contains nothing about a single model, and nothing that could be computed.
 */
import type { SecretFields } from '../../base/secret-fields.ts'
import type { CountingShape, UpstreamCountingFormat } from '../../wire/counting.ts'
import type { UpstreamFormatName } from '../../wire/format-names.ts'
import type { RequestDifferences } from '../../wire/host-differences.ts'
import type { Capabilities } from '../../wire/translation/capabilities.ts'
import type { ErrorRule } from '../classify.ts'
import type { HostBetas } from '../connector.ts'
import type { Authorizer } from '../send-types.ts'

/** How a credential is sent: as a bearer token in `authorization`, or as it is in a header of another name. */
export type Authentication = 'bearer' | { readonly header: string }

export interface HostRow {
  /** Scheme, host and port. */
  readonly origin: string
  /**
   * The prefix of a format's path (`/chat/completions`, `/responses`, `/messages`, `/embeddings`), with the version;
   * a format that is not here is not served. The first one is the host's own, in which its models are listed.
   */
  readonly prefixes: Readonly<Partial<Record<UpstreamFormatName, string>>>
  /** The base path that the prefixes continue, by the path of an upstream's URL; omitted: the prefixes replace that path. */
  readonly addressOf?: (basePath: string) => string
  /** Why an address cannot be one of the host; undefined: it can. */
  readonly addressMistake?: (url: string) => string | undefined
  /** The path below the prefix in formats whose own has no model, where the host wants the model in the path. */
  readonly modelPaths?: Readonly<
    Partial<
      Record<UpstreamFormatName, (request: { readonly model: string; readonly streamed: boolean }) => string>
    >
  >
  /** Where and how it counts tokens without generating; left out: nowhere. `path`: where that is not the format's own. */
  readonly counting?: Readonly<
    Partial<
      Record<
        UpstreamCountingFormat,
        {
          readonly shape: CountingShape
          readonly path?: (at: { readonly prefix: string; readonly model: string }) => string
        }
      >
    >
  >
  /** In which of the formats a model is served; left out: in all of them. */
  readonly formatsOf?: (model: string) => readonly UpstreamFormatName[]
  /** The path of the list of models; left out: `/models` behind the first prefix, null: there is none. */
  readonly modelList?: string | null
  /** `bearer` where it is left out. */
  readonly authentication?: Readonly<Partial<Record<UpstreamFormatName, Authentication>>>
  /** How requests are authorized with a credential of several fields; left out: a credential is one text. */
  readonly authorizer?: (credential: string, fields: SecretFields) => Authorizer
  /** Rules for the host's errors, checked before the common ones. */
  readonly errors?: readonly ErrorRule[]
  /** Versions of Messages that it knows besides the one of 2023, which every host knows. */
  readonly messagesVersions?: readonly string[]
  /** The betas that it knows; left out: none. */
  readonly betas?: HostBetas
  /** `x-request-id` where it is left out. */
  readonly requestIdHeader?: string
  /** Whether closing a stream stops the host's meter; left out: it bills on. */
  readonly onCancel?: 'stops' | 'bills_on'
  readonly requests?: Readonly<Partial<Record<UpstreamFormatName, RequestDifferences>>>
  /** Capabilities that none of the host's models has, or that differ from the same models elsewhere. */
  readonly capabilities?: Partial<Capabilities>
  /** The sources of the facts. Facts marked `unverified` in comments apply until the host contradicts them. */
  readonly source: string
}
