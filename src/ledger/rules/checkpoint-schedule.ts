/**
 * Decides when a running stream records what it has delivered: as soon as the part that a crash
 * would lose is worth more than a tenth of a cent, or a hundredth of the hold where that is more.
 */

export interface CheckpointRule {
  readonly checkpointNanoMin: bigint
  readonly checkpointShareOfHold: { readonly numerator: bigint; readonly denominator: bigint }
}

/** Prices of a stream, nano-USD. `input` may be an estimate: it only moves the first checkpoint. */
export interface StreamWorth {
  readonly hold: bigint
  readonly input: bigint
  readonly perOutputToken: bigint
}

export class Checkpointer {
  /** Worth of unrecorded delivery, in tokens of output, at which a mark is due. */
  readonly #stepTokens: number
  #recordedTokens: number
  #writing = false

  constructor(rule: CheckpointRule, worth: StreamWorth) {
    const { numerator, denominator } = rule.checkpointShareOfHold
    const share = (worth.hold * numerator) / denominator
    let step = rule.checkpointNanoMin
    if (share > step) step = share
    const perToken = worth.perOutputToken === 0n ? 1n : worth.perOutputToken
    this.#stepTokens = Math.max(1, Number(step / perToken))
    this.#recordedTokens = -Number(worth.input / perToken)
  }

  /** Whether a checkpoint is due after this many delivered tokens; one at a time. */
  due(deliveredTokens: number): boolean {
    return !this.#writing && deliveredTokens - this.#recordedTokens >= this.#stepTokens
  }

  begin(deliveredTokens: number): void {
    this.#writing = true
    this.#recordedTokens = deliveredTokens
  }

  end(): void {
    this.#writing = false
  }
}
