/**
 * Scripts and formulas in every name that a user may choose, seen later by other users: on no page of the
 * console does any of it run or become markup, and in no CSV file is it a formula.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'
import { ControlClient } from '../support/control-client.ts'
import { creditTo, joined, type Member } from '../support/two-tenants.ts'

const script = `"><img src=x onerror="window.caught=1"><script>window.caught=2</script>{{7*7}}`
const formula = '=HYPERLINK("https://evil.test","x")'

let person: ConsolePerson
let villain: Member
let organization = ''
let account = ''

before(async () => {
  person = await consolePerson()
  const { gateway } = person
  villain = await joined(gateway.origin, 'villain')
  const { client } = villain
  const named = await client.post('/api/auth/update-user', { name: script.slice(0, 100) })
  assert.equal(named.status, 200, named.text)
  const made = await client.post('/api/auth/organization/create', {
    name: script.slice(0, 100),
    slug: 'villains',
  })
  assert.equal(made.status, 200, made.text)
  organization = (made.body as { readonly id: string }).id
  const { accounts } = await client.done('me.show', {})
  account = accounts.find(({ kind }) => kind === 'organization')?.account ?? ''
  await creditTo(gateway, account, 1_000_000_000n)
  await creditTo(gateway, villain.account, 1_000_000_000n)
  for (const owned of [account, villain.account]) {
    for (const name of [script.slice(0, 60), formula]) {
      const { key } = await client.done('key.create', { account: owned, name })
      assert.equal((await person.ask(key, 'sandbox-echo', script)).status, 200)
      assert.equal((await person.ask(key, script, script)).status, 404)
    }
    await client.done('management-key.create', {
      account: owned,
      name: script.slice(0, 60),
      scopes: ['usage:read'],
    })
  }
  const invited = await client.post('/api/auth/organization/invite-member', {
    email: 'operator@example.org',
    role: 'owner',
    organizationId: organization,
  })
  const { id } = invited.body as { readonly id: string }
  const joining = await person.client.post('/api/auth/organization/accept-invitation', { invitationId: id })
  assert.equal(joining.status, 200, joining.text)
})
after(() => person.close())

test('on no page that shows a name does it become markup or run', async () => {
  const visit = await person.visit()
  const { page } = visit
  const own = `account=${account}`
  const pages = [
    `/console?${own}`,
    `/console/keys?${own}`,
    `/console/usage?${own}&group=key`,
    `/console/usage?${own}&group=member`,
    `/console/requests?${own}`,
    `/console/billing?${own}`,
    `/console/settings?${own}&tab=members`,
    `/console/settings?${own}&tab=management-keys`,
    `/console/settings?${own}&tab=activity`,
    '/console/admin/accounts',
    `/console/admin/accounts/${account}`,
    '/console/admin/people',
    '/console/admin/audit',
    `/console/sign-in?next=${encodeURIComponent('javascript:window.caught=3')}`,
    `/console/invitation?id=${encodeURIComponent(script)}`,
    `/console/admin/${encodeURIComponent(script)}`,
    `/pricing?search=${encodeURIComponent(script)}`,
  ]
  let shown = 0
  for (const path of pages) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.locator('.animate-pulse, [aria-busy=true]').first().waitFor({ state: 'detached' })
    if ((await page.content()).includes('onerror=')) shown += 1
    const found = await page.evaluate(
      `[window.caught ?? null, document.querySelectorAll('img[src="x"], [onerror]').length]`,
    )
    assert.deepEqual(found, [null, 0], path)
  }
  assert.ok(shown >= 6, `${shown} pages show a name`)
  await visit.close()
})

test('no cell of a file is a formula', async () => {
  const { client } = villain
  for (const path of [
    `/api/usage.csv?account=${account}&group=key`,
    `/api/requests.csv?account=${account}`,
    `/api/entries.csv?account=${account}`,
  ]) {
    const answer = await client.send({ method: 'GET', path })
    assert.equal(answer.status, 200, answer.text)
    assert.match(answer.headers['content-type'] ?? '', /^text\/csv/)
    assert.match(answer.headers['content-disposition'] ?? '', /^attachment/)
    assert.doesNotMatch(answer.text, /(?:^|,)"?[=+@\t]/m, path)
    if (path.includes('usage')) assert.ok(answer.text.includes("'=HYPERLINK"), answer.text)
  }
})

test('an API response is never rendered as a page, whatever it contains', async () => {
  const anyone = new ControlClient(person.gateway.origin)
  for (const path of [
    `/api/${encodeURIComponent(script)}`,
    `/api/auth/error?error=${encodeURIComponent(script)}&error_description=${encodeURIComponent(script)}`,
    `/v1/models/${encodeURIComponent(script)}`,
    `/${encodeURIComponent(script)}`,
  ]) {
    const answer = await anyone.send({ method: 'GET', path })
    assert.doesNotMatch(answer.headers['content-type'] ?? '', /html/, path)
    assert.match(answer.headers['content-type'] ?? '', /json|octet-stream/, path)
  }
})
