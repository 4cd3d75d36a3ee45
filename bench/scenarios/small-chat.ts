/** A short conversation, from many connections and from one. */
import { chatBody, chatPath, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  { name: 'small chat', connections: 64, requests: 3_000, path: chatPath, body: chatBody({}) },
  { name: 'small chat, one connection', connections: 1, requests: 600, path: chatPath, body: chatBody({}) },
]
