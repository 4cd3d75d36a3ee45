/** The requested range of time. */
import type { ControlDeps } from '../control-deps.ts'

const defaultRangeMs = 30 * 24 * 3_600_000

/** `to` left out: now; `from` left out: 30 days before `to`. */
export function rangeOf(
  { clock }: Pick<ControlDeps, 'clock'>,
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
): { readonly fromMs: number; readonly toMs: number } {
  const toMs = to === undefined ? clock.wallMs() : Date.parse(to)
  return { fromMs: from === undefined ? toMs - defaultRangeMs : Date.parse(from), toMs }
}
