/** What stands at the root: where clients connect, and where people go on. Pure. */
import { escapeHtml, pageOf } from './page.ts'

const addresses = [
  ['Chat Completions and Responses', '/v1'],
  ['Messages', '/v1/alt'],
  ['Gemini', ''],
] as const

/** `address`: where people reach the server. */
export function homePage(address: string): string {
  const rows = addresses.map(
    ([format, path]) =>
      `<tr><th scope="row">${format}</th><td><code>${escapeHtml(address)}${path}</code></td></tr>`,
  )
  return pageOf(
    'Tollgate',
    `<main class="narrow">
<h1>Tollgate</h1>
<p>One API key for OpenAI, Anthropic and Gemini models, with exact prepaid billing.</p>
<nav aria-label="Where to go">
<ul class="cards">
<li><a href="/console">Console</a><span>Accounts, API keys, usage and billing</span></li>
<li><a href="/pricing">Pricing</a><span>Every model with its prices</span></li>
<li><a href="/docs">Documentation</a><span>How to connect, and the Management API</span></li>
</ul>
</nav>
<h2>Base addresses</h2>
<table>
${rows.join('\n')}
</table>
</main>`,
  )
}
