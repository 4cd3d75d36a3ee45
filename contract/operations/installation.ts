/** The operations of an installation's operators: models, write-offs, audit log, system state. */

import { z } from 'zod'
import { formatNames } from '../formats.ts'
import { file, forAccount, forLocal, forOperators, operation } from '../operation.ts'
import { routingStrategies } from '../routing-strategies.ts'
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
export const upstreamName = z
  .string()
  .regex(/^[\w.-]{1,100}$/, 'must contain only letters, digits, dots, dashes and underscores')
const auditFilter = {
  account: accountId.optional(),
  operation: z.string().max(100).optional(),
  /** An email address, a management key's label, or `local`. */
  actor: z.string().trim().max(254).optional(),
}
const namedUpstreams = z.array(upstreamName).min(1).max(100)
const unknownMember = z.strictObject({
  format: z.enum(formatNames),
  /** The member as listed: `text.style`, `anthropic-beta: name-2026-01-01`. */
  member: z.string().trim().min(1).max(200),
})
export const markup = z.string().regex(/^\d{1,4}(\.\d{1,6})?%$/, 'must be a percentage such as "5%"')

export const installationOperations = {
  'configuration.reload': operation({
    summary: 'Reload the configuration of the running server: upstreams, models, limits and secrets in files',
    policy: forLocal,
    // Reads only: without a server there is nothing to reload, and no installation is created.
    effect: 'reads',
    http: null,
    input: z.strictObject({}),
    output: z.strictObject({
      /** `false`: nothing changed, because of the mistakes. */
      reloaded: z.boolean(),
      /** By path. */
      mistakes: z.array(z.string()),
      /** The settings that changed, by path or variable. */
      changed: z.array(z.string()),
      /** The settings that differ and take effect with the next start. */
      restart: z.array(z.string()),
    }),
  }),
  'models.list': operation({
    summary: 'List models with their prices; models that are not enabled are listed with the reason',
    policy: reads,
    http: ['GET', '/api/admin/models'],
    input: z.strictObject({
      /** Includes test models that simulate failures. */
      all: z.boolean().optional(),
    }),
    output: z.array(model),
  }),
  'models.add': operation({
    summary: 'Add a model or override a built-in one',
    policy: changes,
    http: ['POST', '/api/admin/models'],
    input: z.strictObject({
      model: modelName,
      /** Defaults to the provider of the name's prefix. */
      provider: z.string().min(1).max(100).optional(),
      /** The provider's name for it, where it differs. */
      upstreamModel: modelName.optional(),
      /** The only upstreams that serve it. Omitted: unchanged, or those that list it or serve all its provider's models. */
      upstreams: namedUpstreams.optional(),
      /** The API formats that its upstreams support for it. Defaults to every conversation format of its provider. */
      formats: z.array(z.enum(formatNames)).min(1).max(5).optional(),
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
    summary: "Set a model's list price from a point in time; the markup is added to it",
    policy: changes,
    http: ['POST', '/api/admin/models/{model}/prices'],
    input: z.strictObject({ model: modelName, price: newPrice }),
    output: model,
  }),
  'models.routing': operation({
    summary: 'Set how the offers of a model share its requests, and its fallbacks',
    policy: changes,
    http: ['PUT', '/api/admin/models/{model}/routing'],
    input: z.strictObject({
      model: modelName,
      /** Omitted: unchanged; null: as configured. */
      strategy: z.enum(routingStrategies).nullable().optional(),
      /** Fallback models, in order. Omitted: unchanged; null: as configured. */
      fallbacks: z.array(modelName).max(8).nullable().optional(),
    }),
    output: model,
  }),
  'models.disable': operation({
    summary: 'Disable a model',
    policy: changes,
    http: ['POST', '/api/admin/models/{model}/disable'],
    input: forModel,
    output: model,
  }),
  'models.enable': operation({
    summary: 'Enable a disabled model',
    policy: changes,
    http: ['POST', '/api/admin/models/{model}/enable'],
    input: forModel,
    output: model,
  }),
  'models.prices': operation({
    summary: "List a model's past, current and future prices",
    policy: reads,
    http: ['GET', '/api/admin/models/{model}/prices'],
    input: forModel,
    output: z.array(price),
  }),
  'markup.show': operation({
    summary: 'Show the default markup on list prices; null means none',
    policy: reads,
    http: ['GET', '/api/admin/markup'],
    input: z.strictObject({}),
    output: z.strictObject({ markup: markup.nullable(), from: z.enum(['configuration', 'console']) }),
  }),
  'markup.set': operation({
    summary: 'Set the default markup on list prices',
    policy: changes,
    http: ['PUT', '/api/admin/markup'],
    input: z.strictObject({ markup: markup.nullable() }),
    output: z.strictObject({ markup: markup.nullable(), from: z.enum(['configuration', 'console']) }),
  }),
  'losses.list': operation({
    summary: 'List write-offs by account, largest first',
    policy: reads,
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
  'members.list': operation({
    summary: 'List fields and betas of requests that this server does not know, and those that are rejected',
    policy: reads,
    http: ['GET', '/api/admin/members'],
    input: z.strictObject({}),
    output: z.array(
      z.strictObject({
        format: z.enum(formatNames),
        member: z.string(),
        /** When it was first sent, and by which account; null: it was rejected without having been sent. */
        since: time.nullable(),
        account: accountId.nullable(),
        rejected: z.boolean(),
      }),
    ),
  }),
  'members.reject': operation({
    summary: 'Reject requests with a field or beta that this server does not know',
    policy: changes,
    http: ['POST', '/api/admin/members/reject'],
    input: unknownMember,
    output: unknownMember,
  }),
  'members.allow': operation({
    summary: 'Let requests with a rejected field or beta pass again',
    policy: changes,
    http: ['POST', '/api/admin/members/allow'],
    input: unknownMember,
    output: unknownMember,
  }),
  'audit.list': operation({
    summary: 'List the audit log, newest first',
    policy: reads,
    http: ['GET', '/api/admin/audit'],
    input: z.strictObject({
      ...auditFilter,
      limit: listLimit.default(50),
      before: z.string().max(40).optional(),
    }),
    output: z.array(
      z.strictObject({
        id: z.string(),
        at: time,
        /** `local`, a user's email address, or a management key's label. */
        actor: z.string(),
        operation: z.string(),
        account: accountId.nullable(),
        /** The account's name today. */
        accountName: z.string().nullable(),
        /** The object of the change, from the input: names, IDs, amounts. */
        subject: z.string(),
        /** The input, without secrets. */
        input: z.unknown(),
        /** `done`, an error code, or `started` when the process exited before the end. */
        outcome: z.string(),
        address: z.string().nullable(),
      }),
    ),
  }),
  'audit.csv': operation({
    summary: 'Export the audit log as CSV, up to 100,000 rows',
    policy: forOperators('yes', 'console only'),
    http: ['GET', '/api/admin/audit.csv'],
    produces: 'csv',
    input: z.strictObject(auditFilter),
    output: file,
  }),
  'audit.own': operation({
    summary: "List an account's audit log, newest first",
    policy: forAccount({ roles: ['owner', 'admin'] }),
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
        /** The object of the change, from the input: names, IDs, amounts. */
        subject: z.string(),
        outcome: z.string(),
      }),
    ),
  }),
  'system.show': operation({
    summary: 'Show the state of the installation',
    policy: reads,
    http: ['GET', '/api/admin/system'],
    input: z.strictObject({}),
    output: z.strictObject({
      version: z.string(),
      node: z.string(),
      startedAt: time,
      address: z.string(),
      /** `bytes` null: it is not on this machine. */
      database: z.strictObject({ kind: z.enum(['sqlite', 'postgresql']), bytes: z.int().nullable() }),
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
        /** When the continuous check last completed a round; null: not since the start. */
        checked: time.nullable(),
        /** How many contradictions it found. */
        contradictions: z.int(),
        /** When `ledger verify` last recomputed every balance. */
        verified: time.nullable(),
      }),
      /** Messages about what needs an operator's attention. */
      warnings: z.array(z.string()),
    }),
  }),
  'ledger.verify': operation({
    summary: 'Recompute every balance and reservation and report differences',
    policy: reads,
    http: ['GET', '/api/admin/ledger/verify'],
    input: z.strictObject({}),
    output: z.strictObject({
      ok: z.boolean(),
      accounts: z.int(),
      entries: z.int(),
      openHolds: z.int(),
      /** A line for each contradiction. */
      drift: z.array(z.string()),
      /** Receipts of earlier requests were removed by age, so less of those is compared; null: none were. */
      receiptsFrom: z.string().nullable(),
    }),
  }),
} as const
