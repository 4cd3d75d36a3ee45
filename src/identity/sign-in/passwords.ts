/**
 * Passwords: hashed with Argon2id under a concurrency limit, and common passwords rejected. Stores nothing.
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

/** The caller that needs a hash. */
export interface HashClient {
  readonly network: string
  /** Whether the person whose password it is has signed in before in this browser, or is signed in. */
  readonly isKnown: boolean
}

export interface Passwords {
  /** `$argon2id$v=19$m=…,t=…,p=1$salt$hash`. Throws `overloaded` when the queue is full. */
  hash(password: string): Promise<string>
  verify(credential: { readonly hash: string; readonly password: string }): Promise<boolean>
  /** Password hashing inside `run` is queued for this client; networks take turns, known clients go first. */
  runForClient<Result>(client: HashClient, run: () => Promise<Result>): Promise<Result>
}

/** OWASP's recommended parameters: 19 MiB and two passes. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 } as const
const saltBytes = 16
const hashBytes = 32

const unnamedClient: HashClient = { network: '', isKnown: false }

export function openPasswords(random: RandomBytes, limits: PasswordLimits): Passwords {
  const currentClient = new AsyncLocalStorage<HashClient>()
  const fair = openHashLimiter(limits)
  const gate: HashLimiter = (work) => fair(currentClient.getStore() ?? unnamedClient, work)
  return {
    runForClient: (client, run) => currentClient.run(client, run),
    async hash(password) {
      const salt = random(saltBytes)
      const hash = await gate(() => derive(password, salt, cost))
      const { memory, passes, parallelism } = cost
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`
    },
    async verify({ hash, password }) {
      const stored = parse(hash)
      if (stored === undefined) return false
      const actual = await gate(() => derive(password, stored.salt, stored.cost))
      return actual.length === stored.hash.length && timingSafeEqual(actual, stored.hash)
    },
  }
}

interface Argon2Cost {
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

function derive(password: string, nonce: Uint8Array, work: Argon2Cost): Promise<Uint8Array> {
  // The same character can have two encodings.
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
type FairHashLimiter = <Result>(client: HashClient, work: () => Promise<Result>) => Promise<Result>

interface QueuedHash {
  readonly begin: () => void
  readonly reject: (reason: TollgateError) => void
}

interface HashQueue {
  /** Resolves when it is this network's turn. Rejects with `overloaded` when the queue is full. */
  wait(network: string): Promise<void>
  next(): QueuedHash | undefined
}

/**
 * Networks take turns, and a full queue evicts from the network with the most queued hashes, so that a flood from one network
 * does not lock out others.
 */
function openHashQueue(queuedMax: number): HashQueue {
  /** In the order of turns; no queue is empty. */
  const queues = new Map<string, QueuedHash[]>()
  let queued = 0

  function evictIfFull(network: string): void {
    if (queued < queuedMax) return
    const [longest] = [...queues].toSorted(([, one], [, other]) => other.length - one.length)
    const own = queues.get(network)?.length ?? 0
    if (longest === undefined || longest[1].length <= own + 1) throw overloaded()
    longest[1].pop()?.reject(overloaded())
    queued -= 1
  }
  return {
    async wait(network) {
      evictIfFull(network)
      queued += 1
      return new Promise((begin, reject) => {
        const own = queues.get(network)
        if (own === undefined) queues.set(network, [{ begin, reject }])
        else own.push({ begin, reject })
      })
    },
    next() {
      const [first] = queues
      if (first === undefined) return undefined
      const [network, own] = first
      const turn = own.shift()
      queued -= 1
      queues.delete(network)
      if (own.length > 0) queues.set(network, own)
      return turn
    },
  }
}

/**
 * Limits concurrent and queued hashes. Known clients wait in a queue of their own, which goes first, so that no number of
 * networks that guess can lock them out; how much they can hash is limited by their attempts.
 */
function openHashLimiter({ passwordHashesMax, passwordHashesQueuedMax }: PasswordLimits): FairHashLimiter {
  const known = openHashQueue(passwordHashesQueuedMax)
  const strangers = openHashQueue(passwordHashesQueuedMax)
  let running = 0
  return async ({ network, isKnown }, work) => {
    if (running >= passwordHashesMax) await (isKnown ? known : strangers).wait(network)
    else running += 1
    try {
      return await work()
    } finally {
      const turn = known.next() ?? strangers.next()
      // The slot passes directly to the next hash.
      if (turn === undefined) running -= 1
      else turn.begin()
    }
  }
}

function overloaded(): TollgateError {
  return new TollgateError('overloaded', {
    message: 'Too many sign-ins are in progress. Try again shortly.',
    retryAfterMs: 1_000,
  })
}

const distinctCharactersMin = 5

/** Whether a password is guessed early: well known, the person's own address, or a few repeated characters. */
export function isCommonPassword(password: string, email: string): boolean {
  const text = password.normalize('NFKC').toLowerCase()
  const [local = ''] = email.toLowerCase().split('@', 1)
  if (weakPasswords.has(text) || text === email.toLowerCase() || text === local) return true
  return new Set(text).size < distinctCharactersMin
}
