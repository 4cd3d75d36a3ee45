/** `usage.show` and `usage.csv`: usage by hour, day or month, split by model, key or member. */
import { tokenSumNames, tokenSums } from '../../../contract/meters.ts'
import { formatId } from '../../base/ids.ts'
import { csvText } from '../csv.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { readUsage } from './rows.ts'

export const showUsage = accountOperationHandler('usage.show', (deps, input, { account }) =>
  readUsage(deps, account.id, input),
)

const header = [
  'from',
  'group',
  'label',
  'requests',
  'errors',
  'refused',
  ...tokenSumNames.map((name) => `${tokenSums[name].column}_tokens`),
  'reasoning_tokens',
  'charged_usd',
  'own_key_cost_usd',
  'latency_p50_ms',
  'latency_p95_ms',
  'first_byte_p50_ms',
  'first_byte_p95_ms',
]

export const usageCsv = accountOperationHandler('usage.csv', async (deps, input, { account }) => {
  const rows = await readUsage(deps, account.id, input)
  const text = csvText(
    header,
    rows.map(({ at, group, label, tokens, charged, ownKeyCost, latencyMs, firstByteMs, ...counts }) => [
      at,
      group,
      label,
      counts.requests,
      counts.errors,
      counts.refused,
      ...tokenSumNames.map((name) => tokens[name]),
      tokens.reasoning,
      { amount: charged },
      { amount: ownKeyCost },
      latencyMs?.p50 ?? null,
      latencyMs?.p95 ?? null,
      firstByteMs?.p50 ?? null,
      firstByteMs?.p95 ?? null,
    ]),
  )
  return { name: `usage-${formatId('acct', account.id)}.csv`, text }
})
