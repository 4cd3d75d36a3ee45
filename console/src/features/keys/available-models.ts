/** The models that can be requested now. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ApiError } from '@/lib/api'
import { isConversationFormat } from '../../../../contract/formats.ts'
import { readAllModels } from '../pricing/price-list.ts'

export interface AvailableModel {
  readonly model: string
  readonly displayName: string
  readonly provider: string
  readonly formats: readonly string[]
  readonly testModel: 'basic' | 'special' | null
}

export function useAvailableModels(): UseQueryResult<readonly AvailableModel[], ApiError> {
  return useQuery<readonly AvailableModel[], ApiError>({
    queryKey: ['available-models'],
    queryFn: readAvailableModels,
  })
}

async function readAvailableModels(): Promise<readonly AvailableModel[]> {
  const models = await readAllModels()
  return models.filter(({ formats }) => formats.some(isConversationFormat))
}
