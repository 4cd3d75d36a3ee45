/** A short conversation from 1,000 accounts in turn: each request touches other rows. */
import { chatBody, chatPath, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  {
    name: 'small chat, 1,000 accounts',
    connections: 64,
    requests: 2_000,
    path: chatPath,
    body: chatBody({}),
    keys: 'all',
  },
]
