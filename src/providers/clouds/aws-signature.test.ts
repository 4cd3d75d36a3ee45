/**
 * Signatures against what others compute: the examples that AWS publishes for version 4, and requests to Bedrock as the AWS
 * SDK for JavaScript signs them (@smithy/signature-v4 5.7.5).
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AwsScope, awsSignature } from './aws-signature.ts'

/** The keys of AWS's own examples. */
const keys = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: ['wJalrXUtnFEMI', 'K7MDENG+bPxRfiCYEXAMPLEKEY'].join('/'),
}

interface Example {
  readonly scope: AwsScope
  readonly at: string
  readonly method?: 'GET' | 'POST'
  readonly origin: string
  readonly path: string
  readonly headers?: readonly string[]
  readonly body?: string
  readonly sessionToken?: string
  readonly signed: string
  readonly signature: string
}

const published = {
  scope: { region: 'us-east-1', service: 'service' },
  at: '2015-08-30T12:36:00Z',
  origin: 'https://example.amazonaws.com',
  signed: 'host;x-amz-date',
} as const

const json = ['content-type', 'application/json'] as const
const bedrock = { at: '2026-11-23T15:30:00Z' } as const

const examples: Readonly<Record<string, Example>> = {
  'get-vanilla': {
    ...published,
    path: '/',
    signature: '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  },
  'post-vanilla': {
    ...published,
    method: 'POST',
    path: '/',
    signature: '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
  },
  'get-vanilla-query-order-key-case': {
    ...published,
    path: '/?Param2=value2&Param1=value1',
    signature: 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  },
  'post-x-www-form-urlencoded': {
    ...published,
    method: 'POST',
    path: '/',
    headers: ['content-type', 'application/x-www-form-urlencoded'],
    body: 'Param1=value1',
    signed: 'content-type;host;x-amz-date',
    signature: 'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  },
  'a request without a body': {
    ...bedrock,
    scope: { region: 'us-east-1', service: 'bedrock' },
    origin: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    path: '/openai/v1/models',
    signed: 'host;x-amz-date',
    signature: '80711581c35a316dcfe395a8a5910039d60686efc97e4da52825810db5c20387',
  },
  'a body, and headers of the format': {
    ...bedrock,
    scope: { region: 'eu-central-1', service: 'bedrock' },
    method: 'POST',
    origin: 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    path: '/anthropic/v1/messages',
    headers: [...json, 'anthropic-version', '2023-06-01', 'user-agent', 'tollgate'],
    body: '{"model":"m","messages":[]}',
    signed: 'anthropic-version;content-type;host;x-amz-date',
    signature: '06ee330298435c5bc471724d9c953f8d847d2f8866279f15ca83feecef3645ea',
  },
  'temporary keys, and text that is not ASCII': {
    ...bedrock,
    scope: { region: 'us-west-2', service: 'bedrock-mantle' },
    method: 'POST',
    origin: 'https://bedrock-mantle.us-west-2.api.aws',
    path: '/openai/v1/responses',
    headers: json,
    body: '{"input":"é"}',
    sessionToken: 'IQoJb3JpZ2luX2VjEXAMPLETOKEN//==',
    signed: 'content-type;host;x-amz-date;x-amz-security-token',
    signature: '8fb229568351925f8a78cb4a6034a0ad8620fefa22b3165caa60088083b17cd1',
  },
  'a path with an escaped colon, and a query': {
    ...bedrock,
    scope: { region: 'us-east-1', service: 'bedrock' },
    method: 'POST',
    origin: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    path: '/model/anthropic.claude-v1%3A0/invoke?b=2%203&a=x%2Fy',
    headers: json,
    body: '{}',
    signed: 'content-type;host;x-amz-date',
    signature: '675217f29ceb58aed954e3e54c20e55fa8d831ed4d93810b5cbf57edd539cd97',
  },
}

for (const [title, example] of Object.entries(examples)) {
  test(`${title}: the same signature`, async () => {
    const { scope, at, method = 'GET', origin, path, headers = [], body = '', sessionToken } = example
    // Cut anywhere: a body comes in pieces.
    const bytes = Buffer.from(body)
    const pieces = [bytes.subarray(0, 5), bytes.subarray(5)]
    const request = { origin, method, path, headers, body: pieces }
    const added = await awsSignature(request, { ...keys, sessionToken }, scope, Date.parse(at))
    const authorization = added[added.indexOf('authorization') + 1] ?? ''
    assert.match(
      authorization,
      new RegExp(`SignedHeaders=${example.signed}, Signature=${example.signature}$`),
    )
    assert.equal(added.includes('x-amz-security-token'), sessionToken !== undefined)
  })
}

test('a large body has the same digest in pieces and whole', async () => {
  const bytes = new Uint8Array(600_000).fill(7)
  const scope = { region: 'us-east-1', service: 'bedrock' }
  const request = { origin: 'https://a.example', method: 'POST' as const, path: '/', headers: [] }
  const [whole, pieces] = await Promise.all(
    [[bytes], [bytes.subarray(0, 10), bytes.subarray(10)]].map((body) =>
      awsSignature({ ...request, body }, keys, scope, 0),
    ),
  )
  assert.deepEqual(whole, pieces)
})
