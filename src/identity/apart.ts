/**
 * The core of identity in a thread of its own, seen from the main thread: the same words, asked across. What it takes to
 * judge a password or to look somebody up is spent there.
 */
import { Worker } from 'node:worker_threads'
import { writeAgain } from '../base/log.ts'
import { openPortCalls, type PortCalls } from '../base/port-calls.ts'
import type { Letter } from '../mail/mail.ts'
import { storeUnavailable } from '../store/errors.ts'
import type { CoreNeeds, CoreResult, IdentityCore } from './core.ts'
import type { Arrivals } from './joining.ts'
import { identityThreads } from './threads.ts'
import type { IdentityOperations } from './types.ts'

/** What the thread gets to begin with. */
export interface ApartSetup {
  readonly config: CoreNeeds['config']
  readonly secret: string
  readonly hasMail: boolean
  readonly logLevel: string
}

/** What the main thread asks the other, and tells it. */
export interface ApartQuestions
  extends IdentityOperations,
    Pick<IdentityCore, 'answer' | 'session' | 'close'> {
  /** Where people reach the server. */
  reachedAt(address: string): void
}

/** What the other asks the main thread, and tells it. */
export interface ApartNews extends Arrivals {
  opened(greeting: Greeting): void
  changed(): void
  /** One line of the log, as JSON. */
  logged(line: string): void
  lost(reason: string): void
  sendLetter(letter: Letter): Promise<'taken' | 'full'>
}

export type Greeting = { readonly kind: 'open' } | Extract<CoreResult, { kind: 'refused' }>

/** Starts the thread and waits until it has opened the database. */
export async function openCoreApart(needs: CoreNeeds): Promise<CoreResult> {
  const { log, arrivals, changed, onLost } = needs
  const worker = new Worker(identityThreads.core, { workerData: setupOf(needs), name: 'identity' })
  const greeted = Promise.withResolvers<Greeting>()
  const life = { isClosing: false, isLost: false }
  function lost(reason: string): void {
    if (life.isLost) return
    life.isLost = true
    const error = storeUnavailable(reason)
    calls.end(error)
    greeted.resolve({ kind: 'refused', message: reason })
    if (!life.isClosing) onLost(error)
  }
  const news: ApartNews = {
    ...arrivals,
    ...{ changed, lost, opened: greeted.resolve },
    logged: (line) => writeAgain(log, line),
    sendLetter: needs.sendLetter ?? (async () => 'full'),
  }
  const calls = openPortCalls<ApartQuestions>(worker, { ...news }, needs.config.limits.operationsQueuedMax)
  worker.on('error', (error) => lost(`the thread of identity failed: ${String(error)}`))
  worker.on('exit', (code) => lost(`the thread of identity ended with ${code}`))
  async function end(): Promise<void> {
    life.isClosing = true
    try {
      if (!life.isLost) await calls.ask('close')
    } finally {
      await worker.terminate()
    }
  }
  const greeting = await greeted.promise
  if (greeting.kind === 'open') return { kind: 'open', core: coreAcross(calls, needs.address, end) }
  life.isClosing = true
  await worker.terminate()
  return greeting
}

function setupOf({ config, secret, sendLetter, log }: CoreNeeds): ApartSetup {
  const { dataFolder, limits, signup, signIn, operator } = config
  return {
    config: { dataFolder, limits, signup, signIn, operator },
    secret,
    hasMail: sendLetter !== null,
    logLevel: log.level,
  }
}

/** Every question says first where people reach the server, when that has changed. */
function coreAcross(
  calls: PortCalls<ApartQuestions>,
  address: () => string,
  close: () => Promise<void>,
): IdentityCore {
  let said = ''
  const ask: typeof calls.ask = (name, ...values) => {
    const current = address()
    if (current !== said) calls.tell('reachedAt', current)
    said = current
    return calls.ask(name, ...values)
  }
  return {
    operations: {
      person: (id) => ask('person', id),
      personByEmail: (email) => ask('personByEmail', email),
      people: (filter) => ask('people', filter),
      memberships: (person) => ask('memberships', person),
      members: (organization) => ask('members', organization),
      confirm: (person) => ask('confirm', person),
      setOperator: (person, operator) => ask('setOperator', person, operator),
      createOperator: (person) => ask('createOperator', person),
      resetLink: (person) => ask('resetLink', person),
      invite: (email) => ask('invite', email),
      exported: (person) => ask('exported', person),
      remove: (person) => ask('remove', person),
    },
    // A copy of its own: of a part of a pool the whole pool would travel.
    answer: (request) => ask('answer', { ...request, body: Uint8Array.from(request.body) }),
    session: (hash) => ask('session', hash),
    close,
  }
}
