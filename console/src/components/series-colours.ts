/** Colours that can be told apart in light, dark and with colour blindness; the legend names them too. */
export const seriesColours = ['#059669', '#3b82f6', '#d97706', '#a855f7', '#db2777', '#64748b'] as const
