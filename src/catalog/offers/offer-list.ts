/**
 * A model's offers as a list that operators read, preview and replace whole. An offer that could never serve is a mistake; a
 * plan has the rows to write and the differences. Pure, in small steps.
 */
import { createHash } from 'node:crypto'
import { formatUsd } from '../../../contract/usd.ts'
import type { Steps } from '../../base/steps.ts'
import type { CostDefinition, ModelDefinition, OfferDefinition } from '../definition.ts'
import type { CatalogSources } from '../sources.ts'
import type { Offer, Rates, Snapshot } from '../types.ts'
import { costRates } from './below-cost.ts'
import { type DisabledOffers, isPlaceDisabled } from './disabled-offers.ts'
import { costOf, offerFinder, providerOf } from './offers.ts'

/** An offer as an operator wants it; left out: as it is. */
export interface OfferChoice {
  readonly upstream: string
  readonly upstreamModel?: string | undefined
  readonly priority: number
  readonly weight?: number | undefined
  /** null: none. */
  readonly cost?: CostDefinition | null | undefined
  /** null: the provider's formats. */
  readonly formats?: OfferDefinition['formats'] | null | undefined
  readonly enabled?: boolean | undefined
}

/** An offer as operators see it. */
export interface OfferRow {
  readonly upstream: string
  /** null: the upstream does not exist. */
  readonly provider: string | null
  readonly upstreamModel: string
  readonly priority: number
  readonly weight: number
  readonly formats: Offer['formats']
  readonly enabled: boolean
  /** Why it cannot serve although it is enabled. */
  readonly trouble: string | null
  /** The cost that was set. */
  readonly cost: Offer['cost'] | null
  /** The cost in use; null: the model's own list price, because none is known there. */
  readonly known: Pick<Rates, 'input' | 'output'> | null
  /** The definition that produces the row. */
  readonly written: OfferDefinition
}

export interface OfferList {
  readonly from: 'console' | 'configuration' | 'upstreams'
  readonly rows: readonly OfferRow[]
  readonly revision: string
}

export interface OfferListSources {
  readonly sources: CatalogSources
  readonly disabled: DisabledOffers
  /** Upstreams that are not in use, and why. */
  readonly unused: ReadonlyMap<string, { readonly provider: string; readonly problem: string }>
  readonly snapshot: Pick<Snapshot, 'models'>
  readonly nowMs: number
}

/** The offers of a model from its merged definition; `override`: the operators' changes. */
export function offerListOf(
  definition: ModelDefinition,
  override: ModelDefinition | null,
  known: OfferListSources,
): OfferList {
  const rows = rowsOf(definition, known)
  const from =
    definition.offers === undefined
      ? 'upstreams'
      : override?.offers === undefined
        ? 'configuration'
        : 'console'
  return { from, rows, revision: revisionOf(rows, override) }
}

function rowsOf(definition: ModelDefinition, known: OfferListSources): readonly OfferRow[] {
  const { sources } = known
  const finder = offerFinder(sources)
  const provider = providerOf(definition, sources)
  if (definition.offers === undefined) {
    if (provider === undefined) return []
    return finder.offersOf({ ...definition, provider }).map((offer) => {
      const { upstream, upstreamModel: model, priority, weight } = offer
      return servingRow(offer, { upstream: upstream.name, model, priority, weight }, known)
    })
  }
  return definition.offers.map((written) => {
    const model = { ...definition, provider: provider ?? '', offers: [written] }
    const [offer] = finder.offersOf(model)
    return offer === undefined
      ? unusedRow(definition, written, known)
      : servingRow(offer, { ...written, model: offer.upstreamModel }, known)
  })
}

function servingRow(offer: Offer, written: OfferDefinition, known: OfferListSources): OfferRow {
  const { upstream, upstreamModel, priority, weight, formats, cost } = offer
  const place = { upstream: upstream.name, upstreamModel }
  const isUpstreamDisabled = known.disabled.has(upstream.name)
  const rates = costRates(known.snapshot, offer, known.nowMs)
  return {
    ...place,
    provider: upstream.provider,
    ...{ priority, weight, formats, written },
    enabled: !isPlaceDisabled(known.disabled, place),
    trouble: isUpstreamDisabled ? upstreamDisabled : null,
    cost: cost ?? null,
    known: rates === undefined ? null : { input: rates.input, output: rates.output },
  }
}

const upstreamDisabled = 'the upstream is disabled'

function unusedRow(definition: ModelDefinition, written: OfferDefinition, known: OfferListSources): OfferRow {
  const { upstream } = written
  const upstreamModel = written.model ?? definition.upstreamId ?? definition.id
  const found = known.sources.upstreams.find(({ name }) => name === upstream)
  const unused = known.unused.get(upstream)
  return {
    ...{ upstream, upstreamModel, written },
    provider: found?.provider ?? unused?.provider ?? null,
    priority: written.priority ?? 1,
    weight: written.weight ?? found?.weight ?? 1,
    formats: written.formats ?? [],
    enabled: !isPlaceDisabled(known.disabled, { upstream, upstreamModel }),
    trouble: found === undefined ? (unused?.problem ?? 'there is no such upstream') : noFormat,
    cost: written.cost === undefined ? null : costOf(written.cost),
    known: null,
  }
}

const noFormat = 'the upstream has no format in which the model can be called'

/** A text that changes with the list or its overrides. */
function revisionOf(rows: readonly OfferRow[], override: ModelDefinition | null): string {
  const facts = rows.map(({ upstream, upstreamModel, priority, weight, formats, enabled, written }) => {
    return [upstream, upstreamModel, priority, weight, formats, enabled, written.cost ?? null]
  })
  const text = JSON.stringify([facts, override?.offers ?? null])
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

export interface OfferMistake {
  readonly kind: 'mistake'
  /** A sentence without a period. */
  readonly message: string
  readonly param: string
}

/** The definitions of chosen offers, with omitted fields filled in; or the first error. */
export function* writtenOffers(
  choices: readonly OfferChoice[],
  definition: ModelDefinition,
  before: readonly OfferRow[],
  known: OfferListSources,
): Steps<readonly OfferDefinition[] | OfferMistake> {
  const upstreams = new Set([...known.sources.upstreams.map(({ name }) => name), ...known.unused.keys()])
  const seen = new Set<string>()
  const written: OfferDefinition[] = []
  for (const [place, choice] of choices.entries()) {
    const mistake = (field: string, message: string): OfferMistake => {
      return { kind: 'mistake', param: `offers.${place}.${field}`, message }
    }
    const { upstream } = choice
    if (!upstreams.has(upstream)) return mistake('upstream', `there is no upstream named ${upstream}`)
    const offer = writtenOffer(choice, before)
    const [row] = rowsOf({ ...definition, offers: [offer] }, known)
    if (row?.trouble === noFormat) {
      return mistake('upstream', `${upstream} has no format in which ${definition.id} can be called there`)
    }
    const name = row?.upstreamModel ?? offer.model ?? ''
    if (seen.has(`${upstream} ${name}`)) {
      return mistake('upstreamModel', `${name} at ${upstream} is listed twice`)
    }
    seen.add(`${upstream} ${name}`)
    written.push(offer)
    yield
  }
  return written
}

function writtenOffer(choice: OfferChoice, before: readonly OfferRow[]): OfferDefinition {
  const { upstream, upstreamModel, priority, weight, cost, formats } = choice
  const here = before.filter((row) => row.upstream === upstream)
  const old = upstreamModel === undefined ? here[0] : here.find((row) => row.upstreamModel === upstreamModel)
  return {
    upstream,
    priority,
    model: upstreamModel ?? old?.upstreamModel,
    weight: weight ?? old?.written.weight,
    cost: cost === undefined ? old?.written.cost : (cost ?? undefined),
    formats: formats === undefined ? old?.written.formats : (formats ?? undefined),
  }
}

/** A model at an upstream, as an operator adds or changes it. */
export interface OfferInput {
  /** The public name. */
  readonly model: string
  readonly upstream: string
  /** The upstream's name for the model, if it differs. */
  readonly upstreamModel?: string | undefined
  /** Load balancing and cost of the offer. */
  readonly priority?: number | undefined
  readonly weight?: number | undefined
  /** null: none. */
  readonly cost?: CostDefinition | null | undefined
  /** Facts that replace the known ones and dated prices to add. */
  readonly definition: Omit<ModelDefinition, 'id'>
}

/** The list with this offer changed or added. */
export function choicesWith(rows: readonly OfferRow[], input: OfferInput): readonly OfferChoice[] {
  const { upstream, upstreamModel } = input
  const here = rows.filter((row) => row.upstream === upstream)
  const same = here.find((row) => row.upstreamModel === upstreamModel)
  const changed = same ?? (here.length === 1 || upstreamModel === undefined ? here[0] : undefined)
  const choice: OfferChoice = {
    upstream,
    upstreamModel: upstreamModel ?? changed?.upstreamModel,
    priority: input.priority ?? changed?.priority ?? 1,
    weight: input.weight ?? changed?.written.weight,
    cost: input.cost === undefined ? changed?.written.cost : input.cost,
    formats: input.definition.formats ?? changed?.written.formats,
    enabled: true,
  }
  const kept = rows.map((row) => {
    const { upstream: at, upstreamModel: name, priority } = row
    return row === changed ? choice : { upstream: at, upstreamModel: name, priority }
  })
  return changed === undefined ? [...kept, choice] : kept
}

/** Unknown names at providers whose names are known: probably misspelled. */
export function unknownNames(rows: readonly OfferRow[], { sources }: OfferListSources): readonly OfferRow[] {
  const finder = offerFinder(sources)
  return rows.filter(({ upstream, upstreamModel }) => {
    const at = sources.upstreams.find(({ name }) => name === upstream)
    if (at === undefined || finder.mayBeNamed(at, upstreamModel)) return false
    const listed = at.models === undefined || at.models === 'all' ? [] : at.models
    return !listed.some(({ id, upstreamId = id }) => upstreamId === upstreamModel)
  })
}

/** A difference between two lists. */
export interface OfferDifference {
  readonly upstream: string
  readonly upstreamModel: string
  readonly field: 'offer' | 'group' | 'name' | 'weight' | 'cost' | 'formats' | 'enabled'
  readonly from: string | null
  readonly to: string | null
}

type ShownField = Exclude<OfferDifference['field'], 'offer'>

/** Groups by position, because gaps between their numbers mean nothing. */
export function offerDifferences(
  before: readonly OfferRow[],
  after: readonly OfferRow[],
): readonly OfferDifference[] {
  const shown = { before: shownRows(before), after: shownRows(after) }
  const pairs = shown.after.map((row) => [partner(row, shown.before, shown.after), row] as const)
  const kept = new Set(pairs.map(([old]) => old))
  const removed = shown.before.filter((row) => !kept.has(row))
  return [
    ...pairs.flatMap(([old, row]) =>
      old === undefined ? [whole(row, 'added')] : fieldDifferences(old, row),
    ),
    ...removed.map((row) => whole(row, 'removed')),
  ]
}

interface ShownRow {
  readonly row: OfferRow
  readonly fields: Readonly<Record<ShownField, string | null>>
}

function shownRows(rows: readonly OfferRow[]): readonly ShownRow[] {
  const groups = [...new Set(rows.map(({ priority }) => priority))].sort((one, other) => one - other)
  return rows.map((row) => {
    const { upstreamModel, priority, weight, formats, enabled, cost: amounts } = row
    const cost =
      amounts === null || amounts === undefined
        ? null
        : `${formatUsd(amounts.input)} / ${formatUsd(amounts.output)}`
    return {
      row,
      fields: {
        group: String(groups.indexOf(priority) + 1),
        name: upstreamModel,
        weight: String(weight),
        cost,
        formats: [...formats].sort().join(', '),
        enabled: enabled ? 'enabled' : 'disabled',
      },
    }
  })
}

/** The previous version of an offer; if an upstream has one offer before and after, a new name is a change of it. */
function partner(
  { row }: ShownRow,
  before: readonly ShownRow[],
  after: readonly ShownRow[],
): ShownRow | undefined {
  const [old, now] = [before, after].map((rows) => rows.filter((one) => one.row.upstream === row.upstream))
  const same = old?.find((one) => one.row.upstreamModel === row.upstreamModel)
  return same ?? (old?.length === 1 && now?.length === 1 ? old[0] : undefined)
}

function whole({ row, fields }: ShownRow, what: 'added' | 'removed'): OfferDifference {
  const { upstream, upstreamModel } = row
  const text = `group ${fields.group}, weight ${fields.weight}`
  return {
    ...{ upstream, upstreamModel, field: 'offer' },
    ...(what === 'added' ? { from: null, to: text } : { from: text, to: null }),
  }
}

function fieldDifferences(old: ShownRow, { row, fields }: ShownRow): readonly OfferDifference[] {
  const { upstream, upstreamModel } = row
  const names = Object.keys(fields) as readonly ShownField[]
  return names.flatMap((field) => {
    const [from, to] = [old.fields[field], fields[field]]
    return from === to ? [] : [{ upstream, upstreamModel, field, from, to }]
  })
}
