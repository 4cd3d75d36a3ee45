/** The entry of a thread that reads, translates and counts large request bodies. */
import { setPriority } from 'node:os'
import { bodyHandlers, buffersIn } from '../bodies/body-handlers.ts'
import { serveThread } from '../threads/serve-thread.ts'

/** Where processors are scarce, the thread that relays and other programs go first. */
const niceness = 10
// Elsewhere a priority applies to the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(niceness)
  } catch (error) {
    // A sandbox may forbid it; bodies are read anyway.
    process.emitWarning(error as Error)
  }
}

serveThread({ handlers: { ...bodyHandlers }, transfer: buffersIn })
