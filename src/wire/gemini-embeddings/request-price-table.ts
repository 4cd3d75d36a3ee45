/**
 * The fields of a request for Google's embeddings that can change what it charges, with the page each fact was read from.
 * Every other field is passed through and costs only its tokens.
 */
import type { PriceField } from '../price-fields.ts'

export const embedPriceFields = {
  /** Only a price row makes the rate of another tier known. */
  serviceTier: {
    rule: 'values',
    name: 'service_tier',
    free: ['standard', 'unspecified'],
    source: 'https://ai.google.dev/gemini-api/docs/pricing',
  },
} as const satisfies Readonly<Record<string, PriceField>>
