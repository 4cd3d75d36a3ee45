/** Usage by step and group, with the groups' display names. */
import type { OperationInput, OperationOutput } from '../../../contract/operations.ts'
import { assert } from '../../base/assert.ts'
import { formatId, parseId } from '../../base/ids.ts'
import { addSums, type GrowingSums, noSums } from '../../usage/sums.ts'
import type { SumsAsk, SumsRow } from '../../usage/types.ts'
import type { ControlDeps } from '../control-deps.ts'
import { isoTime } from '../iso-time.ts'
import { rangeOf } from './span.ts'
import { sumsOutput } from './sums-output.ts'

export type UsageInput = OperationInput<'usage.show'>
type UsageRowOut = OperationOutput<'usage.show'>[number]

/** A row whose group has its text and its words. */
interface LabeledUsage extends Pick<SumsRow, 'atMs' | 'sums'> {
  readonly group: string | null
  readonly label: string | null
}

export async function readUsage(
  deps: ControlDeps,
  account: bigint,
  input: UsageInput,
): Promise<UsageRowOut[]> {
  const rows = await deps.usage.sums({ account, ...toSumsQuery(deps, input) })
  const named = await labelers[input.group](deps, account, rows)
  return named.map(rowOutput)
}

export function rowOutput({ atMs, group, label, sums }: LabeledUsage): UsageRowOut {
  return { at: isoTime(atMs), group, label, ...sumsOutput(sums) }
}

function toSumsQuery(
  deps: ControlDeps,
  { from, to, by, group, model, key }: UsageInput,
): Omit<SumsAsk, 'account'> {
  const id = key === undefined ? null : parseId('key', key)
  assert(id !== undefined, 'an id of parsed input is an id')
  return {
    ...rangeOf(deps, { from, to }),
    step: by,
    group: group === 'member' ? 'key' : group,
    model: model ?? null,
    key: id,
  }
}

type UsageLabeler = (
  deps: ControlDeps,
  account: bigint,
  rows: readonly SumsRow[],
) => Promise<readonly LabeledUsage[]> | readonly LabeledUsage[]

const labelers: Readonly<Record<UsageInput['group'], UsageLabeler>> = {
  none: (_deps, _account, rows) => rows.map(({ atMs, sums }) => ({ atMs, sums, group: null, label: null })),
  model: (_deps, _account, rows) =>
    rows.map(({ atMs, sums, group }) => ({
      atMs,
      sums,
      group: String(group),
      label: group === '' ? 'Unknown model' : String(group),
    })),
  async key({ access }, account, rows) {
    const names = new Map((await access.list(account)).map(({ id, name }) => [id, name]))
    return rows.map(({ atMs, sums, group }) => ({
      atMs,
      sums,
      group: formatId('key', group as bigint),
      label: names.get(group as bigint) ?? null,
    }))
  },
  member: byMember,
}

/** The keys that one person made, together; those without a known creator form their own group: ''. */
async function byMember(
  { access, identity }: ControlDeps,
  account: bigint,
  rows: readonly SumsRow[],
): Promise<readonly LabeledUsage[]> {
  const makers = new Map((await access.list(account)).map(({ id, createdBy }) => [id, createdBy ?? '']))
  const sums = new Map<string, { atMs: number; group: string; sums: GrowingSums }>()
  for (const row of rows) {
    const group = makers.get(row.group as bigint) ?? ''
    const name = `${row.atMs} ${group}`
    const sum = sums.get(name) ?? { atMs: row.atMs, group, sums: noSums() }
    sums.set(name, sum)
    addSums(sum.sums, row.sums)
  }
  const people = new Set([...sums.values()].map(({ group }) => group))
  const labels = new Map(
    await Promise.all(
      [...people].map(async (person) => {
        const known = person === '' ? undefined : await identity.findPerson(person)
        return [person, known?.name ?? (person === '' ? 'No person' : null)] as const
      }),
    ),
  )
  return [...sums.values()].map((row) => ({ ...row, label: labels.get(row.group) ?? null }))
}
