/** What the upstream formats are for. Pure data. */
import type { UpstreamFormatName } from '../wire/format-names.ts'

const uses: Readonly<Record<UpstreamFormatName, 'conversation' | 'embeddings'>> = {
  'openai-chat': 'conversation',
  'openai-responses': 'conversation',
  'openai-embeddings': 'embeddings',
  anthropic: 'conversation',
  gemini: 'conversation',
  'bedrock-converse': 'conversation',
}

export function isConversationFormat(format: UpstreamFormatName): boolean {
  return uses[format] === 'conversation'
}
