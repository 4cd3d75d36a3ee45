/**
 * The control-plane API as data: every operation's name, who may call it, what it takes and what it
 * gives. Pure: server, command line, console and documentation read it. Amounts are decimal USD
 * strings, ids their text forms, times ISO 8601 in UTC.
 */
import { z } from 'zod'
import {
  account,
  accountId,
  accountReference,
  email,
  entryId,
  key,
  keyId,
  listLimit,
  model,
  modelName,
  name,
  newPrice,
  positive,
  rateLimits,
  receipt,
  requestId,
  time,
  usd,
  usdOut,
} from './values.ts'

/** Who calls. `local`: somebody with the operator's rights on the machine itself. */
export type ActorKind = 'local'

export interface Operation<Input extends z.ZodType, Output extends z.ZodType> {
  readonly summary: string
  readonly may: readonly ActorKind[]
  /** `reads` leaves no trace; `changes` leaves an audit record. */
  readonly effect: 'reads' | 'changes'
  readonly input: Input
  readonly output: Output
}

function operation<Input extends z.ZodType, Output extends z.ZodType>(
  row: Operation<Input, Output>,
): Operation<Input, Output> {
  return row
}

const forAccount = z.strictObject({ account: accountReference })
const forModel = z.strictObject({ model: modelName })

export const operations = {
  'account.create': operation({
    summary: 'Make a personal account with its starting credit and a first key',
    may: ['local'],
    effect: 'changes',
    input: z.strictObject({
      email,
      /** Replaces the usual starting credit; "0" for none. */
      credit: usd.optional(),
    }),
    output: z.strictObject({ account: accountId, balance: usdOut, key: z.string() }),
  }),
  'account.show': operation({
    summary: 'Show an account and its balance',
    may: ['local'],
    effect: 'reads',
    input: forAccount,
    output: account,
  }),
  'account.list': operation({
    summary: 'List accounts in the order in which they were made',
    may: ['local'],
    effect: 'reads',
    input: z.strictObject({ limit: listLimit.default(100), after: accountId.optional() }),
    output: z.array(account),
  }),
  'account.suspend': operation({
    summary: 'Stop an account from making requests; its balance stays',
    may: ['local'],
    effect: 'changes',
    input: forAccount,
    output: account,
  }),
  'account.resume': operation({
    summary: 'Let a suspended account make requests again',
    may: ['local'],
    effect: 'changes',
    input: forAccount,
    output: account,
  }),
  'account.unrestrict': operation({
    summary:
      'Give an account back the features it lost because its requests cost more than they had reserved',
    may: ['local'],
    effect: 'changes',
    input: forAccount,
    output: account,
  }),
  'key.create': operation({
    summary: 'Make an API key; the answer is the only time it is shown',
    may: ['local'],
    effect: 'changes',
    input: z.strictObject({
      account: accountReference,
      name,
      expires: time.optional(),
      /** The most that the key may spend in a window of UTC time. */
      budget: z.strictObject({ amount: usd, window: z.enum(['day', 'week', 'month', 'total']) }).optional(),
      /** Left out: every enabled model. */
      models: z.array(modelName).min(1).max(100).optional(),
      limits: rateLimits.partial().optional(),
      /** When the balance does not pay the whole output: lower its limit, or refuse. */
      onShortBalance: z.enum(['lower', 'reject']).default('lower'),
      /** Whether answers to this key tell the balance; left out: for personal accounts they do. */
      showBalance: z.boolean().optional(),
    }),
    output: z.strictObject({ id: keyId, key: z.string() }),
  }),
  'key.list': operation({
    summary: "List an account's keys, revoked ones too",
    may: ['local'],
    effect: 'reads',
    input: forAccount,
    output: z.array(key),
  }),
  'key.revoke': operation({
    summary: 'Revoke a key for good; its running streams end within seconds',
    may: ['local'],
    effect: 'changes',
    input: z.strictObject({ key: keyId }),
    output: z.strictObject({ id: keyId, revoked: z.literal(true), already: z.boolean() }),
  }),
  credit: operation({
    summary: 'Add credit to an account; the same reference again changes nothing and says so',
    may: ['local'],
    effect: 'changes',
    input: z.strictObject({
      account: accountReference,
      amount: usd.refine((text) => /[1-9]/.test(text), 'must be more than zero'),
      /** What tells this credit from every other one, e.g. an invoice number. */
      reference: z.string().trim().min(1).max(200),
      note: z.string().max(500).optional(),
    }),
    output: z.strictObject({
      entry: entryId,
      /** false: this reference was credited before. */
      created: z.boolean(),
      balance: usdOut,
    }),
  }),
  'models.list': operation({
    summary:
      'List the models that are sold with their prices, and those that are known and not sold with the reason',
    may: ['local'],
    effect: 'reads',
    input: z.strictObject({}),
    output: z.array(model),
  }),
  'models.add': operation({
    summary: 'Add a model, or replace what is known of it',
    may: ['local'],
    effect: 'changes',
    input: z.strictObject({
      model: modelName,
      /** Left out: by the family prefix of the name. */
      provider: z.string().min(1).max(100).optional(),
      /** What the provider calls it, where that differs. */
      upstreamModel: modelName.optional(),
      api: z.enum(['chat', 'messages', 'responses', 'embeddings', 'generateContent']).optional(),
      displayName: name.optional(),
      contextTokens: positive,
      outputTokensMax: positive,
      inputs: z.array(z.string().max(50)).max(10).optional(),
      outputs: z.array(z.string().max(50)).max(10).optional(),
      reasons: z.boolean().optional(),
      takesTools: z.boolean().optional(),
      price: newPrice.optional(),
    }),
    output: model,
  }),
  'models.price': operation({
    summary: "Set a model's price from a moment on",
    may: ['local'],
    effect: 'changes',
    input: z.strictObject({ model: modelName, price: newPrice }),
    output: model,
  }),
  'models.disable': operation({
    summary: 'Stop selling a model',
    may: ['local'],
    effect: 'changes',
    input: forModel,
    output: model,
  }),
  'models.enable': operation({
    summary: 'Sell a disabled model again',
    may: ['local'],
    effect: 'changes',
    input: forModel,
    output: model,
  }),
  'requests.list': operation({
    summary: "List the receipts of an account's requests, the latest first",
    may: ['local'],
    effect: 'reads',
    input: z.strictObject({
      account: accountReference,
      limit: listLimit.default(20),
      before: requestId.optional(),
    }),
    output: z.array(receipt),
  }),
  'ledger.verify': operation({
    summary: 'Compute every balance and hold anew and compare',
    may: ['local'],
    effect: 'reads',
    input: z.strictObject({}),
    output: z.strictObject({
      ok: z.boolean(),
      accounts: z.int(),
      entries: z.int(),
      openHolds: z.int(),
      /** A line for each contradiction. */
      drift: z.array(z.string()),
    }),
  }),
  'setup.link': operation({
    summary: 'Make a new setup link; earlier ones stop working',
    may: ['local'],
    effect: 'changes',
    input: z.strictObject({}),
    output: z.strictObject({ link: z.url() }),
  }),
} as const

export type OperationName = keyof typeof operations
/** What a caller may leave out has been filled in. */
export type OperationInput<Name extends OperationName> = z.output<(typeof operations)[Name]['input']>
export type OperationOutput<Name extends OperationName> = z.input<(typeof operations)[Name]['output']>

/** Whether a text from outside names an operation; inherited names of objects do not. */
export function isOperationName(text: string): text is OperationName {
  return Object.hasOwn(operations, text)
}

/** The body of every control-plane answer that is not the output. */
export interface ControlErrorBody {
  readonly error: {
    readonly code: string
    readonly message: string
    readonly param?: string
    readonly facts?: Readonly<Record<string, string | number | boolean | readonly string[]>>
    /** Names the log line that tells more. */
    readonly requestId?: string
  }
}
