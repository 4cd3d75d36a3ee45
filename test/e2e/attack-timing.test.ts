/**
 * A request about an email address or a key costs the same work whether it is known or not. Work is the CPU time of the
 * whole process, measured alternately and compared by medians, so that other load on the machine affects both
 * alike.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeKey, readKey } from '../../src/access/key-form.ts'
import { formatId, systemRandom } from '../../src/base/ids.ts'
import { type ControlAnswer, sendTo } from '../support/control-client.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { runStored } from '../support/test-database.ts'
import { joined, type Member, password } from '../support/two-tenants.ts'

const many = 1_000_000
let gateway: TestGateway
let account: TestAccount
let known: Member
let withoutPassword: Member

before(async () => {
  gateway = await testGateway({
    limits: {
      uniformAnswerMs: 1,
      guessesPerPersonMax: many,
      guessesPerNetworkMax: many,
      guessesFromStrangersMax: many,
    },
  })
  account = await gateway.account('1')
  known = await joined(gateway.origin, 'known')
  withoutPassword = await joined(gateway.origin, 'elsewhere')
  const statement = `DELETE FROM auth_account WHERE "userId" = '${withoutPassword.person}'`
  await runStored(gateway.dataFolder, 'identity.db', statement)
})
after(() => gateway.close())

type Ask = (turn: number) => Promise<unknown>

async function workOf(ask: Ask, turn: number): Promise<number> {
  const begun = process.cpuUsage()
  await ask(turn)
  const { user, system } = process.cpuUsage(begun)
  return user + system
}

/** The median work of each, measured alternately, in microseconds. */
async function works<Name extends string>(
  asks: Readonly<Record<Name, Ask>>,
  turns: number,
): Promise<Readonly<Record<Name, number>>> {
  const spent = Object.fromEntries(Object.keys(asks).map((name) => [name, [] as number[]]))
  for (let turn = 0; turn < turns; turn += 1) {
    for (const [name, ask] of Object.entries<Ask>(asks)) spent[name]?.push(await workOf(ask, turn))
  }
  const middles = Object.entries(spent).map(([name, all]) => [
    name,
    all.toSorted((a, b) => a - b)[turns >> 1] ?? 0,
  ])
  return Object.fromEntries(middles) as Record<Name, number>
}

/** Hashing a password costs several times the rest, so its absence would show. */
const ratioMax = 1.6

/** Other programs can make one look more expensive once; a real difference shows each time. */
const measurementsMax = 5

/** Measures until both cost the same. */
async function assertAlike(
  measure: () => Promise<Readonly<Record<string, number>>>,
  most = ratioMax,
): Promise<void> {
  const measured: string[] = []
  while (measured.length < measurementsMax) {
    const works = await measure()
    const spent = Object.values(works)
    const ratio = Math.max(...spent) / Math.min(...spent)
    if (ratio < most) return
    measured.push(`${ratio.toFixed(2)}: ${JSON.stringify(works)}`)
  }
  assert.fail(measured.join('\n'))
}

const signIn = (email: string, secret: string) =>
  sendTo(gateway.origin, {
    method: 'POST',
    path: '/api/auth/sign-in/email',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: secret }),
  })

test('a wrong password costs the same for existing, unknown and passwordless users', async () => {
  const rejected =
    (email: (turn: number) => string): Ask =>
    async (turn) => {
      const { status, text } = await signIn(email(turn), `wrong password ${turn}`)
      assert.equal(status, 401, text)
    }
  const asks = {
    known: rejected(() => known.email),
    unknown: rejected((turn) => `nobody-${turn}@example.org`),
    withoutPassword: rejected(() => withoutPassword.email),
  }
  await assertAlike(() => works(asks, 21))
  const shown = await works({ known: asks.known, rejected: () => signIn('no address', password) }, 21)
  assert.ok(shown.rejected * 2 < shown.known, `hashing shows: ${JSON.stringify(shown)}`)
})

test('a key costs the same however much of it matches a live one', async () => {
  assert.equal(readKey(account.key)?.id, account.keyId)
  const ask = (key: string) => async () => {
    const headers = { authorization: `Bearer ${key}` }
    const { status, text } = await sendTo(gateway.origin, { method: 'GET', path: '/v1/models', headers })
    assert.equal(status, 401, text)
  }
  const strange: Ask = (turn) => ask(makeKey(strangeId(turn), strangeId(turn), systemRandom).key)()
  const near: Ask = () => ask(makeKey(account.id, account.keyId, systemRandom).key)()
  await assertAlike(() => works({ strange, near }, 61))
})

/** A few more lookups are a third of what a rejection costs. */
const ratioOfRejectionsMax = 1.25

test("requests for another account's objects cost the same as for missing ones", async () => {
  const { client } = withoutPassword
  const { id: key } = await known.client.done('key.create', { name: 'theirs' })
  const account = (reference: string) => () => client.ask('account.show', { account: reference })
  const change = (asked: string) => () => client.ask('key.update', { key: asked, name: 'x' })
  const rejected =
    (ask: () => Promise<ControlAnswer>): Ask =>
    async () => {
      assert.equal((await ask()).status, 404)
    }
  for (const [theirs, nobodys] of [
    [account(known.account), account(formatId('acct', 1n))],
    [account(known.email), account('nobody-at-all@example.org')],
    [change(key), change(formatId('key', 1n))],
  ] as const) {
    const asks = { theirs: rejected(theirs), nobodys: rejected(nobodys) }
    await assertAlike(() => works(asks, 121), ratioOfRejectionsMax)
  }
})

const strangeId = (turn: number) => BigInt(turn + 1_000)
