/** The operations on people: who somebody is, who may come in, who runs the installation. */
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

const password = z.string().min(10, 'must have at least 10 characters').max(200)

/** What the console must know of an installation before anybody is signed in. */
export const installation = z.strictObject({
  name: z.string(),
  version: z.string(),
  /** Origin under which clients reach it. */
  address: z.url(),
  signup: z.enum(['open', 'invite', 'closed']),
  /** No administrator yet: the setup link makes the first one. */
  needsSetup: z.boolean(),
  /** Whether it can send mail; without, an administrator confirms people. */
  mail: z.boolean(),
  /** Providers of sign-in beside passwords: id and display name. */
  signInWith: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  /** null: passkeys work; else why they cannot, in words. */
  passkeysOff: z.string().nullable(),
  sandbox: z.boolean(),
  /** USD that a new account gets. */
  signupCredit: z.string(),
})

export const person = z.strictObject({
  id: z.string(),
  name: z.string(),
  email: z.string(),
  verified: z.boolean(),
  /** Verified by mail, or confirmed by an administrator. */
  confirmed: z.boolean(),
  operator: z.boolean(),
  twoFactor: z.boolean(),
  created: time,
  lastSeen: time.nullable(),
  account: accountId.nullable(),
})

export const peopleOperations = {
  'installation.show': operation({
    summary: 'What this installation is, and how people come in',
    policy: forAnyone,
    effect: 'reads',
    http: ['GET', '/api/installation'],
    input: z.strictObject({}),
    output: installation,
  }),
  'setup.link': operation({
    summary: 'Make a new setup link; earlier ones stop working',
    policy: forLocal,
    effect: 'changes',
    http: null,
    input: z.strictObject({}),
    output: z.strictObject({ link: z.url() }),
  }),
  'setup.claim': operation({
    summary:
      'Become the first administrator with the token of the setup link, and take over the local account',
    policy: forAnyone,
    effect: 'changes',
    http: ['POST', '/api/setup'],
    input: z.strictObject({ token: z.string().min(1).max(200), name, email, password }),
    /** Sign in with the same e-mail address and password afterwards. */
    output: z.strictObject({ email: z.string() }),
  }),
  'me.show': operation({
    summary: 'Who is signed in, and for which accounts they act',
    policy: forPerson,
    effect: 'reads',
    http: ['GET', '/api/me'],
    input: z.strictObject({}),
    output: z.strictObject({
      person: person.omit({ account: true, lastSeen: true }),
      /** Whether this session's login is recent enough for what asks for that. */
      recent: z.boolean(),
      /** The personal account first. */
      accounts: z.array(
        z.strictObject({
          account: accountId,
          kind: z.enum(['personal', 'organization']),
          name: z.string(),
          role,
          /** Of the organization; null for the personal account. */
          organization: z.string().nullable(),
          suspended: z.boolean(),
        }),
      ),
      /** What stands between this person and the starting credit; `tomorrow`: today's are given away; null: nothing. */
      waitsFor: z.enum(['verification', 'confirmation', 'tomorrow']).nullable(),
    }),
  }),
  'me.export': operation({
    summary: 'All that is kept of this person, as one JSON file',
    policy: forPersonRecently,
    effect: 'reads',
    http: ['GET', '/api/me/export'],
    produces: 'file',
    input: z.strictObject({}),
    output: file,
  }),
  'me.delete': operation({
    summary:
      'Delete this person and the organizations without other members: sessions, keys, names and uploaded files go, what is left of the balances is lost; the ledger stays without them',
    policy: forPersonRecently,
    effect: 'changes',
    http: ['DELETE', '/api/me'],
    /** The e-mail address, typed again. */
    input: z.strictObject({ email }),
    output: z.strictObject({ deleted: z.literal(true) }),
  }),
  'people.list': operation({
    summary: 'List people, the latest first',
    policy: forOperators('yes', 'also local'),
    effect: 'reads',
    http: ['GET', '/api/admin/people'],
    input: z.strictObject({
      state: z.enum(['all', 'to_confirm', 'operators']).default('all'),
      search: z.string().trim().max(200).optional(),
      limit: listLimit.default(100),
    }),
    output: z.array(person),
  }),
  'people.confirm': operation({
    summary: 'Confirm a person whose address cannot be verified by mail; the starting credit follows',
    policy: forOperators('yes', 'also local'),
    effect: 'changes',
    http: ['POST', '/api/admin/people/{person}/confirm'],
    /** A person's id or e-mail address. */
    input: z.strictObject({ person: z.string().trim().min(1).max(254) }),
    output: person,
  }),
  'people.operator': operation({
    summary: "Give a person the administrator's rights, or take them away; the last administrator keeps them",
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
    http: ['PUT', '/api/admin/people/{person}/operator'],
    input: z.strictObject({ person: z.string().trim().min(1).max(254), operator: z.boolean() }),
    output: person,
  }),
  'people.reset-link': operation({
    summary: 'Make a link with which a person can set a new password, where no mail can be sent',
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
    http: ['POST', '/api/admin/people/{person}/reset-link'],
    input: z.strictObject({ person: z.string().trim().min(1).max(254) }),
    output: z.strictObject({ link: z.url(), expires: time }),
  }),
  'people.invite': operation({
    summary: 'Let somebody sign up where sign-up is by invitation; sends the link where mail can be sent',
    policy: forOperators('yes', 'also local'),
    effect: 'changes',
    http: ['POST', '/api/admin/invitations'],
    input: z.strictObject({ email }),
    output: z.strictObject({ link: z.url(), sent: z.boolean(), expires: time }),
  }),
} as const
