/** The clouds' own environment variables: the upstreams they create, and missing variables. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Environment, readConfig } from './config.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-config-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function upstreams(environment: Environment) {
  const read = readConfig(environment, folder)
  assert.ok(read.kind === 'config', read.kind === 'mistakes' ? read.mistakes.join() : '')
  return read.config.upstreams.map(({ name, url, credential, models }) => ({ name, url, credential, models }))
}

test('variables of a cloud make an upstream at the address of the resource, region or project', () => {
  assert.deepEqual(
    upstreams({
      AZURE_OPENAI_API_KEY: 'azure-key',
      AZURE_OPENAI_ENDPOINT: 'https://my-resource.openai.azure.com/',
      AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
      AWS_REGION: 'eu-central-1',
      GOOGLE_VERTEX_PROJECT: 'my-project',
      GOOGLE_VERTEX_LOCATION: 'global',
      GOOGLE_APPLICATION_CREDENTIALS: '/etc/vertex.json',
    }),
    [
      {
        name: 'azure',
        url: 'https://my-resource.openai.azure.com',
        credential: 'azure-key',
        models: 'all',
      },
      {
        name: 'bedrock',
        url: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
        credential: 'bedrock-key',
        models: 'all',
      },
      {
        name: 'vertex',
        url: 'https://aiplatform.googleapis.com/v1/projects/my-project/locations/global',
        credential: '{"file":"/etc/vertex.json"}',
        models: 'all',
      },
    ],
  )
})

test('each location of Vertex has its host, and the path names the location', () => {
  for (const [location, host] of [
    ['global', 'aiplatform.googleapis.com'],
    ['us', 'aiplatform.us.rep.googleapis.com'],
    ['eu', 'aiplatform.eu.rep.googleapis.com'],
    ['europe-west4', 'europe-west4-aiplatform.googleapis.com'],
  ] as const) {
    const [upstream] = upstreams({ GOOGLE_VERTEX_PROJECT: 'p', GOOGLE_VERTEX_LOCATION: location })
    assert.equal(upstream?.url, `https://${host}/v1/projects/p/locations/${location}`)
    assert.equal(upstream.credential, '{"machine":"default"}')
  }
})

test('a variable that is missing is named', () => {
  const read = readConfig(
    {
      AZURE_OPENAI_API_KEY: 'azure-key',
      AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
      GOOGLE_VERTEX_PROJECT: 'my-project',
    },
    folder,
  )
  assert.deepEqual(read.kind === 'mistakes' ? read.mistakes : [], [
    'AZURE_OPENAI_ENDPOINT: is not set, but AZURE_OPENAI_API_KEY is; it says where the models are served',
    'AWS_REGION: is not set, but AWS_BEARER_TOKEN_BEDROCK is; it says where the models are served',
    'GOOGLE_VERTEX_LOCATION: is not set, but GOOGLE_VERTEX_PROJECT is; it says where the models are served',
  ])
})

test('variables that are set for other programs make no upstream', () => {
  const others = {
    AWS_REGION: 'us-east-1',
    GOOGLE_APPLICATION_CREDENTIALS: '/etc/other.json',
    GOOGLE_VERTEX_LOCATION: 'global',
    AZURE_OPENAI_ENDPOINT: 'https://my-resource.openai.azure.com',
  }
  assert.deepEqual(upstreams(others), [])
})

test('in the file a credential is a text or a mapping, and the file says by itself what a variable is for', () => {
  const file = join(folder, 'clouds.yaml')
  const text = `
upstreams:
  - name: bedrock
    provider: bedrock
    url: https://bedrock-runtime.eu-central-1.amazonaws.com
    credential:
      accessKeyId: \${AWS_ACCESS_KEY_ID}
      secretAccessKey: \${AWS_SECRET_ACCESS_KEY}
    models: all
`
  writeFileSync(file, text)
  const environment = {
    TOLLGATE_CONFIG: file,
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'a secret with spaces',
    AWS_BEARER_TOKEN_BEDROCK: 'bedrock-key',
  }
  const [upstream, ...others] = upstreams(environment)
  assert.deepEqual(others, [])
  assert.equal(upstream?.credential, '{"accessKeyId":"id","secretAccessKey":"a secret with spaces"}')
})
