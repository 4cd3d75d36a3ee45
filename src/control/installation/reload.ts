/** `configuration.reload`: the running server reads its configuration again. */
import { operationHandler } from '../handle-operation.ts'

export const reloadConfiguration = operationHandler('configuration.reload', async ({ server }) => {
  const result = await server.reload()
  return result.kind === 'rejected'
    ? { reloaded: false, mistakes: [...result.mistakes], changed: [], restart: [] }
    : { reloaded: true, mistakes: [], changed: [...result.changed], restart: [...result.restart] }
})
