/** A short conversation, from many connections. */
import { chatBody, chatPath, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'small chat', connections: 64, requests: 3_000, path: chatPath, body: chatBody({}) },
]
