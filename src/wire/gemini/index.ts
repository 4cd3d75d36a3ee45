/** The Gemini format (generateContent), assembled. */

import { type ClientRoutes, plainRoutes } from '../client-routes.ts'
import type { ClientFormat, StreamedFormat } from '../format.ts'
import { type LimitFields, patchLimit } from '../request-fields.ts'
import type { ClientCodec, UpstreamCodec } from '../translation/codec.ts'
import { endsWithVersion } from '../upstream-paths.ts'
import { readProblem } from '../upstream-problem.ts'
import { decodeRequest } from './decode-request.ts'
import { decodeResponse } from './decode-response.ts'
import { decodeStream } from './decode-stream.ts'
import { contextPhrase, errorBody, errorFrame, errorStatus, problemStatus } from './encode-error.ts'
import { encodeRequest } from './encode-request.ts'
import { encodeResponse } from './encode-response.ts'
import { ArrayFraming, encodeStream } from './encode-stream.ts'
import { extractRequest } from './extract-request.ts'
import { extractResponse } from './extract-response.ts'
import { chargedOnce, reportedTotals, toUsage } from './extract-usage.ts'
import { geminiPolicy } from './request-policy-table.ts'
import { stripCarriers } from './strip-carriers.ts'
import { tapStream } from './tap-stream.ts'

/**
 * Nothing of the caller's query travels: `alt` is ours, and `fields` or `callback` would change what a response looks
 * like, its usage included.
 */
function modelPath(
  method: string,
  { model, streamed }: { readonly model: string; readonly streamed: boolean },
): string {
  const path = `/models/${model}:`
  return streamed && method === 'generateContent'
    ? `${path}streamGenerateContent?alt=sse`
    : `${path}${method}`
}

const routes: ClientRoutes = {
  ...plainRoutes,
  prefixes: ['v1beta', 'upload'],
  paths: {},
  modelMethods: {
    generateContent: { operation: 'generate', stream: false },
    streamGenerateContent: { operation: 'generate', stream: true },
    countTokens: { operation: 'count_tokens', stream: false },
  },
  ownPaths: /:\w{0,40}Content$|^cachedContents/,
  ownHeader: 'x-goog-api-key',
  // A resumable upload is continued at an address with its id; what else is asked for is in headers.
  uploadOperation(headers, query) {
    if (new URLSearchParams(query).has('upload_id')) return 'continue_upload'
    return headers['x-goog-upload-protocol'] === 'resumable' ? 'start_upload' : 'upload_file'
  },
  guide: { title: 'Gemini', basePath: '/v1beta', example: 'models/{model}:generateContent' },
}

export const gemini: ClientFormat<LimitFields> & StreamedFormat<LimitFields> = {
  name: 'gemini',
  routes,
  // Without `alt=sse` a stream is one JSON array.
  streamEnvelope: (query) => (new URLSearchParams(query).get('alt') === 'sse' ? null : new ArrayFraming()),
  costFields: { answer: ['usageMetadata'], event: ['usageMetadata'] },
  paths: {
    version: '/v1beta',
    isComplete: endsWithVersion,
    queryNames: [],
    models: '/models?pageSize=1000',
    uploadPrefix: '/upload',
    operations: { generate: 'generateContent', count_tokens: 'countTokens' },
    ofModel: modelPath,
  },
  hasKeyInUrl: true,
  outputLimitField: 'maxOutputTokens',
  outputLimitMin: 1,
  rateHeaders: 'none',
  // Every event counts the input, but not early: the count grows while tools run at the provider.
  extractRequest,
  patchRequest: patchLimit,
  usageEvent: () => 'relay',
  tapStream,
  extractResponse,
  readError: readProblem,
  betas: null,
  problemStatus,
  reportedTotals,
  chargedOnce,
  toUsage,
  errorBody,
  contextMarks: [contextPhrase],
  errorStatus,
  errorFrame,
  streamType: 'text/event-stream; charset=utf-8',
  keepAlive: null,
}

export const geminiCodec: ClientCodec & UpstreamCodec = {
  rank: { reasoning: 4, others: 4 },
  policy: geminiPolicy,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  stripCarriers,
}
