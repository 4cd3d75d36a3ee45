/** Conversations of 10, 100 and 400 kB, as agents send them. */
import { chatBody, chatPath, promptText, type Scenario } from '../scenario.ts'

function ofSize(kilobytes: number, requests: number): Scenario {
  const text = promptText.repeat(Math.ceil((kilobytes * 1_000) / promptText.length))
  return {
    name: `body of ${kilobytes} kB`,
    connections: 16,
    requests,
    path: chatPath,
    body: chatBody({}, text),
  }
}

export const scenarios: readonly Scenario[] = [ofSize(10, 1_000), ofSize(100, 400), ofSize(400, 120)]
