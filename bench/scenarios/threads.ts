/** A short conversation with one thread and with two; on its own, because every load runs on both gateways. */
import { chatBody, chatPath, type Scenario } from '../scenario.ts'

export const scenarios: readonly Scenario[] = [
  {
    name: 'small chat, one account',
    connections: 64,
    requests: 3_000,
    path: chatPath,
    body: chatBody({}),
    threads: 2,
    onlyIfNamed: true,
  },
  {
    name: 'small chat, 1,000 accounts',
    connections: 64,
    requests: 3_000,
    path: chatPath,
    body: chatBody({}),
    keys: 'all',
    threads: 2,
    onlyIfNamed: true,
  },
]
