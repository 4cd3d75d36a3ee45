/** `models.list`: available models with their prices, and unavailable ones with the reason. */
import { eventLoopTurns, runInTurns } from '../../base/steps.ts'
import { operationHandler } from '../handle-operation.ts'
import { modelOutputSteps } from './output.ts'

/** A model takes some 40 microseconds. */
const turns = eventLoopTurns(25)

export const listModels = operationHandler('models.list', async (deps, { all = false }) => {
  const { snapshot } = deps.catalog
  const nowMs = deps.clock.wallMs()
  const listed = [...snapshot.models].filter(([, { testModel }]) => all || testModel !== 'special')
  const names = [...listed.map(([name]) => name).sort(), ...[...snapshot.unsold.keys()].sort()]
  return await runInTurns(modelOutputSteps(snapshot, names, nowMs), turns)
})
