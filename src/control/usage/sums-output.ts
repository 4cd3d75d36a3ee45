/** Sums as the control plane shows them. */
import { eachSum } from '../../../contract/meters.ts'
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import { quantile } from '../../base/histogram.ts'
import type { Sums } from '../../usage/types.ts'

type SumsOut = OperationOutput<'overview.show'>['today']

export function sumsOutput(sums: Sums): SumsOut {
  const { requests, errors, refused, reasoning } = sums
  return {
    requests,
    errors,
    refused,
    tokens: { ...eachSum((name) => sums[name]), reasoning },
    charged: formatUsd(sums.charged),
    ownKeyCost: formatUsd(sums.ownKeyCost),
    latencyMs: quantiles(sums.latency),
    firstByteMs: quantiles(sums.firstByte),
  }
}

function quantiles(durations: readonly number[]): SumsOut['latencyMs'] {
  const [p50, p95] = [quantile(durations, 0.5), quantile(durations, 0.95)]
  return p50 === null || p95 === null ? null : { p50, p95 }
}
