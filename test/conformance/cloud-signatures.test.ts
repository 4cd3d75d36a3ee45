/**
 * Credentials that signatures are made from, against an imitation of Bedrock: what arrives is what was signed, with keys from
 * each place that has them.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awsSignature } from '../../src/providers/clouds/aws-signature.ts'
import type { CloudFacts, CloudRejection, CloudRequest } from '../support/cloud-imitation.ts'
import { answered, ask, cloudPlaces, form, problem, rejections } from '../support/cloud-place.ts'

const { imitate, place, written } = cloudPlaces()

const region = 'eu-central-1'
const awsKeys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'a-secret-of-aws', sessionToken: 'session-1' }

/** Signs what arrived again, with the time and the headers that were sent. */
async function signatureMistake(
  { method, url, headers, text }: CloudRequest,
  keys: typeof awsKeys,
): Promise<string> {
  const { authorization = '', 'x-amz-date': time = '', 'x-amz-security-token': token } = headers
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(';') ?? []
  const at = String(time).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5')
  const sent = names
    .filter((name) => name !== 'host' && !name.startsWith('x-amz-'))
    .flatMap((name) => [name, String(headers[name])])
  const again = await awsSignature(
    {
      origin: `http://${headers.host}`,
      method: method as 'POST',
      path: url,
      headers: sent,
      body: [Buffer.from(text)],
    },
    keys,
    { region, service: 'bedrock' },
    Date.parse(at),
  )
  const isRight = again.includes(authorization) && token === keys.sessionToken
  return isRight && names.includes('content-type') ? '' : `${authorization} ${String(token)}`
}

test('the imitation’s check of signatures finds a changed body', async () => {
  const text = '{"a":1}'
  const origin = 'http://127.0.0.1:9'
  const sent = ['content-type', 'application/json']
  const request = { origin, method: 'POST' as const, path: '/x', headers: sent, body: [Buffer.from(text)] }
  const added = await awsSignature(
    request,
    awsKeys,
    { region, service: 'bedrock' },
    Date.parse('2026-11-23T15:30:00Z'),
  )
  const pairs: Record<string, string> = { host: '127.0.0.1:9', 'content-type': 'application/json' }
  for (let at = 0; at < added.length; at += 2) pairs[added[at] ?? ''] = added[at + 1] ?? ''
  const arrived = { method: 'POST', url: '/x', headers: pairs, text }
  assert.equal(await signatureMistake(arrived, awsKeys), '')
  assert.notEqual(await signatureMistake({ ...arrived, text: '{"a":2}' }, awsKeys), '')
})

const expiry = () => new Date(Date.now() + 3_600_000).toISOString()

/** A cloud that checks signatures when a test asks, and issues keys by the path of a request. */
function bedrockFacts(issue: (request: CloudRequest) => CloudRejection | null): CloudFacts {
  return {
    route: (url) => (url === '/openai/v1/chat/completions' ? { format: 'chat' } : null),
    mistake: ({ headers }) =>
      headers.authorization?.startsWith('AWS4-HMAC-SHA256 ') === true ? '' : 'unsigned',
    rejections,
    issue,
  }
}

const issuedKeys = {
  Code: 'Success',
  AccessKeyId: awsKeys.accessKeyId,
  SecretAccessKey: awsKeys.secretAccessKey,
  Token: awsKeys.sessionToken,
}

const sources: readonly {
  readonly from: string
  readonly credential: () => Readonly<Record<string, string>>
  readonly issue?: (request: CloudRequest) => CloudRejection | null
  readonly requests: number
}[] = [
  { from: 'keys', credential: () => ({ ...awsKeys }), requests: 0 },
  {
    from: 'a profile',
    credential: () => ({
      profile: 'work',
      file: written(
        'credentials',
        `[default]\naws_access_key_id = OTHER\n\n[work]\naws_access_key_id=${awsKeys.accessKeyId}\naws_secret_access_key = ${awsKeys.secretAccessKey}\naws_session_token = ${awsKeys.sessionToken}\n`,
      ),
    }),
    requests: 0,
  },
  {
    from: 'the token of a platform',
    credential: () => ({
      roleArn: 'arn:aws:iam::1:role/r',
      tokenFile: written('web-identity', 'web.token\n'),
    }),
    issue(request) {
      const { Action, RoleArn, WebIdentityToken } = form(request)
      const isRight = Action === 'AssumeRoleWithWebIdentity' && WebIdentityToken === 'web.token'
      if (request.url !== '/' || !isRight || RoleArn !== 'arn:aws:iam::1:role/r') return problem(400)
      const { Token: SessionToken, ...others } = issuedKeys
      const Credentials = { ...others, SessionToken, Expiration: Date.now() / 1_000 + 3_600 }
      const result = { AssumeRoleWithWebIdentityResult: { Credentials } }
      return { status: 200, body: { AssumeRoleWithWebIdentityResponse: result } }
    },
    requests: 1,
  },
  {
    from: 'a machine',
    credential: () => ({ machine: 'default' }),
    issue({ method, url, headers }) {
      const path = '/latest/meta-data/iam/security-credentials/'
      if (url === '/latest/api/token' && method === 'PUT') return { status: 200, body: 'session' }
      if (headers['x-aws-ec2-metadata-token'] !== 'session') return problem(401)
      if (url === path) return { status: 200, body: 'role-1' }
      return url === `${path}role-1` ? { status: 200, body: { ...issuedKeys, Expiration: expiry() } } : null
    },
    requests: 3,
  },
]

for (const { from, credential, issue = () => null, requests } of sources) {
  test(`Bedrock: keys from ${from} sign what is sent, and are obtained once for all requests`, async () => {
    const there = await place({
      provider: 'bedrock',
      credential: { ...credential(), region },
      facts: bedrockFacts(issue),
    })
    await Promise.all(Array.from({ length: 20 }, () => answered(there, 'bedrock')))
    assert.equal(there.cloud.issued.length, requests)
    const mistakes = await Promise.all(
      there.cloud.requests.map((request) => signatureMistake(request, awsKeys)),
    )
    assert.deepEqual(new Set(mistakes), new Set(['']))
    assert.doesNotMatch(there.log.join(''), /a-secret-of-aws|session-1/)
  })
}

test('Bedrock: a profile without keys of its own is named to the operator', async () => {
  for (const [settings, reason] of [
    [
      'credential_process = /opt/bin/keys',
      /the profile work uses credential_process, which is not supported/,
    ],
    ['sso_session = corp', /the profile work uses single sign-on, which is not supported/],
    ['role_arn = arn:aws:iam::1:role/r\nsource_profile = default', /uses a role of another profile/],
    ['region = eu-west-1', /the profile work has no aws_access_key_id/],
  ] as const) {
    const file = written('profiles', `[work]\n${settings}\n`)
    const credential = { region, profile: 'work', file }
    const there = await place({ provider: 'bedrock', credential, facts: bedrockFacts(() => null) })
    assert.equal((await ask(there, 'bedrock')).status, 503)
    assert.match(there.log.join(''), reason)
  }
})

test('Bedrock: keys from a container are asked for with its token', async () => {
  const container = await imitate({
    ...bedrockFacts(({ url, headers }) =>
      url === '/v2/credentials?id=1' && headers.authorization === 'pod-token'
        ? { status: 200, body: { ...issuedKeys, Expiration: expiry() } }
        : problem(403),
    ),
    route: () => null,
  })
  const there = await place({
    provider: 'bedrock',
    credential: {
      region,
      container: `${container.origin}/v2/credentials?id=1`,
      tokenFile: written('pod-token', 'pod-token\n'),
    },
    facts: bedrockFacts(() => null),
  })
  await answered(there, 'bedrock')
  assert.equal(container.issued.length, 1)
  const elsewhere = { region, container: 'http://198.51.100.1/credentials' }
  const other = await place({ provider: 'bedrock', credential: elsewhere, facts: bedrockFacts(() => null) })
  assert.equal((await ask(other, 'bedrock')).status, 503)
  assert.match(other.log.join(''), /container must be https, or an address of this machine/)
})

test('Bedrock: a Converse request is signed with its path as it is sent', async () => {
  const path = '/model/amazon.nova-pro-v1%3A0/converse'
  const facts: CloudFacts = {
    ...bedrockFacts(() => null),
    route: (url) => (url === path ? { format: 'converse', isStream: false } : null),
  }
  const there = await place({ provider: 'bedrock', credential: { region, ...awsKeys }, facts })
  const answer = await fetch(`${there.tollgate.origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${there.account.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'bedrock/amazon.nova-pro-v1:0',
      messages: [{ role: 'user', content: 'say text' }],
    }),
  })
  assert.equal(answer.status, 200, await answer.text())
  const [request] = there.cloud.requests
  assert.ok(request !== undefined)
  assert.equal(await signatureMistake(request, awsKeys), '')
})
