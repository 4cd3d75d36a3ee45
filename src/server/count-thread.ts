/** The entry of the thread that counts tokens. */
import { workerData } from 'node:worker_threads'
import { serveThread } from '../threads/serve-thread.ts'
import { type CountSetup, countHandlers } from '../tokens/count-work.ts'

serveThread({ cancellable: countHandlers(workerData as CountSetup) })
