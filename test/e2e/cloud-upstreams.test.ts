/**
 * Upstreams of clouds that are added in the console: which addresses and credentials are accepted, that a credential of
 * several fields is stored encrypted and used, and that it shows nothing of itself.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { limitDefaults } from '../../src/config/config.ts'
import { testCredentials } from '../../src/server/test-credentials.ts'
import { imitateCloud } from '../support/cloud-imitation.ts'
import { form, TokenCloud } from '../support/cloud-place.ts'
import { testGateway } from '../support/gateway.ts'
import { asking, controlOf, personActor } from '../support/operators.ts'
import { storedIn } from '../support/test-database.ts'

/** Assembled here, so that nothing like a secret is in the repository. */
const secret = ['hush', '7'.repeat(24), 'tail'].join('')
const entra = { tenantId: 'tenant-1', clientId: 'client-1', clientSecret: secret }

const tokens = new TokenCloud((request) => (form(request)['client_secret'] === secret ? '' : 'client_secret'))
const facts = tokens.facts
const cloud = await imitateCloud({
  ...facts,
  issue: (request) => (request.url.startsWith('/openai/') ? null : (facts.issue?.(request) ?? null)),
})
const gate = await testGateway()
const operator = asking(controlOf(gate), personActor('ada', { operator: true }))
after(async () => {
  await gate.close()
  await cloud.close()
})

const azure = {
  upstream: 'azure-1',
  provider: 'azure',
  url: cloud.origin,
  credential: JSON.stringify(entra, null, 2),
  models: [{ model: 'azure/gpt-4o', upstreamModel: 'my-deployment' }],
}

test('a credential of several fields obtains tokens, and is stored encrypted', async () => {
  const put = await operator.done('upstreams.put', azure)
  assert.equal(put.credentialEnd, '')
  const account = await gate.account('5')
  const answer = await fetch(`${gate.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'azure/gpt-4o', messages: [{ role: 'user', content: 'say text' }] }),
  })
  assert.equal(answer.status, 200, await answer.text())
  assert.match(cloud.requests.at(-1)?.text ?? '', /"model":"my-deployment"/)
  for (const [place, text] of await storedIn(gate.dataFolder)) assert.ok(!text.includes(secret), place)
  assert.doesNotMatch(JSON.stringify(await operator.done('upstreams.list', {})), /hush|clientSecret/)
})

test('what cannot be an address or a credential of a cloud is rejected, and nothing is asked', async () => {
  const before = [cloud.requests.length, cloud.issued.length]
  const vertex = { upstream: 'v', provider: 'vertex', models: 'all' as const, credential: 'a-long-key' }
  const locations = 'googleapis.com/v1/projects/p/locations'
  for (const [asked, message] of [
    [{ ...azure, url: undefined }, /^url: it needs its URL, as Azure has no common one/],
    [{ ...azure, models: undefined }, /^models: list the models that it serves/],
    [
      { ...azure, credential: '{"tenantId":"t"}' },
      /^credential: must have the fields tenantId, clientId, clientSecret/,
    ],
    [{ ...azure, credential: '{"machine":"default"}' }, /in tollgate\.yaml only \(machine\)/],
    [
      { ...azure, credential: JSON.stringify({ ...entra, clientSecret: 's', tokenFile: '/etc/passwd' }) },
      /in tollgate\.yaml only \(tokenFile\)/,
    ],
    [
      { ...azure, provider: 'groq', credential: '{"machine":"default"}' },
      /^credential: must be one text for Groq/,
    ],
    [
      { ...vertex, url: `https://global-aiplatform.${locations}/global` },
      /^url: the host of the location global is aiplatform\.googleapis\.com/,
    ],
    [
      { ...vertex, url: `https://aiplatform.${locations}/global`, credential: '{"file":"/etc/passwd"}' },
      /in tollgate\.yaml only \(file\)/,
    ],
  ] as const) {
    for (const operation of ['upstreams.put', 'upstreams.check'] as const) {
      const checks = operation === 'upstreams.check' ? { askHost: false, testCredential: true } : {}
      const error = await operator.rejected(operation, { ...asked, ...checks } as never)
      assert.match(error.message, message)
    }
  }
  assert.deepEqual([cloud.requests.length, cloud.issued.length], before)
})

test('doctor tests keys of AWS and of Google by a request that costs nothing', async () => {
  const rejecting = await imitateCloud({
    ...facts,
    route: (url) => (/^\/openai\/|:generateContent$/.test(url) ? { format: 'chat' } : null),
    mistake: () => 'key',
    rejections: {
      ...facts.rejections,
      credential: {
        status: 403,
        headers: { 'x-amzn-errortype': 'UnrecognizedClientException:http://internal.example' },
        body: { message: 'The security token included in the request is invalid.' },
      },
    },
  })
  const keys = { accessKeyId: 'AK-1', secretAccessKey: secret, region: 'eu-west-1' }
  const upstreams = [
    { name: 'b', provider: 'bedrock', url: rejecting.origin, credential: JSON.stringify(keys), weight: 1 },
    { name: 'v', provider: 'vertex', url: rejecting.origin, credential: 'a-key', weight: 1 },
  ]
  const tested = await testCredentials({ upstreams, limits: limitDefaults }, systemClock)
  await rejecting.close()
  assert.deepEqual(
    tested.map(({ answer }) => [answer.credential, answer.hostMessage]),
    upstreams.map(() => ['rejected', 'The security token included in the request is invalid.']),
  )
  const signed = rejecting.requests.filter(({ headers }) => headers.authorization !== undefined)
  assert.match(String(signed[0]?.headers.authorization), /^AWS4-HMAC-SHA256 Credential=AK-1/)
  assert.deepEqual(
    rejecting.requests.map(({ text }) => text),
    ['{}', '{}'],
  )
})

test('a test of the credential says why no token was issued, without the secret', async () => {
  const upstream = {
    name: 'azure-1',
    provider: 'azure',
    url: cloud.origin,
    credential: JSON.stringify({ ...entra, clientSecret: 'another-secret' }),
    weight: 1,
  }
  const [tested] = await testCredentials({ upstreams: [upstream], limits: limitDefaults }, systemClock)
  assert.match(String(tested?.answer.problem), /Microsoft Entra answered HTTP 400: invalid_client/)
  assert.doesNotMatch(JSON.stringify(tested), /another-secret|client_secret/)
})
