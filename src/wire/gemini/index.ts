/** The Gemini format (generateContent), put together. */
import type { Dialect } from '../codec.ts'
import { readProblem } from '../upstream-problem.ts'
import { errorBody, errorFrame, errorStatus, problemStatus } from './error.ts'
import { type GeminiFacts, readRequest, spliceRequest } from './request.ts'
import { readAnswer } from './response.ts'
import { watchStream } from './stream.ts'
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
  keepAlive: ': keepalive\r\n\r\n',
}
