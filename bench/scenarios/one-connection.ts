/** A short conversation, one request at a time. */
import { chatBody, chatPath, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'small chat, one connection', connections: 1, requests: 600, path: chatPath, body: chatBody({}) },
]
