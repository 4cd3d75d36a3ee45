/**
 * Credentials that tokens are made from, against imitations that issue them: each way to obtain one, tokens that are shared
 * and replaced in time, and what becomes of requests while there is none.
 */
import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import type { CloudRequest } from '../support/cloud-imitation.ts'
import { answered, ask, cloudPlaces, form, problem, rejections, TokenCloud } from '../support/cloud-place.ts'
import { eventually } from '../support/metered-gateway.ts'

const { folder, imitate, place, written } = cloudPlaces()

const entra = { tenantId: 'tenant-1', clientId: 'client-1', clientSecret: 'hush-hush-hush' }

function entraMistake(request: CloudRequest): string {
  const { grant_type: grant, scope, client_id: id, client_secret: secret } = form(request)
  if (request.url !== '/tenant-1/oauth2/v2.0/token' || request.method !== 'POST') return request.url
  const isRight = grant === 'client_credentials' && id === 'client-1' && secret === 'hush-hush-hush'
  return isRight && scope === 'https://cognitiveservices.azure.com/.default' ? '' : request.text
}

const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2_048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})
const serviceAccount = {
  type: 'service_account',
  project_id: 'p-1',
  private_key_id: 'kid-1',
  private_key: privateKey,
  client_email: 'robot@p-1.iam.gserviceaccount.com',
  token_uri: 'https://elsewhere.example/token',
}

/** As an independent reader of tokens sees it: RFC 7515 and 7519. */
function googleMistake(request: CloudRequest): string {
  const { grant_type: grant, assertion = '' } = form(request)
  if (request.url !== '/token' || grant !== 'urn:ietf:params:oauth:grant-type:jwt-bearer') return request.url
  const [head = '', body = '', signature = ''] = assertion.split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const signed = Buffer.from(`${head}.${body}`)
  if (!verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))) return 'signature'
  const { alg, kid } = read(head)
  const { iss, aud, scope, iat, exp } = read(body)
  const isRight =
    alg === 'RS256' &&
    kid === 'kid-1' &&
    iss === serviceAccount.client_email &&
    aud === 'https://oauth2.googleapis.com/token' &&
    scope === 'https://www.googleapis.com/auth/cloud-platform'
  return isRight && exp - iat <= 3_600 && exp * 1_000 > Date.now() ? '' : JSON.stringify(read(body))
}

const tokenClouds = {
  azure: { credential: entra, mistake: entraMistake },
  vertex: { credential: serviceAccount, mistake: googleMistake },
} as const

for (const provider of ['azure', 'vertex'] as const) {
  const { credential, mistake } = tokenClouds[provider]
  const open = async () => {
    const tokens = new TokenCloud(mistake)
    return { tokens, there: await place({ provider, credential, facts: tokens.facts }) }
  }

  test(`${provider}: 50 requests at the same time share one token, before and after it expires`, async () => {
    const { there } = await open()
    for (const count of [1, 2]) {
      await Promise.all(Array.from({ length: 50 }, () => answered(there, provider)))
      assert.equal(there.cloud.issued.length, count)
      there.shift(3_400_000)
    }
  })

  test(`${provider}: a token that is rejected early is replaced once for all requests, and no caller notices`, async () => {
    const { tokens, there } = await open()
    await answered(there, provider)
    tokens.revoke()
    await Promise.all(Array.from({ length: 50 }, () => answered(there, provider)))
    assert.equal(there.cloud.issued.length, 2)
    assert.equal(there.cloud.requests.at(-1)?.headers.authorization, 'Bearer token-2')
  })

  test(`${provider}: a token that cannot be replaced is used until it expires`, async () => {
    const { tokens, there } = await open()
    await answered(there, provider)
    tokens.failure = problem(503)
    there.shift(3_400_000)
    await answered(there, provider)
    there.shift(300_000)
    assert.equal((await ask(there, provider)).status, 503)
  })

  test(`${provider}: a client that disconnects before there is a token is charged nothing, and the token serves the others`, async () => {
    const { tokens, there } = await open()
    const issuing = Promise.withResolvers<void>()
    tokens.ready = issuing.promise
    const leaving = new AbortController()
    const left = ask(there, provider, leaving.signal)
    const staying = ask(there, provider)
    await eventually(
      'both requests wait for one token',
      async () => [(await there.tollgate.balance(there.account.id)).openHolds, there.cloud.issued.length],
      ([openHolds, issued]) => openHolds === 2 && issued === 1,
    )
    leaving.abort()
    await assert.rejects(left)
    await eventually(
      'the hold of the request that was abandoned is released',
      () => there.tollgate.balance(there.account.id),
      ({ openHolds }) => openHolds === 1,
    )
    assert.equal(there.cloud.requests.length, 0)
    assert.equal((await there.tollgate.balance(there.account.id)).posted, 1_000_000_000_000n)
    issuing.resolve()
    assert.equal((await staying).status, 200)
    await answered(there, provider)
    assert.deepEqual([there.cloud.issued.length, there.cloud.requests.length], [1, 2])
  })

  test(`${provider}: without a token the caller gets an upstream failure and the operator the reason`, async () => {
    const { tokens, there } = await open()
    for (const [failure, reason] of [
      [
        { status: 401, body: { error: 'unauthorized_client', error_description: 'app 7' } },
        /HTTP 401: unauthorized_client/,
      ],
      [
        { status: 302, body: '', headers: { location: 'https://elsewhere.example/' } },
        /redirect, which is not followed/,
      ],
      [{ status: 200, body: 'x'.repeat(100_000) }, /more than a token/],
      [{ status: 200, body: { expires_in: 3_600 } }, /without a token/],
    ] as const) {
      tokens.failure = failure
      const answer = await ask(there, provider)
      const text = await answer.text()
      assert.equal(answer.status, 503, text)
      assert.match(text, /upstream_unavailable/)
      assert.doesNotMatch(text, /app 7|unauthorized_client|127\.0\.0\.1/)
      assert.match(there.log.join(''), reason)
    }
    assert.equal(there.cloud.requests.length, 0)
    const said = there.log.join('')
    assert.doesNotMatch(said, /hush-hush-hush|PRIVATE KEY|app 7/)
    const { openHolds } = await there.tollgate.balance(there.account.id)
    assert.equal(openHolds, 0)
  })
}

test('without a token at one upstream, another one serves', async () => {
  const spare = await imitate({
    route: (url) => (url === '/openai/v1/chat/completions' ? { format: 'chat' } : null),
    mistake: ({ headers }) => (headers['api-key'] === 'spare-key' ? '' : 'key'),
    rejections,
  })
  const tokens = new TokenCloud(entraMistake)
  tokens.failure = problem(500)
  const there = await place({
    provider: 'azure',
    credential: entra,
    facts: tokens.facts,
    spare: spare.origin,
  })
  for (const _ of Array.from({ length: 10 })) {
    const answer = await ask(there, 'azure')
    assert.equal(answer.status, 200, await answer.text())
  }
  assert.equal(spare.requests.length, 10)
})

test('a wrong secret is logged without the secret', async () => {
  const tokens = new TokenCloud(entraMistake)
  const credential = { ...entra, clientSecret: 'other-secret-text' }
  const there = await place({ provider: 'azure', credential, facts: tokens.facts })
  assert.equal((await ask(there, 'azure')).status, 503)
  assert.match(there.log.join(''), /Microsoft Entra answered HTTP 400: invalid_client/)
  assert.doesNotMatch(there.log.join(''), /other-secret-text/)
})

test('Azure: a token of the platform, or the identity of the machine, in place of a secret', async () => {
  const file = written('entra-token', 'platform.token.1\n')
  const platform = new TokenCloud((request) => {
    const { client_assertion: proof, client_assertion_type: type } = form(request)
    return proof === 'platform.token.1' && type?.endsWith(':jwt-bearer') === true ? '' : request.text
  })
  const credential = { tenantId: 'tenant-1', clientId: 'client-1', tokenFile: file }
  await answered(await place({ provider: 'azure', credential, facts: platform.facts }), 'azure')
  const machine = new TokenCloud(({ url, headers }) =>
    url ===
      '/metadata/identity/oauth2/token?api-version=2018-02-01&resource=https%3A%2F%2Fcognitiveservices.azure.com' &&
    headers['metadata'] === 'true'
      ? ''
      : url,
  )
  const there = await place({ provider: 'azure', credential: { machine: 'default' }, facts: machine.facts })
  await answered(there, 'azure')
})

test('Vertex: the key in a file, a person’s default credentials, or the account of the machine', async () => {
  const file = written('service-account.json', JSON.stringify(serviceAccount, null, 2))
  const fromFile = new TokenCloud(googleMistake)
  await answered(await place({ provider: 'vertex', credential: { file }, facts: fromFile.facts }), 'vertex')
  const person = { type: 'authorized_user', client_id: 'c', client_secret: 's', refresh_token: 'r' }
  const refreshing = new TokenCloud((request) => {
    const { type: _, ...others } = person
    const right = { grant_type: 'refresh_token', ...others }
    return JSON.stringify(form(request)) === JSON.stringify(right) ? '' : request.text
  })
  await answered(await place({ provider: 'vertex', credential: person, facts: refreshing.facts }), 'vertex')
  const machine = new TokenCloud(({ url, headers }) =>
    url === '/computeMetadata/v1/instance/service-accounts/default/token' &&
    headers['metadata-flavor'] === 'Google'
      ? ''
      : url,
  )
  const credential = { machine: 'default' }
  await answered(await place({ provider: 'vertex', credential, facts: machine.facts }), 'vertex')
})

const workload = {
  type: 'external_account',
  audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/k',
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://elsewhere.example/token',
}
const account = 'robot@p-1.iam.gserviceaccount.com'
const impersonated = `/v1/projects/-/serviceAccounts/${account}:generateAccessToken`

/** What is wrong with an exchange of the token of a platform; '' nothing. */
function exchangeMistake(request: CloudRequest): string {
  const { audience, scope, subject_token: token, subject_token_type: type, ...others } = form(request)
  const isRight =
    request.url === '/v1/token' &&
    others['grant_type'] === 'urn:ietf:params:oauth:grant-type:token-exchange' &&
    others['requested_token_type'] === 'urn:ietf:params:oauth:token-type:access_token' &&
    scope === 'https://www.googleapis.com/auth/cloud-platform'
  if (!isRight || audience !== workload.audience || type !== workload.subject_token_type) return request.text
  return token === 'platform.token.1' ? '' : `token ${token}`
}

test('Vertex: the token of another platform is exchanged, for the identity or for a service account', async () => {
  const text = written('pod-token.txt', 'platform.token.1\n')
  const json = written('pod-token.json', '{"id":"platform.token.1"}')
  const asJson = { file: json, format: { type: 'json', subject_token_field_name: 'id' } }
  for (const [name, source] of Object.entries({ text: { file: text }, json: asJson })) {
    const file = written(`workload-${name}.json`, JSON.stringify({ ...workload, credential_source: source }))
    const exchange = new TokenCloud(exchangeMistake)
    await answered(await place({ provider: 'vertex', credential: { file }, facts: exchange.facts }), 'vertex')
  }
  const url = `https://iamcredentials.googleapis.com${impersonated}`
  const fields = {
    ...workload,
    credential_source: { file: text },
    service_account_impersonation_url: url,
  }
  const exchange = new TokenCloud(exchangeMistake)
  const { facts } = exchange
  const expireTime = () => new Date(Date.now() + 3_600_000).toISOString()
  const there = await place({
    provider: 'vertex',
    credential: { file: written('workload-account.json', JSON.stringify(fields)) },
    facts: {
      ...facts,
      issue: (request) =>
        request.url === impersonated && request.headers.authorization === 'Bearer token-1'
          ? { status: 200, body: { accessToken: 'token-1', expireTime: expireTime() } }
          : (facts.issue?.(request) ?? null),
    },
  })
  await answered(there, 'vertex')
  assert.deepEqual(
    there.cloud.issued.map((request) => request.url),
    ['/v1/token', impersonated],
  )
})

test('Vertex: a file that is not there, or is none, is named to the operator', async () => {
  const tokens = new TokenCloud(googleMistake)
  for (const [file, reason] of [
    [join(folder, 'absent.json'), /absent\.json cannot be read \(ENOENT\)/],
    [written('text.json', 'no JSON'), /text\.json is not a JSON file/],
    [written('other.json', '{"type":"other"}'), /not service_account, authorized_user or external_account/],
    [
      written(
        'url.json',
        JSON.stringify({ ...workload, credential_source: { url: 'https://elsewhere.example' } }),
      ),
      /is not a file, which is the only one that is supported/,
    ],
    [
      written(
        'account.json',
        JSON.stringify({
          ...workload,
          credential_source: { file: written('token.txt', 'platform.token.1') },
          service_account_impersonation_url: `https://elsewhere.example${impersonated}`,
        }),
      ),
      /is not an address of a service account/,
    ],
    [
      written('broken.json', JSON.stringify({ ...serviceAccount, private_key: 'broken-key-text' })),
      /the private key of the service account cannot be read/,
    ],
  ] as const) {
    const there = await place({ provider: 'vertex', credential: { file }, facts: tokens.facts })
    assert.equal((await ask(there, 'vertex')).status, 503)
    assert.match(there.log.join(''), reason)
    assert.doesNotMatch(there.log.join(''), /broken-key-text/)
  }
})
