/** Two ends of a real channel that call each other: replies, our errors, bounds and shutdown. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { asTollgateError, TollgateError } from '../base/errors.ts'
import { type Cancellation, type Handlers, openPort } from './port.ts'

interface Requests {
  double(number: bigint): Promise<bigint>
  reject(): Promise<never>
  breakDown(): Promise<never>
  unsendable(): Promise<unknown>
  never(): Promise<never>
  note(word: string): void
  absent(): Promise<never>
  stoppable(): Promise<never>
}

function channel(context: { after(run: () => void): void }, waitingMax = 100) {
  const { port1, port2 } = new MessageChannel()
  const notes: string[] = []
  const handlers: Handlers = {
    double: async (number: bigint) => 2n * number,
    reject() {
      throw new TollgateError('overloaded', {
        message: 'Later.',
        retryAfterMs: 7,
        cause: new Error('inside'),
      })
    },
    breakDown: () => Promise.reject(new RangeError('too far')),
    unsendable: () => () => {},
    never: () => new Promise(() => {}),
    note: (word: string) => void notes.push(word),
  }
  const cancellable = {
    stoppable: (cancellation: Cancellation) =>
      new Promise(() => cancellation.onCancel(() => void notes.push('stopped'))),
  }
  openPort(port2, { handlers, cancellable, waitingMax })
  context.after(() => port1.close())
  return { notes, calls: openPort<Requests>(port1, { waitingMax }) }
}

test('each question gets its own answer, whatever is said in between', async (context) => {
  const { calls, notes } = channel(context)
  calls.notify('note', 'first')
  const numbers = Array.from({ length: 50 }, (_, at) => BigInt(at))
  assert.deepEqual(
    await Promise.all(numbers.map((number) => calls.call('double', number))),
    numbers.map((number) => 2n * number),
  )
  assert.deepEqual(notes, ['first'])
})

test('an error of ours arrives as what it was, any other one as broken', async (context) => {
  const { calls } = channel(context)
  const rejected = asTollgateError(await calls.call('reject').catch((error: unknown) => error))
  assert.deepEqual([rejected.code, rejected.details], ['overloaded', { message: 'Later.', retryAfterMs: 7 }])
  await assert.rejects(calls.call('breakDown'), { name: 'BrokenInvariant', message: 'too far' })
  await assert.rejects(calls.call('absent'), { message: 'nothing answers absent here' })
  await assert.rejects(calls.call('unsendable'), { name: 'BrokenInvariant' })
})

test('too many open questions are rejected, and an end is heard by all who wait', async (context) => {
  const { calls } = channel(context, 2)
  const waiting = [calls.call('never'), calls.call('never')]
  await assert.rejects(calls.call('double', 1n), { code: 'overloaded' })
  calls.fail(new Error('gone'))
  for (const question of waiting) await assert.rejects(question, { message: 'gone' })
  await assert.rejects(calls.call('double', 1n), { message: 'gone' })
})

test('a canceled call fails immediately, and the other side stops', async (context) => {
  const { calls, notes } = channel(context)
  const failed = Promise.withResolvers<Error>()
  const onReply = () => assert.fail('it was cancelled')
  const number = calls.send('stoppable', [], { onReply, onFailure: failed.resolve })
  calls.cancel(number, new Error('not needed'))
  assert.equal((await failed.promise).message, 'not needed')
  assert.equal(calls.waiting(), 0)
  calls.cancel(number, new Error('again'))
  // Messages arrive in order, so earlier ones were received.
  await calls.call('double', 1n)
  assert.deepEqual(notes, ['stopped'])
})
