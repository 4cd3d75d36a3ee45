/** The Messages format, assembled: the half that passes bytes through, and the half that translates. */
import { plainRoutes } from '../client-routes.ts'
import type { ClientFormat, StreamedFormat } from '../format.ts'
import type { ClientCodec, UpstreamCodec } from '../translation/codec.ts'
import { endsWithVersion } from '../upstream-paths.ts'
import { readProblem } from '../upstream-problem.ts'
import { costInUsage } from '../usage-cost.ts'
import { decodeRequest } from './decode-request.ts'
import { decodeResponse } from './decode-response.ts'
import { decodeStream } from './decode-stream.ts'
import { contextPhrase, errorBody, errorFrame, errorStatus, problemStatus } from './encode-error.ts'
import { encodeRequest } from './encode-request.ts'
import { adaptRequest } from './encode-request-host.ts'
import { encodeResponse } from './encode-response.ts'
import { encodeStream } from './encode-stream.ts'
import { extractRequest, type MessagesFields, patchRequest } from './extract-request.ts'
import { extractResponse } from './extract-response.ts'
import { reportedTotals, toUsage } from './extract-usage.ts'
import { policy } from './request-policy-table.ts'
import { messagesBetas } from './request-price-table.ts'
import { stripCarriers } from './strip-carriers.ts'
import { tapStream } from './tap-stream.ts'

export const anthropic: ClientFormat<MessagesFields> & StreamedFormat<MessagesFields> = {
  name: 'anthropic',
  routes: {
    ...plainRoutes,
    prefixes: ['anthropic', 'alt'],
    paths: { messages: { POST: 'generate' }, 'messages/count_tokens': { POST: 'count_tokens' } },
    ownPaths: /^messages/,
    ownHeader: 'anthropic-version',
    probesBase: true,
    guide: { title: 'Messages', basePath: '/v1/alt', example: 'v1/messages' },
  },
  costFields: costInUsage,
  paths: {
    version: '/v1',
    isComplete: endsWithVersion,
    queryNames: ['beta'],
    models: '/models?limit=1000',
    uploadPrefix: '',
    operations: { generate: '/messages', count_tokens: '/messages/count_tokens' },
    ofModel: null,
  },
  outputLimitField: 'max_tokens',
  outputLimitMin: 1,
  rateHeaders: 'anthropic',
  reportsInputEarly: true,
  extractRequest,
  patchRequest,
  usageEvent: () => 'relay',
  tapStream,
  extractResponse,
  readError: readProblem,
  betas: messagesBetas,
  problemStatus,
  reportedTotals,
  toUsage,
  errorBody,
  // By the second one Claude Code lowers its output limit instead.
  contextMarks: [contextPhrase, 'exceed context limit'],
  errorStatus,
  errorFrame,
  streamType: 'text/event-stream; charset=utf-8',
  keepAlive: 'event: ping\ndata: {"type": "ping"}\n\n',
}

export const anthropicCodec: ClientCodec & UpstreamCodec = {
  rank: { reasoning: 3, others: 3 },
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
