/** The Responses format, assembled. */

import { plainRoutes } from '../client-routes.ts'
import type { ClientFormat, StreamedFormat, UpstreamFormat } from '../format.ts'
import { contextMark } from '../openai-chat/encode-error.ts'
import { openaiBetas } from '../request-fields.ts'
import type { ClientCodec, UpstreamCodec } from '../translation/codec.ts'
import { openaiPaths } from '../upstream-paths.ts'
import { readProblem } from '../upstream-problem.ts'
import { decodeRequest } from './decode-request.ts'
import { decodeResponse } from './decode-response.ts'
import { decodeStream } from './decode-stream.ts'
import { errorBody, errorFrame, errorStatus, problemStatus } from './encode-error.ts'
import { encodeRequest } from './encode-request.ts'
import { encodeResponse } from './encode-response.ts'
import { encodeStream } from './encode-stream.ts'
import { extractRequest, patchRequest, type ResponsesFields } from './extract-request.ts'
import { extractResponse, readStart } from './extract-response.ts'
import { reportedTotals, toUsage } from './extract-usage.ts'
import { policy } from './request-policy-table.ts'
import { dropReasoning, stripCarriers } from './strip-carriers.ts'
import { tapStream } from './tap-stream.ts'

const passing: Omit<ClientFormat<ResponsesFields> & StreamedFormat<ResponsesFields>, 'inBackground'> = {
  name: 'openai-responses',
  routes: {
    ...plainRoutes,
    paths: {
      responses: { POST: 'generate' },
      'responses/input_tokens': { POST: 'count_tokens' },
      'responses/compact': { POST: 'compact' },
      'responses/{id}': { GET: 'show_response', DELETE: 'delete_response' },
      'responses/{id}/cancel': { POST: 'cancel_response' },
      'responses/{id}/input_items': { GET: 'list_response_items' },
    },
    triesWebSocket: true,
    guide: { title: 'Responses', basePath: '/v1', example: 'responses' },
  },
  costFields: { answer: ['usage'], event: ['response', 'usage'] },
  paths: {
    ...openaiPaths,
    operations: {
      generate: '/responses',
      compact: '/responses/compact',
      count_tokens: '/responses/input_tokens',
    },
  },
  outputLimitField: 'max_output_tokens',
  outputLimitMin: 16,
  rateHeaders: 'openai',
  extractRequest,
  patchRequest,
  usageEvent: () => 'relay',
  tapStream,
  extractResponse,
  readError: readProblem,
  betas: openaiBetas,
  problemStatus,
  reportedTotals,
  toUsage,
  errorBody,
  contextMarks: [contextMark],
  errorStatus,
  errorFrame,
  streamType: 'text/event-stream; charset=utf-8',
  // The event that OpenAI itself sends: agents measure silence in events, and do not see comments. Libraries reject it before
  // `response.created`: github.com/openai/openai-node/pull/1965, openai-python lib/streaming/responses, 2026-11.
  keepAlive: 'event: keepalive\ndata: {"type":"keepalive","sequence_number":0}\n\n',
  keepAliveFirst: ': keepalive\n\n',
}

/** For requests whose response is polled for. */
export const backgroundResponses: UpstreamFormat<ResponsesFields> = {
  ...passing,
  extractResponse: readStart,
}

export const openaiResponses: ClientFormat<ResponsesFields> & StreamedFormat<ResponsesFields> = {
  ...passing,
  inBackground: backgroundResponses,
}

export const openaiResponsesCodec: ClientCodec & UpstreamCodec = {
  rank: { reasoning: 1, others: 2 },
  policy,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  stripCarriers,
  dropReasoning,
}
