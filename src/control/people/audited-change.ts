/**
 * Changes that follow from a person's existence and that no operation requests: they are in the audit under
 * separate names, like requested changes.
 */
import { asTollgateError } from '../../base/errors.ts'
import type { Person } from '../../identity/types.ts'
import type { ControlDeps } from '../control-deps.ts'

export interface AuditedChange<Outcome> {
  readonly person: Pick<Person, 'email'>
  readonly operation: 'account.open' | 'account.take-over' | 'account.starting-credit'
  readonly account: bigint
  readonly input: Readonly<Record<string, string>>
  readonly run: () => Promise<Outcome>
  /** The outcome as the audit names it. */
  readonly outcomeText: (outcome: Outcome) => string
}

/** Written down before it begins, so that one that got halfway is seen. */
export async function auditedChange<Outcome>(
  { audit, nextId, clock }: Pick<ControlDeps, 'audit' | 'nextId' | 'clock'>,
  { person, operation, account, input, run, outcomeText }: AuditedChange<Outcome>,
): Promise<Outcome> {
  const id = nextId()
  const atMs = clock.wallMs()
  await audit.begin({ id, atMs, actor: person.email, operation, account, input, address: null })
  try {
    const outcome = await run()
    await audit.end(id, outcomeText(outcome), null)
    return outcome
  } catch (thrown) {
    await audit.end(id, asTollgateError(thrown).code, null)
    throw thrown
  }
}
