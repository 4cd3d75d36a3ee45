/**
 * What each address below `/api/auth` needs before better-auth sees it: what it counts as, whom it is about, which
 * fields it may bring, and whether its answer could tell by its time who has an account. What is not named here is
 * passed on as it came.
 */

export interface Rule {
  /** What an attempt counts as; a `guess` that was right counts as none. */
  readonly counts?: 'guess' | 'letter' | 'sign-up'
  /** The field that names whom it is about; without one it is about whoever is signed in. */
  readonly about?: 'email' | 'newEmail'
  /** The only fields that are passed on. */
  readonly fields?: readonly string[]
  /** The field that holds a new password. */
  readonly newPassword?: 'password' | 'newPassword'
  /** Fields that are set whatever came. */
  readonly sets?: Readonly<Record<string, boolean>>
  /** `refused`: only answers that refuse come in steps of time. */
  readonly uniform?: 'always' | 'refused'
}

const secondFactor: Rule = { counts: 'guess', fields: ['code', 'trustDevice'], uniform: 'refused' }
const withPassword: Rule = { counts: 'guess' }

export const rules: Readonly<Record<string, Rule>> = {
  '/sign-in/email': {
    counts: 'guess',
    about: 'email',
    fields: ['email', 'password', 'rememberMe'],
    uniform: 'refused',
  },
  '/sign-up/email': {
    counts: 'sign-up',
    about: 'email',
    fields: ['name', 'email', 'password', 'callbackURL', 'rememberMe'],
    newPassword: 'password',
    uniform: 'always',
  },
  '/sign-in/social': {
    fields: ['provider', 'callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'disableRedirect'],
  },
  '/request-password-reset': { counts: 'letter', about: 'email', fields: ['email'], uniform: 'always' },
  '/send-verification-email': {
    counts: 'letter',
    about: 'email',
    fields: ['email', 'callbackURL'],
    uniform: 'always',
  },
  '/reset-password': { counts: 'guess', fields: ['newPassword', 'token'], newPassword: 'newPassword' },
  '/change-password': {
    counts: 'guess',
    fields: ['currentPassword', 'newPassword'],
    newPassword: 'newPassword',
    sets: { revokeOtherSessions: true },
  },
  '/change-email': {
    counts: 'letter',
    about: 'newEmail',
    fields: ['newEmail', 'callbackURL'],
    uniform: 'always',
  },
  '/update-user': { fields: ['name'] },
  '/confirm-login': { counts: 'guess', fields: ['password', 'code'] },
  '/two-factor/enable': withPassword,
  '/two-factor/disable': withPassword,
  '/two-factor/generate-backup-codes': withPassword,
  '/two-factor/verify-totp': secondFactor,
  '/two-factor/verify-backup-code': secondFactor,
  '/passkey/verify-authentication': { counts: 'guess' },
  '/organization/create': { fields: ['name', 'slug'] },
  '/organization/invite-member': {
    counts: 'letter',
    about: 'email',
    fields: ['email', 'role', 'organizationId'],
  },
}

/** The longest text of a field, wherever it comes. */
export const longest: Readonly<Record<string, number>> = {
  name: 100,
  slug: 100,
  email: 254,
  newEmail: 254,
  password: 200,
  newPassword: 200,
  currentPassword: 200,
  callbackURL: 2_000,
}
