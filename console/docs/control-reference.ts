/** Every operation of the Management API for readers: who may call it, parameters, response, an example. Pure. */
import { errors } from '../../contract/errors.ts'
import { type OperationName, operations } from '../../contract/operations.ts'
import { inputParts, type OpenApiParameter } from '../../src/api/openapi.ts'
import { policyText, usualErrors } from '../../src/api/operation-policy-text.ts'
import {
  answerOf,
  answerSchemas,
  type JsonSchema,
  operationId,
  schemaPlace,
} from '../../src/api/operation-schemas.ts'
import { escapeHtml } from '../../src/api/page.ts'
import { exampleOf, type FieldRow, fieldRows, typeText } from '../../src/api/schema-text.ts'
import { type Section, sections } from '../../src/api/sections-table.ts'
import { codeBlockHtml } from './highlight.ts'
import type { RenderedPage } from './render-markdown.ts'

/** `address`: of the server. */
export function controlReference(address: string): RenderedPage {
  const objects = Object.entries(answerSchemas).filter(([name]) => !name.endsWith('_answer'))
  const html = `${sections.map((section) => sectionHtml(section, address)).join('\n')}
<h2 id="objects">Objects</h2>
${objects.map(([name, schema]) => `<h3 id="${name}">${name}</h3>\n${fieldTable(fieldRows(schema), name)}`).join('\n')}`
  const headings = [...sections, { name: 'objects', title: 'Objects' }].map(({ name, title }) => ({
    id: name,
    level: 2,
    text: title,
  }))
  return { html, headings }
}

function sectionHtml({ name, title, text, operations: names }: Section, address: string): string {
  return `<h2 id="${name}">${escapeHtml(title)}</h2>
<p>${escapeHtml(text)}</p>
${names.map((operation) => operationHtml(operation, address)).join('\n')}`
}

function operationHtml(name: OperationName, address: string): string {
  const { summary, policy, effect, http } = operations[name]
  if (http === null) return ''
  const [method, path] = http
  const { parameters, body } = inputParts(name)
  const rows = [...parameters.map(rowOf), ...(body === null ? [] : fieldRows(body))]
  return `<section class="operation">
<h3 id="${operationId(name)}">${escapeHtml(summary)}</h3>
<p class="endpoint"><span class="method">${method}</span> <code>${escapeHtml(path)}</code></p>
<p>${escapeHtml(policyText(policy))}</p>
${rows.length === 0 ? '' : `<h4>Parameters</h4>\n${fieldTable(rows, `${name}: parameters`)}`}
<h4>Response</h4>
${answerHtml(name)}
${commandHtml(name, address)}
<p>Errors: ${usualErrors({ policy, effect })
    .map((code) => `<a href="/docs/errors/${code}" title="${escapeHtml(errors[code].title)}">${code}</a>`)
    .join(', ')}.</p>
</section>`
}

const rowOf = ({ name, schema, required }: OpenApiParameter): FieldRow => ({ path: name, schema, required })

function fieldTable(rows: readonly FieldRow[], caption: string): string {
  const lines = rows.map(
    ({ path, schema, required }) =>
      `<tr><th scope="row"><code>${escapeHtml(path)}</code></th><td>${linked(typeText(schema))}</td><td>${presence(schema, required)}</td></tr>`,
  )
  return `<div class="scroll" tabindex="0"><table>
<caption class="hidden">${escapeHtml(caption)}</caption>
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Presence</th></tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table></div>`
}

function presence(schema: JsonSchema, required: boolean): string {
  if (schema.default !== undefined)
    return `default <code>${escapeHtml(JSON.stringify(schema.default))}</code>`
  return required ? 'required' : 'optional'
}

/** The names of shared objects link to them. */
function linked(text: string): string {
  return escapeHtml(text).replaceAll(/\b[A-Z][A-Za-z]+\b/g, (word) =>
    Object.hasOwn(answerSchemas, word) ? `<a href="#${word}">${word}</a>` : word,
  )
}

function answerHtml(name: OperationName): string {
  const { produces } = operations[name]
  if (produces !== 'json') return `<p>A ${produces === 'csv' ? 'CSV' : 'JSON'} file.</p>`
  const reference = (answerOf(name).$ref ?? '').slice(schemaPlace.length)
  const answer = answerSchemas[reference] ?? {}
  if (!reference.endsWith('_answer')) return `<p>${linked(reference)}</p>`
  const rows = fieldRows(answer)
  const lead = answer.items === undefined ? '' : `<p>${linked(typeText(answer))}</p>\n`
  return rows.length === 0 ? lead : `${lead}${fieldTable(rows, `${name}: response`)}`
}

/** An example for what a management key, or a request without credentials, may call; the rest needs a session. */
function commandHtml(name: OperationName, address: string): string {
  const { policy, http } = operations[name]
  if (http === null) return ''
  const isOpen = policy.kind === 'public'
  if (!isOpen && (policy.kind !== 'account' || policy.scope === null)) return ''
  const [method, path] = http
  const { parameters, body } = inputParts(name)
  const filled = parameters.reduce(
    (text, { name: field, schema }) =>
      text.replace(`{${field}}`, encodeURIComponent(String(exampleOf(schema)))),
    `${address}${path}`,
  )
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.required)
    .map(({ name: field, schema }) => `${field}=${encodeURIComponent(String(exampleOf(schema)))}`)
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}'${filled}${query.length === 0 ? '' : `?${query.join('&')}`}'`,
    ...(isOpen ? [] : [`-H "Authorization: Bearer $TOLLGATE_MANAGEMENT_KEY"`]),
    ...(body === null
      ? []
      : [`-H 'Content-Type: application/json'`, `-d '${JSON.stringify(exampleOf(body))}'`]),
  ]
  return codeBlockHtml({ language: 'sh', text: lines.join(' \\\n  ') })
}
