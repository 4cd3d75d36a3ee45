/** The requests of an account, rejected ones included, a page at a time. */
import { useMemo, useState } from 'react'
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
  const rejections = useOperation('rejections.list', ask, { keep: true, enabled: withRejections })
  const isSearch = filter.model !== undefined || filter.key !== undefined
  const receiptsEndEarly = isSearch || (status !== undefined && withReceipts)
  const isSettled = (!withReceipts || isOwn(receipts)) && (!withRejections || isOwn(rejections))
  const found = useMemo(() => {
    if (!isSettled) return undefined
    const lists = {
      receipts: withReceipts ? (receipts.data ?? []) : [],
      rejections: withRejections ? (rejections.data?.latest ?? []) : [],
    }
    return requestPage(lists, { size, receiptsEndEarly })
  }, [isSettled, withReceipts, withRejections, receipts.data, rejections.data, size, receiptsEndEarly])
  // While one list of the next page is missing, the page before it stays whole.
  const [last, setLast] = useState<RequestPage>()
  if (found !== undefined && found !== last) setLast(found)
  return {
    page: found ?? last,
    error: (withReceipts ? receipts.error : null) ?? (withRejections ? rejections.error : null),
    retry() {
      if (withReceipts) void receipts.refetch()
      if (withRejections) void rejections.refetch()
    },
  }
}

/** Whether there is a result, of this question and not of the one before. */
function isOwn({
  data,
  isPlaceholderData,
}: {
  readonly data: unknown
  readonly isPlaceholderData: boolean
}): boolean {
  return data !== undefined && !isPlaceholderData
}
