/** A short conversation, from many connections. */
import { chatBody, chatPath, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'small chat', connections: 64, requests: 1_500, path: chatPath, body: chatBody({}) },
]
