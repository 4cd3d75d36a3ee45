/** The Chat Completions format, assembled. */

import { plainRoutes } from '../client-routes.ts'
import type { ClientFormat, StreamedFormat } from '../format.ts'
import { openaiBetas } from '../request-fields.ts'
import type { ClientCodec, UpstreamCodec } from '../translation/codec.ts'
import { openaiPaths } from '../upstream-paths.ts'
import { readProblem } from '../upstream-problem.ts'
import { costInUsage } from '../usage-cost.ts'
import { decodeRequest } from './decode-request.ts'
import { decodeResponse } from './decode-response.ts'
import { decodeStream } from './decode-stream.ts'
import { contextMark, errorBody, errorFrame, errorStatus, problemStatus } from './encode-error.ts'
import { encodeRequest } from './encode-request.ts'
import { adaptRequest } from './encode-request-host.ts'
import { encodeResponse } from './encode-response.ts'
import { encodeStream } from './encode-stream.ts'
import { type ChatFields, extractRequest, patchRequest, usageEvent } from './extract-request.ts'
import { extractResponse } from './extract-response.ts'
import { reportedTotals, toUsage } from './extract-usage.ts'
import { policy } from './request-policy-table.ts'
import { stripCarriers } from './strip-carriers.ts'
import { tapStream } from './tap-stream.ts'

export const openaiChat: ClientFormat<ChatFields> & StreamedFormat<ChatFields> = {
  name: 'openai-chat',
  routes: {
    ...plainRoutes,
    prefixes: ['openai'],
    paths: { 'chat/completions': { POST: 'generate' } },
    guide: { title: 'Chat Completions', basePath: '/v1', example: 'chat/completions' },
  },
  costFields: costInUsage,
  paths: { ...openaiPaths, operations: { generate: '/chat/completions' } },
  outputLimitField: 'max_tokens',
  outputLimitMin: 1,
  rateHeaders: 'openai',
  limitsToolsWithEffort: true,
  hasToolPrompt: true,
  extractRequest,
  patchRequest,
  usageEvent,
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
  keepAlive: ': keepalive\n\n',
}

export const openaiChatCodec: ClientCodec & UpstreamCodec = {
  rank: { reasoning: 2, others: 1 },
  policy,
  decodeRequest,
  encodeRequest,
  decodeResponse,
  encodeResponse,
  decodeStream,
  encodeStream,
  stripCarriers,
  adaptRequest,
}
