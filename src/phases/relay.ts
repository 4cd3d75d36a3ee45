/**
 * Upstream bytes → client bytes, with usage read beside them; ends exactly once, however it ends.
 * The last word waits: nothing that tells the client «finished» is sent before the bill is durable,
 * and an answer that was cut short never looks like a finished one.
 */
import { TollgateError } from '../base/errors.ts'
import { type FlatHeaders, jsonHeaders } from '../headers.ts'
import { formatUsd } from '../ledger/money.ts'
import { refuse } from '../refusal.ts'
import type { AnswerBody, Line, NoBody, RejectionBody, Reply } from '../values.ts'
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
  const cost: FlatHeaders = ['x-tollgate-cost', formatUsd(bill.charged)]
  line.client.answer(
    body.status,
    jsonHeaders([...journey.course.headers, ...cost], reply.upstreamHeaders),
    body.bytes,
  )
}

async function relayRejection(
  line: Line,
  reply: Reply,
  with_: { body: RejectionBody; journey: Journey; relaying: Relaying },
): Promise<void> {
  const { body, journey } = with_
  const { code, message } = body.failure
  const error = new TollgateError(code, { message, status: body.status, source: 'upstream' })
  await journey.settle({
    reason: 'upstream_error',
    dispatched: true,
    report: null,
    sample: null,
    error,
    status: body.status,
  })
  if (line.client.begun) return refuse(with_.relaying, line, error)
  line.client.answer(body.status, jsonHeaders(journey.course.headers, reply.upstreamHeaders), body.bytes)
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
