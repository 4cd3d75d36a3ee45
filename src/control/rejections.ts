/** `rejections.list` and `key.rejections`: rejected requests, by code and one by one. */
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatId, idTimeMs } from '../base/ids.ts'
import type { RejectionReport, RejectionSearch } from '../usage/types.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { toSearch } from './requests.ts'
import { isoTime, parseGivenId, parseRange } from './values.ts'

export const rejectionHandlers = {
  'rejections.list': async (deps, input, { account }) =>
    reportOutput(await deps.usage.rejections(toRejectionSearch(deps, account.id, input))),

  'key.rejections': async (deps, { key }, { account }) => {
    const limit = deps.limits.rejectionsKeptPerKey
    return reportOutput(await deps.usage.rejections(toRejectionSearch(deps, account.id, { key, limit })))
  },
} satisfies Partial<OperationHandlers>

const hourMs = 3_600_000

type Ask = Omit<OperationInput<'rejections.list'>, 'account'>

/** Without a period, single requests are searched in all of the past, and those of 30 days are counted. */
function toRejectionSearch(
  { clock }: Pick<ControlDeps, 'clock'>,
  account: bigint,
  { request, limit, before, ...ask }: Ask,
): RejectionSearch {
  const { outcome: _none, ...search } = toSearch(account, ask, before)
  const one = parseGivenId('req', request)
  const { fromMs, toMs } = parseRange(clock.wallMs(), ask)
  return {
    ...search,
    ...(one === null ? {} : { fromId: one, beforeId: one + 1n }),
    limit,
    fromHour: Math.floor(fromMs / hourMs),
    toHour: Math.ceil(toMs / hourMs),
  }
}

function reportOutput({ counts, latest }: RejectionReport): OperationOutput<'rejections.list'> {
  return {
    counts: [...counts],
    latest: latest.map(({ id, key, code, status, model, message }) => ({
      at: isoTime(idTimeMs(id)),
      request: formatId('req', id),
      key: formatId('key', key),
      code,
      status,
      model,
      message,
    })),
  }
}
