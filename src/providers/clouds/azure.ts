/**
 * Azure OpenAI and Microsoft Foundry: models are called by the names of their deployments, in the formats of OpenAI, Claude in
 * Messages. A deployment has the name of its model unless the operator configures another.
 */

import { CredentialError } from '../credential-error.ts'
import { foundryBetas } from '../hosts/host-betas.ts'
import type { HostRow } from '../hosts/host-row.ts'
import { bearerAuthorizer, type TokenSource } from './bearer-authorizer.ts'
import {
  fieldOf,
  fileText,
  formRequest,
  issuerOrigin,
  machineOrigin,
  plainRequest,
  requestToken,
} from './token-answers.ts'

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

const resource = 'https://cognitiveservices.azure.com'
const what = 'Microsoft Entra'

/**
 * Tokens of Microsoft Entra: for an application with a secret or with a token of its platform (workload identity), or for the
 * managed identity of the machine. learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow.
 * `{ tenantId, clientId, clientSecret | tokenFile }`, or `{ machine }` with the identity's client ID or `default`.
 */
const entraToken: TokenSource = async (fields, upstreamOrigin, deps) => {
  const { machine } = fields
  if (machine !== undefined) {
    const identity = machine === 'default' ? '' : `&client_id=${encodeURIComponent(machine)}`
    const path = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${encodeURIComponent(resource)}${identity}`
    const origin = issuerOrigin(upstreamOrigin, machineOrigin)
    return requestToken(deps, plainRequest(origin, path, ['metadata', 'true']), what)
  }
  const tenant = fieldOf(fields, 'tenantId', 'the credential')
  // The name of a tenant is part of an address.
  if (!/^[\w.-]{1,100}$/.test(tenant)) throw new CredentialError('tenantId is not the ID of a tenant')
  const proof =
    fields['tokenFile'] === undefined
      ? { client_secret: fieldOf(fields, 'clientSecret', 'the credential') }
      : {
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: await fileText(fields['tokenFile']),
        }
  const form = {
    grant_type: 'client_credentials',
    client_id: fieldOf(fields, 'clientId', 'the credential'),
    scope: `${resource}/.default`,
    ...proof,
  }
  const origin = issuerOrigin(upstreamOrigin, 'https://login.microsoftonline.com')
  return requestToken(deps, formRequest(origin, `/${tenant}/oauth2/v2.0/token`, form), what)
}
