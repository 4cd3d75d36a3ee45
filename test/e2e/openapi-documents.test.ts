/** The OpenAPI documents are valid, and the gateway answers as its document says: every operation, success and error. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { gatewayOpenApi } from '../../src/api/gateway-openapi.ts'
import { type DocumentedOperation, gatewayOperations } from '../../src/api/gateway-operations-table.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'

let served: TestGateway
let key = ''
let requestId = ''
before(async () => {
  served = await testGateway()
  await new Promise<void>((ready) => served.gateway.finishStart(ready))
  key = (await served.account('5')).key
  const { answer } = await ask(operationOf('createChatCompletion'))
  requestId = answer.headers.get('x-request-id') ?? ''
})
after(() => served.close())

for (const path of ['/openapi.json', '/api/openapi.json']) {
  test(`${path} is a valid document`, async () => {
    const answer = await fetch(`${served.origin}${path}`)
    assert.equal(answer.status, 200)
    const { valid, errors } = await new Validator().validate((await answer.json()) as Record<string, unknown>)
    assert.ok(valid, JSON.stringify(errors))
  })
}

const document = gatewayOpenApi({ address: 'https://gateway.example', version: '1.2.3' })
// Formats are annotations in JSON Schema 2020-12.
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(document, 'document')

function validate(schema: object, body: unknown, label: string): void {
  const inDocument = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object
  const check = ajv.compile(inDocument)
  assert.ok(check(body), `${label}: ${ajv.errorsText(check.errors)}\n${JSON.stringify(body)}`)
}

const model = 'sandbox-echo'
const hello = [{ role: 'user', content: 'Hello' }]
const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }]

const bodies: Readonly<Record<string, object>> = {
  ChatCompletionRequest: { model, messages: hello },
  ResponseRequest: { model, input: 'Hello' },
  MessagesRequest: { model, max_tokens: 100, messages: hello },
  MessagesCountRequest: { model, messages: hello },
  GenerateContentRequest: { contents },
  CountTokensRequest: { contents },
  EmbeddingRequest: { model, input: 'Hello' },
  EmbedContentRequest: { content: contents[0] },
  BatchEmbedContentsRequest: { requests: [{ content: contents[0] }] },
}

/** What the sandbox cannot simulate: file storage, embeddings, and a stored response with that ID. */
const rejected = /File|Embedding|^(?:get|delete|cancel|compact)Response$|^listInputItems$/

function operationOf(id: string): DocumentedOperation {
  return gatewayOperations.find((operation) => operation.id === id) ?? assert.fail(id)
}

async function ask({ method, path, takes, media, isOpen }: DocumentedOperation, credential = key) {
  const id = path.startsWith('/v1/generations/') ? requestId : model
  const filled = path.replace('{model}', model).replace('{id}', id)
  const form = new FormData()
  form.set('purpose', 'user_data')
  form.set('file', new Blob(['hello']), 'hello.txt')
  const json = takes === undefined || media !== undefined ? null : JSON.stringify(bodies[takes])
  const answer = await fetch(`${served.origin}${filled}`, {
    method: method.toUpperCase(),
    headers: {
      ...(isOpen === true ? {} : { authorization: `Bearer ${credential}` }),
      ...(json === null ? {} : { 'content-type': 'application/json' }),
    },
    body: media === undefined ? json : form,
  })
  const text = await answer.text()
  return { answer, text }
}

for (const operation of gatewayOperations) {
  const { id, method, path, error, isOpen } = operation
  test(`${method.toUpperCase()} ${path} answers as described`, async () => {
    const described = document.paths[path]?.[method] as unknown as {
      readonly responses: Readonly<
        Record<string, { readonly content: Readonly<Record<string, { schema: object }>> }>
      >
    }
    const schemaOf = (status: string) => described.responses[status]?.content['application/json']?.schema
    const { answer, text } = await ask(operation)
    assert.doesNotMatch(text, /unknown_path|method_not_allowed|UNKNOWN_PATH|METHOD_NOT_ALLOWED/)
    const isListOfFiles = /^list.*Files$/.test(id)
    assert.equal(answer.ok, isListOfFiles || !rejected.test(id), text)
    const schema = schemaOf(answer.ok ? '200' : 'default')
    if (schema !== undefined) validate(schema, JSON.parse(text), id)
    else assert.ok(answer.ok && operation.streams, text)
    if (isOpen === true) return
    const wrong = await ask(operation, 'no-key-of-this-server')
    assert.equal(wrong.answer.status, 401)
    validate(schemaOf('default') ?? {}, JSON.parse(wrong.text), `${id}: ${error}`)
  })
}

test('request bodies of these tests are valid by the document', () => {
  for (const [name, body] of Object.entries(bodies))
    validate({ $ref: `#/components/schemas/${name}` }, body, name)
})

test('every operation has its own ID, and every schema is used', () => {
  const ids = gatewayOperations.map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
  const text = JSON.stringify(document)
  for (const name of Object.keys(document.components.schemas))
    assert.ok(text.includes(`"#/components/schemas/${name}"`), name)
})
