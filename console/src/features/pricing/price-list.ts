/** The available models and their prices, from the public list: the same prices that requests are charged by. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { ApiError, send } from '@/lib/api'
import { inOrder } from '@/lib/model-order'
import { isConversationFormat } from '../../../../contract/formats.ts'
import type { RateName, UnsoldRate } from '../../../../contract/meters.ts'

/** USD per million tokens; null: the model does not have the class. */
export type Rates = { readonly [Name in RateName]: Name extends UnsoldRate ? string | null : string }

export interface Price extends Rates {
  readonly id: string
  readonly effectiveFrom: string
  /** Rates for the whole request above an input size. */
  readonly tiers: readonly (Rates & { readonly aboveInputTokens: number })[]
  /** Multiplier on every rate by option, such as `service_tier:flex`. */
  readonly options: Readonly<Record<string, string>>
  /** USD per use of a provider tool. */
  readonly fees: Readonly<Record<string, string>>
  /** The UTC times at which it applies; null: at all other times. */
  readonly schedule: readonly string[] | null
}

export interface PricedModel {
  readonly model: string
  readonly displayName: string
  readonly provider: string
  readonly formats: readonly string[]
  readonly contextTokens: number
  readonly inputTokensMax: number
  readonly outputTokensMax: number
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly reasons: boolean
  readonly takesTools: boolean
  readonly released: string | null
  readonly deprecated: boolean
  /** A built-in test model; `special` ones simulate failures and rare cases. null: a real model. */
  readonly testModel: 'basic' | 'special' | null
  readonly price: Price
  /** The prices at other times of the week. */
  readonly otherTimes: readonly Price[]
  /** Scheduled prices, the nearest first. */
  readonly next: readonly Price[]
}

const keptMs = 60_000

/** The public price list: without test models once there are others. */
export function usePriceList(): UseQueryResult<readonly PricedModel[], ApiError> {
  return useQuery<readonly PricedModel[], ApiError>({
    queryKey: ['pricing', 'public'],
    queryFn: () => readPriceList('/api/pricing'),
    staleTime: keptMs,
  })
}

/** Every model that can be requested, test models included. */
export function usePricedModels(): UseQueryResult<readonly PricedModel[], ApiError> {
  return useQuery<readonly PricedModel[], ApiError>({
    queryKey: ['pricing'],
    queryFn: readAllModels,
    staleTime: keptMs,
  })
}

export const readAllModels = (): Promise<readonly PricedModel[]> => readPriceList('/api/pricing?models=all')

/** In the order in which models are listed everywhere. */
async function readPriceList(path: string): Promise<readonly PricedModel[]> {
  const answer = await send('GET', path, undefined)
  if (answer instanceof ApiError) throw answer
  if (!answer.ok) throw new ApiError(answer.status, { message: "Prices couldn't be loaded." })
  const { data } = (await answer.json()) as { readonly data: readonly PricedModel[] }
  return inOrder(data)
}

/** Whether a model is for conversations; others make embeddings and the like. */
export function isChatModel({ outputs, formats }: PricedModel): boolean {
  return outputs.includes('text') && formats.some(isConversationFormat)
}
