/**
 * Preloaded into a measured Node program: SIGUSR2 collects the garbage of its main thread, so that what its memory
 * holds can be compared.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

if (isMainThread) {
  process.on('SIGUSR2', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    collect()
    collect()
  })
}
