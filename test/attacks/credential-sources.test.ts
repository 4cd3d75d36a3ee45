/**
 * Credentials that name files which are not credentials, or regions that are other hosts: a request fails with a reason in the log,
 * and nothing is sent elsewhere.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { awsAuthorizer } from '../../src/providers/clouds/bedrock.ts'
import type { AuthorizerDeps } from '../../src/providers/send-types.ts'
import { TokenCache } from '../../src/providers/token-cache.ts'
import { ask, cloudPlaces, rejections } from '../support/cloud-place.ts'
import { manualClock } from '../support/manual-clock.ts'

const { folder, place, written } = cloudPlaces()

function pipe(): string {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

const files: readonly (readonly [what: string, path: () => string, reason: RegExp])[] = [
  ['a pipe', pipe, /is not a file/],
  ['a device', () => '/dev/zero', /is not a file/],
  ['a folder', () => folder, /is not a file/],
  ['a large file', () => written('large', 'x'.repeat(64 * 1024 + 1)), /is too large/],
  ['no file', () => join(folder, 'absent'), /cannot be read \(ENOENT\)/],
]

for (const [what, path, reason] of files) {
  test(`a credential in ${what}`, async () => {
    const there = await place({
      provider: 'bedrock',
      credential: { profile: 'default', file: path(), region: 'eu-central-1' },
      facts: { route: () => ({ format: 'chat' }), mistake: () => '', rejections },
    })
    assert.equal((await ask(there, 'bedrock')).status, 503)
    assert.equal(there.cloud.requests.length, 0)
    assert.match(there.log.join(''), reason)
  })
}

test('a region that is another host is asked for nothing', async () => {
  const clock = manualClock()
  const asked: string[] = []
  const deps: AuthorizerDeps = {
    clock,
    tokens: new TokenCache({ clock, limits: { tokenRefreshMs: 1_000 } }),
    async request({ origin }) {
      asked.push(origin)
      return { status: 500, text: '' }
    },
  }
  const tokenFile = written('web-identity', 'web.token')
  for (const region of ['x@other.example/', 'x.other.example#', 'x/../', 'x:1', '']) {
    const fields = { roleArn: 'arn:aws:iam::1:role/r', tokenFile, region }
    const request = { origin: 'https://private.example', path: '/', headers: [], body: [] }
    await assert.rejects(
      awsAuthorizer(region, fields).authorize({ ...request, method: 'POST' }, deps),
      /region is not the name of a region/,
    )
  }
  assert.deepEqual(asked, [])
})
