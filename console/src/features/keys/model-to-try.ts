/** Which model the first request of a key goes to. Pure. */
import type { AvailableModel } from './available-models.ts'

/** The newest allowed one of a provider, else the test model that repeats the message. */
export function modelToTry(
  sold: readonly AvailableModel[],
  allowed: readonly string[] | null,
): string | undefined {
  const possible = allowed === null ? sold : sold.filter(({ model }) => allowed.includes(model))
  const names = possible.map(({ model }) => model)
  const real = possible.find(({ testModel }) => testModel === null)?.model
  return real ?? names.find((name) => name === 'sandbox-echo') ?? names[0] ?? allowed?.[0]
}
