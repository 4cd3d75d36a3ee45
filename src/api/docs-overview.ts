/** The first page of the documentation: how to make a request, and which page tells what. Pure. */
import { codeBlock } from './markdown.ts'
import { escapeHtml } from './page.ts'

/** `address`: where people reach the server. */
export function overviewHtml(address: string): string {
  return `<h1>Documentation</h1>
<p>One base address and one key reach every model, in the format that your library speaks. Each request is paid from the balance of the key's account.</p>
<h2 id="first-request">A first request</h2>
<ol>
<li>Make a key in the <a href="/console/keys">console</a> and keep it in <code>TOLLGATE_KEY</code>.</li>
<li>Choose a model of the <a href="/pricing">price list</a>.</li>
<li>Ask it in any format, with its name in place of <code>MODEL</code>. The page <a href="/console/connect">Connect</a> has the same with the name and your key in it, and the settings of each library and agent.</li>
</ol>
${requests.map(({ title, path, header, body }) => `<h3>${title}</h3>\n${codeBlock(command(address, { path, header, body }))}`).join('\n')}
<h2 id="pages">Where to read on</h2>
<ul>
<li><a href="/docs/clients">Clients</a>: settings of editors, agents and libraries</li>
<li><a href="/docs/api">The data plane</a>: addresses, keys, limits, billing, errors</li>
<li><a href="/docs/compatibility">Between formats</a>: what becomes of each field</li>
<li><a href="/docs/control-api">The API of accounts and keys</a>, for programs as <a href="/api/openapi.json">OpenAPI 3.1</a></li>
<li><a href="/docs/errors">Errors</a>: what each code means and what to do</li>
<li><a href="/docs/operate/keys">Keys</a>: budgets, limits, replacing them, who may do what</li>
<li><a href="/docs/operate/running">Running an installation</a>, its <a href="/docs/operate/people">people</a> and <a href="/docs/operate/payments">payments</a></li>
</ul>
<p>This installation is at <code>${escapeHtml(address)}</code>.</p>`
}

interface Ask {
  readonly path: string
  readonly header: string
  readonly body: object
}

const hello = [{ role: 'user', content: 'Hello' }]

const requests: readonly (Ask & { readonly title: string })[] = [
  {
    title: 'Chat Completions',
    path: '/v1/chat/completions',
    header: 'Authorization: Bearer $TOLLGATE_KEY',
    body: { model: 'MODEL', messages: hello },
  },
  {
    title: 'Messages',
    path: '/v1/alt/v1/messages',
    header: 'x-api-key: $TOLLGATE_KEY',
    body: { model: 'MODEL', max_tokens: 1024, messages: hello },
  },
  {
    title: 'Responses',
    path: '/v1/responses',
    header: 'Authorization: Bearer $TOLLGATE_KEY',
    body: { model: 'MODEL', input: 'Hello' },
  },
  {
    title: 'Gemini',
    path: '/v1beta/models/MODEL:generateContent',
    header: 'x-goog-api-key: $TOLLGATE_KEY',
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
  },
]

function command(address: string, { path, header, body }: Ask): string {
  return [
    `curl '${address}${path}'`,
    `-H "${header}"`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body)}'`,
  ].join(' \\\n  ')
}
