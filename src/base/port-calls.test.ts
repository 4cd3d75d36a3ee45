/** Two ends of a real channel that ask each other things: answers, errors of ours, bounds and ends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { asTollgateError, TollgateError } from './errors.ts'
import { type Answers, openPortCalls } from './port-calls.ts'

interface Questions {
  double(number: bigint): Promise<bigint>
  refuse(): Promise<never>
  breakDown(): Promise<never>
  unsendable(): Promise<unknown>
  never(): Promise<never>
  noted(word: string): void
  absent(): Promise<never>
}

function channel(context: { after(run: () => void): void }, waitingMax = 100) {
  const { port1, port2 } = new MessageChannel()
  const notes: string[] = []
  const answers: Answers = {
    double: async (number: bigint) => 2n * number,
    refuse() {
      throw new TollgateError('overloaded', {
        message: 'Later.',
        retryAfterMs: 7,
        cause: new Error('inside'),
      })
    },
    breakDown: () => Promise.reject(new RangeError('too far')),
    unsendable: () => () => {},
    never: () => new Promise(() => {}),
    noted: (word: string) => void notes.push(word),
  }
  openPortCalls(port2, answers, waitingMax)
  context.after(() => port1.close())
  return { notes, calls: openPortCalls<Questions>(port1, {}, waitingMax) }
}

test('each question gets its own answer, whatever is said in between', async (context) => {
  const { calls, notes } = channel(context)
  calls.tell('noted', 'first')
  const numbers = Array.from({ length: 50 }, (_, at) => BigInt(at))
  assert.deepEqual(
    await Promise.all(numbers.map((number) => calls.ask('double', number))),
    numbers.map((number) => 2n * number),
  )
  assert.deepEqual(notes, ['first'])
})

test('an error of ours arrives as what it was, any other one as broken', async (context) => {
  const { calls } = channel(context)
  const refused = asTollgateError(await calls.ask('refuse').catch((error: unknown) => error))
  assert.deepEqual([refused.code, refused.details], ['overloaded', { message: 'Later.', retryAfterMs: 7 }])
  await assert.rejects(calls.ask('breakDown'), { name: 'BrokenInvariant', message: 'too far' })
  await assert.rejects(calls.ask('absent'), { message: 'nobody answers absent here' })
  await assert.rejects(calls.ask('unsendable'), { name: 'BrokenInvariant' })
})

test('too many open questions are refused, and an end is heard by all who wait', async (context) => {
  const { calls } = channel(context, 2)
  const waiting = [calls.ask('never'), calls.ask('never')]
  await assert.rejects(calls.ask('double', 1n), { code: 'overloaded' })
  calls.end(new Error('gone'))
  for (const question of waiting) await assert.rejects(question, { message: 'gone' })
  await assert.rejects(calls.ask('double', 1n), { message: 'gone' })
})
