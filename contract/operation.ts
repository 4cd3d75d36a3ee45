/**
 * The words of the control plane: what an operation is, who may call it, for whose things. Pure.
 *
 * Who calls is an actor: `local` (somebody with the operator's rights on the machine itself), a `person` who is signed
 * in, a `management_key` of an account, or `anyone`. What a row does not allow is refused.
 */
import { z } from 'zod'

/** Who calls. */
export type ActorKind = 'local' | 'person' | 'management_key' | 'anyone'

/** What a member may be in an organization; of a personal account its person is the `owner`. */
export const roles = ['owner', 'admin', 'developer', 'billing'] as const
export type Role = (typeof roles)[number]
export const role = z.enum(roles)

/** What a management key may do for its account. */
export const scopes = [
  'account:read',
  'keys:read',
  'keys:write',
  'usage:read',
  'requests:stop',
  'billing:read',
] as const
export type Scope = (typeof scopes)[number]
export const scope = z.enum(scopes)

/** Whose thing the input names. Somebody else's is answered like one that does not exist. */
export type Subject =
  /** `account` in the input; left out: the caller's own account. */
  | 'account'
  /** The account that the named thing belongs to. */
  | 'key'
  | 'management_key'
  | 'request'
  | 'top_up'

/** Whether operators of the installation may: `recent` needs a session whose login is not long ago. */
export type OperatorMay = 'no' | 'yes' | 'recent'

export type Policy =
  /** Things of one account: its members by role, management keys by scope. */
  | {
      readonly kind: 'account'
      readonly subject: Subject
      readonly roles: readonly Role[]
      readonly scope: Scope | null
      readonly operator: OperatorMay
      readonly local: boolean
      /** Members need a session whose login is not long ago, too. */
      readonly recent: boolean
    }
  /** Things of the installation: operators only. */
  | { readonly kind: 'installation'; readonly operator: OperatorMay; readonly local: boolean }
  /** The caller's own person. */
  | { readonly kind: 'person'; readonly recent: boolean }
  /** What everybody may see or use; `local` where the command line has it too. */
  | { readonly kind: 'public'; readonly local: boolean }

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface Operation<Input extends z.ZodType, Output extends z.ZodType> {
  readonly summary: string
  readonly policy: Policy
  /** `reads` leaves no trace; `changes` leaves an audit row. */
  readonly effect: 'reads' | 'changes'
  /** Where it is on HTTP; `{field}` in a path fills that field of the input. null: the command line's alone. */
  readonly http: readonly [method: Method, path: `/api/${string}`] | null
  /** In what form the output leaves on HTTP; `csv` and `file` outputs are `{ name, text }`. */
  readonly produces: 'json' | 'csv' | 'file'
  readonly input: Input
  readonly output: Output
}

interface OperationRow<Input extends z.ZodType, Output extends z.ZodType>
  extends Omit<Operation<Input, Output>, 'produces'> {
  readonly produces?: Operation<Input, Output>['produces']
}

export function operation<Input extends z.ZodType, Output extends z.ZodType>(
  row: OperationRow<Input, Output>,
): Operation<Input, Output> {
  return { produces: 'json', ...row }
}

/** The name of a file, and what is in it. */
export const file = z.strictObject({ name: z.string(), text: z.string() })

interface ForAccount {
  readonly roles?: readonly Role[]
  readonly scope?: Scope
  readonly subject?: Subject
  readonly operator?: OperatorMay
  readonly local?: boolean
  readonly recent?: boolean
}

export const everyRole: readonly Role[] = roles
export const managers: readonly Role[] = ['owner', 'admin']
export const builders: readonly Role[] = ['owner', 'admin', 'developer']
export const payers: readonly Role[] = ['owner', 'admin', 'billing']

export function forAccount(row: ForAccount): Policy {
  return {
    kind: 'account',
    subject: row.subject ?? 'account',
    roles: row.roles ?? everyRole,
    scope: row.scope ?? null,
    operator: row.operator ?? 'no',
    local: row.local ?? false,
    recent: row.recent ?? false,
  }
}

export function forOperators(operator: 'yes' | 'recent', local: 'also local' | 'console only'): Policy {
  return { kind: 'installation', operator, local: local === 'also local' }
}

/** Only somebody on the machine itself. */
export const forLocal: Policy = { kind: 'installation', operator: 'no', local: true }
export const forPerson: Policy = { kind: 'person', recent: false }
export const forPersonRecently: Policy = { kind: 'person', recent: true }
export const forAnyone: Policy = { kind: 'public', local: false }
