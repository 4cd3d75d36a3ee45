/**
 * Unknown members and betas: they pass, unless the administrator rejects them by name, and each is stored once for the
 * administrator. Bounded, since callers can invent names.
 */
import type { Background } from '../../base/background.ts'
import type { Clock } from '../../base/clock.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import type { Catalog } from '../../catalog/catalog.ts'
import { memberKey, type UnknownMember } from '../../catalog/unknown-members.ts'
import type { ParsedRequest, RequestContext } from '../request.ts'

interface UnknownMembersDeps {
  readonly catalog: Pick<Catalog, 'rejectedMembers' | 'storeUnknownMember'>
  readonly background: Background
  readonly clock: Clock
}

/** How many unknown members are stored for one account, and in total. */
const ofAccountMax = 20
const storedMax = 1_000

export class UnknownMembers {
  readonly #deps: UnknownMembersDeps
  readonly #seen = new Set<string>()
  readonly #ofAccount = new Map<bigint, number>()

  constructor(deps: UnknownMembersDeps) {
    this.#deps = deps
  }

  /** Notes members of a request that its upstream accepted. */
  note(format: UnknownMember['format'], account: bigint, members: readonly string[]): void {
    for (const member of members) {
      const key = memberKey({ format, member })
      const count = this.#ofAccount.get(account) ?? 0
      if (this.#seen.has(key) || this.#seen.size >= storedMax || count >= ofAccountMax) continue
      this.#seen.add(key)
      this.#ofAccount.set(account, count + 1)
      const { catalog, background, clock } = this.#deps
      const seen = { sinceMs: clock.wallMs(), account: formatId('acct', account) }
      background.run('store an unknown member', () => catalog.storeUnknownMember({ format, member }, seen))
    }
  }

  /** Throws 400 for a member or beta that the administrator rejects. */
  assertNoneRejected(
    { format }: Pick<RequestContext, 'format'>,
    { facts }: Pick<ParsedRequest, 'facts'>,
  ): void {
    const { rejectedMembers } = this.#deps.catalog
    if (rejectedMembers.size === 0) return
    for (const member of facts.unknownMembers ?? []) {
      if (!rejectedMembers.has(memberKey({ format: format.name, member }))) continue
      throw new TollgateError('unpriced_option', {
        message: `${member}: an administrator of this server does not allow this. Remove it.`,
        param: member,
      })
    }
  }
}
