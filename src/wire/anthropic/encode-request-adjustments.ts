/** Collects what a request could not carry as the caller wrote it, each adjustment once. */
import type { Adjustment } from '../translation/neutral.ts'

export class AdjustmentList {
  private readonly byField = new Map<string, Adjustment>()

  get list(): readonly Adjustment[] {
    return [...this.byField.values()]
  }

  dropped(field: string, why: string): void {
    this.add({ kind: 'dropped', field, why })
  }

  adapted(field: string, why: string): void {
    this.add({ kind: 'adapted', field, why })
  }

  added(field: string, why: string): void {
    this.add({ kind: 'added', field, why })
  }

  private add(adjustment: Adjustment): void {
    const key = `${adjustment.kind} ${adjustment.field}`
    if (!this.byField.has(key)) this.byField.set(key, adjustment)
  }
}
