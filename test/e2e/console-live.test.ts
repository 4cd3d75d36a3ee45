/** Many tabs of one user: each receives changes, and together they use one connection for it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page, Visit } from '../support/browser.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'

/** More than the connections that a browser opens to one server. */
const tabCount = 8

let person: ConsolePerson
let visit: Visit
before(async () => {
  person = await consolePerson()
  visit = await person.visit()
})
after(() => person.close())

const shows = (tabs: readonly Page[], name: string) =>
  Promise.all(tabs.map((tab) => tab.getByRole('link', { name }).waitFor()))

test('eight tabs work, receive every change, and another takes over when the leading one closes', async () => {
  const streams: string[] = []
  visit.context.on('request', (request) => {
    if (request.url().includes('/api/events')) streams.push(request.url())
  })
  const tabs = [visit.page]
  while (tabs.length < tabCount) tabs.push(await visit.window())
  for (const tab of tabs) await tab.goto('/console/keys')
  await person.client.done('key.create', { name: 'seen by all' })
  await shows(tabs, 'seen by all')
  assert.ok(streams.length <= 2, `${streams.length} connections for ${tabs.length} tabs`)
  const took = visit.context.waitForEvent('request', (request) => request.url().includes('/api/events'))
  await tabs[0]?.close()
  await took
  await person.client.done('key.create', { name: 'seen by the rest' })
  await shows(tabs.slice(1), 'seen by the rest')
  visit.clean()
})

test('an invitation appears in every window that shows the members, without a reload', async () => {
  const made = await person.client.post('/api/auth/organization/create', { name: 'Seen', slug: 'seen' })
  const { id: organizationId } = made.body as { id: string }
  const { accounts } = await person.client.done('me.show', {})
  const account = accounts.find(({ organization }) => organization === organizationId)?.account
  const tab = await visit.window()
  await tab.goto(`/console/settings?tab=members&account=${account}`)
  await tab.getByRole('heading', { name: 'Roles' }).waitFor()
  await person.client.post('/api/auth/organization/invite-member', {
    email: 'invited@example.org',
    role: 'developer',
    organizationId,
  })
  await tab.getByText('invited@example.org').waitFor()
  visit.clean()
})
