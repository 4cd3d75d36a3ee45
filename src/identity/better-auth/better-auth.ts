/**
 * Configures the library better-auth. Only this folder imports it, and every request passes `auth-gateway/` first. Must not
 * authorize requests.
 */
import { passkey } from '@better-auth/passkey'
import { type Auth, type BetterAuthOptions, betterAuth } from 'better-auth'
import { APIError, isAPIError } from 'better-auth/api'
import { getAdapter } from 'better-auth/db/adapter'
import { createAccessControl } from 'better-auth/plugins/access'
import { type GenericOAuthConfig, genericOAuth } from 'better-auth/plugins/generic-oauth'
import { organization } from 'better-auth/plugins/organization'
import { twoFactor } from 'better-auth/plugins/two-factor'
import type { Role } from '../../../contract/operation.ts'
import { withoutHiddenCharacters } from '../../../contract/visible-text.ts'
import type { Log } from '../../base/log.ts'
import type { Config, Limits } from '../../config/config.ts'
import { clientAddressHeader } from '../auth-messages.ts'
import type { PersonEmails } from '../people/emails.ts'
import { cookiePrefix, ownOrigins, passkeyRelyingParty } from '../public-address.ts'
import type { UserHooks } from '../sign-in/admission-policy.ts'
import type { Passwords } from '../sign-in/passwords.ts'
import { endPendingCredentials } from '../sign-in/pending-credentials.ts'
import { passwordCharactersMax } from '../sign-in/reset-password.ts'
import type { IdentityDatabase } from '../store/database.ts'
import { withHashedSessions } from './hashed-sessions.ts'
import { discoveryUrl } from './issuers.ts'
import { recordingFailures } from './request-store.ts'

const membersPerOrganizationMax = 1_000

export interface BetterAuthDeps {
  readonly database: IdentityDatabase
  /** Sign-in providers other than passwords. */
  readonly providers: Config['signIn']
  readonly limits: Limits
  readonly log: Log
  /** Signs cookies and links, and encrypts two-factor secrets. */
  readonly secret: string
  /** The public URL. */
  readonly address: string
  readonly passwords: Passwords
  /** null: mail is not configured. */
  readonly emails: PersonEmails | null
  readonly hooks: UserHooks
}

export type BetterAuth = Auth<BetterAuthOptions>

const daySeconds = 24 * 3_600

/** Table names, and our own columns of people. */
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

/** The migrations must have run. */
export async function makeBetterAuth(deps: BetterAuthDeps): Promise<BetterAuth> {
  const options = betterAuthOptions(deps)
  // No transactions: one would stay open while a password is hashed, and every step is valid alone.
  const database = { db: deps.database, type: 'sqlite', transaction: false } as const
  const adapter = await getAdapter({ ...options, database })
  return betterAuth({
    ...options,
    database: () => withHashedSessions(recordingFailures(adapter)),
  }) as BetterAuth
}

/** The options without the database. */
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
    // Client errors are in the response; errors of our own are thrown and logged.
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

/** Paths that the console does not use or that would bypass our rules. */
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
      maxPasswordLength: passwordCharactersMax,
      requireEmailVerification: emails !== null,
      revokeSessionsOnPasswordReset: true,
      onPasswordReset: async ({ user }) => {
        await endPendingCredentials(database, user.id).execute()
      },
      password: { hash: passwords.hash, verify: passwords.verify },
      ...(emails === null
        ? {}
        : { sendResetPassword: emails.resetPassword, onExistingUserSignUp: emails.alreadyRegistered }),
    },
    ...(emails === null
      ? {}
      : {
          emailVerification: {
            // The library sends one at every sign-up, also where an invitation has proven the address.
            sendVerificationEmail: async (email) => {
              if (!hooks.isProven(email.user)) await emails.verifyAddress(email)
            },
            sendOnSignUp: true,
            sendOnSignIn: true,
            // The link proves the address, not who opens it.
            autoSignInAfterVerification: false,
            expiresIn: daySeconds,
            afterEmailVerification: (user) => hooks.onVerified(user),
          },
        }),
    databaseHooks: {
      user: {
        create: {
          before: async (user) => {
            const message = await hooks.rejectionOf(user)
            if (message !== null) throw new APIError('FORBIDDEN', { code: 'sign_up_closed', message })
            const emailVerified = user.emailVerified || hooks.isProven(user)
            return { data: { ...user, emailVerified, name: withoutHiddenCharacters(user.name) } }
          },
          after: (user) => hooks.onSignUp(user),
        },
      },
      account: {
        // Provider tokens are not needed after sign-in and are not stored.
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
  const relyingParty = passkeyRelyingParty(address)
  return [
    organization({
      ac: accessControl,
      roles: organizationRoles,
      creatorRole: 'owner',
      organizationLimit: limits.organizationsPerPersonMax,
      membershipLimit: membersPerOrganizationMax,
      invitationLimit: limits.openInvitationsMax,
      invitationExpiresIn: limits.invitationDaysMax * daySeconds,
      cancelPendingInvitationsOnReInvite: true,
      requireEmailVerificationOnInvitation: emails !== null,
      // Organizations cannot be deleted, because their ledger account and balance remain.
      disableOrganizationDeletion: true,
      schema: pluginSchemas.organization,
      ...(emails === null ? {} : { sendInvitationEmail: emails.joinOrganization }),
    }),
    twoFactor({ issuer: 'Tollgate', schema: pluginSchemas.twoFactor }),
    passkey({
      rpID: relyingParty.name,
      rpName: 'Tollgate',
      origin: [...relyingParty.origins],
      schema: pluginSchemas.passkey,
    }),
    issuerProviders(providers),
  ]
}

/** Email addresses must not be logged. */
function redactAddresses(message: string): string {
  return message.replace(/[^\s@<>"]+@[^\s@<>"]+/g, '…')
}

/** Rethrows errors that are not a response to the client, so that better-auth does not turn them into one. */
function throwServerError(error: unknown): void {
  if (!isAPIError(error)) throw error
}

/** The actions of roles of an organization on its members, as better-auth's permissions. Account permissions are in the contract. */
const everything = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
} as const
const nothing = { organization: [], member: [], invitation: [] }

const accessControl = createAccessControl(everything)

const organizationRoles = {
  owner: accessControl.newRole({ ...everything }),
  admin: accessControl.newRole({ ...everything, organization: ['update'] }),
  developer: accessControl.newRole(nothing),
  billing: accessControl.newRole(nothing),
} satisfies Record<Role, unknown>

type ProviderSetting = Config['signIn'][number]

type Social = NonNullable<BetterAuthOptions['socialProviders']>

/** Providers that better-auth supports by name. */
function socialProviders(settings: readonly ProviderSetting[]): Social {
  const social: Social = {}
  for (const { kind, clientId, clientSecret } of settings) {
    if (kind !== 'oidc') social[kind] = { clientId, clientSecret }
  }
  return social
}

/** OpenID Connect providers with a discovery document. */
function issuerProviders(settings: readonly ProviderSetting[]): ReturnType<typeof genericOAuth> {
  return genericOAuth({ config: settings.flatMap(issuerConfig) })
}

function issuerConfig(setting: ProviderSetting): GenericOAuthConfig[] {
  const { kind, id, name, issuer, clientId, clientSecret } = setting
  if (kind !== 'oidc' || issuer === null) return []
  return [
    {
      providerId: id,
      name,
      discoveryUrl: discoveryUrl(issuer),
      clientId,
      clientSecret,
      scopes: ['openid', 'email', 'profile'],
      pkce: true,
      requireIdTokenVerification: true,
    },
  ]
}

/** Bounds one call; the next sign-in deletes the rest. */
const removedMax = 1_000

/** Deletes expired sessions and the oldest beyond the limit, after each sign-in of `person`. No session in use is judged. */
async function endOldSessions(
  database: IdentityDatabase,
  {
    person,
    now,
    perPersonMax,
  }: { readonly person: string; readonly now: Date; readonly perPersonMax: number },
): Promise<void> {
  await database
    .deleteFrom('auth_session')
    .where('id', 'in', (query) =>
      query
        .selectFrom('auth_session')
        .select('id')
        .where('expiresAt', '<=', now.toISOString())
        .limit(removedMax),
    )
    .execute()
  await database
    .deleteFrom('auth_session')
    .where('id', 'in', (query) =>
      query
        .selectFrom('auth_session')
        .select('id')
        .where('userId', '=', person)
        .orderBy('createdAt', 'desc')
        .limit(removedMax)
        .offset(perPersonMax),
    )
    .execute()
}
