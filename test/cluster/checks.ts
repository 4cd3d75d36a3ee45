/** Shared by the programs of this folder: gateway configuration, and printing and comparing results. */
import type { OperationOutput } from '../../contract/operations.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import { parseUsd } from '../../src/ledger/rules/money.ts'
import type { Installation } from '../support/gateway-process.ts'
import { eventually } from '../support/metered-gateway.ts'
import type { Load } from './load.ts'

export const credit = '1000'
export const print = (text: string): void => void process.stdout.write(`${text}\n`)
export const failures: string[] = []

export function check(isRight: boolean, text: string): void {
  print(`${isRight ? 'ok  ' : 'FAIL'} ${text}`)
  if (!isRight) failures.push(text)
}

export const configuration = (origin: string): string =>
  [
    'sandbox: off',
    'limits: { requestsPerMinute: 100000, tokensPerMinute: 1000000000, concurrent: 1000 }',
    'upstreams:',
    `  - { name: openai, provider: openai, url: '${origin}', credential: any }`,
    'models:',
    ...['echo', 'stream'].map(
      (name) =>
        `  - { id: chat-${name}, provider: openai, offers: [openai], upstreamId: sandbox-${name}, formats: [openai-chat], context: 200000, maxOutput: 10000, prices: [{ input: 3, output: 15 }] }`,
    ),
    '',
  ].join('\n')

/** When each gateway has completed a response to a request sent after `sinceMs`, at `fromMs` or later. */
export function someFrom(load: Load, sinceMs: number, fromMs = sinceMs): Promise<readonly number[]> {
  return eventually(
    'both gateways serve',
    () =>
      [0, 1].flatMap((gateway) => {
        const found = load.acknowledged.find(
          (each) => each.gateway === gateway && each.sentMs >= sinceMs && each.endedMs >= fromMs,
        )
        return found === undefined ? [] : [found.endedMs]
      }),
    (ends) => ends.length === 2,
  )
}

/** The responses of clients, against the ledger and the upstream. */
export async function compare(installation: Installation, load: Load, account: string): Promise<void> {
  const { drift, openHolds } = await eventually(
    'no hold is open',
    () => installation.ask('ledger.verify', {}),
    (report) => report.openHolds === 0,
  ).catch(() => installation.ask('ledger.verify', {}))
  check(
    openHolds === 0 && drift.length === 0,
    `the ledger verifies: ${drift.length} drift, ${openHolds} open holds`,
  )
  const pages: OperationOutput<'requests.list'>[] = []
  for (let before: string | undefined; ; before = pages.at(-1)?.at(-1)?.id) {
    const asked = { account, limit: 500, ...(before === undefined ? {} : { before }) }
    const page = await installation.ask('requests.list', asked)
    // A page may be shorter than it could be; only an empty one is the end.
    if (page.length === 0) break
    pages.push(page)
  }
  const rows = pages.flat()
  const receipts = new Map(rows.map((row) => [parseId('req', row.id), row]))
  check(receipts.size === rows.length, `${rows.length} receipts, one for each request`)
  const lost = load.acknowledged.filter(({ id }) => receipts.get(id)?.endReason !== 'complete')
  check(
    lost.length === 0,
    `${load.acknowledged.length} complete responses, ${lost.length} of them without a receipt${lost
      .slice(0, 5)
      .map(({ id }) => ` ${formatId('req', id)}`)
      .join('')}`,
  )
  const charged = rows.reduce((sum, row) => sum + (parseUsd(row.charged) ?? 0n), 0n)
  const shown = await installation.ask('account.show', { account })
  const posted = parseUsd(shown.posted) ?? 0n
  check(charged + posted === parseUsd(credit), 'the charges and the balance are the credit')
  const others = [...load.others].map(([name, count]) => `${name}: ${count}`).join(', ')
  const isExpected = [...load.others.keys()].every(
    (name) => name === '503' || name === 'a stream that was cut',
  )
  check(isExpected, `other responses: ${others === '' ? 'none' : others}`)
}
