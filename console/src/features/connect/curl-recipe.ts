/** How a request is sent with curl, in each of the four formats. */
import { shellQuoted } from './quote.ts'
import { alternative, type Facts, hello, keyStep, type Recipe, run } from './recipe.ts'

export const curlRecipe: Recipe = {
  id: 'curl',
  name: 'curl',
  group: 'Command line',
  about: 'One request from the command line, in any of the four formats.',
  prefers: 'openai-chat',
  steps: (facts) => [
    keyStep(facts),
    alternative('Chat Completions', run('Send a Chat Completions request', chatCurl(facts))),
    alternative('Messages (Anthropic)', run('Send a Messages request', messagesCurl(facts))),
    alternative('Responses', run('Send a Responses request', responsesCurl(facts))),
    alternative('Gemini', run('Send a Gemini request', geminiCurl(facts))),
  ],
  notes: () => [],
}

/** Prints a field per line, so that no line needs scrolling. */
const linesOf = (body: Readonly<Record<string, unknown>>) =>
  `{\n${Object.entries(body)
    .map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    .join(',\n')}\n  }`

const curl = (url: string, headers: readonly string[], body: Readonly<Record<string, unknown>>) =>
  [
    `curl ${shellQuoted(url)}`,
    ...headers.map((header) => `-H "${header}"`),
    '-H "Content-Type: application/json"',
    `-d ${shellQuoted(linesOf(body))}`,
  ].join(' \\\n  ')

const bearer = 'Authorization: Bearer $TOLLGATE_KEY'
const asked = [{ role: 'user', content: hello }]

function chatCurl({ address, model }: Facts): string {
  return curl(`${address}/v1/chat/completions`, [bearer], { model: model.name, messages: asked })
}

function messagesCurl({ address, model }: Facts): string {
  return curl(
    `${address}/v1/alt/v1/messages`,
    ['x-api-key: $TOLLGATE_KEY', 'anthropic-version: 2023-06-01'],
    { model: model.name, max_tokens: 1_024, messages: asked },
  )
}

function responsesCurl({ address, model }: Facts): string {
  return curl(`${address}/v1/responses`, [bearer], { model: model.name, input: hello })
}

function geminiCurl({ address, model }: Facts): string {
  const path = `/v1beta/models/${encodeURIComponent(model.name)}:generateContent`
  return curl(`${address}${path}`, ['x-goog-api-key: $TOLLGATE_KEY'], {
    contents: [{ role: 'user', parts: [{ text: hello }] }],
  })
}
