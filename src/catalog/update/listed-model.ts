/** A model and its price as a published list states them, in whichever format the list is. Values only. */
import type { RateName } from '../../../contract/meters.ts'
import type { Steps } from '../../base/steps.ts'
import type { ExactObject } from './exact-json.ts'

/** Decimal USD per million tokens. */
export type ListedRates = Readonly<Partial<Record<RateName, string>>>

export interface ListedTier {
  readonly aboveInputTokens: number
  readonly rates: ListedRates
}

export type ListedPrice =
  | { readonly kind: 'price'; readonly rates: ListedRates; readonly tiers: readonly ListedTier[] }
  /** A sentence without a period. */
  | { readonly kind: 'unclear'; readonly reason: string }

/** A list's facts about a model apart from its price; any may be missing. */
export interface ListedFacts {
  readonly displayName?: string | undefined
  readonly released?: string | undefined
  readonly context?: number | undefined
  readonly maxInput?: number | undefined
  readonly maxOutput?: number | undefined
  readonly inputs?: readonly string[] | undefined
  readonly reasoning?: boolean | undefined
  readonly tools?: boolean | undefined
  readonly deprecated?: boolean | undefined
}

export interface ListedModel {
  /** Ours. */
  readonly provider: string
  /** The provider's name for the model. */
  readonly name: string
  /** Whether the model converses only in text, so that it can be added. */
  readonly converses: boolean
  readonly price: ListedPrice
  readonly facts: ListedFacts
}

export interface ReadModels {
  readonly models: readonly ListedModel[]
  /** Models of providers that are not known here, and names that are left out. */
  readonly otherModels: number
}

/** Parses a list, about one model per step; undefined: the text is in another format. */
export type FormatReader = (root: ExactObject) => Steps<ReadModels | undefined>
