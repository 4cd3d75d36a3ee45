/** Few and many streams that are open at the same time. Runs only if it is named: it takes minutes. */
import type { Scenario } from '../scenario.ts'
import { streamScenarios } from '../stream-scenario.ts'

const paces = [
  { family: '50/s, 1 open', pauseMs: 20, open: 1 },
  { family: '50/s, 500 open', pauseMs: 20, open: 500 },
  { family: '10/s, 2,000 open', pauseMs: 100, open: 2_000 },
]

export const scenarios: readonly Scenario[] = paces.flatMap((pace) =>
  streamScenarios(pace).map((scenario) => ({
    ...scenario,
    // A single stream takes 1.5 seconds.
    requests: pace.open === 1 ? 4 : pace.open,
    onlyIfNamed: true as const,
  })),
)
