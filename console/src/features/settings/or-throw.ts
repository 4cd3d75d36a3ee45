/** Lets a query fail with what the server refused: queries keep errors, everything else keeps outcomes. */
import type { Outcome } from '@/lib/identity'

export function orThrow<Value>(outcome: Outcome<Value>): Value {
  if (outcome.kind === 'refused') throw outcome.problem
  return outcome.value
}
