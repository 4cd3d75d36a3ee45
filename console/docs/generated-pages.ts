/** Pages without a source file: the list of errors, the home page, the not-found page. Pure. */
import { errors } from '../../contract/errors.ts'
import { shownOrigin } from '../../src/api/docs-manifest.ts'
import { escapeHtml } from '../../src/api/page.ts'
import { errorsPath } from './site-map.ts'

const retryWords = { never: 'No', later: 'Yes, after a pause' }

export function errorListHtml(): string {
  const rows = Object.entries(errors).map(
    ([code, { status, title, retry }]) =>
      `<tr><td>${status}</td><th scope="row"><a href="${errorsPath}/${code}"><code>${code}</code></a></th><td>${escapeHtml(title)}</td><td>${retryWords[retry]}</td></tr>`,
  )
  return `<h1 id="errors">Errors</h1>
<p>Every error response has a code. Each code has a page that explains the cause and the fix.</p>
<div class="scroll" tabindex="0"><table>
<thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th><th scope="col">Retry?</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`
}

export const notFoundHtml = `<h1>Page not found</h1>
<p>There is no page at this URL. Check it for typos, search, pick a page from the navigation, or start at the <a href="/docs">overview</a> or the <a href="/console">console</a>.</p>`

/** Lists of `link: text` as cards that are a link as a whole. */
export function linkCards(html: string): string {
  return html.replaceAll(
    /<ul>\s*((?:<li><a href="[^"]*">[^<]*<\/a>: .*<\/li>\s*)+)<\/ul>/g,
    (_list, items: string) => {
      const cards = items.replaceAll(
        /<li>(<a href="[^"]*">[^<]*<\/a>): (.)(.*)<\/li>/g,
        (_item, link: string, first: string, rest: string) =>
          `<li>${link}<span>${first.toUpperCase()}${rest}</span></li>`,
      )
      return `<ul class="cards">${cards}</ul>`
    },
  )
}

const baseUrls = [
  ['Chat Completions, Responses, embeddings', '/v1'],
  ['Messages (Anthropic)', '/v1/alt'],
  ['Gemini (Google)', ''],
] as const

/** What is at the root of the server: what it is, where to go, and the base URLs of clients. */
export function homePageHtml(): string {
  const rows = baseUrls.map(
    ([format, path]) => `<tr><th scope="row">${format}</th><td><code>${shownOrigin}${path}</code></td></tr>`,
  )
  return `<h1>One API key for every model, with exact prepaid billing</h1>
<p class="lead">Keep the client library you already use. Set this server's base URL and an API key, and request any model it offers. Each request is paid from your prepaid balance and leaves a receipt.</p>
<p class="actions"><a class="primary" href="/console">Open the console</a> <a href="/docs">Read the documentation</a> <a href="/pricing">See models and prices</a></p>
<h2>Base URLs</h2>
<div class="scroll"><table>
<thead><tr><th scope="col">API format</th><th scope="col">Base URL</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>
<p class="soft">Every model works in every format. <a href="/docs/clients">Connect a client</a> has instructions for SDKs, coding agents and frameworks.</p>`
}
