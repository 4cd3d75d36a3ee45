/** The memory that requests to models share: for their bodies, to decompress them, and for buffered parts of their responses. */
import { SharedBudget } from '../base/shared-budget.ts'
import type { Limits } from '../config/config.ts'
import { Decompressor } from './decompressor.ts'

/** Whose share each taking counts against. */
export type MemoryScope = 'key' | 'account' | 'network'

export interface SharedMemory {
  readonly bodies: SharedBudget<MemoryScope>
  readonly events: SharedBudget<MemoryScope>
  /** Bounds the memory of decoders by their number. */
  readonly decompressor: Decompressor
}

type MemoryLimitName =
  | 'bodyBudgetBytes'
  | 'eventBudgetBytes'
  | 'shareOfKeyMax'
  | 'shareOfAccountMax'
  | 'shareOfNetworkMax'

export function openSharedMemory(limits: Pick<Limits, MemoryLimitName>): SharedMemory {
  const shares = {
    key: limits.shareOfKeyMax,
    account: limits.shareOfAccountMax,
    network: limits.shareOfNetworkMax,
  }
  return {
    bodies: new SharedBudget(limits.bodyBudgetBytes, shares),
    events: new SharedBudget(limits.eventBudgetBytes, shares),
    decompressor: new Decompressor(),
  }
}
