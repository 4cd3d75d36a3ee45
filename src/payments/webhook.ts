/**
 * The provider's messages: accepted only with a recent signature over their exact bytes, and then only to learn which top-up to
 * check. The facts are fetched from the provider. Fails closed: any message that is not clearly ours and valid is rejected, and
 * changes nothing.
 */
import { asTollgateError, TollgateError } from '../base/errors.ts'
import { parseId } from '../base/ids.ts'
import type { EventRows } from './event-rows.ts'
import type { EventSubject, Marks, ProviderEvent } from './provider.ts'
import type { Reconcile, ReconcileDeps } from './reconcile.ts'
import type { HandleWebhook, WebhookReply } from './types.ts'

export interface WebhookDeps extends ReconcileDeps {
  readonly reconcile: Reconcile
  readonly events: EventRows
}

const done: WebhookReply = { status: 200, body: 'done\n' }
const notOurs: WebhookReply = { status: 200, body: 'not about a top-up of this installation\n' }
const rejected = (reason: string): WebhookReply => ({ status: 400, body: `${reason}\n` })

export function webhookHandling(deps: WebhookDeps): HandleWebhook {
  return async (body, signature) => {
    try {
      return await answer(deps, body, signature)
    } catch (thrown) {
      const error = asTollgateError(thrown)
      const { log } = deps
      log.error(
        { err: thrown, code: error.code, detail: error.details.detail },
        'a webhook was not processed',
      )
      // The provider repeats it later, which loses nothing.
      return { status: error.status >= 500 ? error.status : 503, body: 'not processed, try again\n' }
    }
  }
}

async function answer(
  deps: WebhookDeps,
  body: Uint8Array,
  signature: string | undefined,
): Promise<WebhookReply> {
  const { provider, clock, events } = deps
  if (signature === undefined || body.length === 0) return rejected('not signed')
  const event = await provider.verified(body, signature, clock.wallMs())
  if (event === undefined) return rejected('the signature is invalid or too old')
  if (event.mode !== provider.mode) return rejected(`from ${event.mode} mode`)
  if (event.subject === null) return notOurs
  if (await events.has(event.id)) return done
  const reply = await carryOut(deps, event, event.subject)
  if (reply === done) await events.add({ id: event.id, type: event.type, atMs: clock.wallMs() })
  return reply
}

/** Updates the top-up that an event names to its state at the provider. */
export async function carryOut(
  deps: WebhookDeps,
  event: ProviderEvent,
  subject: EventSubject,
): Promise<WebhookReply> {
  const topUp = await findTopUp(deps, subject)
  if (topUp === 'none') return notOurs
  const result = topUp === 'unknown' ? 'unknown' : await deps.reconcile(topUp, subject)
  switch (result) {
    case 'reconciled':
      return done
    case 'unknown':
      deps.log.warn({ event: event.id, type: event.type }, 'a webhook refers to an unknown top-up')
      return rejected('no such top-up here')
    case 'contradiction':
      return rejected('does not match the top-up')
  }
}

type TopUpMatch = bigint | 'unknown' | 'none'

/** By our marks, else by the payment as we know it, else by the marks of the payment at the provider. */
async function findTopUp({ topUps, provider }: WebhookDeps, subject: EventSubject): Promise<TopUpMatch> {
  const byMarks = topUpOf(subject.marks)
  if (byMarks !== 'none') return byMarks
  if (subject.payment === null) return 'none'
  const row = await topUps.findByPayment(subject.payment)
  if (row !== undefined) return row.id
  try {
    return topUpOf((await provider.payment(subject.payment)).marks)
  } catch (error) {
    // A payment that the provider does not know cannot be one of ours.
    if (error instanceof TollgateError && error.code === 'payment_failed') return 'none'
    throw error
  }
}

function topUpOf({ topUp }: Marks): TopUpMatch {
  if (topUp === null) return 'none'
  return parseId('top', topUp) ?? 'unknown'
}
