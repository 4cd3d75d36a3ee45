/** The ticks of an axis from zero, of which the last is no lower than any value. Pure. */

/** Maximum number of steps. */
const stepsMax = 5
const steps = [1, 2, 2.5, 5, 10]

export function ticksTo(high: number, whole = false): readonly number[] {
  if (!(high > 0)) return [0, 1]
  const power = 10 ** Math.floor(Math.log10(high / stepsMax))
  const fits = (step: number): boolean => high / step <= stepsMax && (!whole || Number.isInteger(step))
  const step = steps.map((one) => one * power).find(fits) ?? (whole ? 1 : 10 * power)
  const count = Math.max(1, Math.ceil(high / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}
