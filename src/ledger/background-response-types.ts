/** Responses that run in the background at their providers, as the ledger records them. Values only. */

/** A response whose hold is open. */
export interface OpenResponse {
  /** The id of the request and its hold. */
  readonly id: bigint
  readonly account: bigint
  readonly upstream: string
  /** The provider's id. */
  readonly responseId: string
  /** The recorded data that settling the response needs, as text. */
  readonly facts: string
  readonly createdMs: number
  readonly isSuspended: boolean
}

export interface StartedResponse extends Pick<OpenResponse, 'id' | 'upstream' | 'responseId' | 'facts'> {}

/** A request that was begun by an earlier process and whose provider's answer was not recorded. */
export interface UnrecordedResponse {
  readonly id: bigint
  readonly account: bigint
}

export interface ResponseLedger {
  /** Takes one of the account's places for a response in the background, in the name of an open hold. */
  reserveResponse(id: bigint, account: bigint): Promise<'reserved' | 'full'>
  /** Durable: the hold now outlives the process, and is no running request. False: its hold is not open. */
  recordResponse(started: StartedResponse): Promise<boolean>
  /** The account's own; undefined also for one that was settled. */
  openResponse(account: bigint, responseId: string): Promise<OpenResponse | undefined>
  openResponseById(id: bigint): Promise<OpenResponse | undefined>
  /** Open responses by ascending id, after this one. */
  openResponses(afterId: bigint, limit: number): Promise<readonly Pick<OpenResponse, 'id' | 'account'>[]>
  /** The response was deleted at its provider: no account owns it now. */
  forgetResponse(account: bigint, responseId: string): Promise<void>
}
