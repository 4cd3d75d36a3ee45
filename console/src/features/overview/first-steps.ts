/** Which of the first steps are done, by what exists and what happened. Pure. */
import { compareUsd } from '../../lib/usd.ts'

interface UpstreamFacts {
  readonly provider: string
  readonly disabled: boolean
  readonly serves: readonly string[]
}

export interface StepFacts {
  /** The account's ledger balance in USD; undefined: not known yet. */
  readonly posted: string | undefined
  /** Members of the organization and open invitations. */
  readonly people: number
  /** undefined: the person can't add provider keys, or it isn't known yet. */
  readonly upstreams: readonly UpstreamFacts[] | undefined
  readonly keys: readonly {
    readonly builtIn: boolean
    /** null: the server, at its first start. */
    readonly createdBy: string | null
    readonly lastUsed: string | null
    readonly works: boolean
  }[]
  /** `member`: who made it in the playground; null: a client with a key. */
  readonly requests: readonly { readonly member: object | null }[]
}

export interface StepsDone {
  readonly provider: boolean
  readonly credit: boolean
  readonly key: boolean
  readonly client: boolean
  readonly team: boolean
}

/** The test models of this server, the playground's key and the playground itself do not count. */
export function stepsDone({ posted, people, upstreams = [], keys, requests }: StepFacts): StepsDone {
  return {
    provider: hasProvider(upstreams),
    credit: posted !== undefined && compareUsd(posted, '0') > 0,
    key: keys.some(
      ({ builtIn, works, createdBy, lastUsed }) =>
        works && !builtIn && (createdBy !== null || lastUsed !== null),
    ),
    client: requests.some(({ member }) => member === null),
    team: people > 1,
  }
}

/** Whether real models can be requested; the test models of this server have no provider. */
export function hasProvider(upstreams: readonly UpstreamFacts[]): boolean {
  return upstreams.some(
    ({ provider, disabled, serves }) => provider !== 'sandbox' && !disabled && serves.length > 0,
  )
}
