/** Amazon Bedrock's Converse, assembled: a format of upstreams alone, for the models that Bedrock serves in no other. */

import type { StreamedFormat } from '../format.ts'
import type { BytePatch } from '../json/byte-patch.ts'
import { type LimitFields, patchLimit } from '../request-fields.ts'
import type { UpstreamCodec } from '../translation/codec.ts'
import { readProblem } from '../upstream-problem.ts'
import { decodeResponse } from './decode-response.ts'
import { decodeStream } from './decode-stream.ts'
import { encodeRequest } from './encode-request.ts'
import { extractRequest } from './extract-request.ts'
import { extractResponse, problemStatus } from './extract-response.ts'
import { reportedTotals, toUsage } from './extract-usage.ts'
import { tapStream } from './tap-stream.ts'

/** Nothing of a client's goes upstream in this format as it is, so that no body has carriers. */
function stripCarriers(): readonly BytePatch[] {
  return []
}

export const bedrockConverse: StreamedFormat<LimitFields> = {
  name: 'bedrock-converse',
  paths: {
    version: '',
    isComplete: () => true,
    queryNames: [],
    models: '/foundation-models',
    uploadPrefix: '',
    operations: { generate: '/converse' },
    ofModel: (path, { model, streamed }) => `/model/${model}${path}${streamed ? '-stream' : ''}`,
  },
  acceptedStream: 'application/vnd.amazon.eventstream',
  outputLimitMin: 1,
  hasToolPrompt: true,
  extractRequest,
  patchRequest: patchLimit,
  usageEvent: () => 'relay',
  tapStream,
  extractResponse,
  readError: readProblem,
  problemStatus,
  reportedTotals,
  toUsage,
}

export const bedrockConverseCodec: UpstreamCodec = {
  rank: { reasoning: 5, others: 5 },
  encodeRequest,
  decodeResponse,
  decodeStream,
  stripCarriers,
}
