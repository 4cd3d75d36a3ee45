/**
 * Upstream bytes → client bytes, with usage read beside them; ends exactly once, however it ends.
 * The last word waits: nothing that tells the client «finished» is sent before the bill is durable,
 * and an answer that was cut short never looks like a finished one.
 */
import { TollgateError } from '../base/errors.ts'
import { isRetriedByLibraries, needsRetryAdvice } from '../base/retry-advice.ts'
import { jsonHeaders } from '../headers.ts'
import { formatUsd } from '../ledger/money.ts'
import { refuse } from '../refusal.ts'
import type { AnswerBody, Line, NoBody, Plan, RejectionBody, Reply } from '../values.ts'
import { WireError } from '../wire/codec.ts'
import { readWrittenAnswer } from '../wire/translate.ts'
import { withCost } from '../wire/usage-cost.ts'
import { type Journey, type Relaying, StreamRelay, settlementDelayed } from './relay-stream.ts'

/** Relays and settles; resolves when the client has had its last byte. */
export async function relay(relaying: Relaying, line: Line, reply: Reply, journey: Journey): Promise<void> {
  switch (reply.body.kind) {
    case 'stream':
      return new StreamRelay(relaying, line, { journey, body: reply.body, reply }).run()
    case 'answer':
      return relayAnswer(line, reply, { body: reply.body, journey, relaying })
    case 'rejection':
      return relayRejection(line, reply, { body: reply.body, journey, relaying })
    case 'none':
      return relayNothing(line, reply.body, { journey, relaying })
  }
}

async function relayAnswer(
  line: Line,
  reply: Reply,
  with_: { body: AnswerBody; journey: Journey; relaying: Relaying },
): Promise<void> {
  const { body, journey, relaying } = with_
  const { plan } = journey
  const translated = translatedAnswer(plan, body)
  if (translated === 'unreadable') return relayUnreadable(line, with_)
  const bill = await journey.settle({
    reason: line.client.gone ? 'client_abort' : 'complete',
    dispatched: true,
    report: { kind: 'final', usage: body.answer.report },
    sample: body.answer.sample,
    error: null,
    status: body.status,
  })
  relaying.failpoints.reach('before-last-word')
  if (bill.kind === 'late') return refuse(relaying, line, settlementDelayed())
  const cost = formatUsd(bill.charged)
  const headers = jsonHeaders([...journey.course.headers, 'x-tollgate-cost', cost], reply.upstreamHeaders)
  line.client.answer(
    body.status,
    headers,
    translated === null ? passedThrough(journey, body, cost) : translated(cost),
  )
}

function passedThrough({ course, plan }: Journey, { bytes }: AnswerBody, cost: string): Uint8Array {
  return course.showsCost ? Buffer.concat(withCost(bytes, plan.dialect.name, cost)) : bytes
}

/** How to write the answer in the caller's format once its cost is known; null: it goes as it came. */
function translatedAnswer(
  { translation, dialect }: Plan,
  { bytes, answer }: AnswerBody,
): ((cost: string) => string) | 'unreadable' | null {
  if (translation === null) return null
  const { from, to, frame } = translation
  const usage = dialect.toUsage(answer.report)
  try {
    const neutral = readWrittenAnswer(from, bytes, usage, translation)
    return (cost) => to.encodeAnswer(neutral, frame, { usage, cost })
  } catch (error) {
    if (error instanceof WireError) return 'unreadable'
    throw error
  }
}

/** The upstream answered and said something that is not in its format: nobody pays for what nobody gets. */
async function relayUnreadable(
  line: Line,
  { body, journey, relaying }: { body: AnswerBody; journey: Journey; relaying: Relaying },
): Promise<void> {
  const error = new TollgateError('upstream_invalid', {
    message: 'The upstream sent an answer that is not in its format.',
    source: 'upstream',
  })
  await journey.settle({
    reason: 'upstream_error',
    dispatched: true,
    report: { kind: 'partial', usage: body.answer.report },
    sample: null,
    error,
    status: error.status,
  })
  refuse(relaying, line, error)
}

async function relayRejection(
  line: Line,
  reply: Reply,
  with_: { body: RejectionBody; journey: Journey; relaying: Relaying },
): Promise<void> {
  const { body, journey } = with_
  const { error } = body
  await journey.settle({
    reason: 'upstream_error',
    dispatched: true,
    report: null,
    sample: null,
    error,
    status: body.status,
  })
  const advice = needsRetryAdvice(body.status) ? ['x-should-retry', 'false'] : []
  if (line.client.begun || journey.plan.translation !== null) {
    return refuse(with_.relaying, line, isRetriedByLibraries(body.status) ? asFinal(error) : error)
  }
  const headers = jsonHeaders([...journey.course.headers, ...advice], reply.upstreamHeaders)
  line.client.answer(body.status, headers, body.bytes)
}

/** Not every client asks a header before it repeats what was refused for good, so the status says it. */
function asFinal({ code, details: { message } }: TollgateError): TollgateError {
  return new TollgateError(code, { message, source: 'upstream' })
}

async function relayNothing(
  line: Line,
  body: NoBody,
  with_: { journey: Journey; relaying: Relaying },
): Promise<void> {
  await with_.journey.settle({
    reason: body.reason,
    dispatched: body.dispatched,
    report: body.report === null ? null : { kind: 'partial', usage: body.report },
    sample: null,
    error: body.error,
    status: body.error?.status ?? 499,
  })
  if (body.error !== null) refuse(with_.relaying, line, body.error)
}
