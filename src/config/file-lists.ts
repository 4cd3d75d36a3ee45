/**
 * The items of the lists in `tollgate.yaml`: upstreams, models with prices, sign-in providers. Each schema carries its
 * documentation for docs/operate/configuration.md.
 */

import { z } from 'zod'
import { formatNames } from '../../contract/formats.ts'
import { meters, type UnsoldRate } from '../../contract/meters.ts'
import { routingStrategies } from '../../contract/routing-strategies.ts'
import { parseWindow } from '../catalog/prices/price-schedule.ts'
import { upstreamMistakes } from './custom-upstreams.ts'
import {
  date,
  factor,
  flag,
  issuer,
  modelName,
  name,
  percent,
  upstreamCredential,
  upstreamUrl,
  usd,
  whole,
  words,
} from './schemas.ts'

/** A public name, optionally with the upstream's name; both become an object. */
const listedModel = z
  .union(
    [z.string(), z.strictObject({ id: modelName, upstreamId: modelName.optional() })],
    'must be a name, or { id, upstreamId }',
  )
  .transform((item) => (typeof item === 'string' ? { id: item } : item))
  .refine(
    ({ id }) => modelName.safeParse(id).success,
    'must be a name of at most 200 visible ASCII characters',
  )

const servedModels = z.union(
  [z.literal('all'), z.array(listedModel).max(5_000)],
  'must be a list of model names, or all',
)

const format = z.enum(
  formatNames,
  `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(formatNames)}`,
)

const formats = z.array(format).min(1, 'must contain at least one format').max(formatNames.length)

const headerValue = z.string().max(4_096)

const upstreamFields = z.strictObject({
  name: name.describe(
    'A unique name, shown in receipts and logs. Upstreams from environment variables are named `openai`, `anthropic` and `google`.',
  ),
  provider: name.describe(
    '`openai`, `anthropic`, `google`, a provider of [the list](providers.md#list-of-providers), or one of [your own servers](providers.md#your-own-servers).',
  ),
  url: upstreamUrl
    .optional()
    .describe(
      "The provider's base URL as documented, including its path, such as `https://openrouter.ai/api/v1`. Defaults to the provider's own URL.",
    ),
  credential: upstreamCredential
    .optional()
    .describe(
      'The API key, or for [clouds](providers.md#clouds) a mapping of what tokens or signatures are made from. It is used for this URL only. Optional for your own servers, otherwise required.',
    ),
  models: servedModels
    .optional()
    .describe(
      "The models it serves: a list of names, each as `name` or `{ id: name, upstreamId: upstream's name }`, or `all` for the provider's own models; `[]`: only models whose `offers` name it. Required for a URL other than the provider's own, unless a model names the upstream; otherwise defaults to `all`.",
    ),
  weight: whole(1, 1_000)
    .optional()
    .describe('The weight among equally healthy upstreams, 1 to 1000. Defaults to 1.'),
  tags: z
    .array(name)
    .min(1, 'must contain at least one tag')
    .max(20)
    .optional()
    .describe(
      'Properties of the upstream, such as `[eu, no-training]`; requests can require them with [`x-tollgate-route`](models.md#choosing-upstreams-by-request).',
    ),
  limits: z
    .strictObject({
      concurrent: whole(1, 1_000_000).optional(),
      requestsPerMinute: whole(1, 1_000_000).optional(),
      tokensPerMinute: whole(1, 1_000_000_000).optional(),
    })
    .optional()
    .describe(
      'The model requests that this server sends it at most, without token counts and files: `{ concurrent: 16, requestsPerMinute: 500, tokensPerMinute: 200000 }`, or some of them. Beyond that other offers are called, and otherwise requests wait. Defaults to no limit.',
    ),
  formats: formats
    .optional()
    .describe(
      'A list of the API formats that the server supports, as in `formats` of a model. Set it where a URL has fewer than its provider, such as `[openai-chat]` for Chat Completions alone. Defaults to all of the provider. Required for `custom`, whose models are listed in the first one.',
    ),
  auth: z
    .union([z.strictObject({ header: z.string().min(1).max(100) })], 'must be { header: name }')
    .optional()
    .describe(
      'For your own servers: `{ header: x-api-key }` sends the API key in that header. Defaults to `authorization`, with `Bearer`.',
    ),
  headers: z
    .record(z.string(), headerValue)
    .optional()
    .describe('For your own servers: other headers to send with each request.'),
})

export const upstream = upstreamFields.superRefine((item, context) => {
  for (const { field, message } of upstreamMistakes(item))
    context.addIssue({ code: 'custom', path: [field], message })
})

const optionalUsd = usd.optional()
const unsold = Object.values(meters).flatMap((row) =>
  row.absent === 'unsold'
    ? [[row.rate, optionalUsd.describe(`If omitted, ${row.label.toLowerCase()} is rejected.`)] as const]
    : [],
)

const rates = {
  input: usd.describe('Input tokens.'),
  output: usd.describe('Output tokens; `0` for embeddings.'),
  cacheRead: usd.optional().describe('Defaults to `input`.'),
  cacheWrite5m: usd.optional().describe('Defaults to 1.25 × `input` for Anthropic, otherwise to `input`.'),
  cacheWrite1h: usd
    .optional()
    .describe('Defaults to 2 × `input` for Anthropic, otherwise to `cacheWrite5m`.'),
  ...(Object.fromEntries(unsold) as Record<UnsoldRate, typeof optionalUsd>),
}

export const tier = z.strictObject({
  ...rates,
  aboveInputTokens: whole(1, 1_000_000_000).describe(
    'In a tier: the number of input tokens above which it applies. `input` is required; omitted `output` and audio rates stay the same, and cache rates scale with `input`.',
  ),
  output: usd.optional(),
})

export const scheduled = z.strictObject({
  times: z
    .array(
      words.refine(
        (text) => parseWindow(text) !== undefined,
        'must be a UTC time of the week such as "Mon-Fri 01:00-04:00"',
      ),
    )
    .min(1)
    .max(20)
    .describe(
      'In a part of the schedule: times in UTC, such as `Mon-Fri 01:00-04:00`, `Sun 22:00-02:00` or `00:30-16:30` (every day). A time that ends before it starts ends on the next day.',
    ),
  ...rates,
  tiers: z.array(tier).max(10).optional().describe('Required if the price itself has tiers.'),
})

export const price = z.strictObject({
  effectiveFrom: date
    .optional()
    .describe(
      'A date, or a UTC time such as `2026-07-01T12:00:00Z`. By default the price has always applied.',
    ),
  ...rates,
  tiers: z.array(tier).max(10).optional().describe('Rates for long input, which apply to the whole request.'),
  schedule: z
    .array(scheduled)
    .max(20)
    .optional()
    .describe('Rates that apply at some times of the week instead; where times overlap, the last applies.'),
  options: z
    .record(z.string(), factor)
    .optional()
    .describe(
      'Options that change the price, with their factor on every rate: `service_tier:flex: 0.5`, `inference_geo:us: 1.1`, `service_tier:priority: 5/3`. Requests with an option that is not listed are rejected.',
    ),
  fees: z
    .record(z.string(), usd)
    .optional()
    .describe(
      'Server tools in USD per use: `web_search: 0.01`. Requests with a server tool that is not listed are rejected.',
    ),
  source: words.optional().describe('The source of the price.'),
})

const tokens = whole(1, 1_000_000_000)

const inputKind = z.enum(
  ['text', 'image', 'audio', 'video', 'pdf'],
  'must be text, image, audio, video or pdf',
)

const outputKind = z.enum(
  ['text', 'image', 'audio', 'video', 'embeddings'],
  'must be text, image, audio, video or embeddings',
)

export const offer = z.strictObject({
  upstream: name.describe("The upstream's name."),
  model: modelName
    .optional()
    .describe("The upstream's name for the model. Defaults to `upstreamId` or `id`."),
  priority: whole(1, 100)
    .optional()
    .describe('The priority group, 1 to 100. Groups with lower numbers are tried first. Defaults to 1.'),
  weight: whole(0, 1_000)
    .optional()
    .describe(
      'The share of requests within the group; 0: only when the others fail. Defaults to the weight of the upstream.',
    ),
  cost: z
    .strictObject({ input: usd, output: usd }, 'must be { input, output }')
    .optional()
    .describe(
      'What the upstream charges, in USD per million tokens: `{ input: 0.20, output: 0.60 }`, for `strategy: price` and warnings of prices below cost. Defaults to the list price of the model there, if known.',
    ),
  formats: formats
    .optional()
    .describe(
      'The API formats that the upstream supports for the model. Defaults to every conversation format of its provider.',
    ),
})

/** A name alone is an offer with nothing else. */
const offerOrName = z.preprocess((item) => (typeof item === 'string' ? { upstream: item } : item), offer)

export const model = z.strictObject({
  id: modelName.describe('The model name that clients use, case-sensitive.'),
  provider: name.optional().describe('The provider.'),
  upstreamId: modelName.optional().describe("The provider's name for it, if it differs from `id`."),
  offers: z
    .array(offerOrName)
    .min(1, 'must contain at least one offer')
    .max(100)
    .optional()
    .describe(
      "The only upstreams that serve it, which may be of different providers and formats: a name, or `{ upstream, model, priority, weight, cost, formats }` each. Defaults to the upstreams that list it, plus those that serve `all` if it is one of the provider's own models. See [Routing](models.md#routing).",
    ),
  strategy: z
    .enum(routingStrategies, `must be ${routingStrategies.join(', ')}`)
    .optional()
    .describe(
      'How the offers of a group share its requests: `weight` (the default), or `price`, `latency` or `throughput`, which prefer the best. See [Routing](models.md#routing).',
    ),
  fallbacks: z
    .array(modelName)
    .min(1, 'must contain at least one model')
    .max(20)
    .optional()
    .describe(
      'Models that are called in its place, in this order, if it fails, if the request is too long for it, or if its provider refuses the content. See [Fallbacks](models.md#fallbacks).',
    ),
  formats: formats
    .optional()
    .describe(
      'The API formats that the upstream supports for it: `openai-chat`, `openai-responses`, `openai-embeddings`, `anthropic`, `gemini`, `gemini-embeddings`, `bedrock-converse`. Defaults to every conversation format of the provider. A server with Chat Completions but not Responses needs `[openai-chat]`. Clients can use any conversation format with any conversation model.',
    ),
  displayName: words.optional().describe('The display name.'),
  released: date.optional().describe('The release date.'),
  context: tokens.optional().describe('The context length: tokens of input plus output.'),
  maxInput: tokens
    .optional()
    .describe(
      'The maximum input tokens per request. Defaults to `context`. For embeddings, all inputs of a request count together.',
    ),
  maxOutput: tokens.optional().describe('The maximum output tokens.'),
  inputs: z
    .array(inputKind)
    .max(5)
    .optional()
    .describe('A list of `text`, `image`, `audio`, `video`, `pdf`. Defaults to `text`.'),
  outputs: z
    .array(outputKind)
    .max(5)
    .optional()
    .describe(
      'A list of `text`, `audio`, `embeddings`. Models that generate `image` or `video` cannot be enabled, because no rate covers them.',
    ),
  reasoning: flag.optional().describe('`true` for reasoning models.'),
  tools: flag.optional().describe('`false` if it does not support tools.'),
  deprecated: flag.optional().describe('`true` marks it as deprecated in lists.'),
  prices: z
    .array(price)
    .min(1, 'must contain at least one price')
    .max(100)
    .optional()
    .describe('One or more prices. The latest one whose date has passed applies.'),
  markup: percent
    .optional()
    .describe('The markup on the list price, such as `5%`. It applies to rates and not to fees.'),
})

const text = (max: number) => z.string().min(1, 'must not be empty').max(max)

export const signInProvider = z.strictObject({
  kind: z
    .enum(['github', 'google', 'oidc'], 'must be github, google or oidc')
    .describe('`github`, `google` or `oidc`.'),
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and dashes, at most 40')
    .optional()
    .describe(
      'The ID in the callback URL `/api/auth/callback/<id>`. Defaults to the kind; it can be changed only for `oidc`.',
    ),
  name: text(60).optional().describe('The button label. Defaults to `GitHub`, `Google` or `Single sign-on`.'),
  issuer: issuer
    .optional()
    .describe('Required for `oidc`: the URL that `/.well-known/openid-configuration` is appended to.'),
  clientId: text(500).describe('The OAuth client ID.'),
  clientSecret: text(2_000).describe(
    'The OAuth client secret. Use an environment variable ([the file](#the-file)) to keep it out of the file.',
  ),
})
