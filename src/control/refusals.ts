/** `refusals.list` and `key.refusals`: rejected requests, by code and one by one. */
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { assert } from '../base/assert.ts'
import { formatId, idTimeMs, parseId } from '../base/ids.ts'
import type { RefusalReport, RefusalSearch } from '../usage/types.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { searchOf } from './requests.ts'
import { isoTime } from './values.ts'

export const refusalHandlers = {
  'refusals.list': async (deps, input, { account }) =>
    reportOutput(await deps.usage.refusals(refusalSearch(deps, account.id, input))),

  'key.refusals': async (deps, { key }, { account }) => {
    const limit = deps.limits.refusalsKeptPerKey
    return reportOutput(await deps.usage.refusals(refusalSearch(deps, account.id, { key, limit })))
  },
} satisfies Partial<OperationHandlers>

/** Days for which rejected requests are counted. */
const refusalsShownDays = 30

const hourMs = 3_600_000
const dayMs = 24 * hourMs

type Ask = Omit<OperationInput<'refusals.list'>, 'account'>

/** Without a period, single requests are searched in all of the past, and those of some days are counted. */
function refusalSearch(
  { clock }: Pick<ControlDeps, 'clock'>,
  account: bigint,
  { request, limit, before, ...ask }: Ask,
): RefusalSearch {
  const { outcome: _none, ...search } = searchOf(account, ask, before ?? null)
  const one = request === undefined ? null : parseId('req', request)
  assert(one !== undefined, 'an id of parsed input is an id')
  const shownMs = refusalsShownDays * dayMs
  const toMs = ask.to === undefined ? clock.wallMs() : Date.parse(ask.to)
  const fromMs = ask.from === undefined ? toMs - shownMs : Date.parse(ask.from)
  return {
    ...search,
    ...(one === null ? {} : { fromId: one, beforeId: one + 1n }),
    limit,
    fromHour: Math.floor(fromMs / hourMs),
    toHour: Math.ceil(toMs / hourMs),
  }
}

function reportOutput({ counts, latest }: RefusalReport): OperationOutput<'refusals.list'> {
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
