/**
 * The types of control-plane operations: what an operation is, who may call it and on which resources. Pure.
 *
 * The caller is an actor: `local` (an operator on the server's machine), a signed-in `person`, a `management_key` of an
 * account, or `anyone`. What a row does not allow is rejected.
 */
import { z } from 'zod'

/** The roles of an organization's members; the person of a personal account is its `owner`. */
export const roles = ['owner', 'admin', 'developer', 'billing'] as const
export type Role = (typeof roles)[number]
export const role = z.enum(roles)

/** The rights that a management key may have on its account. */
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

/** How the input names a resource. A foreign resource is answered like one that does not exist. */
export type Subject =
  /** The field `account`, by default the caller's own account. */
  | 'account'
  /** The account that owns the named resource. */
  | 'key'
  | 'management_key'
  | 'request'
  | 'top_up'

/** Whether operators of the installation may call it; `recent` requires a recent sign-in. */
export type OperatorMay = 'no' | 'yes' | 'recent'

export type Policy =
  /** Resources of one account: members by role, management keys by scope. */
  | {
      readonly kind: 'account'
      readonly subject: Subject
      readonly roles: readonly Role[]
      readonly scope: Scope | null
      readonly operator: OperatorMay
      readonly local: boolean
      /** Members need a recent sign-in. */
      readonly recent: boolean
    }
  /** Resources of the installation: operators only. */
  | { readonly kind: 'installation'; readonly operator: OperatorMay; readonly local: boolean }
  /** The signed-in person themselves. */
  | { readonly kind: 'person'; readonly recent: boolean }
  /** Open to everyone; `local`: also on the command line. */
  | { readonly kind: 'public'; readonly local: boolean }

/** The policies of one kind, which decides the caller that a handler receives. */
export type PolicyOf<Kind extends Policy['kind']> = Extract<Policy, { kind: Kind }>

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export interface Operation<Input extends z.ZodType, Output extends z.ZodType, Rule extends Policy = Policy> {
  readonly summary: string
  readonly policy: Rule
  /** `changes` writes an audit entry, `reads` does not. By the method, where a row does not say it: only `GET` reads. */
  readonly effect: 'reads' | 'changes'
  /** The HTTP route; `{field}` in the path fills that field of the input. null: command line only. */
  readonly http: readonly [method: Method, path: `/api/${string}`] | null
  /** The HTTP form of the output; `csv` and `file` outputs are `{ name, text }`. */
  readonly produces: 'json' | 'csv' | 'file'
  /** `document`: the input carries a whole file. */
  readonly inputSize: 'usual' | 'document'
  readonly input: Input
  readonly output: Output
}

interface OperationRow<Input extends z.ZodType, Output extends z.ZodType, Rule extends Policy>
  extends Omit<Operation<Input, Output, Rule>, 'effect' | 'produces' | 'inputSize'> {
  readonly effect?: Operation<Input, Output>['effect']
  readonly produces?: Operation<Input, Output>['produces']
  readonly inputSize?: Operation<Input, Output>['inputSize']
}

export function operation<Input extends z.ZodType, Output extends z.ZodType, Rule extends Policy>(
  row: OperationRow<Input, Output, Rule>,
): Operation<Input, Output, Rule> {
  const effect = row.http?.[0] === 'GET' ? 'reads' : 'changes'
  return { effect, produces: 'json', inputSize: 'usual', ...row }
}

/** A file's name and content. */
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

export function forAccount(row: ForAccount): PolicyOf<'account'> {
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

export function forOperators(
  operator: 'yes' | 'recent',
  local: 'also local' | 'console only',
): PolicyOf<'installation'> {
  return { kind: 'installation', operator, local: local === 'also local' }
}

/** Only an operator on the server's machine. */
export const forLocal: PolicyOf<'installation'> = { kind: 'installation', operator: 'no', local: true }
export const forPerson: PolicyOf<'person'> = { kind: 'person', recent: false }
export const forPersonRecently: PolicyOf<'person'> = { kind: 'person', recent: true }
export const forAnyone: PolicyOf<'public'> = { kind: 'public', local: false }
