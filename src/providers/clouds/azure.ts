/**
 * Azure OpenAI and Microsoft Foundry: models are called by the names of their deployments, in the formats of OpenAI, Claude in
 * Messages. A deployment has the name of its model unless the operator configures another.
 */
import { foundryBetas } from '../hosts/host-betas.ts'
import type { HostRow } from '../hosts/host-row.ts'
import { bearerAuthorizer } from './bearer-authorizer.ts'
import { entraToken } from './entra-tokens.ts'

/** Models that Azure serves in Responses only: learn.microsoft.com/azure/foundry/openai/how-to/responses. */
const responsesAlone = /^(?:gpt-5[\w.]*-(?:codex|pro)\b|codex-mini|o[13]-pro)/

export const azure: HostRow = {
  origin: 'https://my-resource.services.ai.azure.com',
  prefixes: {
    'openai-chat': '/openai/v1',
    'openai-responses': '/openai/v1',
    anthropic: '/anthropic/v1',
    'openai-embeddings': '/openai/v1',
  },
  authentication: {
    'openai-chat': { header: 'api-key' },
    'openai-responses': { header: 'api-key' },
    'openai-embeddings': { header: 'api-key' },
    anthropic: { header: 'x-api-key' },
  },
  counting: { anthropic: { shape: 'anthropic' } },
  authorizer: (credential, fields) => bearerAuthorizer(credential, fields, entraToken),
  formatsOf(model) {
    if (/^claude-/.test(model)) return ['anthropic']
    if (/embed/.test(model)) return ['openai-embeddings']
    if (responsesAlone.test(model)) return ['openai-responses']
    return /^(?:gpt-|o\d)/.test(model) ? ['openai-chat', 'openai-responses'] : ['openai-chat']
  },
  errors: [
    { words: ['content_filter', 'ResponsibleAIPolicyViolation'], meaning: 'content' },
    // A deployment that was made a moment ago is missing for some minutes.
    { words: ['DeploymentNotFound'], meaning: 'model_missing' },
  ],
  requestIdHeader: 'apim-request-id',
  // github.com/Portkey-AI/gateway/issues/1062
  requests: { 'openai-chat': { toolIdMax: 40 } },
  betas: { anthropic: foundryBetas },
  onCancel: 'stops',
  source:
    'learn.microsoft.com/azure/foundry/openai/api-version-lifecycle, platform.claude.com/docs/en/build-with-claude/claude-in-microsoft-foundry, 2026-11',
}
