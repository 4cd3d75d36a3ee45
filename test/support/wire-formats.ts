/** The formats with both a client and an upstream side, for tests that read and write each of them. */
import { anthropic, anthropicCodec } from '../../src/wire/anthropic/index.ts'
import type { ClientFormat, StreamedFormat, UpstreamFormat } from '../../src/wire/format.ts'
import type { ClientFormatName, ConversationFormat, UpstreamFormatName } from '../../src/wire/format-names.ts'
import { gemini, geminiCodec } from '../../src/wire/gemini/index.ts'
import { geminiEmbeddings } from '../../src/wire/gemini-embeddings/index.ts'
import { openaiChat, openaiChatCodec } from '../../src/wire/openai-chat/index.ts'
import { openaiEmbeddings } from '../../src/wire/openai-embeddings/index.ts'
import { openaiResponses, openaiResponsesCodec } from '../../src/wire/openai-responses/index.ts'
import type { ClientCodec, UpstreamCodec } from '../../src/wire/translation/codec.ts'

export type Codec = ClientCodec & UpstreamCodec
/** A format of conversations, which stream. */
export type WireFormat = ClientFormat & StreamedFormat

export const wireFormats: Readonly<
  Record<ConversationFormat, WireFormat> &
    Record<ClientFormatName & UpstreamFormatName, ClientFormat & UpstreamFormat>
> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-embeddings': openaiEmbeddings,
  anthropic: anthropic,
  gemini: gemini,
  'gemini-embeddings': geminiEmbeddings,
}

export const codecs: Readonly<Record<ConversationFormat, Codec>> = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  gemini: geminiCodec,
}
