/**
 * The outcome of each field of a Gemini request in the other formats, with the note that the compatibility
 * page shows. Fields by the names of https://ai.google.dev/api/generate-content.
 */
import {
  type FieldOutcome,
  type FieldOutcomesOf,
  type PolicyTableOf,
  withDerivedColumns,
} from '../translation/policy.ts'

type GeminiOutcomes = FieldOutcomesOf<'gemini'>
type GeminiRow = PolicyTableOf<'gemini'>[number]

/** The same everywhere. */
function all(outcome: FieldOutcome): GeminiOutcomes {
  return { 'openai-chat': outcome, 'openai-responses': outcome, anthropic: outcome }
}

function but(outcome: FieldOutcome, others: Partial<GeminiOutcomes>): GeminiOutcomes {
  return { ...all(outcome), ...others }
}

const declared = {
  functionDeclarations: [
    {
      name: 'look_up',
      description: 'Looks it up.',
      parametersJsonSchema: { type: 'object', properties: {} },
    },
  ],
}
const schema = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
}

function setting(name: string, to: GeminiOutcomes, note: string, settings: GeminiRow['example']): GeminiRow {
  return { field: `generationConfig.${name}`, to, note, example: { generationConfig: settings } }
}

function partField(name: string, note: string, value: GeminiRow['example']): GeminiRow {
  return {
    field: `contents[].parts[].${name}`,
    to: all('dropped'),
    note,
    example: { contents: [{ role: 'user', parts: [{ text: 'Hello', [name]: value }] }] },
  }
}

const bodyRows: PolicyTableOf<'gemini'> = [
  {
    field: 'systemInstruction',
    to: all('carried'),
    note: 'The instructions.',
    example: { systemInstruction: { parts: [{ text: 'Be brief.' }] } },
  },
  {
    field: 'tools',
    to: all('carried'),
    note: 'Functions are carried; provider tools if the model has them.',
    example: { tools: [declared] },
  },
  {
    field: 'tools[].functionDeclarations[].response',
    to: all('dropped'),
    note: 'That format has no schema for function results.',
    example: { tools: [{ functionDeclarations: [{ name: 'look_up', response: { type: 'STRING' } }] }] },
  },
  {
    field: 'tools[].functionDeclarations[].responseJsonSchema',
    to: all('dropped'),
    note: 'That format has no schema for function results.',
    example: {
      tools: [{ functionDeclarations: [{ name: 'look_up', responseJsonSchema: { type: 'string' } }] }],
    },
  },
  {
    field: 'tools[].functionDeclarations[].behavior',
    to: all('dropped'),
    note: 'Every call waits for its result.',
    example: { tools: [{ functionDeclarations: [{ name: 'look_up', behavior: 'BLOCKING' }] }] },
  },
  {
    field: 'toolConfig.functionCallingConfig',
    to: all('adapted'),
    note: 'The choice of tools; VALIDATED becomes AUTO and is reported.',
    example: { tools: [declared], toolConfig: { functionCallingConfig: { mode: 'ANY' } } },
  },
  {
    field: 'toolConfig.functionCallingConfig.streamFunctionCallArguments',
    to: all('dropped'),
    note: 'Calls are sent whole.',
    example: { toolConfig: { functionCallingConfig: { streamFunctionCallArguments: true } } },
  },
  {
    field: 'toolConfig.retrievalConfig',
    to: all('dropped'),
    note: "Only Gemini's own tools use a location.",
    example: { toolConfig: { retrievalConfig: { languageCode: 'en' } } },
  },
  {
    field: 'toolConfig.includeServerSideToolInvocations',
    to: all('dropped'),
    note: 'Calls of provider tools are not returned.',
    example: { toolConfig: { includeServerSideToolInvocations: true } },
  },
  {
    field: 'safetySettings',
    to: all('dropped'),
    note: 'Other vendors have no such thresholds.',
    example: {
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
    },
  },
  {
    field: 'labels',
    to: all('dropped'),
    note: 'Used for reporting only.',
    example: { labels: { team: 'a' } },
  },
  { field: 'store', to: all('dropped'), note: 'Nothing is stored.', example: { store: true } },
  {
    field: 'serviceTier',
    to: all('dropped'),
    note: 'Tiers of other vendors differ.',
    example: { serviceTier: 'priority' },
  },
  {
    field: 'modelArmorConfig',
    to: all('rejected'),
    note: 'The caller relies on the screening.',
    example: { modelArmorConfig: { promptTemplateName: 'projects/a/locations/b/templates/c' } },
  },
  {
    field: 'cachedContent',
    to: all('rejected'),
    note: 'State stored at the provider.',
    example: { cachedContent: 'cachedContents/abc' },
  },
  {
    field: 'continuationToken',
    to: all('rejected'),
    note: 'State stored at the provider.',
    example: { continuationToken: 'abc' },
  },
]

const partRows: PolicyTableOf<'gemini'> = [
  partField('videoMetadata', 'Video is not supported.', { fps: 1 }),
  partField('mediaResolution', 'Vendor-specific setting.', { level: 'MEDIA_RESOLUTION_LOW' }),
  partField('partMetadata', 'Used by the caller only.', { source: 'a' }),
  partField('mediaProcessing', 'Supported by Gemini models only.', {}),
  partField('speechMetadata', 'Speech output is supported by Gemini models only.', {}),
  partField('audioTranscription', 'Generated by Gemini models only.', {}),
]

const settingRows: PolicyTableOf<'gemini'> = [
  setting('temperature', all('carried'), "Lowered to the model's maximum.", { temperature: 0.5 }),
  setting('topP', all('carried'), 'If the model supports sampling.', { topP: 0.5 }),
  setting('topK', but('dropped', { anthropic: 'carried' }), 'OpenAI has no equivalent.', { topK: 20 }),
  setting('candidateCount', all('rejected'), 'One candidate per request.', { candidateCount: 2 }),
  setting('maxOutputTokens', all('carried'), 'The output limit.', { maxOutputTokens: 50 }),
  setting(
    'stopSequences',
    but('carried', { 'openai-responses': 'adapted' }),
    'If the model does not support them, the gateway applies them.',
    { stopSequences: ['END'] },
  ),
  setting('presencePenalty', but('dropped', { 'openai-chat': 'carried' }), 'Chat Completions only.', {
    presencePenalty: 0.5,
  }),
  setting('frequencyPenalty', but('dropped', { 'openai-chat': 'carried' }), 'Chat Completions only.', {
    frequencyPenalty: 0.5,
  }),
  setting('seed', but('dropped', { 'openai-chat': 'carried' }), 'Chat Completions only.', { seed: 7 }),
  setting('responseLogprobs', but('carried', { anthropic: 'rejected' }), 'Messages does not return them.', {
    responseLogprobs: true,
  }),
  setting('logprobs', but('carried', { anthropic: 'rejected' }), 'Messages does not return them.', {
    responseLogprobs: true,
    logprobs: 3,
  }),
  setting('responseMimeType', all('adapted'), 'JSON mode as each format requests it.', {
    responseMimeType: 'application/json',
    responseJsonSchema: schema,
  }),
  setting('responseSchema', all('adapted'), 'Becomes a JSON schema.', {
    responseMimeType: 'application/json',
    responseSchema: { type: 'OBJECT', properties: { a: { type: 'STRING' } }, required: ['a'] },
  }),
  setting('responseJsonSchema', all('carried'), 'The schema unchanged.', {
    responseMimeType: 'application/json',
    responseJsonSchema: schema,
  }),
  setting('responseFormat', all('adapted'), 'Text and JSON; other media are rejected.', {
    responseFormat: [{ text: { mimeType: 'APPLICATION_JSON', schema } }],
  }),
  setting('responseModalities', all('rejected'), 'Only text is translated.', {
    responseModalities: ['TEXT', 'IMAGE'],
  }),
  setting('mediaResolution', all('dropped'), 'Vendor-specific setting.', {
    mediaResolution: 'MEDIA_RESOLUTION_LOW',
  }),
  setting('speechConfig', all('rejected'), 'Only text is translated.', {
    speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
  }),
  setting('imageConfig', all('rejected'), 'Only text is translated.', {
    imageConfig: { aspectRatio: '1:1' },
  }),
  setting('thinkingConfig', all('adapted'), 'Budgets and levels are converted to what the model supports.', {
    thinkingConfig: { includeThoughts: true, thinkingLevel: 'LOW' },
  }),
  setting('audioTimestamp', all('dropped'), 'Supported by Gemini models only.', { audioTimestamp: true }),
  setting('enableEnhancedCivicAnswers', all('dropped'), 'Supported by Gemini models only.', {
    enableEnhancedCivicAnswers: true,
  }),
  setting('enableAffectiveDialog', all('dropped'), 'Supported by Gemini models only.', {
    enableAffectiveDialog: true,
  }),
  setting('audioTranscriptionConfig', all('rejected'), 'Supported by Gemini models only.', {
    audioTranscriptionConfig: { languageCodes: ['en'] },
  }),
  setting('translationConfig', all('rejected'), 'Supported by Gemini models only.', {
    translationConfig: { targetLanguageCode: 'en' },
  }),
  setting('routingConfig', all('rejected'), 'Would choose another model.', {
    routingConfig: { autoMode: { modelRoutingPreference: 'BALANCED' } },
  }),
  setting('modelSelectionConfig', all('rejected'), 'Would choose another model.', {
    modelSelectionConfig: { featureSelectionPreference: 'BALANCED' },
  }),
]

export const geminiPolicy = withDerivedColumns([...bodyRows, ...partRows, ...settingRows], {
  'bedrock-converse': { like: 'anthropic', apartFrom: { 'generationConfig.topK': 'dropped' } },
})
