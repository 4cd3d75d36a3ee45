/**
 * The marks that a running stream leaves, so that after a crash its customer is charged what was
 * delivered and no more, and the part of the hold that is given back as soon as the upstream reports
 * how much input there is.
 */

import { eachOutput } from '../../contract/meters.ts'
import { Checkpointer } from '../ledger/rules/checkpoint-schedule.ts'
import { least } from '../ledger/rules/money.ts'
import { boundAmounts, costOf, withRequestFee } from '../ledger/rules/price.ts'
import type { Counter } from '../tokens/count.ts'
import type { InputSample } from '../tokens/text.ts'
import type { OutputSample, Usage } from '../wire/dialect.ts'
import type { GatewayDeps } from './deps.ts'
import { countSample } from './phases/settle/count-output.ts'
import { capUsage, draftReceipt, type SettledRequest } from './phases/settle/settle.ts'
import type { RequestContext, StreamedBody } from './request.ts'

const bytesPerTokenGuess = 4
const charactersPerTokenMost = 5

type CheckpointDeps = Pick<
  GatewayDeps,
  'ledger' | 'counter' | 'background' | 'clock' | 'limits' | 'failpoints'
>

/** Called after every relayed event; cheap unless something is due. */
export function checkpoints(
  deps: CheckpointDeps,
  context: RequestContext,
  request: SettledRequest,
): (body: StreamedBody) => void {
  const mark = marking(deps, context, request)
  let isFirst = true
  return (body) => {
    if (isFirst && request.plan.dialect.reportsInputEarly) giveBackSurplus(deps, context, { request, body })
    isFirst = false
    mark(body)
  }
}

/** A large part of the hold that the reported input leaves unused; tools that run upstream may still add input. */
function giveBackSurplus(
  deps: CheckpointDeps,
  context: RequestContext,
  of: { request: SettledRequest; body: StreamedBody },
): void {
  const { plan, hold } = of.request
  const { rawUsage } = of.body.watch
  if (!plan.dialect.reportedTotals(rawUsage).input || plan.inputSize.toolUses > 0) return
  const reported = capUsage({ plan, hold }, rawUsage)
  if (!reported.input || !isWholeInput(reported.usage, plan.inputSize.textBytes)) return
  const output = hold.outputLimit * plan.choices
  const usage = withRequestFee({ ...reported.usage, output, reasoning: 0 }, plan.price)
  const needed = costOf(usage, plan.price, 'rates').cost
  const surplus = hold.amount - needed
  if (surplus < deps.limits.surplusNanoMin || surplus * surplusDivisor < hold.amount) return
  deps.background.run('give back', () => deps.ledger.shrink(context.id, surplus))
}

/**
 * Some hosts open a stream with a placeholder and report the input at its end. What was given back could not be charged
 * any more, so a count that is small for the text is not acted on.
 */
function isWholeInput(
  { inputUncached, cacheRead, cacheWrite5m, cacheWrite1h, inputAudio }: Usage,
  textBytes: number,
): boolean {
  const tokens = inputUncached + cacheRead + cacheWrite5m + cacheWrite1h + inputAudio
  return tokens * bytesPerTokenMost >= textBytes
}

const bytesPerTokenMost = 16

/** A surplus of less than a quarter of the hold is not worth a write. */
const surplusDivisor = 4n

const textOnly = eachOutput((name) => name === 'output')

function marking(
  deps: CheckpointDeps,
  context: RequestContext,
  request: SettledRequest,
): (body: StreamedBody) => void {
  const { plan, hold, upstreamResponse } = request
  const guess = boundAmounts(plan.price, {
    inputTokens: Math.ceil(plan.inputSize.textBytes / bytesPerTokenGuess),
    inputAudioTokens: 0,
    outputs: textOnly,
    cacheWrites: [],
    options: [],
    fees: {},
    choices: 1,
  })
  const marks = new Checkpointer(deps.limits, {
    hold: hold.amount,
    input: guess.input,
    perOutputToken: guess.perOutputToken,
  })
  const output = new DeliveredOutput(deps.counter)
  let inputTokens: Promise<number> | undefined
  return (body) => {
    const { sample, rawUsage } = body.watch
    const guessed = guessedTokens(sample)
    if (!marks.due(guessed)) return
    marks.begin(guessed)
    // The sample grows while this mark is made; the mark is of this moment.
    const delivered = output.count({
      text: sample.text,
      characters: sample.characters,
      events: sample.events,
    })
    deps.background.run('checkpoint', async () => {
      try {
        const { usage: reported, input: isBelieved } = capUsage(request, rawUsage)
        const isReported = plan.dialect.reportedTotals(rawUsage).input && isBelieved
        if (!isReported && upstreamResponse.input !== null)
          inputTokens ??= inputOf(deps.counter, upstreamResponse.input)
        const counted = inputTokens === undefined ? undefined : await inputTokens
        const usage = withRequestFee(
          {
            ...reported,
            output: Math.min(await delivered, hold.outputLimit * plan.choices),
            reasoning: 0,
            ...(counted === undefined ? {} : { inputUncached: counted }),
          },
          plan.price,
        )
        await deps.ledger.checkpoint({
          id: context.id,
          cost: least(costOf(usage, plan.price, 'rates').cost, hold.amount),
          draft: draftReceipt(context, request, {
            outcome: {
              reason: 'interrupted',
              dispatched: true,
              report: null,
              sample: null,
              error: null,
              status: 200,
            },
            usage,
            source: 'estimated',
            upstreamCost: costOf(usage, plan.price, 'list').cost,
            unpriced: false,
          }),
        })
        deps.failpoints.reach('after-checkpoint')
      } finally {
        marks.end()
      }
    })
  }
}

async function inputOf(counter: Counter, sample: InputSample): Promise<number> {
  return (await countSample(counter, sample)).tokens
}

/** Decides only when a mark is due, at every event; what is charged is counted. */
function guessedTokens(sample: OutputSample): number {
  return Math.max(sample.events, Math.floor(sample.characters / charactersPerTokenMost))
}

/**
 * The tokens that a stream has produced, counted low: each mark counts only the text since the one before,
 * and a token that two marks cut apart counts once. Beyond the kept text its share of tokens goes on.
 */
class DeliveredOutput {
  readonly #counter: Pick<Counter, 'count'>
  #characters = 0
  #tokens = 0

  constructor(counter: Pick<Counter, 'count'>) {
    this.#counter = counter
  }

  /** Call it again only when the last count is there. */
  async count({ text, characters, events }: OutputSample): Promise<number> {
    const fresh = text.slice(this.#characters)
    if (fresh !== '') {
      const tokens = await this.#counter.count(fresh)
      // An event that carried content carried a token at least.
      if (tokens === undefined) return events
      this.#tokens += this.#characters === 0 ? tokens : Math.max(0, tokens - 1)
      this.#characters = text.length
    }
    return this.#characters === 0 ? events : Math.floor((this.#tokens * characters) / this.#characters)
  }
}
