/**
 * The core of identity in a thread of its own, seen from the main thread: the same words, asked across. What it takes to
 * judge a password or to look somebody up is spent there.
 */
import { existsSync } from 'node:fs'
import { writeAgain } from '../base/log.ts'
import type { OutgoingEmail } from '../mail/mail.ts'
import { storeUnavailable } from '../store/errors.ts'
import { type OpenThread, openThread } from '../threads/thread.ts'
import type { CoreDeps, CoreResult, IdentityCore } from './core.ts'
import type { PersonListeners } from './sign-in/admission-policy.ts'
import { identityPath } from './store/database.ts'
import type { IdentityOperations } from './types.ts'

/** What the thread gets to begin with. */
export interface WorkerSetup {
  readonly config: CoreDeps['config']
  readonly secret: string
  readonly hasMail: boolean
  readonly logLevel: string
}

/** What the main thread asks the other, and tells it. */
export interface WorkerRequests extends IdentityOperations, Pick<IdentityCore, 'answer' | 'session'> {
  /** Where people reach the server. */
  reachedAt(address: string): void
}

/** What the other asks the main thread, and tells it. */
export interface WorkerNotifications extends PersonListeners {
  changed(): void
  /** One line of the log, as JSON. */
  logged(line: string): void
  lost(reason: string): void
  sendEmail(email: OutgoingEmail): Promise<'taken' | 'full'>
}

type Ask = OpenThread<WorkerRequests>['call']

interface CoreThread {
  readonly ask: Ask
  close(): Promise<void>
}

type Refused = Extract<CoreResult, { kind: 'refused' }>

/**
 * Starts the thread and waits until it has opened the database. Where no database exists yet, the first question starts
 * the thread, which creates the database: a server that only answers keys needs neither.
 */
export async function openIdentityWorker(entry: URL, needs: CoreDeps): Promise<CoreResult> {
  let thread: Promise<CoreThread> | undefined
  let isClosed = false
  async function startNow(): Promise<CoreThread> {
    try {
      const result = await startCore(entry, needs)
      if (!('kind' in result)) return result
      throw storeUnavailable(result.message)
    } catch (error) {
      // The next question tries again.
      thread = undefined
      throw error
    }
  }
  if (existsSync(identityPath(needs.config.dataFolder))) {
    const result = await startCore(entry, needs)
    if ('kind' in result) return result
    thread = Promise.resolve(result)
  }
  const ask: Ask = async (name, ...values) => {
    if (isClosed) throw storeUnavailable('identity is closed')
    thread ??= startNow()
    return (await thread).ask(name, ...values)
  }
  async function close(): Promise<void> {
    isClosed = true
    const opened = await thread?.catch(() => undefined)
    await opened?.close()
  }
  return { kind: 'open', core: coreAcross(ask, close) }
}

async function startCore(entry: URL, needs: CoreDeps): Promise<CoreThread | Refused> {
  const { log, listeners, changed, onLost, address, config } = needs
  // A mistake in the thread's own database ends it as its death does.
  let isLost = false
  const lose = (error: Error): void => {
    if (!isLost) onLost(error)
    isLost = true
  }
  const news: WorkerNotifications = {
    ...listeners,
    changed,
    lost: (reason) => lose(storeUnavailable(reason)),
    logged: (line) => writeAgain(log, line),
    sendEmail: needs.sendEmail ?? (async () => 'full'),
  }
  const opened = await openThread<WorkerRequests>({
    ...{ entry, name: 'identity', setup: setupOf(needs) },
    ...{ handlers: { ...news }, waitingMax: config.limits.operationsQueuedMax },
    ...{ lostError: storeUnavailable, onLost: lose },
  })
  if (opened.kind === 'refused') return opened
  const { thread } = opened
  return { ask: withAddress(thread, address), close: thread.close }
}

function setupOf({ config, secret, sendEmail, log }: CoreDeps): WorkerSetup {
  const { dataFolder, limits, signup, signIn, operator } = config
  return {
    config: { dataFolder, limits, signup, signIn, operator },
    secret,
    hasMail: sendEmail !== null,
    logLevel: log.level,
  }
}

/** Every question says first where people reach the server, when that has changed. */
function withAddress(thread: OpenThread<WorkerRequests>, address: () => string): Ask {
  let said = ''
  return (name, ...values) => {
    const current = address()
    if (current !== said) thread.notify('reachedAt', current)
    said = current
    return thread.call(name, ...values)
  }
}

function coreAcross(ask: Ask, close: () => Promise<void>): IdentityCore {
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
