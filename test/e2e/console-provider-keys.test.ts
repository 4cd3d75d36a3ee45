/** Provider keys in a real browser: added after a test, used first or only, removed; and what a receipt says of them. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fits, lookAt, phone } from '../support/console-looks.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'
import { type KeyHost, keyHost } from '../support/key-host.ts'

const [right, wrong] = ['right', 'wrong'].map((what) => ['key', what, '4'.repeat(16)].join(''))
const folder = mkdtempSync(join(tmpdir(), 'tollgate-console-keys-'))
let host: KeyHost
let person: ConsolePerson

before(async () => {
  host = await keyHost('by openai', [String(right)])
  const file = ['providerKeys:', '  accounts: all', '  urls:', `    openai: ${host.origin}`, '']
  writeFileSync(join(folder, 'tollgate.yaml'), file.join('\n'))
  person = await consolePerson({
    dataFolder: folder,
    openai: host.origin,
    models: [
      {
        id: 'gpt-a',
        formats: ['openai-chat'],
        prices: [{ input: '3', output: '15' }],
        context: 1_000,
        maxOutput: 100,
      },
    ],
  })
})
after(async () => {
  await person.close()
  await host.close()
  rmSync(folder, { recursive: true })
})

test('a wrong key is rejected in the dialog, the right one is stored, and what it serves is on its receipt', async () => {
  const visit = await person.signIn()
  const { page } = visit
  await page.goto('/console/settings?tab=provider-keys')
  await page.getByText('No provider keys yet').waitFor()
  await page.getByRole('button', { name: 'Add provider key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Provider').selectOption('openai')
  assert.equal(await dialog.getByLabel('API key').getAttribute('type'), 'password')
  await dialog.getByLabel('API key').fill(String(wrong))
  await dialog.getByRole('button', { name: 'Save key' }).click()
  await dialog.getByText(/rejected the API key \(HTTP 401\)/).waitFor()
  await visit.accessible('everything')
  await dialog.getByLabel('API key').fill(String(right))
  await dialog.getByLabel('Use').selectOption('only')
  await dialog.getByRole('button', { name: 'Save key' }).click()
  await page.getByText('Key for OpenAI saved.').waitFor()

  const row = page.getByRole('row', { name: /OpenAI/ })
  await row.getByText('…4444').waitFor()
  assert.doesNotMatch(await page.content(), new RegExp(String(right)))
  await row.getByRole('button', { name: 'Test the key for OpenAI' }).click()
  await page.getByText('OpenAI accepts this key.').waitFor()
  await row.getByLabel('Use of the key for OpenAI').selectOption('first')
  await page.getByText('Use of the key for OpenAI changed.').waitFor()
  await lookAt(visit)
  await page.setViewportSize(phone)
  await fits(visit)

  const account = (await person.client.done('me.show', {})).accounts[0]?.account ?? ''
  const { key } = await person.client.done('key.create', { account, name: 'test' })
  const answer = await person.ask(key, 'gpt-a')
  assert.equal(answer.status, 200, answer.text)
  assert.equal(host.requests.at(-1)?.credential, right)
  await page.goto(`/console/requests/${answer.headers['x-request-id']}`)
  await page.getByText('at list price; the provider charges you').waitFor()
  await lookAt(visit)

  await page.setViewportSize({ width: 1_280, height: 800 })
  await page.goto('/console/settings?tab=provider-keys')
  await page.getByRole('button', { name: 'Remove the key for OpenAI' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No provider keys yet').waitFor()
  await visit.context.close()
})
