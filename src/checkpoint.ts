/**
 * The marks that a running stream leaves, so that after a crash its customer is charged what was
 * delivered and no more (counted low: every content event carries a token at least), and the part of
 * the hold that is given back as soon as the upstream told how much input there really is.
 */
import type { App } from './app.ts'
import { Checkpointer } from './ledger/checkpointer.ts'
import { boundAmounts, costOf } from './ledger/price.ts'
import { countSample, draft, hasNumbers, type Settled } from './phases/settle.ts'
import type { Line, StreamedBody } from './values.ts'
import type { OutputSample } from './wire/codec.ts'

const bytesPerTokenGuess = 4
const charactersPerTokenMost = 5

type Checkpointing = Pick<App, 'ledger' | 'counter' | 'background' | 'clock' | 'limits' | 'failpoints'>

/** Called after every relayed event; cheap unless something is due. */
export function checkpoints(app: Checkpointing, line: Line, request: Settled): (body: StreamedBody) => void {
  const mark = marking(app, line, request)
  let isFirst = true
  return (body) => {
    if (isFirst && line.dialect.reportsInputEarly) giveBackSurplus(app, line, { request, body })
    isFirst = false
    mark(body)
  }
}

/** A large part of the hold that the reported input leaves unused; tools that run upstream may still add input. */
function giveBackSurplus(app: Checkpointing, line: Line, of: { request: Settled; body: StreamedBody }): void {
  const { plan, held } = of.request
  const { report } = of.body.watch
  if (!hasNumbers(report) || Object.keys(plan.serverToolUses).length > 0) return
  const usage = { ...line.dialect.toUsage(report), output: held.outputLimit * plan.choices, reasoning: 0 }
  const needed = costOf(usage, plan.price, 'rates').cost
  const surplus = held.amount - needed
  if (surplus < app.limits.surplusNanoMin || surplus * surplusDivisor < held.amount) return
  app.background.run('give back', () => app.ledger.shrink(line.id, surplus))
}

/** A surplus of less than a quarter of the hold is not worth a write. */
const surplusDivisor = 4n

function marking(app: Checkpointing, line: Line, request: Settled): (body: StreamedBody) => void {
  const { plan, held, reply } = request
  const guess = boundAmounts(plan.price, {
    inputTokens: Math.ceil(plan.bound.textBytes / bytesPerTokenGuess),
    cacheWrites: [],
    options: [],
    fees: {},
    choices: 1,
  })
  const marks = new Checkpointer(app.limits, {
    hold: held.amount,
    input: guess.input,
    perOutputToken: guess.perOutputToken,
  })
  let inputTokens: Promise<number> | undefined
  return (body) => {
    const delivered = deliveredTokens(body.watch.sample)
    if (!marks.due(delivered)) return
    marks.begin(delivered)
    const report = body.watch.report
    app.background.run('checkpoint', async () => {
      try {
        const reported = line.dialect.toUsage(report)
        if (!hasNumbers(report) && reply.input !== null) inputTokens ??= countSample(app.counter, reply.input)
        const counted = inputTokens === undefined ? undefined : await inputTokens
        const usage = {
          ...reported,
          output: delivered,
          reasoning: 0,
          ...(counted === undefined ? {} : { inputUncached: counted }),
        }
        await app.ledger.checkpoint({
          id: line.id,
          cost: costOf(usage, plan.price, 'rates').cost,
          draft: draft(line, request, {
            ending: { reason: 'interrupted', report: null, sample: null, error: null, status: 200 },
            usage,
            source: 'estimated',
            upstreamCost: costOf(usage, plan.price, 'list').cost,
            unpriced: false,
          }),
        })
        app.failpoints.reach('after-checkpoint')
      } finally {
        marks.end()
      }
    })
  }
}

function deliveredTokens(sample: OutputSample): number {
  return Math.max(sample.events, Math.floor(sample.characters / charactersPerTokenMost))
}
