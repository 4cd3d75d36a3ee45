/**
 * The names of all formats, and what each fills. The tables of formats.ts have exactly these keys, so that a format
 * without its row does not compile. Types only, so that every file of `wire` can import them.
 */

/** `conversation`: can be translated. `passed_through`: can not. A side that a format does not fill is absent. */
interface FormatSides {
  'openai-chat': { client: 'conversation'; upstream: 'conversation' }
  'openai-responses': { client: 'conversation'; upstream: 'conversation' }
  'openai-embeddings': { client: 'passed_through'; upstream: 'passed_through' }
  anthropic: { client: 'conversation'; upstream: 'conversation' }
  gemini: { client: 'conversation'; upstream: 'conversation' }
  'gemini-embeddings': { client: 'passed_through'; upstream: 'passed_through' }
  'bedrock-converse': { upstream: 'conversation' }
}

type FormatsWith<Sides> = {
  [Name in keyof FormatSides]: FormatSides[Name] extends Sides ? Name : never
}[keyof FormatSides]

export type ClientFormatName = FormatsWith<{ client: string }>
export type UpstreamFormatName = FormatsWith<{ upstream: string }>
/** Client formats whose requests can be translated. */
export type SourceFormat = FormatsWith<{ client: 'conversation' }>
/** Upstream formats that requests can be translated to. */
export type TargetFormat = FormatsWith<{ upstream: 'conversation' }>

/** Formats that hold a conversation and fill both sides; any can be translated to any. */
export type ConversationFormat = SourceFormat & TargetFormat

export type FormatName = ClientFormatName | UpstreamFormatName
