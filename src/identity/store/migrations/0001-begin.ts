/**
 * The tables of better-auth, frozen as its own migrations create them (a test compares them), and our own: invitations to
 * sign up, used one-time codes, an index of session expiry, and unique memberships and provider accounts.
 */
import type { Migration } from '../../../store/migrations/index.ts'

const people = [
  `CREATE TABLE "auth_user" (
  "id" text NOT NULL PRIMARY KEY,
  "name" text NOT NULL,
  "email" text NOT NULL UNIQUE,
  "emailVerified" integer NOT NULL,
  "image" text,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL,
  "twoFactorEnabled" integer,
  "operator" integer,
  "confirmed" integer,
  "lastSeenAt" date
)`,
  `CREATE TABLE "auth_session" (
  "id" text NOT NULL PRIMARY KEY,
  "expiresAt" date NOT NULL,
  "token" text NOT NULL UNIQUE,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL,
  "ipAddress" text,
  "userAgent" text,
  "userId" text NOT NULL REFERENCES "auth_user" ("id") ON DELETE CASCADE,
  "activeOrganizationId" text
)`,
  `CREATE TABLE "auth_account" (
  "id" text NOT NULL PRIMARY KEY,
  "accountId" text NOT NULL,
  "providerId" text NOT NULL,
  "userId" text NOT NULL REFERENCES "auth_user" ("id") ON DELETE CASCADE,
  "accessToken" text,
  "refreshToken" text,
  "idToken" text,
  "accessTokenExpiresAt" date,
  "refreshTokenExpiresAt" date,
  "scope" text,
  "password" text,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL
)`,
  `CREATE TABLE "auth_verification" (
  "id" text NOT NULL PRIMARY KEY,
  "identifier" text NOT NULL,
  "value" text NOT NULL,
  "expiresAt" date NOT NULL,
  "createdAt" date NOT NULL,
  "updatedAt" date NOT NULL
)`,
  `CREATE TABLE "auth_two_factor" (
  "id" text NOT NULL PRIMARY KEY,
  "secret" text NOT NULL,
  "backupCodes" text NOT NULL,
  "userId" text NOT NULL REFERENCES "auth_user" ("id") ON DELETE CASCADE,
  "verified" integer,
  "failedVerificationCount" integer,
  "lockedUntil" date
)`,
  `CREATE TABLE "auth_passkey" (
  "id" text NOT NULL PRIMARY KEY,
  "name" text,
  "publicKey" text NOT NULL,
  "userId" text NOT NULL REFERENCES "auth_user" ("id") ON DELETE CASCADE,
  "credentialID" text NOT NULL,
  "counter" integer NOT NULL,
  "deviceType" text NOT NULL,
  "backedUp" integer NOT NULL,
  "transports" text,
  "createdAt" date,
  "aaguid" text
)`,
]

const organizations = [
  `CREATE TABLE "auth_organization" (
  "id" text NOT NULL PRIMARY KEY,
  "name" text NOT NULL,
  "slug" text NOT NULL UNIQUE,
  "logo" text,
  "createdAt" date NOT NULL,
  "metadata" text
)`,
  `CREATE TABLE "auth_member" (
  "id" text NOT NULL PRIMARY KEY,
  "organizationId" text NOT NULL REFERENCES "auth_organization" ("id") ON DELETE CASCADE,
  "userId" text NOT NULL REFERENCES "auth_user" ("id") ON DELETE CASCADE,
  "role" text NOT NULL,
  "createdAt" date NOT NULL
)`,
  `CREATE TABLE "auth_invitation" (
  "id" text NOT NULL PRIMARY KEY,
  "organizationId" text NOT NULL REFERENCES "auth_organization" ("id") ON DELETE CASCADE,
  "email" text NOT NULL,
  "role" text,
  "status" text NOT NULL,
  "expiresAt" date NOT NULL,
  "createdAt" date NOT NULL,
  "inviterId" text NOT NULL REFERENCES "auth_user" ("id") ON DELETE CASCADE
)`,
]

const indexes = [
  'CREATE INDEX "auth_session_userId_idx" ON "auth_session" ("userId")',
  'CREATE INDEX "auth_account_userId_idx" ON "auth_account" ("userId")',
  'CREATE INDEX "auth_verification_identifier_idx" ON "auth_verification" ("identifier")',
  'CREATE INDEX "auth_member_organizationId_idx" ON "auth_member" ("organizationId")',
  'CREATE INDEX "auth_member_userId_idx" ON "auth_member" ("userId")',
  'CREATE INDEX "auth_invitation_organizationId_idx" ON "auth_invitation" ("organizationId")',
  'CREATE INDEX "auth_invitation_email_idx" ON "auth_invitation" ("email")',
  'CREATE INDEX "auth_two_factor_secret_idx" ON "auth_two_factor" ("secret")',
  'CREATE INDEX "auth_two_factor_userId_idx" ON "auth_two_factor" ("userId")',
  'CREATE INDEX "auth_passkey_userId_idx" ON "auth_passkey" ("userId")',
  'CREATE INDEX "auth_passkey_credentialID_idx" ON "auth_passkey" ("credentialID")',
]

const ours = [
  'CREATE UNIQUE INDEX auth_member_once ON "auth_member" ("organizationId", "userId")',
  'CREATE UNIQUE INDEX auth_account_once ON "auth_account" ("providerId", "accountId")',
  `CREATE TABLE invitation (
  -- A hash of what stands in the link.
  token_hash TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
  'CREATE INDEX invitation_email ON invitation (email)',
  `CREATE TABLE used_code (
  -- A hash of the person and the code.
  code_hash TEXT PRIMARY KEY,
  -- For as long as the code would be right.
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
  // Finds expired sessions without a scan.
  'CREATE INDEX auth_session_end ON "auth_session" ("expiresAt")',
]

export const begin: Migration = {
  number: 1,
  name: 'begin',
  statements: [...people, ...organizations, ...indexes, ...ours],
}
