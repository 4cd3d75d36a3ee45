/** Every format, found by name: the half that passes bytes through, and the half that translates. */
import { anthropic, anthropicCodec } from './anthropic/index.ts'
import type { ConversationFormat, Dialect, DialectName } from './codec.ts'
import { gemini, geminiCodec } from './gemini/index.ts'
import type { Codec } from './neutral.ts'
import { openaiChat, openaiChatCodec } from './openai-chat/index.ts'
import { openaiEmbeddings } from './openai-embeddings/index.ts'
import { openaiResponses, openaiResponsesCodec } from './openai-responses/index.ts'

export const dialects: Readonly<Record<DialectName, Dialect>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-embeddings': openaiEmbeddings,
  anthropic,
  gemini,
}

export const codecs: Readonly<Record<ConversationFormat, Codec>> = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  gemini: geminiCodec,
}

/** Throws RangeError for the format that holds no conversation. */
export function conversationFormat(name: DialectName): ConversationFormat {
  if (name === 'openai-embeddings') throw new RangeError(`${name} holds no conversation`)
  return name
}

/** null: a format that holds no conversation. */
export function codecOf(name: DialectName): Codec | null {
  return name === 'openai-embeddings' ? null : codecs[name]
}
