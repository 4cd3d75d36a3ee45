/** The memory that requests to models share: for their bodies, and for what of their answers waits here. */
import { SharedBudget } from '../base/shared-budget.ts'
import type { Limits } from '../config.ts'

/** Whose share each taking counts against. */
export type Scope = 'key' | 'account' | 'network'

export interface SharedMemory {
  readonly bodies: SharedBudget<Scope>
  readonly events: SharedBudget<Scope>
}

type Named =
  | 'bodyBudgetBytes'
  | 'eventBudgetBytes'
  | 'shareOfKeyMax'
  | 'shareOfAccountMax'
  | 'shareOfNetworkMax'

export function openSharedMemory(limits: Pick<Limits, Named>): SharedMemory {
  const shares = {
    key: limits.shareOfKeyMax,
    account: limits.shareOfAccountMax,
    network: limits.shareOfNetworkMax,
  }
  return {
    bodies: new SharedBudget(limits.bodyBudgetBytes, shares),
    events: new SharedBudget(limits.eventBudgetBytes, shares),
  }
}
