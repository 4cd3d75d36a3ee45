/** The operations on provider keys: an account's own credentials for providers. */
import { z } from 'zod'
import { forAccount, managers, operation } from '../operation.ts'
import { accountReference, time } from '../values.ts'

const ofAccount = { account: accountReference.optional() }
/** A provider that takes a plain API key, such as `openai`, `anthropic` or `groq`. */
const provider = z.string().min(1).max(100)
/** `first`: the administrators' upstreams are the fallback, at their prices. `only`: they are not used. */
const use = z.enum(['first', 'only'])

/** The provider's reply to the key. */
const keyTest = {
  state: z.enum(['accepted', 'rejected', 'untested', 'unreachable']),
  problem: z.string().nullable(),
  hostMessage: z.string().nullable(),
}

const providerKey = z.strictObject({
  provider: z.string(),
  name: z.string(),
  /** The only URL that the key is sent to. */
  url: z.string(),
  use,
  /** The last characters of the key, to recognize it; the rest is never shown. */
  credentialEnd: z.string(),
  /** `cooling`: called last after a failure. `rejected`: not called after the provider rejected it. `unreadable`: enter it again. */
  state: z.enum(['usable', 'cooling', 'rejected', 'unreadable']),
  /** The key's last failure since the server started, if no request has succeeded since. */
  lastError: z.string().nullable(),
  /** How many enabled models it serves. */
  models: z.int(),
  created: time,
  updated: time,
})

export const providerKeyOperations = {
  'provider-keys.list': operation({
    summary:
      "List an account's provider keys and the providers that it can add one for; keys are never shown",
    policy: forAccount({ scope: 'account:read', operator: 'yes', local: true }),
    http: ['GET', '/api/provider-keys'],
    input: z.strictObject(ofAccount),
    output: z.strictObject({
      /** Whether requests of this account may use provider keys. */
      allowed: z.boolean(),
      /** The charge, as a percentage of the cost at list price. */
      fee: z.string(),
      keys: z.array(providerKey),
      /** The providers that serve an enabled model, with how many. */
      providers: z.array(z.strictObject({ provider: z.string(), name: z.string(), models: z.int() })),
    }),
  }),
  'provider-keys.put': operation({
    summary: 'Store a provider key after a test at its provider, or change how a stored one is used',
    policy: forAccount({ roles: managers, recent: true, local: true }),
    http: ['PUT', '/api/provider-keys/{provider}'],
    input: z.strictObject({
      ...ofAccount,
      provider,
      /** Omitted: keeps the stored one. */
      credential: z.string().trim().min(8).max(4_096).optional(),
      use: use.default('first'),
    }),
    output: providerKey,
  }),
  'provider-keys.test': operation({
    summary: 'Test a stored provider key by a real call to its provider',
    policy: forAccount({ roles: managers, local: true }),
    http: ['POST', '/api/provider-keys/{provider}/test'],
    input: z.strictObject({ ...ofAccount, provider }),
    output: z.strictObject({ provider: z.string(), ...keyTest }),
  }),
  'provider-keys.remove': operation({
    summary: 'Remove a provider key',
    policy: forAccount({ roles: managers, local: true }),
    http: ['DELETE', '/api/provider-keys/{provider}'],
    input: z.strictObject({ ...ofAccount, provider }),
    output: z.strictObject({ provider: z.string(), removed: z.literal(true) }),
  }),
} as const
