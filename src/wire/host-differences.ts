/**
 * How a host's requests differ from those of the format's vendor, as data of its provider row.
 * The format's own folder applies it to the bytes. Types and pure functions only.
 */
import type { UpstreamFormatName } from './format-names.ts'
import type { BytePatch } from './json/byte-patch.ts'
import type { Adjustment } from './translation/neutral.ts'

/** Members of other formats and gateways that some hosts have as their own: marks of caches, and how to reason. */
export type HostField = 'cache_control' | 'reasoning'

export interface RequestDifferences {
  /** Fields that the format's vendor does not have, and this host does: they go there as they were written. */
  readonly ownFields?: readonly HostField[]
  /** The only name of the output limit that the host takes. */
  readonly limitField?: 'max_tokens' | 'max_completion_tokens'
  /** Streams report their usage without being asked, and `stream_options` is not sent. */
  readonly streamUsage?: 'unasked'
  /** Members of the body that the host rejects, or that would let the caller choose what the host charges. */
  readonly drops?: readonly string[]
  /** Members of messages that the host rejects. */
  readonly messageDrops?: readonly string[]
  /** Members of the body under the host's name. */
  readonly renames?: Readonly<Record<string, string>>
  /** Texts of a member of the body in the host's words. */
  readonly words?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** The model is in the path, and not in the body. */
  readonly modelInPath?: true
  /** Members that are added where the caller wrote none, as JSON text. */
  readonly adds?: Readonly<Record<string, string>>
  /** The maximum length of ids of users, which are letters, digits, `_` and `-`; others are hashed. */
  readonly userIdMax?: number
  /** The exact length of ids of tool calls, in letters and digits. */
  readonly toolIdLength?: number
  /** The maximum length of ids of tool calls; longer ones of other hosts are replaced. */
  readonly toolIdMax?: number
  /** Replaces `reasoning_effort`, as JSON text: for `none`, and for every other effort (absent: the effort itself). */
  readonly effortAs?: { readonly member: string; readonly off: string; readonly on?: string }
  /**
   * The member of an assistant message for thoughts of this host, which come back to it. Where it must be there (`always`, or
   * `with_tools` in messages with calls), a blank one is added; `known`: only thoughts that the history has.
   */
  readonly reasoningHistory?: { readonly member: string; readonly on: 'known' | 'with_tools' | 'always' }
}

type DifferencesByFormat = Readonly<Partial<Record<UpstreamFormatName, RequestDifferences>>>

/** The same host, which is not asked for the usage of a stream. */
export function withoutUsageOption(differences: DifferencesByFormat = {}): DifferencesByFormat {
  return { ...differences, 'openai-chat': { ...differences['openai-chat'], streamUsage: 'unasked' } }
}

/** The patches that make a body what its host takes, in body order, and what the caller should know of them. */
export interface AdaptedRequest {
  readonly patches: readonly BytePatch[]
  readonly adjusted: readonly Adjustment[]
}
