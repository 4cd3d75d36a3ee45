/**
 * Usage rows (one per interval and group) as a stacked chart and the table next to it: groups by cost; in the chart,
 * small ones are merged. Sums are exact. Pure.
 */
import { sumOfDirection } from '../../../../contract/meters.ts'
import type { OperationOutput } from '../../../../contract/operations.ts'
import { amountOf, nanoOf } from './amount.ts'

export type UsageRow = OperationOutput<'usage.show'>[number]

export interface Totals {
  readonly requests: number
  readonly errors: number
  readonly rejected: number
  readonly tokensIn: number
  readonly tokensOut: number
  readonly charged: string
  /** Usage on the account's own provider keys, at list price. */
  readonly ownKeyCost: string
}

export interface SumsOfGroup extends Totals {
  /** A model name, key id or person id; null: not split. `others` is the sum of the small ones. */
  readonly group: string | null | typeof others
  readonly label: string
}

export interface GroupOfUsage extends SumsOfGroup {
  /** Cost of the group in each interval. */
  readonly chargedByStep: readonly string[]
  readonly requestsByStep: readonly number[]
}

export interface Stack {
  /** The starts of the intervals in milliseconds. */
  readonly at: readonly number[]
  /** Groups as drawn. */
  readonly groups: readonly GroupOfUsage[]
  /** All of them. */
  readonly all: readonly SumsOfGroup[]
  readonly totals: Totals
}

export const others = Symbol('others')

/** `groupsMax` includes the sum of the small ones. */
export function stackOf(rows: readonly UsageRow[], at: readonly number[], groupsMax: number): Stack {
  const byGroup = Map.groupBy(rows, (row) => row.group)
  const ordered = [...byGroup]
    .map(([group, ofGroup]) => ({
      rows: ofGroup,
      sums: { group, label: ofGroup.at(-1)?.label ?? group ?? 'All', ...totalsOf(ofGroup) },
    }))
    .toSorted(
      ({ sums: a }, { sums: b }) =>
        descending(nanoOf(a.charged), nanoOf(b.charged)) || b.requests - a.requests,
    )
  const largestCount = ordered.length > groupsMax ? groupsMax - 1 : ordered.length
  const [largest, small] = [ordered.slice(0, largestCount), ordered.slice(largestCount)]
  const groups: GroupOfUsage[] = largest.map((one) => ({
    ...one.sums,
    ...byStep(one.rows, at),
  }))
  if (small.length > 0) {
    const smallRows = small.flatMap((one) => one.rows)
    groups.push({
      group: others,
      label: `${small.length} others`,
      ...totalsOf(smallRows),
      ...byStep(smallRows, at),
    })
  }
  return { at, groups, all: ordered.map(({ sums }) => sums), totals: totalsOf(rows) }
}

const descending = (a: bigint, b: bigint) => (a < b ? 1 : a > b ? -1 : 0)

function totalsOf(rows: readonly UsageRow[]): Totals {
  let charged = 0n
  let ownKeyCost = 0n
  const totals = { requests: 0, errors: 0, rejected: 0, tokensIn: 0, tokensOut: 0 }
  for (const row of rows) {
    charged += nanoOf(row.charged)
    ownKeyCost += nanoOf(row.ownKeyCost)
    totals.requests += row.requests
    totals.errors += row.errors
    totals.rejected += row.rejected
    totals.tokensIn += sumOfDirection(row.tokens, 'input')
    totals.tokensOut += sumOfDirection(row.tokens, 'output')
  }
  return { ...totals, charged: amountOf(charged), ownKeyCost: amountOf(ownKeyCost) }
}

function byStep(rows: readonly UsageRow[], at: readonly number[]) {
  const charged = new Map<number, bigint>()
  const requests = new Map<number, number>()
  for (const row of rows) {
    const ms = Date.parse(row.at)
    charged.set(ms, (charged.get(ms) ?? 0n) + nanoOf(row.charged))
    requests.set(ms, (requests.get(ms) ?? 0) + row.requests)
  }
  return {
    chargedByStep: at.map((ms) => amountOf(charged.get(ms) ?? 0n)),
    requestsByStep: at.map((ms) => requests.get(ms) ?? 0),
  }
}
