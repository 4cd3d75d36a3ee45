/**
 * The fields of an embeddings request that can change what the provider charges, with the page each fact
 * was read from. Every other field is passed through and costs only its tokens.
 */
import { type PriceField, routerPriceFields } from '../price-fields.ts'

export const embeddingsPriceFields = {
  ...routerPriceFields,
  /** Embeddings have one rate at their vendor; where a host sells tiers, only a price row makes one known. */
  service_tier: {
    rule: 'values',
    name: 'service_tier',
    free: ['auto', 'default', 'standard'],
    source: 'https://developers.openai.com/api/docs/pricing',
  },
  background: {
    rule: 'refused',
    why: 'background requests are not supported in this format. Remove the field.',
    source: 'https://developers.openai.com/api/docs/guides/background',
  },
} as const satisfies Readonly<Record<string, PriceField>>
