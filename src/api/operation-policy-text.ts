/** Who may use an operation, in words and as codes of the error table; from its policy alone. Pure. */
import type { ErrorCode } from '../../contract/errors.ts'
import { everyRole, type Operation, type Policy, type Subject } from '../../contract/operation.ts'

type OperationTraits = Pick<Operation<never, never>, 'policy' | 'effect'>

/** Sentences for people. */
export function policyText(policy: Policy): string {
  switch (policy.kind) {
    case 'account':
      return [
        policy.roles.length === everyRole.length
          ? 'All members of the account.'
          : `Members with the role ${joinWithOr(policy.roles)}.`,
        policy.scope === null
          ? 'Not available to management keys.'
          : `Management keys with scope \`${policy.scope}\`.`,
        operatorText[policy.operator],
        policy.recent ? recentText : '',
      ]
        .filter((sentence) => sentence !== '')
        .join(' ')
    case 'installation':
      return policy.operator === 'recent' ? `Administrators. ${recentText}` : 'Administrators.'
    case 'person':
      return policy.recent
        ? `Signed-in users, for themselves. ${recentText}`
        : 'Signed-in users, for themselves.'
    case 'public':
      return 'Public.'
  }
}

const recentText = 'Requires a recent sign-in.'
const operatorText = {
  no: '',
  yes: 'Administrators.',
  recent: 'Administrators who signed in recently.',
} as const

function joinWithOr(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

const notFoundCodes: Readonly<Record<Subject, ErrorCode>> = {
  account: 'account_not_found',
  key: 'key_not_found',
  management_key: 'key_not_found',
  request: 'generation_not_found',
  top_up: 'top_up_not_found',
}

/** The errors that follow from the policy and from HTTP; an operation may add its own. */
export function usualErrors({ policy, effect }: OperationTraits): readonly ErrorCode[] {
  const inputErrors: readonly ErrorCode[] = ['invalid_value', 'missing_field']
  const bodyErrors: readonly ErrorCode[] =
    effect === 'changes' ? ['invalid_json', 'unsupported_media_type', 'body_too_large', 'cross_site'] : []
  const signedIn: readonly ErrorCode[] =
    policy.kind === 'public' ? [] : ['not_signed_in', 'invalid_api_key', 'not_allowed']
  const needsRecent =
    policy.kind === 'installation' ? policy.operator === 'recent' : policy.kind !== 'public' && policy.recent
  return [
    ...inputErrors,
    ...bodyErrors,
    ...signedIn,
    ...(needsRecent ? (['login_too_old'] as const) : []),
    ...(policy.kind === 'account' ? [notFoundCodes[policy.subject]] : []),
    'internal',
    'store_unavailable',
  ]
}
