/** Colors that are distinguishable in light, dark and with color blindness; the legend names the series too. */
const inTurn = ['#059669', '#3b82f6', '#d97706', '#a855f7', '#db2777', '#64748b'] as const

/** How many series have a distinct color. */
export const colorsInTurn = inTurn.length

/** For success and error series. */
const byTone = { good: '#059669', warn: '#d97706', bad: '#dc2626' } as const
export type SeriesTone = keyof typeof byTone

/** The color of a series: by its tone, else by its index. */
export function colorOf({ tone }: { readonly tone?: SeriesTone }, place: number): string {
  return tone === undefined ? (inTurn[place % inTurn.length] ?? inTurn[0]) : byTone[tone]
}
