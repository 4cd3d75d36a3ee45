/** A thread that gives memory back many times, as threads of one process do when they start together. */
import { collectAfterStart } from '../../src/base/idle-memory.ts'
import { manualClock } from './manual-clock.ts'

const clock = manualClock()
for (let round = 0; round < 8; round += 1) {
  collectAfterStart(clock, () => 0)
  clock.advance(2_000)
}
