/** The findings of `doctor`, check by check. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  clockFinding,
  credentialFinding,
  credentialsFinding,
  type Finding,
  folderFinding,
  freeFinding,
  nearMissFinding,
  nodeFinding,
  pathFindings,
  servedFinding,
  settingsFinding,
} from './doctor.ts'

const scratch = mkdtempSync(join(tmpdir(), 'tollgate-doctor-'))
after(() => rmSync(scratch, { recursive: true }))

const nowMs = Date.UTC(2026, 6, 1)
const upstream = { name: 'openai', provider: 'openai', url: null, credential: 'c', weight: 1 }

function folder(name: string, mode: number): string {
  const path = join(scratch, name)
  mkdirSync(path)
  chmodSync(path, mode)
  return path
}

function fileWritten(name: string, atMs: number): string {
  const path = join(scratch, name)
  writeFileSync(path, '')
  utimesSync(path, atMs / 1_000, atMs / 1_000)
  return path
}

const self = process.getuid?.()

type Answer = Parameters<typeof credentialFinding>[0]['answer']

function keyFinding(answer: Partial<Answer> & Pick<Answer, 'credential'>): Finding {
  return credentialFinding({
    upstream: 'openai',
    answer: { models: 0, problem: null, hostMessage: null, ...answer },
  })
}

const cases: readonly [what: string, finding: Finding, state: Finding['state'], text: RegExp][] = [
  ['Node 24.15', nodeFinding('24.15.0', '>=24.15'), 'ok', /^24\.15\.0 \(requires >=24\.15\)$/],
  ['Node 25', nodeFinding('25.1.0', '>=24.15'), 'ok', /^25/],
  ['Node 24.9', nodeFinding('24.9.1', '>=24.15'), 'failed', /^24\.9/],
  ['Node 22', nodeFinding('22.20.0', '>=24.15'), 'failed', /^22/],
  ['a private folder', folderFinding(folder('private', 0o700), self), 'ok', /private$/],
  ['an open folder', folderFinding(folder('open', 0o755), self), 'warning', /chmod 700/],
  [
    'the folder of another user',
    folderFinding(folder('foreign', 0o700), (self ?? 0) + 1),
    'warning',
    /is owned by another user/,
  ],
  ['a file in its place', folderFinding(fileWritten('file', nowMs), self), 'failed', /is not a directory/],
  ['no setting at all', settingsFinding([]), 'ok', /^valid; all settings have their defaults$/],
  [
    'settings',
    settingsFinding(['TOLLGATE_PORT', 'limits.drainMs']),
    'ok',
    /set: TOLLGATE_PORT, limits\.drainMs$/,
  ],
  [
    'credentials',
    credentialsFinding({ upstreams: [upstream], sandbox: 'off' }, []),
    'ok',
    /^openai \(openai\)$/,
  ],
  [
    'the sandbox alone',
    credentialsFinding({ upstreams: [], sandbox: 'on' }, []),
    'warning',
    /OPENAI_API_KEY/,
  ],
  [
    'no upstream at all',
    credentialsFinding({ upstreams: [], sandbox: 'off' }, []),
    'failed',
    /sandbox is off/,
  ],
  [
    'an upstream that was added in the console',
    credentialsFinding({ upstreams: [], sandbox: 'off' }, [{ name: 'acme', provider: 'custom' }]),
    'ok',
    /^acme \(custom\)$/,
  ],
  ['a key that is accepted', keyFinding({ credential: 'accepted', models: 1 }), 'ok', /lists 1 model$/],
  [
    'a key that is accepted by a host without a list',
    keyFinding({ credential: 'accepted', problem: 'The host has no model list.' }),
    'ok',
    /^accepted by the provider, which has no model list$/,
  ],
  [
    'a key that is rejected',
    keyFinding({ credential: 'rejected', problem: 'The host rejected the credential.', hostMessage: 'No.' }),
    'failed',
    /^The host rejected the credential\. It says: No\.$/,
  ],
  [
    'a list that everybody may read',
    keyFinding({ credential: 'untested' }),
    'ok',
    /without checking the key/,
  ],
  [
    'a provider out of reach',
    keyFinding({ credential: 'unreachable', problem: 'Host name not found.' }),
    'warning',
    /Host name not found/,
  ],
  [
    'a variable that was probably misspelled',
    nearMissFinding({ variable: 'OPENAI_KEY', meant: 'OPENAI_API_KEY' }),
    'warning',
    /did you mean OPENAI_API_KEY/,
  ],
  [
    'an upstream that serves',
    servedFinding(
      [{ name: 'openai', disabled: false, serves: ['gpt-4.1', 'test-429'] }],
      new Set(['gpt-4.1']),
    )[0]!,
    'ok',
    /^openai 1$/,
  ],
  [
    'an upstream without models',
    servedFinding([{ name: 'spare', disabled: false, serves: [] }], new Set())[0]!,
    'warning',
    /^no models are served by spare/,
  ],
  ['a clock that is right', clockFinding(nowMs, [fileWritten('past', nowMs - 1)]), 'ok', /^2026-07-01/],
  ['a clock in 1970', clockFinding(0, []), 'failed', /before this program was released/],
  [
    'a clock that went back',
    clockFinding(nowMs, [fileWritten('future', nowMs + 3_600_000)]),
    'failed',
    /before the last change of .*future/,
  ],
  ['a file that is not there', clockFinding(nowMs, [join(scratch, 'none')]), 'ok', /^2026/],
  ['a disk with room', freeFinding(2 ** 40), 'ok', /^1048576 MiB free$/],
  ['a disk that fills', freeFinding(500 * 2 ** 20), 'warning', /^500 MiB free$/],
  ['a full disk', freeFinding(2 ** 20), 'failed', /^1 MiB free$/],
]

for (const [what, finding, state, text] of cases) {
  test(`${what}: ${state}`, () => {
    assert.equal(finding.state, state, finding.text)
    assert.match(finding.text, text)
  })
}

test('a path that the host does not have is named with its status', () => {
  const path = (format: 'openai-chat' | 'openai-responses', state: 'found' | 'missing', status: number) => ({
    ...{ format, state, status },
    url: `https://host.example/v1/${format}`,
  })
  assert.deepEqual(pathFindings('mirror', [path('openai-chat', 'found', 400)]), [])
  const [finding] = pathFindings('mirror', [
    path('openai-chat', 'found', 400),
    path('openai-responses', 'missing', 404),
  ])
  assert.deepEqual([finding?.name, finding?.state], ['paths of mirror', 'warning'])
  assert.match(finding?.text ?? '', /^POST https:\/\/host\.example\/v1\/openai-responses returns HTTP 404\. /)
})
