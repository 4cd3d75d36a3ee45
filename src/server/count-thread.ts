/** The entry of the thread that counts tokens. */
import { origin, serveThread } from '../threads/serve-thread.ts'
import { type CountSetup, countHandlers } from '../tokens/count-work.ts'

serveThread({ cancellable: countHandlers(origin.setup as CountSetup) })
