/**
 * What the items of the lists in `tollgate.yaml` hold: upstreams, models with their prices, providers of sign-in. The
 * schema of each value carries the line of documentation that docs/operate/configuration.md shows for it.
 */

import { z } from 'zod'
import { formatNames } from '../../contract/formats.ts'
import { meters, type UnsoldRate } from '../../contract/meters.ts'
import type { UpstreamFormatName } from '../wire/formats.ts'
import {
  credential,
  date,
  factor,
  flag,
  issuer,
  modelName,
  name,
  percent,
  upstreamUrl,
  usd,
  whole,
  words,
} from './schemas.ts'

/** A public name, or one with the upstream's own name; both become an object. */
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
  [z.literal('all'), z.array(listedModel).min(1).max(5_000)],
  'must be a list of model names, or all',
)

export const upstream = z.strictObject({
  name: name.describe(
    "How receipts and logs call it; unique. The environment's ones are called `openai`, `anthropic` and `google`.",
  ),
  provider: name.describe('`openai`, `anthropic`, `google`, or a host of [the list](providers.md#hosts).'),
  url: upstreamUrl
    .optional()
    .describe(
      "The base address of the host as its page gives it, with its path, such as `https://openrouter.ai/api/v1`; left out: the provider's own address.",
    ),
  credential: credential.describe('What is sent to this address and to no other one.'),
  models: servedModels
    .optional()
    .describe(
      "What it serves: a list of model names, each as `name` or as `{ id: name, upstreamId: name there }`, or `all` for the provider's own models. Needed at an address that is not the provider's own, unless a model names the upstream; `all` at the provider's own when left out.",
    ),
  weight: whole(1, 1_000)
    .optional()
    .describe(
      'How often this one is preferred among upstreams that are equally well, 1 to 1000; 1 when left out.',
    ),
})

const optionalUsd = usd.optional()
const unsold = Object.values(meters).flatMap((row) =>
  row.absent === 'unsold'
    ? [[row.rate, optionalUsd.describe(`Left out: ${row.label.toLowerCase()} is refused.`)] as const]
    : [],
)

const rates = {
  input: usd.describe('Input tokens.'),
  output: usd.describe('Output tokens; `0` for embeddings.'),
  cacheRead: usd.optional().describe('Left out: as `input`.'),
  cacheWrite5m: usd.optional().describe('Left out: for Anthropic 1.25 times `input`, elsewhere as `input`.'),
  cacheWrite1h: usd
    .optional()
    .describe('Left out: for Anthropic 2 times `input`, elsewhere as `cacheWrite5m`.'),
  ...(Object.fromEntries(unsold) as Record<UnsoldRate, typeof optionalUsd>),
}

export const tier = z.strictObject({
  ...rates,
  aboveInputTokens: whole(1, 1_000_000_000).describe(
    'In a tier: from how many input tokens on it holds, exclusive. A tier names `input`; `output` and audio stay when left out, cache rates grow with `input`.',
  ),
  output: usd.optional(),
})

export const price = z.strictObject({
  effectiveFrom: date
    .optional()
    .describe('A date, or a time in UTC such as `2026-07-01T12:00:00Z`; left out: since ever.'),
  ...rates,
  tiers: z
    .array(tier)
    .max(10)
    .optional()
    .describe('A list of rates for long input, which hold for the whole request.'),
  options: z
    .record(z.string(), factor)
    .optional()
    .describe(
      'What changes the price, with its factor on every rate: `service_tier:flex: 0.5`, `inference_geo:us: 1.1`, `service_tier:priority: 5/3`. Requests with an option that is not here are refused.',
    ),
  fees: z
    .record(z.string(), usd)
    .optional()
    .describe(
      'Server tools, in USD per use: `web_search: 0.01`. Requests with a tool that is not here are refused.',
    ),
  source: words.optional().describe('Where you read the price.'),
})

const tokens = whole(1, 1_000_000_000)

const format = z.enum(
  formatNames satisfies { readonly [Name in UpstreamFormatName]: Name },
  `must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(Object.keys(formatNames))}`,
)

const inputKind = z.enum(
  ['text', 'image', 'audio', 'video', 'pdf'],
  'must be text, image, audio, video or pdf',
)

const outputKind = z.enum(
  ['text', 'image', 'audio', 'video', 'embeddings'],
  'must be text, image, audio, video or embeddings',
)

export const model = z.strictObject({
  id: modelName.describe('What clients ask for, verbatim.'),
  provider: name.optional().describe('Who hosts it.'),
  upstreamId: modelName.optional().describe('What the provider calls it, when that is not `id`.'),
  upstreams: z
    .array(name)
    .min(1, 'must hold at least one upstream')
    .max(100)
    .optional()
    .describe(
      "The names of the only upstreams that serve it; a list. Left out: those that list it, and those that serve all of its provider where it is one of the provider's own.",
    ),
  dialects: z
    .array(format)
    .min(1, 'must hold at least one format')
    .max(Object.keys(formatNames).length)
    .optional()
    .describe(
      'The formats that the upstream has for it: a list of `openai-chat`, `openai-responses`, `openai-embeddings`, `anthropic`, `gemini`. Left out: every conversation format of the provider. A host that has Chat Completions and not Responses needs `[openai-chat]`. Clients reach a conversation model in any conversation format.',
    ),
  displayName: words.optional().describe('A name for people.'),
  released: date.optional().describe('A date.'),
  context: tokens.optional().describe('Tokens of input and output together.'),
  maxInput: tokens
    .optional()
    .describe(
      'The most input tokens of one request; `context` when left out. For embeddings all inputs of a request count together, so write what the provider takes in one request.',
    ),
  maxOutput: tokens.optional().describe('The most output tokens.'),
  inputs: z
    .array(inputKind)
    .max(5)
    .optional()
    .describe('A list of `text`, `image`, `audio`, `video`, `pdf`; `text` when left out.'),
  outputs: z
    .array(outputKind)
    .max(5)
    .optional()
    .describe(
      'What it produces: `text`, `audio`, `embeddings`. A model that makes `image` or `video` is not sold: no rate covers them.',
    ),
  reasoning: flag.optional().describe('`true` if it reasons before it answers.'),
  tools: flag.optional().describe('`false` if it takes no tools.'),
  deprecated: flag.optional().describe('`true` marks it in listings.'),
  prices: z
    .array(price)
    .min(1, 'must hold at least one price')
    .max(100)
    .optional()
    .describe('One or more prices. Of those whose date has come, the latest is in force.'),
  markup: percent
    .optional()
    .describe(
      'What customers pay above the list price, such as `5%`. Rates rise exactly by it, fees do not.',
    ),
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
      'What addresses call it: the provider sends people back to `/api/auth/callback/<id>`. `oidc` when left out, and only for `oidc` to choose.',
    ),
  name: text(60)
    .optional()
    .describe('What the button says; `GitHub`, `Google` or `Single sign-on` when left out.'),
  issuer: issuer
    .optional()
    .describe(
      'Of `oidc` alone, and needed there: the address below which the provider has `/.well-known/openid-configuration`.',
    ),
  clientId: text(500).describe('What the provider calls this installation.'),
  clientSecret: text(2_000).describe(
    'Best written as the name of a variable ([the file](#the-file)), so that the file holds no secret.',
  ),
})
