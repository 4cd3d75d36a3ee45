/** The Chat Completions format, put together. */
import type { Dialect } from '../codec.ts'
import { readProblem } from '../upstream-problem.ts'
import { errorBody, errorFrame, errorStatus, problemStatus } from './error.ts'
import { type ChatFacts, readRequest, spliceRequest, usageEvent } from './request.ts'
import { readAnswer } from './response.ts'
import { watchStream } from './stream.ts'
import { tells, toUsage } from './usage.ts'

export const openaiChat: Dialect<ChatFacts> = {
  name: 'openai-chat',
  reportsInputEarly: false,
  readRequest,
  spliceRequest,
  usageEvent,
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
  keepAlive: ': keepalive\n\n',
}
