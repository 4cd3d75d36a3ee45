/** Google's format of embeddings, assembled: it is passed through and billed, and never translated. */
import { plainRoutes } from '../client-routes.ts'
import type { ClientFormat, ExtractedResponse, UpstreamFormat } from '../format.ts'
import { geminiReport, readUsage, reportedTotals, toUsage } from '../gemini/extract-usage.ts'
import { gemini } from '../gemini/index.ts'
import { isRecord, parsed, recordsIn } from '../json/parsed.ts'
import { ProducedText } from '../stream/produced-text.ts'
import { noOperations } from '../upstream-paths.ts'
import { isSet, noProblem, problemOf } from '../upstream-problem.ts'
import { extractRequest, type GeminiEmbeddingsFields, patchRequest } from './extract-request.ts'

const decoder = new TextDecoder('utf-8')

/** Must not throw, whatever the bytes are; they stay the provider's. Vectors are not text: the sample has only their number. */
function extractResponse(body: Uint8Array): ExtractedResponse {
  const sample = new ProducedText(0)
  const report = geminiReport()
  const answer = parsed(decoder.decode(body))
  if (!isRecord(answer)) {
    const problem = { ...noProblem, message: 'The upstream response is not a JSON object.' }
    return { rawUsage: report.rawUsage(), problem, sample }
  }
  readUsage(report, answer)
  const isSingle = isRecord(answer.embedding)
  sample.events = isSingle ? 1 : recordsIn(answer, 'embeddings').length
  const isResponse = isSingle || Array.isArray(answer.embeddings)
  const missing = { ...noProblem, message: 'The upstream response has no embeddings.' }
  const problem = isSet(answer.error) ? problemOf(answer.error) : isResponse ? null : missing
  return { rawUsage: report.rawUsage(), problem, sample }
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
    streamEnvelope: () => null,
    costFields: gemini.costFields,
    paths: {
      ...gemini.paths,
      operations: { ...noOperations, embed: 'embedContent', embed_batch: 'batchEmbedContents' },
    },
    hasKeyInUrl: true,
    outputLimitField: 'maxOutputTokens',
    outputLimitMin: 1,
    rateHeaders: 'none',
    limitsToolsWithEffort: false,
    hasToolPrompt: false,
    inBackground: null,
    reportsInputEarly: false,
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
