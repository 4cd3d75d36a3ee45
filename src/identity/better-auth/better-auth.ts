/**
 * The adapter of the library better-auth: its configuration, and what its interface has no place for. Only this folder
 * imports the library; every request passes `auth-gateway/` first. Must not judge who may ask.
 */
import { passkey } from '@better-auth/passkey'
import { type Auth, type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError, isAPIError } from 'better-auth/api'
import { getAdapter } from 'better-auth/db/adapter'
import { organization } from 'better-auth/plugins/organization'
import { twoFactor } from 'better-auth/plugins/two-factor'
import { withoutHiddenCharacters } from '../../../contract/visible-text.ts'
import type { Log } from '../../base/log.ts'
import type { Config, Limits } from '../../config/config.ts'
import { clientAddressHeader } from '../auth-messages.ts'
import type { PersonEmails } from '../people/emails.ts'
import { cookiePrefix, ownOrigins, passkeyRelyingParty } from '../public-address.ts'
import { endOldSessions } from '../sessions/old-sessions.ts'
import type { UserHooks } from '../sign-in/admission-policy.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import { endPendingCredentials } from '../sign-in/pending-credentials.ts'
import type { IdentityDatabase } from '../store/database.ts'
import { accessControl, organizationRoles } from './access-control.ts'
import { withHashedSessions } from './hashed-sessions.ts'
import { recordingFailures } from './request-store.ts'
import { issuerProviders, socialProviders } from './sign-in-providers.ts'

export interface BetterAuthDeps {
  readonly database: IdentityDatabase
  /** Who people may sign in with beside a password. */
  readonly providers: Config['signIn']
  readonly limits: Limits
  readonly log: Log
  /** Signs cookies and links, and seals second factors. */
  readonly secret: string
  /** Where people reach the server. */
  readonly address: string
  readonly passwords: Passwords
  /** null: no mail can be sent. */
  readonly emails: PersonEmails | null
  readonly hooks: UserHooks
}

export type BetterAuth = Auth<BetterAuthOptions>

const daySeconds = 24 * 3_600

/** How the core's tables are called, and what more is kept of people. */
function schemaOptions(): BetterAuthOptions {
  return {
    user: {
      modelName: 'auth_user',
      additionalFields: {
        operator: { type: 'boolean', input: false, returned: false, required: false, defaultValue: false },
        confirmed: { type: 'boolean', input: false, returned: false, required: false, defaultValue: false },
        lastSeenAt: { type: 'date', input: false, returned: false, required: false },
      },
    },
    session: { modelName: 'auth_session' },
    account: { modelName: 'auth_account' },
    verification: { modelName: 'auth_verification' },
  }
}

const pluginSchemas = {
  organization: {
    organization: { modelName: 'auth_organization' },
    member: { modelName: 'auth_member' },
    invitation: { modelName: 'auth_invitation' },
  },
  twoFactor: { twoFactor: { modelName: 'auth_two_factor' } },
  passkey: { passkey: { modelName: 'auth_passkey' } },
} as const

/** Call it once the schema is in place. */
export async function makeBetterAuth(deps: BetterAuthDeps): Promise<BetterAuth> {
  const options = betterAuthOptions(deps)
  // No transactions: one would stay open while a password is hashed, and every step here stands for itself.
  const database = { db: deps.database, type: 'sqlite', transaction: false } as const
  const adapter = await getAdapter({ ...options, database })
  return betterAuth({
    ...options,
    database: () => withHashedSessions(recordingFailures(adapter)),
  }) as BetterAuth
}

/** All but where the tables are. */
export function betterAuthOptions(deps: BetterAuthDeps): BetterAuthOptions {
  const { address, providers, log, secret } = deps
  const schema = schemaOptions()
  const isSecure = address.startsWith('https:')
  return {
    appName: 'Tollgate',
    baseURL: address,
    basePath: '/api/auth',
    secret,
    trustedOrigins: [...ownOrigins(address)],
    telemetry: { enabled: false },
    rateLimit: { enabled: false },
    // What callers did wrong is their answer's business; trouble of our own is thrown.
    logger: {
      level: 'info',
      log: (level, message) => log.debug({ severity: level }, redactAddresses(message)),
    },
    onAPIError: { errorURL: `${address}/console/sign-in`, onError: throwServerError },
    disabledPaths: [...disabledPaths],
    ...schema,
    ...userOptions(deps),
    session: {
      ...schema.session,
      expiresIn: deps.limits.sessionDaysMax * daySeconds,
      disableSessionRefresh: true,
      freshAge: Math.floor(deps.limits.recentLoginMs / 1_000),
      cookieCache: { enabled: false },
    },
    account: {
      ...schema.account,
      encryptOAuthTokens: true,
      accountLinking: { enabled: true, trustedProviders: [] },
    },
    verification: { ...schema.verification, storeIdentifier: 'hashed' },
    socialProviders: socialProviders(providers),
    plugins: plugins(deps),
    advanced: {
      cookiePrefix: cookiePrefix(address),
      useSecureCookies: false,
      defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure },
      disableCSRFCheck: false,
      disableOriginCheck: false,
      trustedProxyHeaders: false,
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
  }
}

/** Ways that the console does not use, or that would go round a rule of this installation. */
const disabledPaths: readonly string[] = [
  '/update-session',
  '/delete-user',
  '/delete-user/callback',
  '/get-access-token',
  '/refresh-token',
  '/account-info',
  '/two-factor/send-otp',
  '/two-factor/verify-otp',
  '/two-factor/get-totp-uri',
  '/verify-password',
  '/reset-password',
  '/organization/update',
  '/organization/get-organization',
  '/organization/get-full-organization',
  '/ok',
]

function userOptions({ emails, passwords, limits, hooks, database }: BetterAuthDeps): BetterAuthOptions {
  const fresh = schemaOptions()
  return {
    user: {
      ...fresh.user,
      changeEmail: {
        enabled: emails !== null,
        ...(emails === null ? {} : { sendChangeEmailConfirmation: emails.confirmChange }),
      },
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: limits.passwordCharactersMin,
      maxPasswordLength: limits.passwordCharactersMax,
      requireEmailVerification: emails !== null,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: async ({ user }) => {
        await endPendingCredentials(database, user.id).execute()
      },
      password: { hash: passwords.hash, verify: passwords.verify },
      ...(emails === null
        ? {}
        : { sendResetPassword: emails.resetPassword, onExistingUserSignUp: emails.alreadyHere }),
    },
    ...(emails === null
      ? {}
      : {
          emailVerification: {
            sendVerificationEmail: emails.verifyAddress,
            sendOnSignUp: true,
            sendOnSignIn: true,
            // A link proves an address. Who opens it is another question.
            autoSignInAfterVerification: false,
            expiresIn: daySeconds,
            afterEmailVerification: (user) => hooks.onVerified(user),
          },
        }),
    databaseHooks: {
      user: {
        create: {
          before: async (user) => {
            const message = await hooks.refusalOf(user)
            if (message !== null) throw new APIError('FORBIDDEN', { code: 'sign_up_closed', message })
            return { data: { ...user, name: withoutHiddenCharacters(user.name) } }
          },
          after: (user) => hooks.onSignUp(user),
        },
      },
      account: {
        // Who somebody is was learnt already; what opens their account elsewhere is not kept.
        create: { before: async (login) => ({ data: { ...login, ...noTokens } }) },
        update: { before: async (login) => ({ data: { ...login, ...noTokens } }) },
      },
      session: {
        create: {
          after: async ({ userId, createdAt }) => {
            await database
              .updateTable('auth_user')
              .set({ lastSeenAt: createdAt.toISOString() })
              .where('id', '=', userId)
              .execute()
            const perPersonMax = limits.sessionsPerPersonMax
            await endOldSessions(database, { person: userId, now: createdAt, perPersonMax })
          },
        },
      },
    },
  }
}

const noTokens = { accessToken: null, refreshToken: null, idToken: null }

function plugins({ providers, emails, address, limits }: BetterAuthDeps): BetterAuthOptions['plugins'] {
  const place = passkeyRelyingParty(address)
  return [
    organization({
      ac: accessControl,
      roles: organizationRoles,
      creatorRole: 'owner',
      organizationLimit: limits.organizationsPerPersonMax,
      membershipLimit: limits.membersPerOrganizationMax,
      invitationLimit: limits.openInvitationsMax,
      invitationExpiresIn: limits.invitationDaysMax * daySeconds,
      cancelPendingInvitationsOnReInvite: true,
      requireEmailVerificationOnInvitation: emails !== null,
      // Its account stays in the ledger, with whatever is on it.
      disableOrganizationDeletion: true,
      schema: pluginSchemas.organization,
      ...(emails === null ? {} : { sendInvitationEmail: emails.joinOrganization }),
    }),
    twoFactor({ issuer: 'Tollgate', schema: pluginSchemas.twoFactor }),
    passkey({
      rpID: place.name,
      rpName: 'Tollgate',
      origin: [...place.origins],
      schema: pluginSchemas.passkey,
    }),
    issuerProviders(providers),
  ]
}

/** Addresses of people do not belong into a log. */
function redactAddresses(message: string): string {
  return message.replace(/[^\s@<>"]+@[^\s@<>"]+/g, '…')
}

/** Throws on what is no answer to the caller, so that nobody answers it in the caller's stead. */
function throwServerError(error: unknown): void {
  if (!isAPIError(error)) throw error
}
