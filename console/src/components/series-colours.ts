/** Colours that can be told apart in light, dark and with colour blindness; the legend names them too. */
const inTurn = ['#059669', '#3b82f6', '#d97706', '#a855f7', '#db2777', '#64748b'] as const

/** How many series have a colour of their own. */
export const coloursInTurn = inTurn.length

/** For series that are better or worse than each other. */
const byTone = { good: '#059669', warn: '#d97706', bad: '#dc2626' } as const
export type SeriesTone = keyof typeof byTone

/** The colour of a series by its tone, else by its place. */
export function colourOf({ tone }: { readonly tone?: SeriesTone }, place: number): string {
  return tone === undefined ? (inTurn[place % inTurn.length] ?? inTurn[0]) : byTone[tone]
}
