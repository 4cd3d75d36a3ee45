/**
 * Every format by name: those for clients, those for upstreams, and those that can be translated.
 * The lists of names are the keys of these tables; a format with only one side is only in that side's tables.
 */
import { anthropic, anthropicCodec } from './anthropic/index.ts'
import type { ClientFormat, UpstreamFormat } from './dialect.ts'
import { gemini, geminiCodec } from './gemini/index.ts'
import { openaiChat, openaiChatCodec } from './openai-chat/index.ts'
import { openaiEmbeddings } from './openai-embeddings/index.ts'
import { openaiResponses, openaiResponsesCodec } from './openai-responses/index.ts'
import type { ClientCodec, UpstreamCodec } from './translation/codec.ts'

const clients = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-embeddings': openaiEmbeddings,
  anthropic,
  gemini,
}

const upstreams = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'openai-embeddings': openaiEmbeddings,
  anthropic,
  gemini,
}

const sources = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  gemini: geminiCodec,
}

const targets = {
  'openai-chat': openaiChatCodec,
  'openai-responses': openaiResponsesCodec,
  anthropic: anthropicCodec,
  gemini: geminiCodec,
}

export type ClientFormatName = keyof typeof clients
export type UpstreamFormatName = keyof typeof upstreams
/** Client formats whose requests can be translated. */
export type SourceFormat = keyof typeof sources
/** Upstream formats that requests can be translated to. */
export type TargetFormat = keyof typeof targets

export const clientFormats: Readonly<Record<ClientFormatName, ClientFormat>> = clients
export const upstreamFormats: Readonly<Record<UpstreamFormatName, UpstreamFormat>> = upstreams
export const clientCodecs: Readonly<Record<SourceFormat, ClientCodec>> = sources
export const upstreamCodecs: Readonly<Record<TargetFormat, UpstreamCodec>> = targets

export function isSourceFormat(name: string): name is SourceFormat {
  return Object.hasOwn(sources, name)
}

export function isTargetFormat(name: string): name is TargetFormat {
  return Object.hasOwn(targets, name)
}
