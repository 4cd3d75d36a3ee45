/** The operations that compare models and prices with a published price list, and take rows of it over. */
import { z } from 'zod'
import { type RateName, rateNames } from '../meters.ts'
import { forOperators, operation } from '../operation.ts'
import { modelName, name, newPrice, positive, time, usdOut } from '../values.ts'

const changes = forOperators('recent', 'also local')

/** Where a list comes from: the server downloads it, or its text is sent along. */
const priceListSource = z.union(
  [
    z.strictObject({ url: z.url().max(2_000) }),
    z.strictObject({
      /** The name of the file, as shown. */
      name: z.string().max(500),
      text: z.string(),
    }),
  ],
  'must be a URL, or a name and a text',
)

const listedPrice = newPrice.omit({ effectiveFrom: true, schedule: true, source: true })

/** The list's facts about a model that is not known here. */
const listedFacts = z.strictObject({
  provider: z.string().min(1).max(100),
  displayName: name.optional(),
  released: z.iso.date().optional(),
  contextTokens: positive,
  inputTokensMax: positive.optional(),
  outputTokensMax: positive,
  inputs: z.array(z.string().max(50)).max(10).optional(),
  reasons: z.boolean().optional(),
  takesTools: z.boolean().optional(),
  deprecated: z.boolean().optional(),
})

const rateChange = z.strictObject({
  rate: z.enum(rateNames as readonly [RateName, ...RateName[]]),
  /** The tier; null: the price below every tier. */
  aboveInputTokens: z.int().nullable(),
  /** USD per million tokens; null: not sold. */
  from: usdOut.nullable(),
  to: usdOut.nullable(),
  /** For example `+12.5%`; null if one of the two is missing or zero. */
  percent: z.string().nullable(),
})

const catalogRow = z.strictObject({
  model: z.string(),
  provider: z.string(),
  /** The provider's name for it. */
  listedAs: z.string(),
  /** `gone`: enabled here, but not in the list. `unclear`: in the list, but its price cannot be used. */
  change: z.enum(['new', 'changed', 'gone', 'unclear']),
  /** Why an unclear row cannot be used, or why the row is applied only if chosen by name; null: no reason. */
  reason: z.string().nullable(),
  changes: z.array(rateChange),
  /** The price to apply; null: there is none. */
  price: listedPrice.nullable(),
  /** null: the model is known. */
  facts: listedFacts.nullable(),
})

export const catalogOperations = {
  'catalog.check': operation({
    summary: 'Compare models and prices with a price list of models.dev or LiteLLM; changes nothing',
    policy: changes,
    http: ['POST', '/api/admin/catalog/check'],
    inputSize: 'document',
    input: z.strictObject({
      source: priceListSource,
      /** Compares with the prices in force at that time. Defaults to now. */
      effectiveFrom: time.optional(),
    }),
    output: z.strictObject({
      format: z.enum(['models.dev', 'LiteLLM']),
      /** The source that prices from this list state. */
      source: z.string(),
      rows: z.array(catalogRow),
      /** Models whose price is the same. */
      unchanged: z.int(),
      /** Models in the list of providers without an upstream, and models that do not answer in text. */
      leftOut: z.int(),
    }),
  }),
  'catalog.update': operation({
    summary: 'Apply rows of a price list: new prices of known models, and new models with their prices',
    policy: changes,
    http: ['POST', '/api/admin/catalog/update'],
    input: z.strictObject({
      source: z.string().min(1).max(500),
      /** Defaults to now. */
      effectiveFrom: time.optional(),
      models: z
        .array(z.strictObject({ model: modelName, price: listedPrice, facts: listedFacts.nullable() }))
        .min(1)
        .max(5_000),
    }),
    output: z.strictObject({
      models: z.array(
        z.strictObject({
          model: z.string(),
          /** Whether requests can use it now, and why not. */
          sold: z.boolean(),
          reason: z.string().nullable(),
        }),
      ),
    }),
  }),
}
