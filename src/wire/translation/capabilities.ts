/**
 * The capabilities of one model, as far as translation needs them. Only types: the rows,
 * with their sources, are in `src/providers/`. Unknown facts of a model are those of the
 * newest of its family.
 */

/** In ascending order. */
export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

export interface Capabilities {
  /**
   * `all`; `one_of`: temperature and top_p cannot be combined; `without_reasoning`: only while effort is none;
   * `none`: rejected.
   */
  readonly sampling: 'all' | 'one_of' | 'without_reasoning' | 'none'
  /** The largest temperature that is taken. */
  readonly temperatureMax: number
  readonly topK: boolean
  readonly penalties: boolean
  readonly seed: boolean
  /** How many stop strings are taken; 0: none. */
  readonly stopsMax: number
  readonly logprobs: boolean
  /** How thinking is requested; `none`: the model does not think. */
  readonly thinking: 'none' | 'effort' | 'adaptive' | 'budget' | 'level'
  /** The efforts that are taken, ascending; for `level` the levels in lower case. */
  readonly efforts: readonly Effort[]
  /** How thinking is switched off; null: it cannot be. */
  readonly thinkingOff: 'none' | 'disabled' | 'between_tools' | 'zero' | null
  /** The model thinks where nothing was said about it. */
  readonly thinksByDefault?: boolean
  /** Bounds of a thinking budget; null where there is none. */
  readonly budget: { readonly min: number; readonly max: number } | null
  /** The vendor checks thinking against the exact prefix, so that a lossy history must ask for unreadable thoughts to be dropped. */
  readonly bindsThinking: boolean
  /** A call in the history must carry its signature, or the documented placeholder. */
  readonly signedCalls: boolean
  readonly forcedTools: boolean
  /** The conversation may end with the beginning of the answer. */
  readonly prefill: boolean
  /** Instructions are allowed between the turns. */
  readonly midSystem: boolean
  readonly parallelSwitch: boolean
  readonly schemaOutput: boolean
  readonly schemaWithTools: boolean
  /** Messages of the assistant say whether they are comments or the answer (`phase`), and are worse read without. */
  readonly phases?: boolean
  readonly cacheBreakpoints: boolean
  /** Images inside the result of a tool. */
  readonly resultMedia: boolean
  readonly inputs: readonly ('text' | 'image' | 'audio' | 'document')[]
  /**
   * Whether Chat Completions takes function tools: always, only with the effort `none` or without one
   * (`without_effort`), only with an explicit `none`, or never. Matters only at OpenAI.
   */
  readonly chatTools: 'always' | 'without_effort' | 'explicit_none' | 'never'
  /** The model's output limit; sent where a format requires a limit and the caller set none. */
  readonly outputTokensMax: number
}
