/**
 * Passwords: hashed slowly by Argon2id, few at a time, and never the ones that everybody tries first. Keeps nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { argon2, timingSafeEqual } from 'node:crypto'
import { TollgateError } from '../../base/errors.ts'
import type { RandomBytes } from '../../base/ids.ts'
import { weakPasswords } from './weak-passwords-table.ts'

export interface PasswordLimits {
  readonly passwordHashesMax: number
  readonly passwordHashesQueuedMax: number
}

export interface Passwords {
  /** `$argon2id$v=19$m=…,t=…,p=1$salt$hash`. Throws `overloaded` when too many wait. */
  hash(password: string): Promise<string>
  verify(of: { readonly hash: string; readonly password: string }): Promise<boolean>
  /** Runs something whose passwords wait among those of this place; places take turns. */
  runForNetwork<Result>(place: string, run: () => Promise<Result>): Promise<Result>
}

/** What one guess costs: 19 MiB and two passes (OWASP's first choice). */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const
const saltBytes = 16
const hashBytes = 32

export function openPasswords(random: RandomBytes, limits: PasswordLimits): Passwords {
  const place = new AsyncLocalStorage<string>()
  const fair = openHashLimiter(limits)
  const gate: HashLimiter = (work) => fair(place.getStore() ?? '', work)
  return {
    runForNetwork: (from, run) => place.run(from, run),
    async hash(password) {
      const salt = random(saltBytes)
      const hash = await gate(() => derive(password, salt, cost))
      const { memory, passes, parallelism } = cost
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
    },
    async verify({ hash, password }) {
      const stored = parse(hash)
      if (stored === undefined) return false
      const given = await gate(() => derive(password, stored.salt, stored.cost))
      return given.length === stored.hash.length && timingSafeEqual(given, stored.hash)
    },
  }
}

interface Argon2Cost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

function derive(password: string, nonce: Uint8Array, work: Argon2Cost): Promise<Uint8Array> {
  // The same letter can be typed in two ways.
  const message = Buffer.from(password.normalize('NFKC'))
  return new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, tagLength: hashBytes, ...work }, (error, hash) =>
      error === null ? resolve(hash) : reject(error),
    )
  })
}

const format = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

function parse(text: string): { cost: Argon2Cost; salt: Uint8Array; hash: Uint8Array } | undefined {
  const [, memory, passes, parallelism, salt, hash] = format.exec(text) ?? []
  if (salt === undefined || hash === undefined) return undefined
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '')

type HashLimiter = <Result>(work: () => Promise<Result>) => Promise<Result>
type FairHashLimiter = <Result>(place: string, work: () => Promise<Result>) => Promise<Result>

interface QueuedHash {
  readonly begin: () => void
  readonly refuse: (reason: TollgateError) => void
}

/**
 * Hashing shares the machine with everything else: few at once, few waiting, the rest is refused. Places take turns,
 * and when it is full whoever takes most of it gives way: a flood from one place keeps nobody else out.
 */
function openHashLimiter({ passwordHashesMax, passwordHashesQueuedMax }: PasswordLimits): FairHashLimiter {
  /** The place whose turn is next comes first; none is empty. */
  const queues = new Map<string, QueuedHash[]>()
  let running = 0
  let queued = 0

  function evictIfFull(place: string): void {
    if (queued < passwordHashesQueuedMax) return
    const [longest] = [...queues].toSorted(([, one], [, other]) => other.length - one.length)
    const own = queues.get(place)?.length ?? 0
    if (longest === undefined || longest[1].length <= own + 1) throw overloaded()
    longest[1].pop()?.refuse(overloaded())
    queued -= 1
  }
  function waitForTurn(place: string): Promise<void> {
    evictIfFull(place)
    queued += 1
    return new Promise((begin, refuse) => {
      const own = queues.get(place)
      if (own === undefined) queues.set(place, [{ begin, refuse }])
      else own.push({ begin, refuse })
    })
  }
  function next(): QueuedHash | undefined {
    const [first] = queues
    if (first === undefined) return undefined
    const [place, own] = first
    const turn = own.shift()
    queued -= 1
    queues.delete(place)
    if (own.length > 0) queues.set(place, own)
    return turn
  }
  return async (place, work) => {
    if (running >= passwordHashesMax) await waitForTurn(place)
    else running += 1
    try {
      return await work()
    } finally {
      const turn = next()
      // The place goes to the next one without being free in between.
      if (turn === undefined) running -= 1
      else turn.begin()
    }
  }
}

function overloaded(): TollgateError {
  return new TollgateError('overloaded', {
    message: 'Too many people sign in at the moment. Try again shortly.',
    retryAfterMs: 1_000,
  })
}

const repeatedMax = 5

/** Whether it is among what is tried first: a well-known one, the person's own address, or a few signs repeated. */
export function isCommonPassword(password: string, email: string): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  const [local = ''] = email.toLowerCase().split('@', 1)
  if (weakPasswords.has(text) || text === email.toLowerCase() || text === local) return true
  return new Set(text).size < repeatedMax
}
