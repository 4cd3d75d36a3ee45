/** The root secret: created once, readable by its owner only, permanent, and a change is detected. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { systemRandom } from '../base/ids.ts'
import { settingsOf } from '../store/settings.ts'
import { openSecret, type RootSecretResult } from './secret.ts'

const someText = ['one', 'root', 'secret', 'of', 'more', 'than', 'enough', 'letters'].join('-')

async function prepare(context: TestContext) {
  const { store, dataDirectory } = await openTestLedger(context)
  const settings = settingsOf(store)
  const open = (configured: string | null = null): Promise<RootSecretResult> =>
    openSecret({ dataFolder: dataDirectory, configured, random: systemRandom, settings })
  return { open, file: join(dataDirectory, 'secret'), settings, dataDirectory }
}

function keyOf(result: RootSecretResult): string {
  assert.ok(result.kind === 'secret', JSON.stringify(result))
  return Buffer.from(result.secret.keyFor('api-key-hash')).toString('hex')
}

function rejection(result: RootSecretResult): string {
  assert.equal(result.kind, 'rejected')
  return result.kind === 'rejected' ? result.message : ''
}

test('the first start makes the file, for its owner alone, and the next one reads it', async (context) => {
  const { open, file, dataDirectory } = await prepare(context)
  const first = keyOf(await open())
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.match(readFileSync(file, 'utf8'), /^[0-9a-f]{64}\n$/)
  assert.equal(keyOf(await open()), first)
  assert.deepEqual(
    readdirSync(dataDirectory).filter((name) => name.endsWith('.new')),
    [],
  )
})

test('each purpose has a separate key, and none is the secret', async (context) => {
  const { open } = await prepare(context)
  const result = await open(someText)
  assert.ok(result.kind === 'secret')
  const keys = (['api-key-hash', 'secret-check'] as const).map((purpose) => result.secret.keyFor(purpose))
  assert.deepEqual(
    keys.map((key) => key.length),
    [32, 32],
  )
  assert.notDeepEqual(keys[0], keys[1])
})

test('a configured secret makes no file, and the database stores nothing of it', async (context) => {
  const { open, file, settings } = await prepare(context)
  const key = keyOf(await open(someText))
  assert.equal(existsSync(file), false)
  const stored = (await settings.get('secret_check')) ?? ''
  assert.ok(stored.length === 64 && !stored.includes(key) && !stored.includes(someText))
})

test('another secret than the one of the database is rejected', async (context) => {
  const { open } = await prepare(context)
  keyOf(await open(someText))
  assert.match(rejection(await open(`${someText}!`)), /does not match the one this database was created with/)
  keyOf(await open(someText))
})

test('a missing file is not recreated while keys depend on it', async (context) => {
  const { open, file } = await prepare(context)
  keyOf(await open())
  rmSync(file)
  assert.match(rejection(await open()), /is missing, and every API key depends on it/)
  assert.equal(existsSync(file), false)
})

test('a file that others can read, or that was cut, is rejected with what to do', async (context) => {
  const { open, file } = await prepare(context)
  writeFileSync(file, someText, { mode: 0o600 })
  chmodSync(file, 0o640)
  assert.match(rejection(await open()), /chmod 600 /)
  chmodSync(file, 0o600)
  writeFileSync(file, 'short')
  assert.match(rejection(await open()), /is damaged/)
})

test('a half-written file of a start that was killed does not prevent a start', async (context) => {
  const { open, file } = await prepare(context)
  writeFileSync(`${file}.new`, 'half')
  keyOf(await open())
})
