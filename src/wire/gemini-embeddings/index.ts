/** Google's format of embeddings, assembled: it is passed through and billed, and never translated. */

import { plainRoutes } from '../client-routes.ts'
import type { ClientFormat, ExtractedResponse, UpstreamFormat } from '../format.ts'
import { geminiReport, readUsage, reportedTotals, toUsage } from '../gemini/extract-usage.ts'
import { gemini } from '../gemini/index.ts'
import { isRecord, recordsIn } from '../json/parsed.ts'
import { readVectors } from '../openai-embeddings/extract-response.ts'
import { extractRequest, type GeminiEmbeddingsFields, patchRequest } from './extract-request.ts'

function extractResponse(body: Uint8Array): ExtractedResponse {
  return readVectors(body, geminiReport(), (report, answer) => {
    readUsage(report, answer)
    if (isRecord(answer.embedding)) return 1
    return Array.isArray(answer.embeddings) ? recordsIn(answer, 'embeddings').length : null
  })
}

export const geminiEmbeddings: ClientFormat<GeminiEmbeddingsFields> & UpstreamFormat<GeminiEmbeddingsFields> =
  {
    name: 'gemini-embeddings',
    routes: {
      ...plainRoutes,
      paths: {},
      modelMethods: {
        embedContent: { operation: 'embed', stream: false },
        batchEmbedContents: { operation: 'embed_batch', stream: false },
      },
      guide: { title: 'Gemini embeddings', basePath: '/v1beta', example: 'models/{model}:embedContent' },
    },
    costFields: gemini.costFields,
    paths: {
      ...gemini.paths,
      operations: { embed: 'embedContent', embed_batch: 'batchEmbedContents' },
    },
    hasKeyInUrl: true,
    outputLimitField: 'maxOutputTokens',
    outputLimitMin: 1,
    rateHeaders: 'none',
    extractRequest,
    patchRequest,
    usageEvent: () => 'relay',
    tapStream: null,
    extractResponse,
    readError: gemini.readError,
    betas: null,
    problemStatus: gemini.problemStatus,
    // A vector is no output that could be missing.
    reportedTotals: (report) => ({ ...reportedTotals(report), output: true }),
    toUsage,
    errorBody: gemini.errorBody,
    contextMarks: gemini.contextMarks,
    errorStatus: gemini.errorStatus,
    errorFrame: gemini.errorFrame,
    streamType: gemini.streamType,
    keepAlive: null,
  }
