/** Streams whose events arrive as fast as they are read, and 50 a second, as a model's do. */
import type { Scenario } from '../scenario.ts'
import { streamScenarios } from '../stream-scenario.ts'

export const scenarios: readonly Scenario[] = [
  ...streamScenarios({ family: 'full speed', pauseMs: 0, open: 64 }),
  ...streamScenarios({ family: '50/s', pauseMs: 20, open: 64 }),
]
