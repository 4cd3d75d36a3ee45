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
