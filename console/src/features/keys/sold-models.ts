/** The models that can be requested now. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ApiError } from '@/lib/api'
import { readAllModels } from '../pricing/sold-models.ts'

export interface SoldModel {
  readonly model: string
  readonly displayName: string
  readonly provider: string
  readonly dialects: readonly string[]
  readonly testModel: 'basic' | 'special' | null
}

export function useSoldModels(): UseQueryResult<readonly SoldModel[], ApiError> {
  return useQuery<readonly SoldModel[], ApiError>({ queryKey: ['sold-models'], queryFn: readSoldModels })
}

async function readSoldModels(): Promise<readonly SoldModel[]> {
  const models = await readAllModels()
  return models.filter(({ dialects }) => dialects.some((dialect) => dialect !== 'openai-embeddings'))
}

/** The model of the first request: the newest allowed one of a provider, else the test model that repeats the message. */
export function modelToTry(
  sold: readonly SoldModel[],
  allowed: readonly string[] | null,
): string | undefined {
  const possible = allowed === null ? sold : sold.filter(({ model }) => allowed.includes(model))
  const names = possible.map(({ model }) => model)
  const real = possible.find(({ testModel }) => testModel === null)?.model
  return real ?? names.find((name) => name === 'sandbox-echo') ?? names[0] ?? allowed?.[0]
}
