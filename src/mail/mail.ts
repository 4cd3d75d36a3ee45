/**
 * Sends mail in the background: an email waits in a bounded queue, is retried a few times, and no request that
 * causes one waits for the mail server. Knows no content; addresses never reach the log.
 */
import type { Transporter } from 'nodemailer'
import { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { within } from '../base/within.ts'
import type { Config } from '../config/config.ts'

/** Attempts per email. */
const mailTriesMax = 4

/** Queued emails; more are dropped. */
const mailQueueMax = 1_000

/** Connections to the mail server. */
const mailConnectionsMax = 3

export interface OutgoingEmail {
  readonly to: string
  readonly subject: string
  /** Plain text. */
  readonly text: string
}

export interface Mail {
  /** Takes an e-mail; `full`: too many wait, and this one is not sent. */
  send(email: OutgoingEmail): 'queued' | 'full'
  /** Lets e-mails that are on their way arrive, at most as long as one try may take; none is tried again. */
  close(): Promise<void>
}

export interface MailLimits {
  readonly mailRetryMs: number
  readonly mailMs: number
}

export interface MailDeps {
  readonly clock: Clock
  readonly log: Log
  readonly limits: MailLimits
}

/** null without a mail server. */
export function openMail(setting: Config['mail'], deps: MailDeps): Mail | null {
  if (setting === null) return null
  const { clock, log, limits } = deps
  const background = new Background(clock, log)
  const closing = Promise.withResolvers<'closing'>()
  let transport: Promise<Transporter> | undefined
  let connectedTo = ''
  let waiting = 0
  return {
    send(email) {
      if (waiting >= mailQueueMax) {
        log.error({ waiting }, 'an email was dropped because the queue for the mail server is full')
        return 'full'
      }
      waiting += 1
      background.run('mail', async () => {
        try {
          // A reload changes the address.
          if (connectedTo !== setting.url) {
            void transport?.then((opened) => opened.close()).catch(() => {})
            transport = undefined
          }
          connectedTo = setting.url
          transport ??= openTransport(setting.url, limits)
          await deliver(
            await transport,
            { from: setting.from, ...email },
            { ...deps, closing: closing.promise },
          )
        } finally {
          waiting -= 1
        }
      })
      return 'queued'
    },
    async close() {
      closing.resolve('closing')
      await within(clock, limits.mailMs, background.drained())
      await transport?.then(
        (opened) => opened.close(),
        () => {},
      )
    },
  }
}

/** Loaded with the first email: few servers send mail immediately, and most send none. */
async function openTransport(url: string, limits: MailLimits): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url,
    pool: true,
    maxConnections: mailConnectionsMax,
    connectionTimeout: limits.mailMs,
    greetingTimeout: limits.mailMs,
    socketTimeout: limits.mailMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

async function deliver(
  transport: Transporter,
  email: OutgoingEmail & { readonly from: string },
  { clock, log, limits, closing }: MailDeps & { readonly closing: Promise<'closing'> },
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await transport.sendMail({ ...email, headers: { 'Auto-Submitted': 'auto-generated' } })
      return
    } catch (error) {
      const isLast = tries >= mailTriesMax || isRejectedForGood(error)
      log[isLast ? 'error' : 'warn'](
        { reason: reasonOf(error), tries },
        isLast ? 'an email could not be sent' : 'an email could not be sent; retrying later',
      )
      if (isLast) return
    }
    const pause = new Promise<'over'>((resolve) =>
      clock.after(limits.mailRetryMs * tries, () => resolve('over')),
    )
    if ((await Promise.race([pause, closing])) === 'closing') {
      log.error({ tries }, 'an email was dropped because the server is stopping')
      return
    }
  }
}

/** The mail server says that it will never take it. */
function isRejectedForGood(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown }
  return typeof responseCode === 'number' && responseCode >= 500
}

/** The error without the recipient's address. */
function reasonOf(error: unknown): string {
  const { code, responseCode, message } = error as { code?: string; responseCode?: number; message?: string }
  const text = (message ?? 'unknown').replace(/[^\s@<>"]+@[^\s@<>"]+/g, '…').slice(0, 300)
  return [code, responseCode, text].filter((part) => part !== undefined).join(' ')
}
