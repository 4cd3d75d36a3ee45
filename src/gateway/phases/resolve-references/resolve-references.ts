/**
 * What the request refers to at its provider → only what an earlier answer to the same account left there, and the
 * upstream that has it. Here it is decided whose it is; that it joins the bound is all that it costs.
 */
import type { Caller } from '../../../access/types.ts'
import type { Clock } from '../../../base/clock.ts'
import { TollgateError } from '../../../base/errors.ts'
import type { Ledger, ProviderObjectRow } from '../../../ledger/types.ts'
import type { Reference } from '../../../wire/dialect.ts'
import type { Candidate, InputSize, ParsedRequest, RequestPlan, Route } from '../../request.ts'

export interface ResolveReferencesDeps {
  readonly ledger: Pick<Ledger, 'providerObjects'>
  readonly clock: Clock
  readonly limits: { readonly referencesMax: number }
}

/** Throws 400 for what is not known to be the caller's own, in the same words whatever else it may be. */
export async function resolveReferences(
  deps: ResolveReferencesDeps,
  caller: Caller,
  parsed: ParsedRequest,
  plan: RequestPlan,
): Promise<RequestPlan> {
  const { candidates, referenced, fillsWindow } = await lookUpReferences(deps, caller, parsed, plan)
  if (referenced === nothing) return plan
  // What is referred to may be audio, as far as anything here can tell.
  const audioTokens =
    plan.inputSize.audioTokens + (fillsWindow ? plan.inputSize.inputTokensMax : referenced.tokens)
  const inputSize: InputSize = {
    ...plan.inputSize,
    referenced,
    audioTokens,
    fillsWindow: plan.inputSize.fillsWindow || fillsWindow,
  }
  return { ...plan, candidates, inputSize }
}

/** Who can resolve the references, and what they make the model read. */
export interface ResolvedReferences {
  readonly candidates: readonly Candidate[]
  readonly referenced: InputSize['referenced']
  /** Nobody knows how long something is that is referred to. */
  readonly fillsWindow: boolean
}

const nothing: InputSize['referenced'] = { tokens: 0, reasoning: 0 }

/** The same for a request that is not made: what it throws and what it asks are those of `grant`. */
export async function lookUpReferences(
  { ledger, clock, limits }: ResolveReferencesDeps,
  caller: Caller,
  { facts }: ParsedRequest,
  { candidates }: Pick<Route, 'candidates'>,
): Promise<ResolvedReferences> {
  const references = (facts.references ?? []).filter(({ kind }) => kind !== 'file')
  const [first] = references
  if (first === undefined) return { candidates, referenced: nothing, fillsWindow: false }
  if (references.length > limits.referencesMax) throw tooMany(first, limits.referencesMax)
  const ids = references.map(({ id }) => id)
  const rows = new Map(
    (await ledger.providerObjects(caller.account, ids, clock.wallMs())).map((row) => [row.id, row]),
  )
  const having = candidates.filter(({ upstream }) => rows.get(first.id)?.upstream === upstream.name)
  const stranger = references.find(
    ({ id }) => !having.some((at) => at.upstream.name === rows.get(id)?.upstream),
  )
  if (stranger !== undefined) throw notOwned(stranger)
  const objects = [...rows.values()]
  return {
    candidates: having,
    referenced: tokensOf(objects),
    fillsWindow: objects.some((row) => having.some((at) => isUnbounded(row, at.upstreamModel))),
  }
}

/** Items of one answer are parts of the same output, which is read once. */
function tokensOf(objects: readonly ProviderObjectRow[]): InputSize['referenced'] {
  const answers = new Map(objects.map((row) => [`${row.receipt} ${row.referencedScope}`, row]))
  let tokens = 0
  let reasoning = 0
  for (const row of answers.values()) {
    tokens += row.output + (row.referencedScope === 'output' ? 0 : row.input)
    reasoning += row.reasoning
  }
  return { tokens, reasoning }
}

/** Another model counts the same text and pictures otherwise. */
function isUnbounded(
  { referencedScope, upstreamModel, usageSource }: ProviderObjectRow,
  model: string,
): boolean {
  return referencedScope === 'window' || upstreamModel !== model || usageSource !== 'reported'
}

function notOwned({ pointer }: Reference): TollgateError {
  return new TollgateError('reference_not_owned', {
    message: `${pointer}: nothing with this id is kept for this account where this model is served. Send the earlier items themselves, as clients do that are told store: false.`,
    param: pointer,
  })
}

function tooMany({ pointer }: Reference, most: number): TollgateError {
  return new TollgateError('reference_not_owned', {
    message: `${pointer}: a request can refer to ${most} kept items and not to more. Send the earlier items themselves, as clients do that are told store: false.`,
    param: pointer,
  })
}
