/** Every operation of the control plane for readers: who may, what goes in, what comes out, and a command to try. Pure. */
import { errors } from '../../contract/errors.ts'
import { type OperationName, operations } from '../../contract/operations.ts'
import { codeBlock } from './markdown.ts'
import { inputParts, type Parameter } from './openapi.ts'
import { policyText, usualErrors } from './operation-policy-text.ts'
import { answerOf, answerSchemas, type JsonSchema, operationId, schemaPlace } from './operation-schemas.ts'
import { escapeHtml } from './page.ts'
import { exampleOf, type FieldRow, fieldRows, typeText } from './schema-text.ts'
import { type Section, sections } from './sections-table.ts'

/** `address`: where people reach the server. */
export function referenceHtml(address: string): string {
  const contents = sections.map(({ name, title }) => `<li><a href="#${name}">${escapeHtml(title)}</a></li>`)
  const values = Object.entries(answerSchemas).filter(([name]) => !name.endsWith('_answer'))
  return `<nav aria-label="Sections"><ul>
${contents.join('\n')}
<li><a href="#values">Values</a></li>
</ul></nav>
${sections.map((section) => sectionHtml(section, address)).join('\n')}
<section>
<h2 id="values">Values</h2>
${values.map(([name, schema]) => `<h3 id="${name}">${name}</h3>\n${fieldTable(fieldRows(schema), name)}`).join('\n')}
</section>`
}

function sectionHtml({ name, title, text, operations: names }: Section, address: string): string {
  return `<section>
<h2 id="${name}">${escapeHtml(title)}</h2>
<p>${escapeHtml(text)}</p>
${names.map((operation) => operationHtml(operation, address)).join('\n')}
</section>`
}

function operationHtml(name: OperationName, address: string): string {
  const { summary, policy, effect, http } = operations[name]
  if (http === null) return ''
  const [method, path] = http
  const { parameters, body } = inputParts(name)
  const rows = [...parameters.map(rowOf), ...(body === null ? [] : fieldRows(body))]
  return `<article id="${operationId(name)}">
<h3>${escapeHtml(summary)}</h3>
<p class="address"><span class="method">${method}</span> <code>${escapeHtml(path)}</code></p>
<p>${escapeHtml(policyText(policy))}</p>
${rows.length === 0 ? '' : `<h4>Takes</h4>\n${fieldTable(rows, name)}`}
<h4>Gives</h4>
${answerHtml(name)}
${commandHtml(name, address)}
<p>Errors: ${usualErrors({ policy, effect })
    .map((code) => `<a href="/docs/errors/${code}" title="${escapeHtml(errors[code].title)}">${code}</a>`)
    .join(', ')}.</p>
</article>`
}

const rowOf = ({ name, schema, required }: Parameter): FieldRow => ({ path: name, schema, required })

function fieldTable(rows: readonly FieldRow[], caption: string): string {
  const lines = rows.map(
    ({ path, schema, required }) =>
      `<tr><th scope="row"><code>${escapeHtml(path)}</code></th><td>${linked(typeText(schema))}</td><td>${needed(schema, required)}</td></tr>`,
  )
  return `<div class="scroll" tabindex="0"><table>
<caption class="hidden">${escapeHtml(caption)}</caption>
<thead><tr><th scope="col">field</th><th scope="col">what it holds</th><th scope="col">when</th></tr></thead>
<tbody>
${lines.join('\n')}
</tbody>
</table></div>`
}

function needed(schema: JsonSchema, required: boolean): string {
  if (schema.default !== undefined)
    return `left out: <code>${escapeHtml(JSON.stringify(schema.default))}</code>`
  return required ? 'always' : 'may be left out'
}

/** The names of shared values lead to them. */
function linked(text: string): string {
  return escapeHtml(text).replaceAll(/\b[A-Z][A-Za-z]+\b/g, (word) =>
    Object.hasOwn(answerSchemas, word) ? `<a href="#${word}">${word}</a>` : word,
  )
}

function answerHtml(name: OperationName): string {
  const { produces } = operations[name]
  if (produces !== 'json') return `<p>A file to keep (${produces === 'csv' ? 'CSV' : 'JSON'}).</p>`
  const answer = answerSchemas[(answerOf(name).$ref ?? '').slice(schemaPlace.length)] ?? {}
  const isShared = !(answerOf(name).$ref ?? '').endsWith('_answer')
  if (isShared) return `<p>${linked((answerOf(name).$ref ?? '').slice(schemaPlace.length))}</p>`
  const rows = fieldRows(answer)
  const lead = answer.items === undefined ? '' : `<p>${linked(typeText(answer))}</p>\n`
  return rows.length === 0 ? lead : `${lead}${fieldTable(rows, `${name}: answer`)}`
}

/** Only what a management key or anybody may do is a command; the rest needs a session. */
function commandHtml(name: OperationName, address: string): string {
  const { policy, http } = operations[name]
  if (http === null) return ''
  const isOpen = policy.of === 'everybody'
  if (!isOpen && (policy.of !== 'account' || policy.scope === null)) return ''
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
  return codeBlock(lines.join(' \\\n  '))
}
