/**
 * Amazon Bedrock: Chat Completions and Responses below `/openai/v1` and Claude in Messages below `/anthropic`, on the host of
 * a region; models that support none of these (Nova, Llama, Jamba and others) in Converse, with the model in the path.
 */
import { bedrockBetas } from '../hosts/host-betas.ts'
import type { HostRow } from '../hosts/host-row.ts'
import { awsAuthorizer, awsErrorType as errorType } from './aws-authorizer.ts'

/** Profiles of several regions are not counted for, the model itself is: docs.aws.amazon.com/bedrock/latest/userguide/count-tokens.html. */
function countingPath({ prefix, model }: { readonly prefix: string; readonly model: string }): string {
  const ownModel = model.replace(/^[a-z]+\.(?=anthropic\.)/, '')
  return `${prefix.replace(/\/anthropic\/v1$/, '')}/model/${ownModel}/count-tokens`
}

/** models-api-compatibility: makers whose models have no other format, and models of others, profiles of several regions included. */
const converseAlone = /^(?:[a-z-]+\.)?(?:(?:ai21|amazon|cohere|meta|writer)\.|deepseek\.r1|mistral\.pixtral)/

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
  onCancel: 'bills_on',
  source:
    'docs.aws.amazon.com/bedrock/latest/userguide: inference-messages-api, inference-responses-api, inference-chat-completions, models-api-compatibility, 2026-11',
}
