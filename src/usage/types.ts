/** The words of usage as people read it. Values only; never consulted for balances. */
export type Usage = Readonly<Record<never, never>>
