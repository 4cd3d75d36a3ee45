/** Pages without a source of their own: the list of errors, the page of unknown addresses. Pure. */
import { errors } from '../../contract/errors.ts'
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
<p>There is no page at this address. Check it for typos, pick a page from the navigation, or start at the <a href="/docs">overview</a>.</p>`
