/**
 * How each format says, under status 200, that the model or a filter of its host refused the content. Pure.
 *
 * Sources, 2026-11: platform.openai.com/docs/api-reference/chat/object, /responses/object; docs.z.ai/api-reference;
 * platform.claude.com/docs/en/build-with-claude/handling-stop-reasons; ai.google.dev/api/generate-content#FinishReason;
 * docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
 */
import type { UpstreamFormatName } from './format-names.ts'

type RefusingFormat = Exclude<UpstreamFormatName, 'openai-embeddings' | 'gemini-embeddings'>

const refusingWords: Readonly<Record<RefusingFormat, readonly string[]>> = {
  'openai-chat': ['content_filter', 'sensitive'],
  'openai-responses': ['content_filter'],
  anthropic: ['refusal'],
  gemini: [
    'SAFETY',
    'RECITATION',
    'BLOCKLIST',
    'PROHIBITED_CONTENT',
    'SPII',
    'IMAGE_SAFETY',
    'IMAGE_PROHIBITED_CONTENT',
    'IMAGE_RECITATION',
    'MODEL_ARMOR',
    'ESCALATION',
    'PUP_LIMITED_DISABLED',
  ],
  'bedrock-converse': ['guardrail_intervened', 'content_filtered'],
}

/** Whether the reason for which a response ended is a refusal of its content. */
export function isRefusal(format: RefusingFormat, reason: string): boolean {
  return refusingWords[format].includes(reason)
}
