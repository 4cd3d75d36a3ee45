/**
 * Downloads a text for an administrator. Bounded in bytes and time; follows no redirect, sends no credential, and
 * logs nothing of the answer.
 */
import type { Clock } from '../base/clock.ts'
import type { DownloadedText } from '../control/control-deps.ts'
import type { Sender } from '../providers/send.ts'
import type { SendFailure } from '../providers/send-types.ts'

/** Time to download a price list. */
const priceListMs = 30_000

export interface DownloadDeps {
  readonly sender: Pick<Sender, 'send'>
  readonly clock: Clock
  readonly limits: { readonly priceListBytesMax: number }
}

/** Never throws for what the host does. */
export function downloadText({ sender, clock, limits }: DownloadDeps, url: URL): Promise<DownloadedText> {
  return new Promise((resolve) => {
    const headers = ['accept', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'tollgate']
    const path = `${url.pathname}${url.search}`
    const exchange = sender.send({ origin: url.origin, method: 'GET', path, headers, body: [] })
    const chunks: Uint8Array[] = []
    let length = 0
    const timer = clock.after(priceListMs, () => stop('The download took too long.'))
    const finish = (result: DownloadedText): void => {
      timer.cancel()
      resolve(result)
    }
    const stop = (message: string): void => {
      exchange.abort()
      finish({ kind: 'failed', message })
    }
    exchange.listen({
      head(status) {
        const problem = headProblem(status)
        if (problem !== undefined) stop(problem)
      },
      chunk(bytes) {
        length += bytes.length
        if (length <= limits.priceListBytesMax) chunks.push(bytes)
        else stop(`The list is larger than ${limits.priceListBytesMax} bytes.`)
      },
      end: () => finish({ kind: 'text', text: Buffer.concat(chunks).toString('utf8') }),
      failed: ({ kind }) => finish({ kind: 'failed', message: failures[kind] }),
    })
  })
}

function headProblem(status: number): string | undefined {
  if (status >= 300 && status < 400) {
    return `The URL redirects (HTTP ${status}), which is not followed. Enter the final URL.`
  }
  return status === 200 ? undefined : `The host did not return the list (HTTP ${status}).`
}

const failures: Readonly<Record<SendFailure['kind'], string>> = {
  refused: 'Could not connect to this URL.',
  connect_timeout: 'Could not connect to this URL.',
  dns: 'Host name not found.',
  tls: "The host's certificate is not valid.",
  reset: 'The host closed the connection.',
  aborted: 'The server is shutting down.',
  protocol: 'The server at this URL does not speak HTTP.',
  credential: 'The request could not be authorized.',
}
