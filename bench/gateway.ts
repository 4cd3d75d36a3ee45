/**
 * The gateway under test with everything on: keys, limits, holds, settlements, durable receipts. Proves that each of
 * them is on, since a gateway that skips one would look fast.
 */
import { DatabaseSync } from 'node:sqlite'
import { limitDefaults } from '../src/config/config.ts'
import { callServer, findServer } from '../src/server/admin-socket.ts'
import { databasePath } from '../src/store/store.ts'
import { type Program, startServer, untilAnswering } from './programs.ts'
import { chatBody, chatPath } from './scenario.ts'

export interface Gateway extends Program {
  readonly dataFolder: string
  /** Keys of separate accounts. */
  readonly keys: readonly string[]
}

const credit = '1000000'
const accountsInParallel = 16

/** Starts the gateway of a checkout and creates accounts with credit. */
export async function startGateway(
  name: string,
  checkout: string,
  {
    accounts,
    ...place
  }: { readonly upstreamPort: number; readonly accounts: number; readonly threads?: number },
): Promise<Gateway> {
  const server = await startServer(name, checkout, place)
  await untilAnswering(server.port, '/readyz')
  const keys: string[] = []
  let next = 0
  const create = async (): Promise<void> => {
    while (next < accounts) {
      next += 1
      keys.push((await createAccount(server.dataFolder, `bench-${next}`, credit)).key)
    }
  }
  await Promise.all(Array.from({ length: Math.min(accounts, accountsInParallel) }, create))
  return { ...server, keys }
}

async function ask(dataFolder: string, operation: string, input: object): Promise<unknown> {
  const found = findServer(dataFolder)
  if (found.kind !== 'named') throw new Error(`no server is named in ${dataFolder}`)
  const call = await callServer(found.server, operation, input, limitDefaults)
  if (call.kind !== 'answered' || call.reply.status !== 200)
    throw new Error(`${operation}: ${JSON.stringify(call)}`)
  return call.reply.body
}

async function createAccount(
  dataFolder: string,
  name: string,
  amount: string,
): Promise<{ readonly account: string; readonly key: string }> {
  const input = { email: `${name}@example.org`, credit: amount }
  return (await ask(dataFolder, 'account.create', input)) as { account: string; key: string }
}

const overloaded = 503
const overloadedTries = 20

/** The status of one request, repeated while the server reports overload. */
async function statusFor(gateway: Gateway, key: string): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    await untilAnswering(gateway.port, '/readyz')
    const response = await fetch(`http://127.0.0.1:${gateway.port}${chatPath}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: chatBody({}),
    })
    await response.arrayBuffer()
    if (response.status !== overloaded || tries === overloadedTries) return response.status
  }
}

/** The number of receipts that are stored. */
function receiptsOf(gateway: Gateway): number {
  const database = new DatabaseSync(databasePath(gateway.dataFolder), { readOnly: true })
  try {
    return Number(database.prepare('SELECT count(*) AS receipts FROM receipt').get()?.receipts)
  } finally {
    database.close()
  }
}

/** Checks each metering level; throws on a mismatch. `answered`: the load generator's count. */
export async function proveLevels(gateway: Gateway, answered: number): Promise<string> {
  const receipts = receiptsOf(gateway)
  const poor = await createAccount(gateway.dataFolder, 'bench-poor', '0')
  const limited = await createAccount(gateway.dataFolder, 'bench-limited', credit)
  const { key } = (await ask(gateway.dataFolder, 'key.create', {
    account: limited.account,
    name: 'one request a minute',
    limits: { requestsPerMinute: 1 },
  })) as { key: string }
  const statuses = {
    'an unknown key': [await statusFor(gateway, `${limited.key}x`), 401],
    'a first request within a limit of 1': [await statusFor(gateway, key), 200],
    'a second one': [await statusFor(gateway, key), 429],
    'an account without credit': [await statusFor(gateway, poor.key), 402],
  }
  for (const [what, [status, expected]] of Object.entries(statuses)) {
    if (status !== expected) throw new Error(`${gateway.name}: ${what} got ${status}, not ${expected}`)
  }
  // A request that was cut off at the end of a slice has a receipt, too.
  if (receipts < answered) throw new Error(`${gateway.name}: ${receipts} receipts for ${answered} answers`)
  return `${gateway.name}: 401 for an unknown key, 429 beyond a limit, 402 without credit, ${receipts} receipts for ${answered} answers`
}
