/** `models.list`: available models with their prices, and unavailable ones with the reason. */
import { operationHandler } from '../handle-operation.ts'
import { modelOutput } from './output.ts'

export const listModels = operationHandler('models.list', async (deps, { all = false }) => {
  const { snapshot } = deps.catalog
  const nowMs = deps.clock.wallMs()
  const listed = [...snapshot.models].filter(([, { testModel }]) => all || testModel !== 'special')
  const names = [...listed.map(([name]) => name).sort(), ...[...snapshot.unsold.keys()].sort()]
  return names.map((name) => modelOutput(snapshot, name, nowMs))
})
