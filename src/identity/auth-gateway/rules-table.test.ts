/** Only the paths in the table exist below `/api/auth`, even if a new version of better-auth adds others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { betterAuth } from 'better-auth'
import { temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { ann, testPeople } from '../../../test/support/people.ts'
import { systemRandom } from '../../base/ids.ts'
import { createLog } from '../../base/log.ts'
import { limitDefaults } from '../../config/config.ts'
import { betterAuthOptions } from '../better-auth/better-auth.ts'
import { openPasswords } from '../sign-in/passwords.ts'
import { openIdentityStore } from '../store/database.ts'
import { authRules, ruleOf } from './rules-table.ts'

interface Endpoint {
  readonly path?: string
  readonly options?: { readonly method?: string | readonly string[] }
}

const email = async () => {}

/** Every path that better-auth serves with all features configured: `POST /sign-out`. */
async function answered(dataFolder: string): Promise<readonly string[]> {
  const opened = openIdentityStore({ dataFolder, nowMs: 0, onLost: (error) => assert.fail(error) })
  assert.ok(opened.kind === 'open')
  const { database, close } = opened.database
  const { disabledPaths: _all, ...options } = betterAuthOptions({
    database,
    providers: [{ kind: 'github', id: 'github', name: 'G', issuer: null, clientId: 'x', clientSecret: 'y' }],
    limits: limitDefaults,
    log: createLog({ level: 'silent' }),
    secret: 's'.repeat(64),
    address: 'http://localhost:1',
    passwords: openPasswords(systemRandom, limitDefaults),
    emails: {
      ...{ verifyAddress: email, resetPassword: email, alreadyRegistered: email },
      ...{ confirmChange: email, joinOrganization: email },
      invite: async () => true,
    },
    hooks: { rejectionOf: async () => null, isProven: () => false, onSignUp: email, onVerified: email },
  })
  const { api } = betterAuth({ ...options, database: { db: database, type: 'sqlite' } })
  const endpoints = Object.values(api as Readonly<Record<string, Endpoint>>)
  close()
  return endpoints.flatMap(({ path, options: of }) =>
    path === undefined ? [] : [of?.method ?? []].flat().map((method) => `${method} ${path}`),
  )
}

/** Paths that we answer ourselves, instead of or in addition to better-auth. */
const ours: readonly string[] = ['POST /confirm-login', 'POST /reset-password']

test('every path in the table is served by better-auth or by us', async (context) => {
  const known = (await answered(temporaryDirectory(context))).map((address) => address.replace('/:id', '/*'))
  for (const name of Object.keys(authRules)) assert.ok(known.includes(name) || ours.includes(name), name)
})

test('no other path of better-auth exists, signed in or not', async (context) => {
  const addresses = await answered(temporaryDirectory(context))
  const hidden = addresses.filter((address) => {
    const [method = '', path = ''] = address.split(' ')
    return ruleOf(method, path.replace(/:\w+/g, 'x')) === undefined
  })
  assert.ok(hidden.length > 15 && hidden.includes('POST /link-social'), hidden.join())
  const people = await testPeople(context)
  const person = people.browser()
  await person.post('/sign-up/email', ann)
  for (const address of hidden) {
    const [method = '', pattern = ''] = address.split(' ')
    const path = pattern.replace(/:\w+/g, 'x')
    for (const browser of [person, people.browser()]) {
      const reply = method === 'GET' ? await browser.get(path) : await browser.post(path, {})
      const { code } = (reply.body.error ?? {}) as { readonly code?: string }
      assert.deepEqual([reply.status, code], [404, 'unknown_path'], address)
    }
  }
})
