/** The requests of an account, rejected ones included, a page at a time. */
import type { ApiError, OperationAsk } from '@/lib/api'
import { useOperation } from '@/lib/operations'
import { type RequestPage, requestPage } from './request-rows.ts'

export type RequestFilter = Omit<OperationAsk<'requests.list'>, 'outcome' | 'limit' | 'before'>
/** undefined: all of them. */
export type RequestStatus = 'succeeded' | 'failed' | 'rejected' | undefined

export interface RequestRowsAsk {
  readonly filter: RequestFilter
  readonly status?: RequestStatus
  readonly size: number
  /** Older than this request. */
  readonly before?: string | undefined
}

export interface RequestRows {
  /** undefined: loading. */
  readonly page: RequestPage | undefined
  readonly error: ApiError | null
  readonly retry: () => void
}

export function useRequestRows({ filter, status, size, before }: RequestRowsAsk): RequestRows {
  const ask = { ...filter, limit: size, ...(before === undefined ? {} : { before }) }
  const [withReceipts, withRejections] = [
    status !== 'rejected',
    status === undefined || status === 'rejected',
  ]
  const receipts = useOperation(
    'requests.list',
    status === 'succeeded' || status === 'failed' ? { ...ask, outcome: status } : ask,
    { keep: true, enabled: withReceipts },
  )
  const refusals = useOperation('refusals.list', ask, { keep: true, enabled: withRejections })
  const isLoading =
    (withReceipts && receipts.data === undefined) || (withRejections && refusals.data === undefined)
  const found = {
    receipts: withReceipts ? (receipts.data ?? []) : [],
    rejections: withRejections ? (refusals.data?.latest ?? []) : [],
  }
  const isSearch = filter.model !== undefined || filter.key !== undefined
  return {
    page: isLoading
      ? undefined
      : requestPage(found, { size, receiptsEndEarly: isSearch || (status !== undefined && withReceipts) }),
    error: (withReceipts ? receipts.error : null) ?? (withRejections ? refusals.error : null),
    retry() {
      if (withReceipts) void receipts.refetch()
      if (withRejections) void refusals.refetch()
    },
  }
}
