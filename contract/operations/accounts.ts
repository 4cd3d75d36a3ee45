/** The operations on accounts and their keys. */
import { z } from 'zod'
import { builders, forAccount, forOperators, managers, operation, role, scope } from '../operation.ts'
import {
  account,
  accountId,
  accountReference,
  automaticCaching,
  email,
  entryId,
  key,
  keyId,
  listLimit,
  modelName,
  name,
  rateLimits,
  time,
  usd,
  usdOut,
} from '../values.ts'
import { refusal, refusalCount } from '../values-usage.ts'

/** Left out: the caller's own account. */
export const ofAccount = { account: accountReference.optional() }
const forNamed = z.strictObject({ account: accountReference })

const budget = z.strictObject({ amount: usd, window: z.enum(['day', 'week', 'month', 'total']) })
const keyModels = z.array(modelName).min(1).max(100)
/** What the holder of a key may do; left out or null: not limited beyond the account. */
const keyFields = {
  expires: time.nullable().optional(),
  /** The most that the key may spend in a window of UTC time. */
  budget: budget.nullable().optional(),
  /** Left out or null: every enabled model. */
  models: keyModels.nullable().optional(),
  limits: rateLimits.partial().optional(),
  /** Whether answers to this key tell the balance; left out: for personal accounts they do. */
  showBalance: z.boolean().optional(),
  /** Whether answers in the provider's own format get `usage.cost` too; left out: they do not. */
  showCost: z.boolean().optional(),
  /** Whether translated prompts that mark nothing are marked for a cache whose writes cost more; left out: once a conversation goes on. */
  automaticCaching: automaticCaching.optional(),
}

const managementKeyId = z.string().regex(/^mkey_[0-9a-hjkmnp-tv-z]{13}$/, 'must be an id mkey_…')
export const managementKey = z.strictObject({
  id: managementKeyId,
  account: accountId,
  name: z.string(),
  label: z.string(),
  scopes: z.array(scope),
  created: time,
  expires: time.nullable(),
  lastUsed: time.nullable(),
  revoked: time.nullable(),
})

export const accountOperations = {
  'account.create': operation({
    summary: 'Make a personal account with its starting credit and a first key',
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
    http: ['POST', '/api/admin/accounts'],
    input: z.strictObject({
      email,
      /** Replaces the usual starting credit; "0" for none. */
      credit: usd.optional(),
    }),
    output: z.strictObject({ account: accountId, balance: usdOut, key: z.string() }),
  }),
  'account.show': operation({
    summary: 'Show an account and its balance',
    policy: forAccount({ scope: 'account:read', operator: 'yes', local: true }),
    effect: 'reads',
    http: ['GET', '/api/account'],
    input: z.strictObject(ofAccount),
    output: account,
  }),
  'account.list': operation({
    summary: 'List accounts in the order in which they were made',
    policy: forOperators('yes', 'also local'),
    effect: 'reads',
    http: ['GET', '/api/admin/accounts'],
    input: z.strictObject({
      limit: listLimit.default(100),
      after: accountId.optional(),
      /** A part of the e-mail address, the name or the id. */
      search: z.string().trim().max(200).optional(),
    }),
    output: z.array(account),
  }),
  'account.suspend': operation({
    summary: 'Stop an account from making requests; its balance stays',
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
    http: ['POST', '/api/admin/accounts/{account}/suspend'],
    input: z.strictObject({ account: accountReference, reason: z.string().trim().max(500).optional() }),
    output: account,
  }),
  'account.resume': operation({
    summary: 'Let a suspended account make requests again',
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
    http: ['POST', '/api/admin/accounts/{account}/resume'],
    input: forNamed,
    output: account,
  }),
  'account.unrestrict': operation({
    summary:
      'Give an account back the features it lost because its requests cost more than they had reserved',
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
    http: ['POST', '/api/admin/accounts/{account}/unrestrict'],
    input: forNamed,
    output: account,
  }),
  credit: operation({
    summary: 'Add credit to an account; the same reference again changes nothing and says so',
    policy: forOperators('recent', 'also local'),
    effect: 'changes',
    http: ['POST', '/api/admin/accounts/{account}/credits'],
    input: z.strictObject({
      account: accountReference,
      amount: usd.refine((text) => /[1-9]/.test(text), 'must be more than zero'),
      /** What tells this credit from every other one, e.g. an invoice number. */
      reference: z.string().trim().min(1).max(200),
      /** Why it is given. */
      note: z.string().max(500).optional(),
    }),
    output: z.strictObject({
      entry: entryId,
      /** false: this reference was credited before. */
      created: z.boolean(),
      balance: usdOut,
    }),
  }),
  'key.create': operation({
    summary: 'Make an API key; the answer is the only time it is shown',
    policy: forAccount({ roles: builders, scope: 'keys:write', operator: 'no', local: true }),
    effect: 'changes',
    http: ['POST', '/api/keys'],
    input: z.strictObject({
      ...ofAccount,
      name,
      ...keyFields,
      /** When the balance does not pay the whole output: lower its limit, or refuse. */
      onShortBalance: z.enum(['lower', 'reject']).default('lower'),
    }),
    output: z.strictObject({ id: keyId, key: z.string() }),
  }),
  'key.list': operation({
    summary: "List an account's keys, revoked ones too",
    policy: forAccount({ scope: 'keys:read', operator: 'yes', local: true }),
    effect: 'reads',
    http: ['GET', '/api/keys'],
    input: z.strictObject(ofAccount),
    output: z.array(key),
  }),
  'key.update': operation({
    summary: 'Change what a key may do; what is left out stays as it is',
    policy: forAccount({ subject: 'key', roles: builders, scope: 'keys:write', local: true }),
    effect: 'changes',
    http: ['PATCH', '/api/keys/{key}'],
    input: z.strictObject({
      key: keyId,
      name: name.optional(),
      ...keyFields,
      onShortBalance: z.enum(['lower', 'reject']).optional(),
      disabled: z.boolean().optional(),
    }),
    output: key,
  }),
  'key.rotate': operation({
    summary: 'Make a new key in the place of another one, which works a while longer',
    policy: forAccount({ subject: 'key', roles: builders, scope: 'keys:write', local: true }),
    effect: 'changes',
    http: ['POST', '/api/keys/{key}/rotate'],
    input: z.strictObject({
      key: keyId,
      /** How long the old key still works, in hours; 0: not at all. */
      overlapHours: z.int().min(0).max(720).default(24),
    }),
    /** `expires`: when the old key ends. */
    output: z.strictObject({ id: keyId, key: z.string(), replaces: keyId, expires: time }),
  }),
  'key.revoke': operation({
    summary: 'Revoke a key for good; its running streams end within seconds',
    policy: forAccount({ subject: 'key', roles: builders, scope: 'keys:write', local: true }),
    effect: 'changes',
    http: ['DELETE', '/api/keys/{key}'],
    input: z.strictObject({ key: keyId }),
    output: z.strictObject({ id: keyId, revoked: z.literal(true), already: z.boolean() }),
  }),
  'key.refusals': operation({
    summary: "Why a key's requests were refused: how often by code in the last 30 days, and the last hundred",
    policy: forAccount({ subject: 'key', scope: 'usage:read', operator: 'yes' }),
    effect: 'reads',
    http: ['GET', '/api/keys/{key}/refusals'],
    input: z.strictObject({ key: keyId }),
    output: z.strictObject({ counts: z.array(refusalCount), latest: z.array(refusal) }),
  }),
  'management-key.create': operation({
    summary: 'Make a key for this API; the answer is the only time it is shown',
    policy: forAccount({ roles: managers, recent: true }),
    effect: 'changes',
    http: ['POST', '/api/management-keys'],
    input: z.strictObject({
      ...ofAccount,
      name,
      scopes: z.array(scope).min(1).max(10),
      expires: time.nullable().optional(),
    }),
    output: z.strictObject({ id: managementKeyId, key: z.string() }),
  }),
  'management-key.list': operation({
    summary: "List an account's keys for this API",
    policy: forAccount({ roles: managers, operator: 'yes' }),
    effect: 'reads',
    http: ['GET', '/api/management-keys'],
    input: z.strictObject(ofAccount),
    output: z.array(managementKey),
  }),
  'management-key.revoke': operation({
    summary: 'Revoke a key for this API',
    policy: forAccount({ subject: 'management_key', roles: managers }),
    effect: 'changes',
    http: ['DELETE', '/api/management-keys/{managementKey}'],
    input: z.strictObject({ managementKey: managementKeyId }),
    output: z.strictObject({ id: managementKeyId, revoked: z.literal(true) }),
  }),
  'member.list': operation({
    summary: 'List who acts for an account, and as what',
    policy: forAccount({ scope: 'account:read', operator: 'yes' }),
    effect: 'reads',
    http: ['GET', '/api/members'],
    input: z.strictObject(ofAccount),
    output: z.array(
      z.strictObject({ person: z.string(), name: z.string(), email: z.string(), role, since: time }),
    ),
  }),
} as const
