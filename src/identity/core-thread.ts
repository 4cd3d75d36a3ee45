/** The entry of the thread in which identity works: opens the core, then answers the main thread until that ends it. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../base/assert.ts'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/ids.ts'
import { createLog } from '../base/log.ts'
import { openPortCalls } from '../base/port-calls.ts'
import type { ApartNews, ApartQuestions, ApartSetup } from './apart.ts'
import { type IdentityCore, openIdentityCore } from './core.ts'

const port = parentPort
assert(port !== null, 'identity works in a worker thread')
const { config, secret, hasMail, logLevel } = workerData as ApartSetup

const place = { address: '' }
// Filled before the main thread hears that it may ask.
const answers: Partial<ApartQuestions> = {}
const main = openPortCalls<ApartNews>(port, answers, config.limits.operationsQueuedMax)

const result = await openIdentityCore({
  ...{ config, secret, clock: systemClock, random: systemRandom },
  log: createLog({ level: logLevel, destination: { write: (line) => main.tell('logged', line) } }),
  address: () => place.address,
  sendLetter: hasMail ? (letter) => main.ask('sendLetter', letter) : null,
  arrivals: {
    joined: (person) => main.ask('joined', person),
    verified: (person) => main.ask('verified', person),
  },
  changed: () => main.tell('changed'),
  onLost: (error) => main.tell('lost', error.message),
})
if (result.kind === 'open') {
  Object.assign(answers, questionsTo(result.core))
  main.tell('opened', { kind: 'open' })
} else main.tell('opened', result)

function questionsTo(core: IdentityCore): ApartQuestions {
  const { operations, answer, session, close } = core
  return {
    ...operations,
    ...{ session, close },
    async answer(request) {
      const { body, ...rest } = await answer(request)
      // A copy of its own: of a part of a pool the whole pool would travel.
      return { ...rest, body: Uint8Array.from(body) }
    },
    reachedAt(address) {
      place.address = address
    },
  }
}
