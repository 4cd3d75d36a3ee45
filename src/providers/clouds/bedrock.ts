/**
 * Amazon Bedrock: Chat Completions and Responses below `/openai/v1` and Claude in Messages below `/anthropic`, on the host of
 * a region; models that support none of these (Nova, Llama, Jamba and others) in Converse, with the model in the path.
 */

import type { SecretFields } from '../../base/secret-fields.ts'
import { CredentialError } from '../credential-error.ts'
import { bedrockBetas } from '../hosts/host-betas.ts'
import type { HostRow } from '../hosts/host-row.ts'
import type { Authorizer, UpstreamRequest } from '../send-types.ts'
import { obtainAwsKeys } from './aws-keys.ts'
import { type AwsKeys, type AwsScope, awsSignature } from './aws-signature.ts'

/** Profiles of several regions are not counted for, the model itself is: docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html. */
function countingPath({ prefix, model }: { readonly prefix: string; readonly model: string }): string {
  const ownModel = model.replace(/^[a-z]+\.(?=anthropic\.)/, '')
  return `${prefix.replace(/\/anthropic\/v1$/, '')}/model/${ownModel}/count-tokens`
}

/** models-api-compatibility: makers whose models have no other format, and models of others, profiles of several regions included. */
const converseAlone = /^(?:[a-z-]+\.)?(?:(?:ai21|amazon|cohere|meta|writer)\.|deepseek\.r1|mistral\.pixtral)/

/** The error of AWS is in this header, its name before a colon. */
const errorType = 'x-amzn-errortype'

export const bedrock: HostRow = {
  origin: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  prefixes: {
    'openai-chat': '/openai/v1',
    'openai-responses': '/openai/v1',
    anthropic: '/anthropic/v1',
    'bedrock-converse': '',
  },
  counting: { anthropic: { shape: 'bedrock-claude', path: countingPath } },
  modelList: null,
  authorizer: awsAuthorizer,
  formatsOf(model) {
    if (/^(?:[a-z]+\.)?anthropic\./.test(model)) return ['anthropic']
    if (converseAlone.test(model)) return ['bedrock-converse']
    return /^openai\.(?!gpt-oss-safeguard)/.test(model)
      ? ['openai-chat', 'openai-responses']
      : ['openai-chat']
  },
  errors: [
    { header: { name: errorType, values: ['ModelNotReadyException'] }, meaning: 'overloaded' },
    { header: { name: errorType, values: ['ServiceUnavailableException'] }, meaning: 'overloaded' },
    { header: { name: errorType, values: ['ThrottlingException'] }, meaning: 'rate' },
    { header: { name: errorType, values: ['ServiceQuotaExceededException'] }, meaning: 'quota' },
    { header: { name: errorType, values: ['ModelTimeoutException'] }, meaning: 'timeout' },
    {
      header: { name: errorType, values: ['ModelErrorException', 'ModelStreamErrorException'] },
      meaning: 'server',
    },
    {
      header: {
        name: errorType,
        values: [
          'AccessDeniedException',
          'ExpiredTokenException',
          'UnrecognizedClientException',
          'InvalidSignatureException',
          'IncompleteSignatureException',
          'MissingAuthenticationTokenException',
        ],
      },
      meaning: 'credential',
    },
    // Inside a stream, where the names begin small: API_runtime_ConverseStreamOutput.
    { words: ['modelStreamErrorException'], meaning: 'server' },
    { words: ['modelTimeoutException'], meaning: 'timeout' },
    // The names of models are the operator's: unverified.
    {
      statuses: [400],
      begins: [
        'the provided model identifier is invalid',
        'invocation of model id',
        'the model is not supported on this route',
      ],
      meaning: 'model_missing',
    },
  ],
  requestIdHeader: 'x-amzn-requestid',
  betas: { anthropic: bedrockBetas },
  source:
    'docs.aws.amazon.com/bedrock/latest/userguide: inference-messages-api, inference-responses-api, inference-chat-completions, models-api-compatibility, 2026-11',
}

const expired = ['ExpiredTokenException', 'ExpiredToken', 'UnrecognizedClientException']

/** Authorizes requests to AWS with a signature. The region and service of a signature are those of the host. */
export function awsAuthorizer(credential: string, fields: SecretFields): Authorizer {
  return {
    async authorize(request, deps) {
      const { origin } = request
      const scope = awsScope(origin, fields['region'])
      const key = `${origin} ${credential}`
      const issued = await deps.tokens.get(key, () =>
        obtainAwsKeys({ fields, upstreamOrigin: origin, region: scope.region, deps }),
      )
      return {
        headers: await awsSignature(signed(request), keysIn(issued.fields), scope, deps.clock.wallMs()),
        discard: () => deps.tokens.discard(key, issued),
      }
    },
    // Keys that were written down cannot be replaced by new ones.
    isTokenRejected: (status, headers) =>
      fields['accessKeyId'] === undefined &&
      (status === 401 || status === 403) &&
      expired.includes((headers.get(errorType) ?? '').split(':')[0] ?? ''),
  }
}

/** `bedrock-runtime.eu-central-1.amazonaws.com`, `bedrock-mantle.us-east-1.api.aws`, and private addresses that end so. */
const regional = /(?:^|\.)bedrock-(runtime|mantle)(?:-fips)?\.([a-z0-9-]+)\./

function awsScope(origin: string, region: string | undefined): AwsScope {
  const [, endpoint, written] = regional.exec(new URL(origin).hostname) ?? []
  if (written !== undefined)
    return { region: written, service: endpoint === 'mantle' ? 'bedrock-mantle' : 'bedrock' }
  if (region === undefined) throw new CredentialError('neither the address nor the credential has a region')
  // A part of the address that issues keys.
  if (!/^[a-z0-9-]{1,40}$/.test(region)) throw new CredentialError('region is not the name of a region')
  return { region, service: 'bedrock' }
}

/** Others may hold what the caller wrote, and a value that AWS reads differently would make the signature invalid. */
const signedNames = ['content-type']

/** The request with the headers that are signed. */
function signed(request: UpstreamRequest): UpstreamRequest {
  const headers: string[] = []
  for (let at = 0; at < request.headers.length; at += 2) {
    const [name = '', value = ''] = request.headers.slice(at, at + 2)
    if (signedNames.includes(name)) headers.push(name, value)
  }
  return { ...request, headers }
}

function keysIn({ accessKeyId = '', secretAccessKey = '', sessionToken }: SecretFields): AwsKeys {
  return { accessKeyId, secretAccessKey, sessionToken }
}
