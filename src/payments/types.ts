/** The words of payments: top-ups, saved methods, codes. Values only. */
export interface Payments {
  /** The account that a top-up belongs to. */
  accountOf(topUp: bigint): Promise<bigint | undefined>
}
