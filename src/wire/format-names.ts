/** The names of formats by what they are for; the table is contract/formats.ts. Types only, so that every file of `wire` can import them. */
import type { FormatName, FormatWith } from '../../contract/formats.ts'

export type { FormatName }

type UpstreamOnly = FormatWith<{ upstreamOnly: true }>

export type UpstreamFormatName = FormatName
export type ClientFormatName = Exclude<FormatName, UpstreamOnly>
/** Upstream formats that requests can be translated to. */
export type TargetFormat = FormatWith<{ purpose: 'conversation' }>
/** Client formats whose requests can be translated. */
export type SourceFormat = Exclude<TargetFormat, UpstreamOnly>

/** Formats that hold a conversation and fill both sides; any can be translated to any. */
export type ConversationFormat = SourceFormat & TargetFormat
