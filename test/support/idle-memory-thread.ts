/** A thread that gives memory back many times, as threads of one process do when they start together. */
import { releaseIdleMemory } from '../../src/base/idle-memory.ts'
import { manualClock } from './manual-clock.ts'

const clock = manualClock()
for (let round = 0; round < 8; round += 1) {
  releaseIdleMemory(clock, { loopShare: () => 0, heapBytes: () => 1 })
  clock.advance(2_000)
}
