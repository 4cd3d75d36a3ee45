/** The operations of those who run an installation: models, upstreams, losses, audit, state. */

import { z } from 'zod'
import { formatNames } from '../formats.ts'
import { forAccount, forOperators, operation } from '../operation.ts'
import {
  accountId,
  listLimit,
  model,
  modelName,
  name,
  newPrice,
  positive,
  price,
  time,
  usdOut,
} from '../values.ts'

const reads = forOperators('yes', 'also local')
const changes = forOperators('recent', 'also local')
const forModel = z.strictObject({ model: modelName })
const upstreamName = z.string().regex(/^[\w.-]{1,100}$/, 'must be a name of letters, digits, dots and dashes')
const namedUpstreams = z.array(upstreamName).min(1).max(100)
const markup = z.string().regex(/^\d{1,4}(\.\d{1,6})?%$/, 'must be a percentage such as "5%"')

/** A model of an upstream: its public name, and what it is called there where that differs. */
const listedModel = z.strictObject({ model: modelName, upstreamModel: modelName.optional() })
/** `all`: the provider's own models. */
const servedModels = z.union([z.literal('all'), z.array(listedModel).min(1).max(5_000)])

/** What is said of an upstream. */
const upstreamForm = {
  upstream: upstreamName,
  provider: z.string().min(1).max(100),
  /** With a path where the host has one, such as https://api.groq.com/openai/v1. Left out: the provider's own address. */
  url: z.url().max(2_000).optional(),
  /** Left out: the one that is kept, while provider and address stay. */
  credential: z.string().trim().min(8).max(4_096).optional(),
  weight: z.int().min(1).max(1_000).default(1),
  disabled: z.boolean().default(false),
  /** What it serves. Needed at an address that is not the provider's own; left out elsewhere: `all`. */
  models: servedModels.optional(),
}

export const upstream = z.strictObject({
  name: z.string(),
  provider: z.string(),
  /** null: the provider's own address. */
  url: z.string().nullable(),
  weight: z.int(),
  /** null: none were chosen, so it serves only models that name it. */
  models: z
    .union([
      z.literal('all'),
      z.array(z.strictObject({ model: z.string(), upstreamModel: z.string().optional() })),
    ])
    .nullable(),
  /** The models that are sold and may be asked there. No other model ever is. */
  serves: z.array(z.string()),
  /** `configuration` is set in tollgate.yaml or the environment and changed there. */
  from: z.enum(['configuration', 'console']),
  disabled: z.boolean(),
  /** The last characters of the credential, to recognise it; the rest is never shown. */
  credentialEnd: z.string(),
  health: z.strictObject({
    state: z.enum(['healthy', 'cooling', 'ejected', 'unused']),
    until: time.nullable(),
    failures: z.int(),
    requests: z.int(),
    lastError: z.string().nullable(),
  }),
})

export const installationOperations = {
  'models.list': operation({
    summary:
      'List the models that are sold with their prices, and those that are known and not sold with the reason',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/admin/models'],
    input: z.strictObject({}),
    output: z.array(model),
  }),
  'models.add': operation({
    summary: 'Add a model, or replace what is known of it',
    policy: changes,
    effect: 'changes',
    http: ['POST', '/api/admin/models'],
    input: z.strictObject({
      model: modelName,
      /** Left out: by the family prefix of the name. */
      provider: z.string().min(1).max(100).optional(),
      /** What the provider calls it, where that differs. */
      upstreamModel: modelName.optional(),
      /** The only upstreams that serve it. Left out: those that were named before, else those that list it or serve all of its provider. */
      upstreams: namedUpstreams.optional(),
      /** The formats that its upstreams have for it. Left out: every conversation format of its provider. */
      dialects: z.array(z.enum(formatNames)).min(1).max(5).optional(),
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
    summary: "Set a model's price from a moment on; the markup is added to it",
    policy: changes,
    effect: 'changes',
    http: ['POST', '/api/admin/models/{model}/prices'],
    input: z.strictObject({ model: modelName, price: newPrice }),
    output: model,
  }),
  'models.upstreams': operation({
    summary:
      'Name the only upstreams that serve a model; null: those that list it, and those that serve all of its provider',
    policy: changes,
    effect: 'changes',
    http: ['PUT', '/api/admin/models/{model}/upstreams'],
    input: z.strictObject({ model: modelName, upstreams: namedUpstreams.nullable() }),
    output: model,
  }),
  'models.disable': operation({
    summary: 'Stop selling a model',
    policy: changes,
    effect: 'changes',
    http: ['POST', '/api/admin/models/{model}/disable'],
    input: forModel,
    output: model,
  }),
  'models.enable': operation({
    summary: 'Sell a disabled model again',
    policy: changes,
    effect: 'changes',
    http: ['POST', '/api/admin/models/{model}/enable'],
    input: forModel,
    output: model,
  }),
  'models.prices': operation({
    summary: 'All prices of a model: those that were, the present one, those that are to come',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/admin/models/{model}/prices'],
    input: forModel,
    output: z.array(price),
  }),
  'markup.show': operation({
    summary: 'What is added to the prices of models without a markup of their own; null: nothing',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/admin/markup'],
    input: z.strictObject({}),
    output: z.strictObject({ markup: markup.nullable(), from: z.enum(['configuration', 'console']) }),
  }),
  'markup.set': operation({
    summary: 'Set what is added to prices, from now on',
    policy: changes,
    effect: 'changes',
    http: ['PUT', '/api/admin/markup'],
    input: z.strictObject({ markup: markup.nullable() }),
    output: z.strictObject({ markup: markup.nullable(), from: z.enum(['configuration', 'console']) }),
  }),
  'upstreams.list': operation({
    summary: 'List the upstreams with their health; credentials are never shown',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/admin/upstreams'],
    input: z.strictObject({}),
    output: z.array(upstream),
  }),
  'upstreams.put': operation({
    summary:
      'Add an upstream, or replace one that was added in the console; another address needs its credential again',
    policy: forOperators('recent', 'console only'),
    effect: 'changes',
    http: ['PUT', '/api/admin/upstreams/{upstream}'],
    input: z.strictObject(upstreamForm),
    output: upstream,
  }),
  'upstreams.check': operation({
    summary:
      'What an upstream would serve if it were added like this; asks the host for its models where wanted',
    policy: forOperators('recent', 'console only'),
    effect: 'changes',
    http: ['POST', '/api/admin/upstreams/{upstream}/check'],
    input: z.strictObject({
      ...upstreamForm,
      /** Asks the host, with the credential, for the names of its models. */
      askHost: z.boolean().default(false),
    }),
    output: z.strictObject({
      /** Where its requests would go. */
      requestUrl: z.string(),
      /** `isNew`: not sold at present. */
      sells: z.array(z.strictObject({ model: z.string(), upstreamModel: z.string(), isNew: z.boolean() })),
      /** Models of the list that would not be sold there. */
      notSold: z.array(z.strictObject({ model: z.string(), reason: z.string() })),
      /** Models that are sold now and would not be any more. */
      stops: z.array(z.string()),
      /** null: the host was not asked. `problem`: why it named none. */
      host: z.strictObject({ models: z.array(z.string()), problem: z.string().nullable() }).nullable(),
    }),
  }),
  'upstreams.remove': operation({
    summary: 'Remove an upstream that was added in the console, with its credential',
    policy: forOperators('recent', 'console only'),
    effect: 'changes',
    http: ['DELETE', '/api/admin/upstreams/{upstream}'],
    input: z.strictObject({ upstream: upstreamName }),
    output: z.strictObject({ upstream: z.string(), removed: z.literal(true) }),
  }),
  'losses.list': operation({
    summary: 'What was written off, by account, the largest first',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/admin/losses'],
    input: z.strictObject({ from: time.optional(), to: time.optional(), limit: listLimit.default(50) }),
    output: z.strictObject({
      total: usdOut,
      accounts: z.array(
        z.strictObject({
          account: accountId,
          email: z.string().nullable(),
          writtenOff: usdOut,
          requests: z.int(),
          restricted: time.nullable(),
        }),
      ),
    }),
  }),
  'audit.list': operation({
    summary: 'Who changed what, the latest first',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/admin/audit'],
    input: z.strictObject({
      limit: listLimit.default(50),
      before: z.string().max(40).optional(),
      account: accountId.optional(),
      operation: z.string().max(100).optional(),
      /** An e-mail address, a management key's label, or `local`. */
      actor: z.string().trim().max(254).optional(),
    }),
    output: z.array(
      z.strictObject({
        id: z.string(),
        at: time,
        /** `local`, a person's e-mail address, or a management key's label. */
        actor: z.string(),
        operation: z.string(),
        account: accountId.nullable(),
        /** What was asked, without secrets. */
        input: z.unknown(),
        /** `started`: it never ended, so the process died; `done`, or a code of the error table. */
        outcome: z.string(),
        address: z.string().nullable(),
      }),
    ),
  }),
  'audit.own': operation({
    summary: 'Who changed what in an account, the latest first',
    policy: forAccount({ roles: ['owner', 'admin'] }),
    effect: 'reads',
    http: ['GET', '/api/audit'],
    input: z.strictObject({
      account: accountId.optional(),
      limit: listLimit.default(50),
      before: z.string().max(40).optional(),
    }),
    output: z.array(
      z.strictObject({
        id: z.string(),
        at: time,
        actor: z.string(),
        operation: z.string(),
        outcome: z.string(),
      }),
    ),
  }),
  'system.show': operation({
    summary: 'The state of the installation',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/admin/system'],
    input: z.strictObject({}),
    output: z.strictObject({
      version: z.string(),
      node: z.string(),
      startedAt: time,
      address: z.string(),
      database: z.strictObject({ kind: z.literal('sqlite'), bytes: z.int().nullable() }),
      running: z.int(),
      draining: z.boolean(),
      memoryBytes: z.int(),
      eventLoopDelayMs: z.number(),
      mail: z.boolean(),
      payments: z.enum(['stripe', 'none']),
      signup: z.enum(['open', 'invite', 'closed']),
      /** Balances of the platform accounts: revenue, promo, clearing, write-offs, refunds. */
      platform: z.record(z.string(), usdOut),
      accounts: z.int(),
      ledger: z.strictObject({
        /** When the check that goes on beside the requests has been through everything; null: not since the start. */
        checked: time.nullable(),
        /** What it found. */
        contradictions: z.int(),
        /** When every balance was last computed anew, by `ledger verify`. */
        verified: time.nullable(),
      }),
      /** Sentences on what an operator should look at. */
      warnings: z.array(z.string()),
    }),
  }),
  'ledger.verify': operation({
    summary: 'Compute every balance and hold anew and compare',
    policy: reads,
    effect: 'reads',
    http: ['GET', '/api/admin/ledger/verify'],
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
} as const
