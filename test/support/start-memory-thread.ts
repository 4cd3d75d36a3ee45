/** A thread that releases its start memory many times, as threads of one process do when they start together. */
import { releaseStartMemory } from '../../src/base/start-memory.ts'
import { manualClock } from './manual-clock.ts'

const clock = manualClock()
for (let round = 0; round < 8; round += 1) {
  releaseStartMemory(clock, () => 0)
  clock.advance(2_000)
}
