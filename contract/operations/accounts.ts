/** The operations on accounts and their keys. */
import { z } from 'zod'
import { builders, forAccount, forOperators, managers, operation, role, scope } from '../operation.ts'
import {
  account,
  accountId,
  accountReference,
  automaticCaching,
  budgetWindow,
  email,
  entryId,
  key,
  keyId,
  listLimit,
  modelName,
  name,
  onShortBalance,
  rateLimits,
  requiredTags,
  time,
  usd,
  usdOut,
} from '../values.ts'
import { rejection, rejectionCount } from '../values-usage.ts'

/** Defaults to the caller's own account. */
export const ofAccount = { account: accountReference.optional() }
const forNamed = z.strictObject({ account: accountReference })

const budget = z.strictObject({ amount: usd, window: budgetWindow })
const keyModels = z.array(modelName).min(1).max(100)
/** Same limit as for a request. */
const keyFallbacks = z.array(modelName).min(1).max(8)
/** The limits of a key; omitted or null: those of the account. */
const keyFields = {
  expires: time.nullable().optional(),
  /** The most that the key may spend per UTC window. */
  budget: budget.nullable().optional(),
  /** Omitted or null: all enabled models. */
  models: keyModels.nullable().optional(),
  /** Omitted or null: none. Requests go only to upstreams that have all of these tags. */
  requiredTags: requiredTags.nullable().optional(),
  /** Fallback models, in order; omitted or null: the model's fallbacks. */
  fallbacks: keyFallbacks.nullable().optional(),
  limits: rateLimits.partial().optional(),
  /** If the balance or the key's budget cannot cover the full output limit: lower the limit, or reject the request. */
  onShortBalance: onShortBalance.optional(),
  /** Whether responses include the balance; by default for personal accounts. */
  showBalance: z.boolean().optional(),
  /** Whether responses in the provider's own format also include `usage.cost`; by default not. */
  showCost: z.boolean().optional(),
  /** Whether translated prompts without cache markers get markers for caches whose writes cost extra; by default for ongoing conversations. */
  automaticCaching: automaticCaching.optional(),
}

const managementKeyId = z
  .string()
  .regex(/^mkey_[0-9a-hjkmnp-tv-z]{13}$/, 'must be a management key ID (mkey_…)')
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
    summary: 'Create a personal account with starting credit and a first API key',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/accounts'],
    input: z.strictObject({
      email,
      /** Overrides the default starting credit; "0" for none. */
      credit: usd.optional(),
    }),
    output: z.strictObject({ account: accountId, balance: usdOut, key: z.string() }),
  }),
  'account.show': operation({
    summary: 'Show an account and its balance',
    policy: forAccount({ scope: 'account:read', operator: 'yes', local: true }),
    http: ['GET', '/api/account'],
    input: z.strictObject(ofAccount),
    output: account,
  }),
  'account.list': operation({
    summary: 'List accounts, oldest first',
    policy: forOperators('yes', 'also local'),
    http: ['GET', '/api/admin/accounts'],
    input: z.strictObject({
      limit: listLimit.default(100),
      after: accountId.optional(),
      /** A part of the email address, name or ID. */
      search: z.string().trim().max(200).optional(),
    }),
    output: z.array(account),
  }),
  'account.suspend': operation({
    summary: 'Suspend an account; it keeps its balance',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/accounts/{account}/suspend'],
    input: z.strictObject({ account: accountReference, reason: z.string().trim().max(500).optional() }),
    output: account,
  }),
  'account.resume': operation({
    summary: 'Resume a suspended account',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/accounts/{account}/resume'],
    input: forNamed,
    output: account,
  }),
  'account.unrestrict': operation({
    summary:
      'Lift the restriction of an account; accounts are restricted when requests cost more than they had reserved',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/accounts/{account}/unrestrict'],
    input: forNamed,
    output: account,
  }),
  credit: operation({
    summary: 'Add credit to an account; idempotent by reference',
    policy: forOperators('recent', 'also local'),
    http: ['POST', '/api/admin/accounts/{account}/credits'],
    input: z.strictObject({
      account: accountReference,
      amount: usd.refine((text) => /[1-9]/.test(text), 'must be more than zero'),
      /** Identifies this credit, such as an invoice number. */
      reference: z.string().trim().min(1).max(200),
      note: z.string().max(500).optional(),
    }),
    output: z.strictObject({
      entry: entryId,
      /** false: the reference has already been credited. */
      created: z.boolean(),
      balance: usdOut,
    }),
  }),
  'key.create': operation({
    summary: 'Create an API key; the secret is shown only once',
    policy: forAccount({ roles: builders, scope: 'keys:write', operator: 'no', local: true }),
    http: ['POST', '/api/keys'],
    input: z.strictObject({
      ...ofAccount,
      name,
      ...keyFields,
      onShortBalance: onShortBalance.default('lower'),
    }),
    output: z.strictObject({ id: keyId, key: z.string() }),
  }),
  'key.list': operation({
    summary: "List an account's API keys, including revoked ones",
    policy: forAccount({ scope: 'keys:read', operator: 'yes', local: true }),
    http: ['GET', '/api/keys'],
    input: z.strictObject(ofAccount),
    output: z.array(key),
  }),
  'key.update': operation({
    summary: "Update an API key's name, limits and permissions; omitted fields keep their values",
    policy: forAccount({ subject: 'key', roles: builders, scope: 'keys:write', local: true }),
    http: ['PATCH', '/api/keys/{key}'],
    input: z.strictObject({
      key: keyId,
      name: name.optional(),
      ...keyFields,
      disabled: z.boolean().optional(),
    }),
    output: key,
  }),
  'key.rotate': operation({
    summary: 'Rotate an API key; the old key keeps working for the overlap period',
    policy: forAccount({ subject: 'key', roles: builders, scope: 'keys:write', local: true }),
    http: ['POST', '/api/keys/{key}/rotate'],
    input: z.strictObject({
      key: keyId,
      /** How long the old key keeps working, in hours; 0: it stops immediately. */
      overlapHours: z.int().min(0).max(720).default(24),
    }),
    /** `expires`: when the old key stops working. */
    output: z.strictObject({ id: keyId, key: z.string(), replaces: keyId, expires: time }),
  }),
  'key.revoke': operation({
    summary: 'Revoke an API key permanently; its running requests end within seconds',
    policy: forAccount({ subject: 'key', roles: builders, scope: 'keys:write', local: true }),
    http: ['DELETE', '/api/keys/{key}'],
    input: z.strictObject({ key: keyId }),
    output: z.strictObject({ id: keyId, revoked: z.literal(true), already: z.boolean() }),
  }),
  'key.rejections': operation({
    summary:
      "Show why a key's requests were rejected: counts by error code for the last 30 days, and the latest 100",
    policy: forAccount({ subject: 'key', scope: 'usage:read', operator: 'yes' }),
    http: ['GET', '/api/keys/{key}/rejections'],
    input: z.strictObject({ key: keyId }),
    output: z.strictObject({ counts: z.array(rejectionCount), latest: z.array(rejection) }),
  }),
  'management-key.create': operation({
    summary: 'Create a management key for this API; the secret is shown only once',
    policy: forAccount({ roles: managers, recent: true }),
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
    summary: "List an account's management keys",
    policy: forAccount({ roles: managers, operator: 'yes' }),
    http: ['GET', '/api/management-keys'],
    input: z.strictObject(ofAccount),
    output: z.array(managementKey),
  }),
  'management-key.revoke': operation({
    summary: 'Revoke a management key',
    policy: forAccount({ subject: 'management_key', roles: managers }),
    http: ['DELETE', '/api/management-keys/{managementKey}'],
    input: z.strictObject({ managementKey: managementKeyId }),
    output: z.strictObject({ id: managementKeyId, revoked: z.literal(true) }),
  }),
  'member.list': operation({
    summary: "List an account's members and their roles",
    policy: forAccount({ scope: 'account:read', operator: 'yes' }),
    http: ['GET', '/api/members'],
    input: z.strictObject(ofAccount),
    output: z.array(
      z.strictObject({ person: z.string(), name: z.string(), email: z.string(), role, since: time }),
    ),
  }),
} as const
