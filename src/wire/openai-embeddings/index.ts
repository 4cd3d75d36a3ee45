/** The embeddings format, assembled: it is passed through and billed, and never translated. */

import { plainRoutes } from '../client-routes.ts'
import type { ClientFormat, UpstreamFormat } from '../format.ts'
import {
  contextMark,
  errorBody,
  errorFrame,
  errorStatus,
  problemStatus,
} from '../openai-chat/encode-error.ts'
import { openaiBetas } from '../request-fields.ts'
import { openaiPaths } from '../upstream-paths.ts'
import { readProblem } from '../upstream-problem.ts'
import { costInUsage } from '../usage-cost.ts'
import { vectorsIn } from '../vector-encoding.ts'
import { type EmbeddingsFields, extractRequest, patchRequest } from './extract-request.ts'
import { extractResponse } from './extract-response.ts'
import { reportedTotals, toUsage } from './extract-usage.ts'

export const openaiEmbeddings: ClientFormat<EmbeddingsFields> & UpstreamFormat<EmbeddingsFields> = {
  name: 'openai-embeddings',
  routes: {
    ...plainRoutes,
    paths: { embeddings: { POST: 'embed' } },
    guide: { title: 'Embeddings', basePath: '/v1', example: 'embeddings' },
  },
  costFields: costInUsage,
  paths: { ...openaiPaths, operations: { embed: '/embeddings' } },
  outputLimitField: 'max_tokens',
  outputLimitMin: 1,
  rateHeaders: 'none',
  extractRequest,
  patchRequest,
  usageEvent: () => 'relay',
  // A request that asks for a stream is rejected.
  tapStream: null,
  extractResponse,
  encodeAsRequested: (body, { vectorEncoding }) =>
    vectorEncoding === null ? [body] : vectorsIn(body, vectorEncoding),
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
  keepAlive: ': keepalive\n\n',
}
