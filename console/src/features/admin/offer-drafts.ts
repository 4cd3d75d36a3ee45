/** Drafts of offers for models without a price, and the input made from them. Pure. */
import type { OperationAsk, OperationOutput } from '@/lib/api'
import { tokenCount, tokenCountError } from '../../lib/token-count.ts'
import { chosenModels, type UpstreamDraft } from './upstream-draft.ts'

export interface OfferDraft {
  /** The public name. */
  readonly model: string
  readonly upstreamModel: string | undefined
  readonly context: string
  readonly maxOutput: string
  readonly input: string
  readonly output: string
}

/** A draft for each chosen model that would not be enabled as it is. */
export function unpricedOffers(
  draft: UpstreamDraft,
  { sells }: Pick<OperationOutput<'upstreams.check'>, 'sells'>,
): readonly OfferDraft[] {
  const enabled = new Set(sells.map(({ model }) => model))
  return chosenModels(draft)
    .filter(({ model }) => !enabled.has(model))
    .map(({ model, upstreamModel }) => {
      return { model, upstreamModel, context: '', maxOutput: '', input: '', output: '' }
    })
}

const fieldsOf = ({ context, maxOutput, input, output }: OfferDraft): readonly string[] => [
  context.trim(),
  maxOutput.trim(),
  plainAmount(input),
  plainAmount(output),
]

/** People copy prices with their sign and separators: `$1,000.50` → `1000.50`. */
const plainAmount = (text: string): string => text.trim().replace(/^\$\s*|,(?=\d{3}(?:\D|$))/g, '')

export type OfferField = 'context' | 'maxOutput' | 'input' | 'output'

/** Error in a field of a draft, if any. A draft is either complete or empty. */
export function offerMistake(offer: OfferDraft, field: OfferField): string | undefined {
  if (fieldsOf(offer).every((text) => text === '')) return undefined
  const text = offer[field].trim()
  if (field === 'context' || field === 'maxOutput')
    return tokenCount(text) === undefined ? tokenCountError : undefined
  return /^\d{1,9}(\.\d{1,9})?$/.test(plainAmount(text))
    ? undefined
    : 'Enter an amount in USD, like 0.25, or 0.'
}

/** Whether every draft is either complete or left empty. */
export function areWhole(offers: readonly OfferDraft[]): boolean {
  const fields = ['context', 'maxOutput', 'input', 'output'] as const
  return offers.every((offer) => fields.every((field) => offerMistake(offer, field) === undefined))
}

/** Whether a draft has all that enables its model. */
export function isReady(offer: OfferDraft): boolean {
  return areWhole([offer]) && fieldsOf(offer).every((text) => text !== '')
}

/** Inputs of `models.offer`, for each complete draft. */
export function offerAsks(
  upstream: string,
  offers: readonly OfferDraft[],
): readonly OperationAsk<'models.offer'>[] {
  return offers.filter(isReady).map((offer) => {
    const [context = '', maxOutput = '', input = '', output = ''] = fieldsOf(offer)
    const { model, upstreamModel } = offer
    return {
      ...{ upstream, model },
      ...(upstreamModel === undefined ? {} : { upstreamModel }),
      contextTokens: tokenCount(context) ?? 0,
      outputTokensMax: tokenCount(maxOutput) ?? 0,
      price: { input, output },
    }
  })
}

/** A markup for each model that becomes available, if one is entered. */
export function markupAsks(
  upstream: string,
  percent: string,
  { sells }: Pick<OperationOutput<'upstreams.check'>, 'sells'>,
): readonly OperationAsk<'models.offer'>[] {
  if (percent.trim() === '') return []
  return sells
    .filter(({ isNew }) => isNew)
    .map(({ model, upstreamModel }) => ({ upstream, model, upstreamModel, markup: `${percent.trim()}%` }))
}

export const isPercent = (text: string): boolean => /^(\d{1,4}(\.\d{1,6})?)?$/.test(text.trim())
