/** Daily spend of a key in the last 30 days. */
import type { JSX } from 'react'
import { Card } from '@/components/card'
import { Problem } from '@/components/problem'
import { Skeleton } from '@/components/skeleton'
import { useAccount } from '@/lib/account'
import { useOperation } from '@/lib/operations'
import { SpendChart } from '../usage/spend-chart.tsx'
import { stepsOf, stretchOf } from '../usage/usage-range.ts'
import { stackOf } from '../usage/usage-stack.ts'

export function KeySpend({ apiKey }: { readonly apiKey: string }): JSX.Element {
  const account = useAccount()
  const now = Date.now()
  const stretch = stretchOf({ range: '30d', from: undefined, to: undefined, step: 'day' }, now)
  const usage = useOperation('usage.show', {
    account: account.id,
    key: apiKey,
    from: stretch.from,
    by: 'day',
  })
  return (
    <Card title="Spend" description="By day (UTC), last 30 days.">
      {usage.error !== null ? (
        <Problem problem={usage.error} onRetry={() => void usage.refetch()} />
      ) : usage.data === undefined ? (
        <Skeleton className="h-60" />
      ) : (
        <SpendChart
          label="Spend of this key by day"
          stack={stackOf(usage.data, stepsOf(stretch, now), 1)}
          step="day"
        />
      )}
    </Card>
  )
}
