/** Output of the first start. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type InstallationStart, type ServerEndpoints, startAnnouncement, startText } from './first-run.ts'

const key = `sk-tg-${'k'.repeat(8)}`
const setupLink = 'http://127.0.0.1:8080/console/setup?token=t'
const first: InstallationStart = { kind: 'first', balance: 5_000_000_000n, key, setupLink }
const again: InstallationStart = { kind: 'again' }
const withSandbox: ServerEndpoints = { address: 'http://127.0.0.1:8080', modelToTry: 'sandbox-echo' }
const withoutSandbox: ServerEndpoints = { address: 'https://gate.example', modelToTry: null }

for (const [what, start, endpoints, text] of [
  [
    'a first start with the sandbox',
    first,
    withSandbox,
    `Tollgate is ready at http://127.0.0.1:8080

A local account was created with $5.00 in credit. Its API key is shown only once:

  ${key}

Try it:

  curl http://127.0.0.1:8080/v1/chat/completions \\
    -H 'Authorization: Bearer ${key}' \\
    -H 'Content-Type: application/json' \\
    -d '{"model":"sandbox-echo","messages":[{"role":"user","content":"Hello"}]}'

Base URLs for clients (every model works with each of them):

  Chat Completions, Responses   http://127.0.0.1:8080/v1
  Messages (Anthropic)          http://127.0.0.1:8080/v1/alt
  Gemini (Google)               http://127.0.0.1:8080

Set up the console as administrator (this link works once):

  ${setupLink}
`,
  ],
  [
    'a first start without it',
    { ...first, balance: 0n },
    withoutSandbox,
    `Tollgate is ready at https://gate.example

A local account was created with $0.00 in credit. Its API key is shown only once:

  ${key}

Try it:

  curl https://gate.example/v1/models -H 'Authorization: Bearer ${key}'

Base URLs for clients (every model works with each of them):

  Chat Completions, Responses   https://gate.example/v1
  Messages (Anthropic)          https://gate.example/v1/alt
  Gemini (Google)               https://gate.example

Set up the console as administrator (this link works once):

  ${setupLink}
`,
  ],
  [
    'a second start',
    again,
    withSandbox,
    'Tollgate is ready at http://127.0.0.1:8080\nConsole: http://127.0.0.1:8080/console\n',
  ],
] as const) {
  test(`${what} prints its text`, () => assert.equal(startText(start, endpoints), text))
}

const scratch = mkdtempSync(join(tmpdir(), 'tollgate-first-'))
after(() => rmSync(scratch, { recursive: true }))

for (const [what, start, isTerminal, tellsKey, writesFile] of [
  ['a first start on a terminal', first, true, true, false],
  ['a first start without a terminal', first, false, false, true],
  ['a second start on a terminal', again, true, false, false],
  ['a second start without a terminal', again, false, false, false],
] as const) {
  test(`${what} ${tellsKey ? 'prints' : 'does not print'} the key`, () => {
    const dataFolder = mkdtempSync(join(scratch, 'data-'))
    const path = join(dataFolder, 'first-run.txt')
    const printed = startAnnouncement(start, withSandbox, { isTerminal, dataFolder })
    assert.equal(printed.includes(key) && printed.includes(setupLink), tellsKey)
    assert.equal(existsSync(path), writesFile)
    if (!writesFile) return
    assert.equal(readFileSync(path, 'utf8'), startText(start, withSandbox))
    assert.equal(statSync(path).mode & 0o777, 0o600)
    assert.equal(
      printed,
      `Tollgate is ready at http://127.0.0.1:8080\nThe API key and the setup link are in ${path}\n`,
    )
  })
}
