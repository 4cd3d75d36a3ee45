/** The operations on upstreams, and on the models that they serve. */

import { z } from 'zod'
import { formatNames } from '../formats.ts'
import { forOperators, operation } from '../operation.ts'
import { model, modelName, newPrice, positive, requiredTags, time, usdOut } from '../values.ts'
import { markup, upstreamName } from './installation.ts'
import { offerCost, offerPriority, offerWeight } from './offers.ts'

const reads = forOperators('yes', 'also local')
const changes = forOperators('recent', 'also local')

/** A model of an upstream: its public name, and the upstream's name where it differs. */
const listedModel = z.strictObject({ model: modelName, upstreamModel: modelName.optional() })
/** `all`: the provider's own models; an empty list: none. */
const servedModels = z.union([z.literal('all'), z.array(listedModel).max(5_000)])

const keyAuth = z.union([z.literal('none'), z.strictObject({ header: z.string().min(1).max(100) })])

const upstreamForm = {
  upstream: upstreamName,
  /** A provider of the list, or `custom`, `llama-cpp`, `litellm`, `lmstudio`, `ollama`, `tollgate` or `vllm` for a server of your own. */
  provider: z.string().min(1).max(100),
  /** Including the host's path, such as https://api.groq.com/openai/v1. Defaults to the provider's own URL. */
  url: z.url().max(2_000).optional(),
  /** Omitted: keeps the stored credential, if provider and URL are unchanged. */
  credential: z.string().trim().min(8).max(4_096).optional(),
  /** The models it serves. Required for a URL other than the provider's own; otherwise defaults to `all`. */
  models: servedModels.optional(),
  weight: z.int().min(1).max(1_000).default(1),
  /** Custom hosts only: the API formats it supports. The first one lists its models. Defaults to those usual for its provider. */
  formats: z.array(z.enum(formatNames)).min(1).max(5).optional(),
  /** Custom hosts only: the header for the credential, or `none`. Defaults to `authorization`, with `Bearer`. */
  auth: keyAuth.optional(),
  /** Custom hosts only: headers sent with each request. Omitted: keeps those stored, if provider and URL are unchanged. */
  headers: z.record(z.string().max(100), z.string().max(4_096)).optional(),
  /** Properties such as `eu`: requests and keys can require tags. Omitted: unchanged; null: none. */
  tags: requiredTags.nullable().optional(),
  /** Limits of each server process for this upstream. Omitted: unchanged; null: no limits. */
  limits: z
    .strictObject({
      concurrent: positive.nullable().optional(),
      requestsPerMinute: positive.nullable().optional(),
      tokensPerMinute: positive.nullable().optional(),
    })
    .nullable()
    .optional(),
  disabled: z.boolean().default(false),
}

/** The host's reply to a credential. */
const credentialTest = {
  state: z.enum(['accepted', 'rejected', 'untested', 'unreachable']),
  problem: z.string().nullable(),
  hostMessage: z.string().nullable(),
}

/** Where requests in a format go; `missing`: the host has no such path, `untested`: not asked, or the response does not say. */
const hostPath = z.strictObject({
  format: z.enum(formatNames),
  url: z.string(),
  state: z.enum(['found', 'missing', 'untested']),
  /** The HTTP status of the response to an empty request; null: there is none. */
  status: z.int().nullable(),
})

export const upstream = z.strictObject({
  name: z.string(),
  provider: z.string(),
  /** null: the provider's own URL. */
  url: z.string().nullable(),
  weight: z.int(),
  /** null: it serves only models that name it. */
  models: z
    .union([
      z.literal('all'),
      z.array(z.strictObject({ model: z.string(), upstreamModel: z.string().optional() })),
    ])
    .nullable(),
  /** The enabled models that may be routed to it. */
  serves: z.array(z.string()),
  /** `configuration`: set in tollgate.yaml or the environment, and changed there. */
  from: z.enum(['configuration', 'console']),
  disabled: z.boolean(),
  /** Properties such as `eu`; null: none are set. */
  tags: z.array(z.string()).nullable(),
  /** The API formats that its host has; null: all of its provider. */
  formats: z.array(z.enum(formatNames)).nullable(),
  /** null: no limits. */
  limits: z
    .strictObject({
      concurrent: z.int().nullable(),
      requestsPerMinute: z.int().nullable(),
      tokensPerMinute: z.int().nullable(),
    })
    .nullable(),
  /** The last characters of the credential, to recognize it; the rest is never shown. */
  credentialEnd: z.string(),
  /** null: its provider is one of the list. Otherwise, its models are named below the upstream: `name/model`. */
  custom: z
    .strictObject({
      formats: z.array(z.enum(formatNames)),
      /** The header with the credential. */
      keyHeader: z.string(),
      /** The names of its other headers; their values are never shown. */
      headers: z.array(z.string()),
    })
    .nullable(),
  health: z.strictObject({
    /** `failing`: the last request to it, or to one of its models, failed. */
    state: z.enum(['healthy', 'failing', 'cooling', 'ejected', 'unused']),
    until: time.nullable(),
    failures: z.int(),
    requests: z.int(),
    /** The upstream cannot be used, or its last request failed in a way that only an administrator can fix. */
    failing: z.boolean(),
    /** The upstream's name of the model where only requests of one model fail. */
    failingModel: z.string().nullable(),
    lastError: z.string().nullable(),
  }),
})

export const upstreamOperations = {
  'models.offer': operation({
    summary: 'Offer a model at an upstream; a model without a known price requires one, 0 for a free model',
    policy: changes,
    http: ['PUT', '/api/admin/upstreams/{upstream}/offers/{model}'],
    input: z.strictObject({
      upstream: upstreamName,
      /** The name that clients use. */
      model: modelName,
      /** The upstream's name for it, where it differs. */
      upstreamModel: modelName.optional(),
      /** Required for a model that is not known, as is `outputTokensMax`. */
      contextTokens: positive.optional(),
      outputTokensMax: positive.optional(),
      /** The API formats that the upstream supports for it. Defaults to every conversation format of its provider. */
      formats: z.array(z.enum(formatNames)).min(1).max(5).optional(),
      outputs: z.array(z.string().max(50)).max(10).optional(),
      /** The group among the model's offers. With it, a weight or a cost, the model gets a list of offers. */
      priority: offerPriority.optional(),
      weight: offerWeight.optional(),
      /** The upstream's price, in USD per million tokens; null: the list price known there. */
      cost: offerCost.nullable().optional(),
      /** The markup on the list price. Omitted: the default markup. */
      markup: markup.optional(),
      /** The list price. Omitted: the price that is known. */
      price: newPrice.optional(),
    }),
    output: model,
  }),
  'upstreams.list': operation({
    summary: 'List upstreams with their health; API keys are never shown',
    policy: reads,
    http: ['GET', '/api/admin/upstreams'],
    input: z.strictObject({}),
    output: z.array(upstream),
  }),
  'upstreams.put': operation({
    summary:
      'Add an upstream, or replace one added in the console; changing the URL requires the API key again',
    policy: changes,
    http: ['PUT', '/api/admin/upstreams/{upstream}'],
    input: z.strictObject({
      ...upstreamForm,
      /** Saves it although its host rejects the credential or cannot be reached. */
      saveAnyway: z.boolean().default(false),
    }),
    output: upstream,
  }),
  'upstreams.test': operation({
    summary: 'Test an upstream by a real call to its provider',
    policy: changes,
    http: ['POST', '/api/admin/upstreams/{upstream}/test'],
    input: z.strictObject({ upstream: upstreamName }),
    output: z.strictObject({
      upstream: z.string(),
      ...credentialTest,
      /** How many models the host lists. */
      models: z.int(),
      /** Where its requests go, by format. */
      paths: z.array(hostPath),
    }),
  }),
  'upstreams.models': operation({
    summary: "List the models of an upstream's provider, with those that are enabled and their prices",
    policy: changes,
    http: ['GET', '/api/admin/upstreams/{upstream}/models'],
    input: z.strictObject({ upstream: upstreamName }),
    output: z.strictObject({
      upstream: z.string(),
      /** Why the host's list is empty. */
      problem: z.string().nullable(),
      models: z.array(
        z.strictObject({
          /** The host's name. */
          upstreamModel: z.string(),
          /** The name that clients use, or would use by default. */
          model: z.string(),
          /** Whether requests for the model may be routed there. */
          offered: z.boolean(),
          /** USD per million tokens with the markup; null: not offered. */
          input: usdOut.nullable(),
          output: usdOut.nullable(),
        }),
      ),
    }),
  }),
  'upstreams.check': operation({
    summary:
      "Preview what an upstream would serve; optionally fetches the provider's list of models and tests the API key",
    policy: forOperators('recent', 'console only'),
    http: ['POST', '/api/admin/upstreams/{upstream}/check'],
    input: z.strictObject({
      ...upstreamForm,
      /** Fetches the host's model names, using the credential. */
      askHost: z.boolean().default(false),
      /** Tests the credential by a real call to the provider. */
      testCredential: z.boolean().default(false),
    }),
    output: z.strictObject({
      /** Where its requests would go, by format. */
      paths: z.array(hostPath),
      /** `isNew`: not enabled now. The price is in USD per million tokens, with the markup. */
      sells: z.array(
        z.strictObject({
          model: z.string(),
          upstreamModel: z.string(),
          isNew: z.boolean(),
          input: usdOut,
          output: usdOut,
        }),
      ),
      /** Listed models that would not be enabled there. */
      notSold: z.array(z.strictObject({ model: z.string(), reason: z.string() })),
      /** Models that are enabled now and would no longer be. */
      stops: z.array(z.string()),
      /** null: the host was not contacted. `problem`: why the list is empty. */
      host: z.strictObject({ models: z.array(z.string()), problem: z.string().nullable() }).nullable(),
      /**
       * null: not tested. `untested`: the provider answered without judging the credential. `hostMessage`: the provider's
       * own words.
       */
      credential: z.strictObject(credentialTest).nullable(),
    }),
  }),
  'upstreams.remove': operation({
    summary: 'Remove an upstream added in the console, including its API key',
    policy: changes,
    http: ['DELETE', '/api/admin/upstreams/{upstream}'],
    input: z.strictObject({ upstream: upstreamName }),
    output: z.strictObject({ upstream: z.string(), removed: z.literal(true) }),
  }),
} as const
