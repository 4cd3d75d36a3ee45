/** Definitions as they are stored: with a date for every price, and merged with stored ones. Pure except for the clock. */
import type { Clock } from '../base/clock.ts'
import type { ModelDefinition } from './definition.ts'
import type { Override } from './sources.ts'

/** A date for every price, so that reading the store later gives the same price. */
export function dated(clock: Clock, definition: ModelDefinition): ModelDefinition {
  const now = new Date(clock.wallMs()).toISOString()
  const prices = (definition.prices ?? []).map((price) => ({
    ...price,
    effectiveFrom: price.effectiveFrom ?? now,
  }))
  return { ...definition, prices }
}

/** Facts that are given replace others, and prices come to those that are there. */
export function withPrices(before: Override, added: ModelDefinition): Override {
  const prices = [...(before.definition?.prices ?? []), ...(added.prices ?? [])]
  return { ...before, definition: { ...before.definition, ...added, prices } }
}
