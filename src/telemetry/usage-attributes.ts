/**
 * Attributes of spans for a settled request, by the conventions for generative AI where they define a name. The
 * charge is rounded to a double: the receipt has the exact amount.
 */
import {
  type CountedTokens,
  inputTokens,
  type Meter,
  meterNames,
  meters,
  outputTokens,
  type TokenSum,
} from '../../contract/meters.ts'
import type { Attributes } from './otlp.ts'

export interface SettledUsage {
  /** Public name of the model that served. */
  readonly model: string
  readonly provider: string
  readonly tokens: CountedTokens
  readonly endReason: string
  /** In nano-USD. */
  readonly charged: bigint
}

const nanoPerUsd = 1e9

export function usageAttributes({ model, tokens, endReason, charged }: SettledUsage): Attributes {
  return {
    'gen_ai.usage.input_tokens': inputTokens(tokens),
    'gen_ai.usage.output_tokens': outputTokens(tokens),
    'gen_ai.usage.cache_read.input_tokens': sumOf(tokens, 'cacheRead'),
    'gen_ai.usage.cache_creation.input_tokens': sumOf(tokens, 'cacheWrite'),
    'gen_ai.usage.reasoning.output_tokens': tokens.reasoning,
    'tollgate.model': model,
    'tollgate.end_reason': endReason,
    'tollgate.charged_usd': Number(charged) / nanoPerUsd,
  }
}

function sumOf(tokens: CountedTokens, sum: TokenSum): number {
  return meterNames.reduce(
    (total: number, name: Meter) => (meters[name].sum === sum ? total + tokens[name] : total),
    0,
  )
}
