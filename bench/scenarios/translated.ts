/** The client's format is not the model's, next to the same load in one that is. Proxies pass all of them through. */
import { chatBody, chatPath, type Scenario } from '../scenario.ts'

const ways = [
  { name: 'chat', path: chatPath, model: 'gpt-bench' },
  { name: 'chat → Messages', path: chatPath, model: 'claude-bench' },
  { name: 'Messages → Responses', path: '/v1/messages', model: 'responses-bench' },
]

export const scenarios: readonly Scenario[] = ways.flatMap(({ name, path, model }) => [
  { name: `small, ${name}`, connections: 64, requests: 1_500, path, body: chatBody({ model }) },
  ...[4, 36].map((events) => ({
    name: `stream of ${events} events, ${name}`,
    connections: 64,
    requests: events > 4 ? 128 : 400,
    path,
    body: chatBody({ model, stream: true }, `events=${events} pause=10 `),
    stream: { family: name, events },
  })),
])
