/**
 * Every format by name: those for clients, those for upstreams, and those that can be translated. The names are those of
 * format-names.ts; a format with only one side is only in that side's tables.
 */
import { anthropic, anthropicCodec } from './anthropic/index.ts'
import { bedrockConverse, bedrockConverseCodec } from './bedrock-converse/index.ts'
import type { ClientFormat, UpstreamFormat } from './format.ts'
import type { ClientFormatName, SourceFormat, TargetFormat, UpstreamFormatName } from './format-names.ts'
import { gemini, geminiCodec } from './gemini/index.ts'
import { geminiEmbeddings } from './gemini-embeddings/index.ts'
import { openaiChat, openaiChatCodec } from './openai-chat/index.ts'
import { openaiEmbeddings } from './openai-embeddings/index.ts'
import { openaiResponses, openaiResponsesCodec } from './openai-responses/index.ts'
import type { ClientCodec, UpstreamCodec } from './translation/codec.ts'

export const clientFormats: Readonly<Record<ClientFormatName, ClientFormat>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-embeddings': openaiEmbeddings,
  anthropic,
  gemini,
  'gemini-embeddings': geminiEmbeddings,
}

export const upstreamFormats: Readonly<Record<UpstreamFormatName, UpstreamFormat>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-embeddings': openaiEmbeddings,
  anthropic,
  gemini,
  'gemini-embeddings': geminiEmbeddings,
  'bedrock-converse': bedrockConverse,
}

export const clientCodecs: Readonly<Record<SourceFormat, ClientCodec>> = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  gemini: geminiCodec,
}

export const upstreamCodecs: Readonly<Record<TargetFormat, UpstreamCodec>> = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  gemini: geminiCodec,
  'bedrock-converse': bedrockConverseCodec,
}

export function isSourceFormat(name: string): name is SourceFormat {
  return Object.hasOwn(clientCodecs, name)
}

export function isTargetFormat(name: string): name is TargetFormat {
  return Object.hasOwn(upstreamCodecs, name)
}
