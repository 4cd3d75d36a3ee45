/**
 * Checkpoints of a running stream, so that after a crash its customer is charged for what was delivered and no more, and
 * the part of the hold that is released as soon as the upstream reports its input.
 */
import { eachOutput } from '../../../../contract/meters.ts'
import type { Background } from '../../../base/background.ts'
import type { Failpoints } from '../../../base/failpoint.ts'
import { Checkpointer, type CheckpointRule } from '../../../ledger/rules/checkpoint-schedule.ts'
import { least } from '../../../ledger/rules/money.ts'
import {
  boundAmounts,
  chargedAmounts,
  chargeOf,
  costOf,
  upstreamCostOf,
  withRequestFee,
} from '../../../ledger/rules/price.ts'
import type { Ledger } from '../../../ledger/types.ts'
import type { Counter } from '../../../tokens/count.ts'
import type { InputSample } from '../../../tokens/text.ts'
import type { OutputSample } from '../../../wire/format.ts'
import type { Usage } from '../../../wire/usage.ts'
import { capUsage, countSample } from '../../bounds/usage.ts'
import type { AnsweredWork, RequestContext, StreamedBody } from '../../request.ts'
import { draftReceipt, offerCostOf } from './settle.ts'

/** Smallest part of a reservation that is released early when the upstream reports less input than expected. */
const surplusNanoMin = 10_000_000n

const bytesPerTokenGuess = 4
const charactersPerTokenMax = 5

interface CheckpointDeps {
  readonly ledger: Pick<Ledger, 'checkpoint' | 'shrink'>
  readonly counter: Counter
  readonly background: Background
  readonly failpoints: Failpoints
  readonly limits: CheckpointRule
}

/** Called after every relayed event; cheap unless something is due. */
export function checkpoints(
  deps: CheckpointDeps,
  context: RequestContext,
  request: AnsweredWork,
): (body: StreamedBody) => void {
  // Made by the first event: most responses are not streamed.
  let checkpoint: ((body: StreamedBody) => void) | undefined
  return (body) => {
    if (checkpoint === undefined) {
      if (request.plan.format.reportsInputEarly) releaseSurplus(deps, context, { request, body })
      checkpoint = checkpointer(deps, context, request)
    }
    checkpoint(body)
  }
}

/** Releases a large unused part of the hold once the input is reported, unless provider-side tools may add input. */
function releaseSurplus(
  deps: CheckpointDeps,
  context: RequestContext,
  input: { request: AnsweredWork; body: StreamedBody },
): void {
  const { plan, hold } = input.request
  const { rawUsage } = input.body.usageTap
  if (!plan.format.reportedTotals(rawUsage).input || plan.inputSize.toolUses > 0) return
  const reported = capUsage({ plan, hold }, rawUsage, null)
  if (!reported.input || !isWholeInput(reported.usage, plan.inputSize.textBytes)) return
  const output = hold.outputLimit * plan.choices
  const usage = withRequestFee({ ...reported.usage, output, reasoning: 0 }, plan.price)
  const needed = chargeOf(costOf(usage, plan.price, 'rates').cost, plan.ownKeyFee)
  const surplus = hold.amount - needed
  if (surplus < surplusNanoMin || surplus * surplusDivisor < hold.amount) return
  deps.background.run('release surplus', () => deps.ledger.shrink(context.id, surplus))
}

/**
 * Some hosts open a stream with a placeholder and report the input at its end. A released amount cannot be charged
 * later, so a count that is too small for the text is ignored.
 */
function isWholeInput(
  { inputUncached, cacheRead, cacheWrite5m, cacheWrite1h, inputAudio }: Usage,
  textBytes: number,
): boolean {
  const tokens = inputUncached + cacheRead + cacheWrite5m + cacheWrite1h + inputAudio
  return tokens * bytesPerTokenMax >= textBytes
}

const bytesPerTokenMax = 16

/** A surplus of less than a quarter of the hold is not worth a write. */
const surplusDivisor = 4n

const textOnly = eachOutput((name) => name === 'output')

function checkpointer(
  deps: CheckpointDeps,
  context: RequestContext,
  request: AnsweredWork,
): (body: StreamedBody) => void {
  const { plan, hold, upstreamResponse } = request
  const bound = boundAmounts(plan.price, {
    inputTokens: Math.ceil(plan.inputSize.textBytes / bytesPerTokenGuess),
    inputAudioTokens: 0,
    outputs: textOnly,
    cacheWrites: [],
    options: [],
    fees: {},
    choices: 1,
  })
  const guess = chargedAmounts(bound, plan.ownKeyFee)
  const schedule = new Checkpointer(deps.limits, {
    hold: hold.amount,
    input: guess.input,
    perOutputToken: guess.perOutputToken,
  })
  const output = new DeliveredOutput(deps.counter)
  let inputTokens: Promise<number> | undefined
  return (body) => {
    const { usageTap } = body
    const { sample } = usageTap
    const guessed = guessedTokens(sample)
    if (!schedule.due(guessed)) return
    // Read only now, because each reading puts it together.
    const { rawUsage } = usageTap
    schedule.begin(guessed)
    // A copy, because the sample grows while the checkpoint is written.
    const delivered = output.count({
      text: sample.text,
      characters: sample.characters,
      events: sample.events,
    })
    deps.background.run('checkpoint', async () => {
      try {
        const { usage: reported, input: isPlausible } = capUsage(request, rawUsage, null)
        const isReported = plan.format.reportedTotals(rawUsage).input && isPlausible
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
          cost: least(chargeOf(costOf(usage, plan.price, 'rates').cost, plan.ownKeyFee), hold.amount),
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
            upstreamCost: upstreamCostOf(usage, plan.price, offerCostOf(request)),
            unpriced: false,
          }),
        })
        deps.failpoints.reach('after-checkpoint')
      } finally {
        schedule.end()
      }
    })
  }
}

async function inputOf(counter: Counter, sample: InputSample): Promise<number> {
  return (await countSample(counter, sample)).tokens
}

/** A cheap estimate that only decides when a checkpoint is due; the charge is counted. */
function guessedTokens(sample: OutputSample): number {
  return Math.max(sample.events, Math.floor(sample.characters / charactersPerTokenMax))
}

/**
 * A lower bound of the tokens that a stream has produced: each checkpoint counts only the text since the one before, and
 * a token that is split between two counts once. Text beyond the sample is extrapolated.
 */
class DeliveredOutput {
  readonly #counter: Pick<Counter, 'count'>
  #characters = 0
  #tokens = 0

  constructor(counter: Pick<Counter, 'count'>) {
    this.#counter = counter
  }

  /** Must not be called again before the last call has resolved. */
  async count({ text, characters, events }: OutputSample): Promise<number> {
    const fresh = text.slice(this.#characters)
    if (fresh !== '') {
      const tokens = await this.#counter.count(fresh)
      // Each content event has at least one token.
      if (tokens === undefined) return events
      this.#tokens += this.#characters === 0 ? tokens : Math.max(0, tokens - 1)
      this.#characters = text.length
    }
    return this.#characters === 0 ? events : Math.floor((this.#tokens * characters) / this.#characters)
  }
}
