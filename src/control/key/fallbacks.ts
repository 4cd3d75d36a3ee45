/** The models that may serve in place of another one under a key: each is enabled, and one that the key may use. */
import type { KeyPolicy } from '../../access/types.ts'
import { TollgateError } from '../../base/errors.ts'
import type { Snapshot } from '../../catalog/types.ts'

/** Throws where a request could never use one of them. */
export function assertUsableFallbacks(
  { fallbacks, models }: Pick<KeyPolicy, 'fallbacks' | 'models'>,
  snapshot: Pick<Snapshot, 'models'>,
): void {
  for (const name of fallbacks ?? []) {
    const model = snapshot.models.get(name)
    if (model === undefined) throw refusal(`Unknown model ${JSON.stringify(name)}.`)
    if (models !== null && !models.includes(name) && !models.includes(model.name))
      throw refusal(`${name} is not one of the models that this key may use.`)
  }
}

const refusal = (message: string): TollgateError =>
  new TollgateError('invalid_value', { message, param: 'fallbacks' })
