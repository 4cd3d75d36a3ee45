/** The operations on users: setup, the signed-in user, invitations, and administration. */
import { z } from 'zod'
import {
  file,
  forAnyone,
  forLocal,
  forOperators,
  forPerson,
  forPersonRecently,
  operation,
  role,
} from '../operation.ts'
import { accountId, email, listLimit, name, time } from '../values.ts'

const password = z.string().min(10, 'must be at least 10 characters').max(200)

/** Facts that the console needs before sign-in. */
export const installation = z.strictObject({
  name: z.string(),
  version: z.string(),
  address: z.url(),
  signup: z.enum(['open', 'invite', 'closed']),
  /** There is no administrator yet; the setup link creates the first one. */
  needsSetup: z.boolean(),
  /** Whether email is configured; otherwise an administrator confirms users. */
  mail: z.boolean(),
  /** Sign-in providers other than passwords. */
  signInWith: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  /** Why passkeys are unavailable; null: they work. */
  passkeysOff: z.string().nullable(),
  sandbox: z.boolean(),
  /** The starting credit of a new account in USD. */
  signupCredit: z.string(),
})

export const person = z.strictObject({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  verified: z.boolean(),
  /** Verified by email, or confirmed by an administrator. */
  confirmed: z.boolean(),
  operator: z.boolean(),
  twoFactor: z.boolean(),
  created: time,
  lastSeen: time.nullable(),
  account: accountId.nullable(),
})

export const peopleOperations = {
  'installation.show': operation({
    summary: 'Show the installation and its sign-in options',
    policy: forAnyone,
    http: ['GET', '/api/installation'],
    input: z.strictObject({}),
    output: installation,
  }),
  'setup.link': operation({
    summary: 'Create a new setup link; earlier links stop working',
    policy: forLocal,
    http: null,
    input: z.strictObject({}),
    output: z.strictObject({ link: z.url() }),
  }),
  'setup.claim': operation({
    summary: 'Create the first administrator with the setup token, and take over the local account',
    policy: forAnyone,
    http: ['POST', '/api/setup'],
    input: z.strictObject({ token: z.string().min(1).max(200), name, email, password }),
    /** Sign in with the same email address and password afterward. */
    output: z.strictObject({ email: z.string() }),
  }),
  'me.show': operation({
    summary: 'Show the signed-in user and their accounts',
    policy: forPerson,
    http: ['GET', '/api/me'],
    input: z.strictObject({}),
    output: z.strictObject({
      person: person.omit({ account: true, lastSeen: true }),
      /** Whether the session counts as a recent sign-in. */
      recent: z.boolean(),
      /** The personal account first. */
      accounts: z.array(
        z.strictObject({
          account: accountId,
          kind: z.enum(['personal', 'organization']),
          name: z.string(),
          role,
          /** The organization's ID; null for the personal account. */
          organization: z.string().nullable(),
          suspended: z.boolean(),
        }),
      ),
      /** Why the starting credit is pending; `tomorrow`: today's budget is exhausted; null: it is not. */
      waitsFor: z.enum(['verification', 'confirmation', 'tomorrow']).nullable(),
    }),
  }),
  'me.export': operation({
    summary: 'Export all data about the signed-in user as one JSON file',
    policy: forPersonRecently,
    http: ['GET', '/api/me/export'],
    produces: 'file',
    input: z.strictObject({}),
    output: file,
  }),
  'me.delete': operation({
    summary:
      'Delete the signed-in user and their organizations without other members, including sessions, keys and uploaded files; remaining balances are forfeited, and ledger entries are anonymized',
    policy: forPersonRecently,
    http: ['DELETE', '/api/me'],
    /** The email address, typed again. */
    input: z.strictObject({ email }),
    output: z.strictObject({ deleted: z.literal(true) }),
  }),
  'people.list': operation({
    summary: 'List users, newest first',
    policy: forOperators('yes', 'also local'),
    http: ['GET', '/api/admin/people'],
    input: z.strictObject({
      state: z.enum(['all', 'to_confirm', 'operators']).default('all'),
      search: z.string().trim().max(200).optional(),
      limit: listLimit.default(100),
    }),
    output: z.array(person),
  }),
  'people.confirm': operation({
    summary: 'Confirm a user whose email address cannot be verified; grants the starting credit',
    policy: forOperators('yes', 'also local'),
    http: ['POST', '/api/admin/people/{person}/confirm'],
    /** A user's ID or email address. */
    input: z.strictObject({ person: z.string().trim().min(1).max(254) }),
    output: person,
  }),
  'people.operator': operation({
    summary: 'Grant or revoke administrator rights; the last administrator cannot be removed',
    policy: forOperators('recent', 'also local'),
    http: ['PUT', '/api/admin/people/{person}/operator'],
    input: z.strictObject({ person: z.string().trim().min(1).max(254), operator: z.boolean() }),
    output: person,
  }),
  'people.reset-link': operation({
    summary: 'Create a password reset link, for installations without email',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/people/{person}/reset-link'],
    input: z.strictObject({ person: z.string().trim().min(1).max(254) }),
    output: z.strictObject({ link: z.url(), expires: time }),
  }),
  'people.invite': operation({
    summary: 'Invite a user to sign up; the link is also sent by email if email is configured',
    policy: forOperators('yes', 'also local'),
    http: ['POST', '/api/admin/invitations'],
    input: z.strictObject({ email }),
    output: z.strictObject({ link: z.url(), sent: z.boolean(), expires: time }),
  }),
  'people.invitations': operation({
    summary: 'List open invitations, newest first',
    policy: forOperators('yes', 'also local'),
    http: ['GET', '/api/admin/invitations'],
    input: z.strictObject({ limit: listLimit.default(100) }),
    output: z.array(z.strictObject({ email: z.string(), created: time, expires: time })),
  }),
  'people.withdraw-invitation': operation({
    summary: 'Withdraw an invitation; its link stops working',
    policy: forOperators('yes', 'also local'),
    http: ['DELETE', '/api/admin/invitations/{email}'],
    input: z.strictObject({ email: z.string().trim().min(1).max(254) }),
    /** False if there was no open invitation. */
    output: z.strictObject({ withdrawn: z.boolean() }),
  }),
} as const
