/** The entry of the thread that counts tokens. */
import { serveThread, threadStart } from '../threads/serve-thread.ts'
import { type CountSetup, countHandlers } from '../tokens/count-work.ts'

serveThread({ cancellable: countHandlers(threadStart.setup as CountSetup) })
