/** A model as the control plane shows it. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { priceOut } from '../../catalog/listing.ts'
import { priceAt, type Snapshot } from '../../catalog/types.ts'
import type { ControlParts } from '../parts.ts'

export type ModelOutput = OperationOutput<'models.list'>[number]
type Price = NonNullable<ModelOutput['details']>['price']

/** `name` is one that the snapshot knows, sold or not. */
export function modelOutput(snapshot: Snapshot, name: string, nowMs: number): ModelOutput {
  const model = snapshot.models.get(name)
  if (model === undefined) {
    return { model: name, sold: false, reason: snapshot.unsold.get(name) ?? 'it is not known', details: null }
  }
  return {
    model: name,
    sold: true,
    reason: null,
    details: {
      provider: model.provider,
      upstreamModel: model.upstreamModel,
      displayName: model.displayName,
      dialects: [...model.dialects],
      contextTokens: model.contextTokens,
      outputTokensMax: model.outputTokensMax,
      inputs: [...model.inputs],
      outputs: [...model.outputs],
      deprecated: model.deprecated,
      price: priceOut(priceAt(model, nowMs)) as Price,
    },
  }
}

/** The model as it is after a change. */
export function modelNow(
  { catalog, clock }: Pick<ControlParts, 'catalog' | 'clock'>,
  name: string,
): ModelOutput {
  return modelOutput(catalog.snapshot, name, clock.wallMs())
}
