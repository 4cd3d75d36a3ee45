/**
 * What bounds the cost of a request at a target by its size alone, before anything is counted: input tokens, classes of
 * output, uses of tools that run at the provider. Pure.
 */
import { eachOutput, type OutputClasses, type OutputMeter } from '../../contract/meters.ts'
import type { Model, PriceVersion } from '../catalog/types.ts'
import { withRequestFee } from '../ledger/rules/price.ts'
import type { Connector } from '../providers/connector.ts'
import { tokensBySize } from '../providers/media-size.ts'
import type { ExtractedFields } from '../wire/dialect.ts'
import { canHoldAudio, mediaLength } from '../wire/media.ts'
import type { InputSize, Target } from './request.ts'

/** The free input bound: one token per byte of text, the provider's formulas for media. */
export function inputSizeOf(
  { model, connector }: Pick<Target, 'model' | 'connector'>,
  { facts, bodyBytes }: { readonly facts: ExtractedFields; readonly bodyBytes: number },
  toolUses: Readonly<Record<string, number>>,
): InputSize {
  let mediaTokens = 0
  let sizedTokens = 0
  let audioTokens = 0
  let mediaBytes = 0
  const page = connector.page(model.upstreamModel)
  for (const media of facts.media) {
    const byFormula = connector.mediaTokensMax(media, model.upstreamModel)
    const tokens = byFormula === 'window' ? (tokensBySize(media, page) ?? model.inputTokensMax) : byFormula
    if (byFormula === 'window') sizedTokens += tokens
    else mediaTokens += tokens
    if (canHoldAudio(media)) audioTokens += tokens
    mediaBytes += mediaLength(media)
  }
  const tools = Object.entries(toolUses)
  const uses = tools.reduce((sum, [, count]) => sum + count, 0)
  const textBytes = bodyBytes - mediaBytes
  return {
    textBytes,
    mediaTokens,
    sizedTokens,
    audioTokens,
    hiddenTokens: connector.hiddenInputTokens,
    // Set by resolveReferences.
    referenced: { tokens: 0, reasoning: 0 },
    toolUses: uses,
    tokensPerToolUse: Math.max(0, ...tools.map(([meter]) => connector.serverTool(meter).tokensPerUse)),
    fillsWindow: false,
    inputTokensMax: model.inputTokensMax,
    tokenFactor: connector.tokenFactor,
  }
}

/** The most uses of tools that run at the provider, by billing unit. */
export interface ToolUses {
  /** Those that are held for; each of them reads the input again. */
  readonly uses: Readonly<Record<string, number>>
  /** Those that an upstream may report; infinite where the format cannot cap them. */
  readonly usesMax: Readonly<Record<string, number>>
  /** Billing units that the provider waives because of another tool of the request. */
  readonly waived: readonly string[]
}

/** Where the format cannot cap the uses of a tool, an assumed number is held for and the rest is written off. */
export function toolUsesOf(
  connector: Pick<Connector, 'serverTool'>,
  { serverTools }: Pick<ExtractedFields, 'serverTools'>,
  { serverToolUsesMax }: { readonly serverToolUsesMax: number },
): ToolUses {
  const waived = [...new Set(serverTools.flatMap(({ waives = [] }) => waives))]
  const uses: Record<string, number> = {}
  const usesMax: Record<string, number> = {}
  for (const tool of serverTools) {
    const { meter } = tool
    const before = uses[meter] ?? 0
    const wanted = Math.min(tool.usesMax ?? serverToolUsesMax, serverToolUsesMax)
    const assumed = connector.serverTool(meter).uncappedUses ?? serverToolUsesMax
    const isCapped = tool.capPatch !== null
    uses[meter] = isCapped ? before + wanted : Math.max(before, assumed)
    usesMax[meter] = isCapped ? (usesMax[meter] ?? 0) + wanted : Number.POSITIVE_INFINITY
  }
  return { uses, usesMax, waived }
}

/** The classes of output tokens that a response can have. */
export function outputClassesOf(model: Model, facts: ExtractedFields): OutputClasses {
  return eachOutput((name) => outputRules[name](model, facts))
}

/** Whether a response can have output tokens of a class, which the hold then covers. */
const outputRules: Readonly<Record<OutputMeter, (model: Model, facts: ExtractedFields) => boolean>> = {
  output: () => true,
  outputAudio: canSpeak,
}

function canSpeak(model: Model, { options }: ExtractedFields): boolean {
  return options.some(({ name }) => name === audioOption) || !model.outputs.includes('text')
}

const audioOption = 'modality:audio'

/** What the uses of a request cost, and the fee for the request itself. */
export function feesOf(
  price: PriceVersion,
  { uses, waived }: Pick<ToolUses, 'uses' | 'waived'>,
): Readonly<Record<string, number>> {
  const charged = Object.entries(uses).filter(([meter]) => !waived.includes(meter))
  return withRequestFee({ fees: Object.fromEntries(charged) }, price).fees
}

/** The options that can multiply the price of a request at this target. */
export function optionsOf(
  { unrequestedOptions }: Pick<Target, 'unrequestedOptions'>,
  { options }: Pick<ExtractedFields, 'options'>,
): readonly string[] {
  if (options.length === 0) return unrequestedOptions
  const asked = options.map(({ name }) => name)
  return unrequestedOptions.length === 0 ? asked : [...new Set([...asked, ...unrequestedOptions])]
}
