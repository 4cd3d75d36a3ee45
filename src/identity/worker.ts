/**
 * Runs the identity core in its own thread and exposes the same interface to the main thread, so that password hashing and
 * lookups never block it.
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

/** The initial data of the thread. */
export interface WorkerSetup {
  readonly config: CoreDeps['config']
  readonly postgres: CoreDeps['postgres']
  readonly secret: string
  readonly hasMail: boolean
  readonly logLevel: string
}

/** Messages from the main thread to the identity thread. */
export interface WorkerRequests extends IdentityOperations, Pick<IdentityCore, 'handle' | 'readSession'> {
  /** Sets the public URL. */
  setAddress(address: string): void
}

/** Messages from the identity thread to the main thread. */
export interface WorkerNotifications extends PersonListeners {
  onChanged(): void
  /** Writes a log line of JSON. */
  writeLog(line: string): void
  onLost(reason: string): void
  sendEmail(email: OutgoingEmail): Promise<'queued' | 'full'>
}

type CallWorker = OpenThread<WorkerRequests>['call']

interface CoreThread {
  readonly call: CallWorker
  close(): Promise<void>
}

type RejectedCore = Extract<CoreResult, { kind: 'rejected' }>

/**
 * Starts the thread and waits until it has opened the database. Without a database, the first request starts the thread,
 * which creates one: a server that only authenticates keys needs neither.
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
      // The next request tries again.
      thread = undefined
      throw error
    }
  }
  if (needs.postgres === undefined && existsSync(identityPath(needs.config.dataFolder))) {
    const result = await startCore(entry, needs)
    if ('kind' in result) return result
    thread = Promise.resolve(result)
  }
  const ask: CallWorker = async (name, ...values) => {
    if (isClosed) throw storeUnavailable('the identity thread is closed')
    thread ??= startNow()
    return (await thread).call(name, ...values)
  }
  async function close(): Promise<void> {
    isClosed = true
    const opened = await thread?.catch(() => undefined)
    await opened?.close()
  }
  return { kind: 'open', core: workerCore(ask, close) }
}

async function startCore(entry: URL, needs: CoreDeps): Promise<CoreThread | RejectedCore> {
  const { log, listeners, onChanged, onLost, address, config } = needs
  // A database error in the thread is reported like the thread's exit, and only once.
  let isLost = false
  const lose = (error: Error): void => {
    if (!isLost) onLost(error)
    isLost = true
  }
  const notifications: WorkerNotifications = {
    ...listeners,
    onChanged,
    onLost: (reason) => lose(storeUnavailable(reason)),
    writeLog: (line) => writeAgain(log, line),
    sendEmail: needs.sendEmail ?? (async () => 'full'),
  }
  const opened = await openThread<WorkerRequests>({
    ...{ entry, name: 'identity', setup: setupOf(needs) },
    ...{ handlers: { ...notifications }, waitingMax: config.limits.operationsQueuedMax },
    ...{ lostError: storeUnavailable, onLost: lose },
  })
  if (opened.kind === 'rejected') return opened
  const { thread } = opened
  return { call: withAddress(thread, address), close: thread.close }
}

function setupOf({ config, postgres, secret, sendEmail, log }: CoreDeps): WorkerSetup {
  const { dataFolder, limits, signup, signIn, operator } = config
  return {
    config: { dataFolder, limits, signup, signIn, operator },
    postgres,
    secret,
    hasMail: sendEmail !== null,
    logLevel: log.level,
  }
}

/** Sends the public URL before a request whenever it has changed. */
function withAddress(thread: OpenThread<WorkerRequests>, address: () => string): CallWorker {
  let sentAddress = ''
  return (name, ...values) => {
    const current = address()
    if (current !== sentAddress) thread.notify('setAddress', current)
    sentAddress = current
    return thread.call(name, ...values)
  }
}

function workerCore(call: CallWorker, close: () => Promise<void>): IdentityCore {
  return {
    operations: {
      findPerson: (id) => call('findPerson', id),
      findPersonByEmail: (email) => call('findPersonByEmail', email),
      listPeople: (filter) => call('listPeople', filter),
      listMemberships: (person) => call('listMemberships', person),
      listMembers: (organization) => call('listMembers', organization),
      confirm: (person) => call('confirm', person),
      setOperator: (person, operator) => call('setOperator', person, operator),
      createOperator: (person) => call('createOperator', person),
      createResetLink: (person) => call('createResetLink', person),
      invite: (email) => call('invite', email),
      listInvitations: (limit) => call('listInvitations', limit),
      withdrawInvitation: (email) => call('withdrawInvitation', email),
      exportPerson: (person) => call('exportPerson', person),
      removePerson: (person) => call('removePerson', person),
    },
    // Copied: transferring a view of a pooled buffer would transfer the whole pool.
    handle: (request) => call('handle', { ...request, body: Uint8Array.from(request.body) }),
    readSession: (hash) => call('readSession', hash),
    close,
  }
}
