/** Differences between two prices: token classes, tiers, options and fees. Pure. */

import type { OperationOutput } from '@/lib/api'
import { pricedMeters } from '../../../../contract/meters.ts'

export type Version = OperationOutput<'models.prices'>[number]

export interface PriceChange {
  readonly label: string
  /** A price of the contract; null: none. */
  readonly from: string | null
  readonly to: string | null
  /** `usd`: an amount in USD; `factor`: a multiplier on every price. */
  readonly of: 'usd' | 'factor'
}

const classes = pricedMeters.map(({ rate, priceLabel }) => [rate, priceLabel] as const)

/** `before` undefined: the first price, all of which is new. */
export function priceChanges(before: Version | undefined, after: Version): readonly PriceChange[] {
  const [was, is] = [before === undefined ? new Map<string, Part>() : partsOf(before), partsOf(after)]
  return [...new Set([...is.keys(), ...was.keys()])].flatMap((label) => {
    const [from, to] = [was.get(label), is.get(label)]
    const change = { label, from: from?.text ?? null, to: to?.text ?? null, of: (to ?? from)?.of ?? 'usd' }
    return change.from === change.to ? [] : [change]
  })
}

/** The version whose place another takes: the latest before it that holds at all times. */
export function versionBefore(of: Version, all: readonly Version[]): Version | undefined {
  return all.slice(0, all.indexOf(of)).findLast(({ schedule }) => schedule === null)
}

interface Part {
  readonly text: string
  readonly of: PriceChange['of']
}

/** Every part of a price, by its label. */
function partsOf(version: Version): ReadonlyMap<string, Part> {
  const parts = new Map<string, Part>()
  const add = (label: string, text: string | null, of: Part['of']): void => {
    if (text !== null) parts.set(label, { text, of })
  }
  for (const [name, label] of classes) add(label, version[name], 'usd')
  for (const { aboveInputTokens, ...rates } of version.tiers) {
    for (const [name, label] of classes) {
      add(`${label}, input over ${aboveInputTokens.toLocaleString('en')}`, rates[name], 'usd')
    }
  }
  for (const [name, factor] of Object.entries(version.options)) add(name, factor, 'factor')
  for (const [name, fee] of Object.entries(version.fees)) add(`${name}, per use`, fee, 'usd')
  return parts
}
