/**
 * Every path below `/api/auth` and its rules: what it counts as, which field names its subject, which fields are passed on,
 * and whether its timing could reveal who has an account. Paths that are not listed do not exist.
 */

export interface AuthRule {
  /** Limit that a request counts toward. A correct `guess` is not counted; a `challenge` stores a row. */
  readonly counts?: 'guess' | 'email' | 'sign-up' | 'challenge'
  /** The field with the subject's email address; without it, the subject is the signed-in person. */
  readonly subjectField?: 'email' | 'newEmail'
  /** The only fields that are passed on. */
  readonly fields?: readonly string[]
  /** The field that holds a new password. */
  readonly newPassword?: 'password' | 'newPassword'
  /** Fields that are always set to these values. */
  readonly sets?: Readonly<Record<string, boolean>>
  /** Which responses take uniform time; `rejected`: only error responses. */
  readonly uniform?: 'always' | 'rejected'
}

const plain: AuthRule = {}
const nothing: AuthRule = { fields: [] }
const secondFactor: AuthRule = { counts: 'guess', fields: ['code', 'trustDevice'], uniform: 'rejected' }
const withPassword: AuthRule = { counts: 'guess', fields: ['password'] }
const invitation: AuthRule = { fields: ['invitationId'] }

/** By method and path; `*` is one path segment. */
export const authRules: Readonly<Record<string, AuthRule>> = {
  'POST /sign-in/email': {
    counts: 'guess',
    subjectField: 'email',
    fields: ['email', 'password', 'rememberMe'],
    uniform: 'rejected',
  },
  'POST /sign-up/email': {
    counts: 'sign-up',
    subjectField: 'email',
    fields: ['name', 'email', 'password', 'callbackURL', 'rememberMe'],
    newPassword: 'password',
    uniform: 'always',
  },
  'POST /sign-in/social': {
    counts: 'challenge',
    fields: ['provider', 'callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'disableRedirect'],
  },
  'GET /callback/*': plain,
  'POST /sign-out': nothing,
  'POST /request-password-reset': {
    counts: 'email',
    subjectField: 'email',
    fields: ['email'],
    uniform: 'always',
  },
  'POST /reset-password': {
    counts: 'guess',
    fields: ['newPassword', 'token'],
    newPassword: 'newPassword',
  },
  'POST /send-verification-email': {
    counts: 'email',
    subjectField: 'email',
    fields: ['email', 'callbackURL'],
    uniform: 'always',
  },
  'GET /verify-email': plain,
  'GET /get-session': plain,
  'GET /list-sessions': plain,
  'POST /revoke-session': { fields: ['token'] },
  'POST /revoke-other-sessions': nothing,
  'POST /change-password': {
    counts: 'guess',
    fields: ['currentPassword', 'newPassword'],
    newPassword: 'newPassword',
    sets: { revokeOtherSessions: true },
  },
  'POST /change-email': {
    counts: 'email',
    subjectField: 'newEmail',
    fields: ['newEmail', 'callbackURL'],
    uniform: 'always',
  },
  'POST /update-user': { fields: ['name'] },
  'POST /confirm-login': { counts: 'guess', fields: ['password', 'code'] },
  'POST /two-factor/enable': withPassword,
  'POST /two-factor/disable': withPassword,
  'POST /two-factor/generate-backup-codes': withPassword,
  'POST /two-factor/verify-totp': secondFactor,
  'POST /two-factor/verify-backup-code': secondFactor,
  'GET /passkey/generate-register-options': { counts: 'challenge' },
  'POST /passkey/verify-registration': { fields: ['response', 'name'] },
  'GET /passkey/generate-authenticate-options': { counts: 'challenge' },
  'POST /passkey/verify-authentication': { counts: 'guess', fields: ['response'] },
  'GET /passkey/list-user-passkeys': plain,
  'POST /passkey/delete-passkey': { fields: ['id'] },
  'POST /organization/create': { fields: ['name', 'slug'] },
  'GET /organization/list': plain,
  'GET /organization/list-members': plain,
  'GET /organization/list-invitations': plain,
  'GET /organization/get-invitation': plain,
  'POST /organization/invite-member': {
    counts: 'email',
    subjectField: 'email',
    fields: ['email', 'role', 'organizationId'],
  },
  'POST /organization/accept-invitation': invitation,
  'POST /organization/reject-invitation': invitation,
  'POST /organization/cancel-invitation': invitation,
  'POST /organization/update-member-role': { fields: ['memberId', 'role', 'organizationId'] },
  'POST /organization/remove-member': { fields: ['memberIdOrEmail', 'organizationId'] },
  'POST /organization/leave': { fields: ['organizationId'] },
}

/** undefined: no such path, or not for this method. */
export function ruleOf(method: string, path: string): AuthRule | undefined {
  const named = `${method} ${path.replace(/^\/callback\/[^/]+$/, '/callback/*')}`
  return Object.hasOwn(authRules, named) ? authRules[named] : undefined
}

/** The longest value of a field, on every path. */
export const fieldLengthsMax: Readonly<Record<string, number>> = {
  name: 100,
  slug: 100,
  email: 254,
  newEmail: 254,
  password: 200,
  newPassword: 200,
  currentPassword: 200,
  callbackURL: 2_000,
}
