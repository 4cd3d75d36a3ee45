/** The Gemini format (generateContent), put together. */
import type { Dialect } from '../codec.ts'
import type { Codec } from '../neutral.ts'
import { readProblem } from '../upstream-problem.ts'
import { errorBody, errorFrame, errorStatus, problemStatus } from './error.ts'
import { type GeminiFacts, readRequest, spliceRequest } from './request.ts'
import { decodeRequest } from './request-decode.ts'
import { encodeRequest } from './request-encode.ts'
import { cutMarks } from './request-marks.ts'
import { geminiPolicy } from './request-policy-table.ts'
import { readAnswer } from './response.ts'
import { decodeAnswer } from './response-decode.ts'
import { encodeAnswer } from './response-encode.ts'
import { watchStream } from './stream.ts'
import { decodeStream } from './stream-decode.ts'
import { encodeStream } from './stream-encode.ts'
import { tells, toUsage } from './usage.ts'

export const gemini: Dialect<GeminiFacts> = {
  name: 'gemini',
  // Every event counts the input, but the count grows while tools run at the provider.
  reportsInputEarly: false,
  readRequest,
  spliceRequest,
  usageEvent: () => 'relay',
  watchStream,
  readAnswer,
  readError: readProblem,
  pricedHeaders: () => [],
  problemStatus,
  tells,
  toUsage,
  errorBody,
  errorStatus,
  errorFrame,
  streamType: 'text/event-stream; charset=utf-8',
  keepAlive: null,
}

export const geminiCodec: Codec = {
  policy: geminiPolicy,
  decodeRequest,
  encodeRequest,
  decodeAnswer,
  encodeAnswer,
  decodeStream,
  encodeStream,
  cutMarks,
}
