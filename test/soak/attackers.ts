/** The attacks of `test/attacks/` for a soak run: each with what it needs from an account without credit. */
import type { AttackTarget } from '../support/attacks.ts'

export interface AttackerAccounts {
  /** A live key of an account whose balance is 0. */
  readonly key: string
  readonly account: string
  /** Keys of two accounts with a little credit. */
  readonly poorKeys: readonly string[]
}

export interface SoakAttack {
  readonly name: string
  readonly module: URL
  readonly target: AttackTarget
}

type ValuesOf = (accounts: AttackerAccounts) => AttackTarget['values']

/** A loopback address that counts as a separate network. */
const from = '127.0.0.99'
const unfinished = 'bodies-that-do-not-end'

const attacks: readonly (readonly [name: string, module: string, values: ValuesOf])[] = [
  [
    'large bodies of a key without credit',
    unfinished,
    ({ key }) => ({ from, key, path: '/v1/chat/completions', connections: 17, bytes: 32 * 1024 * 1024 }),
  ],
  [
    'bodies without a session',
    unfinished,
    () => ({ from, path: '/api/auth/sign-in/email', connections: 2_300, bytes: 64 * 1024 }),
  ],
  [
    'connections that say nothing',
    'connections-that-say-nothing',
    () => ({ from, connections: 3_000, attempts: 20_000 }),
  ],
  [
    'rejected requests without pause',
    'rejected-work',
    ({ key }) => ({ key, path: '/v1/chat/completions', connections: 2, bytes: 256_000 }),
  ],
  [
    'requests that are expensive to read',
    'expensive-requests',
    ({ key }) => ({ key, connections: 2, account: 'empty', model: 'messages-echo' }),
  ],
  [
    'large bodies of two poor accounts',
    'large-bodies',
    ({ poorKeys }) => ({ keys: poorKeys.join(), addresses: 50, requests: 2 }),
  ],
]

export function attacksOf(port: number, accounts: AttackerAccounts): readonly SoakAttack[] {
  return attacks.map(([name, module, valuesOf]) => ({
    name,
    module: new URL(`../attacks/${module}.ts`, import.meta.url),
    target: { port, values: valuesOf(accounts) },
  }))
}
