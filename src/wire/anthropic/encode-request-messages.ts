/**
 * Turns of a conversation as Messages: alternating, each user turn with the tool results first and in
 * the order of their calls, instructions between the turns where the model supports them. No output
 * depends on what follows it, except for instructions that a later user turn follows.
 */
import { WireError } from '../format.ts'
import type { JsonOut } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type { CallPart, ConversationPart, ConversationTurn, ResultPart } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { plainId } from '../translation/reasoning-carriers.ts'
import type { NamedTools } from '../translation/tool-names.ts'
import { joinedTurns, reminder } from '../translation/turns.ts'
import type { AdjustmentList } from './encode-request-adjustments.ts'
import type { CacheBreakpoints } from './encode-request-cache.ts'
import { type Block, callBlock, mediaBlock, textBlock, thinkingBlock } from './encode-request-parts.ts'
import { Blocks } from './encode-request-texts.ts'

export const callIdCharactersMax = 64
/** Where the format demands a turn of the user and there is nothing in it. */
const nothingSaid = '.'

export interface MessageOptions {
  readonly capabilities: Capabilities
  readonly names: NamedTools
  readonly breakpoints: CacheBreakpoints
  readonly adjusted: AdjustmentList
  /** Whether thoughts of Claude's go back to it. */
  readonly keepsThoughts: boolean
  /** Instructions come before the messages, so that an empty message asks for something. */
  readonly hasInstructions: boolean
}

export interface WrittenMessages {
  readonly messages: readonly JsonOut[]
  /** How many turns the user has. */
  readonly userTurns: number
  /** Thoughts of Claude's are among them. */
  readonly hasThoughts: boolean
  /** The tool loop at the end does not begin with a thought. */
  readonly loopLacksThought: boolean
  /** The messages end with the beginning of an answer. */
  readonly isPrefilled: boolean
}

/** Throws WireError for what cannot be shown, for a call without its result, and for a result without its call. */
export function writeMessages(turns: readonly ConversationTurn[], options: MessageOptions): WrittenMessages {
  const writer = new MessagesWriter(options)
  for (const turn of joinedTurns(turns)) writer.add(turn)
  return writer.finish()
}

interface WrittenMessage {
  readonly role: ConversationTurn['role']
  readonly content: Block[]
}

interface UnansweredCall {
  readonly call: CallPart
  readonly id: string
}

class MessagesWriter {
  private readonly options: MessageOptions
  private readonly messages: WrittenMessage[] = []
  /** Turns of the user, and instructions among them, since the last answer. */
  private waiting: ConversationTurn[] = []
  /** Calls of the last answer that have no result yet, in order. */
  private open: UnansweredCall[] = []
  private hasThoughts = false
  /** Whether the first answer of the running tool loop begins with a thought; null outside a loop. */
  private loopBegins: boolean | null = null
  /** The next response begins a separate loop. */
  private isNewLoop = true

  constructor(options: MessageOptions) {
    this.options = options
  }

  add(turn: ConversationTurn): void {
    if (turn.role !== 'assistant') {
      this.waiting.push(turn)
      return
    }
    const { blocks, calls } = this.answer(turn.parts)
    if (blocks.length === 0) return
    this.flush(false)
    if (this.messages.length === 0) this.addNothingSaid()
    if (this.isNewLoop) this.loopBegins = isThought(blocks[0])
    this.isNewLoop = false
    const last = this.messages.at(-1)
    if (last?.role === 'assistant') for (const block of blocks) last.content.push(block)
    else this.messages.push({ role: 'assistant', content: blocks })
    for (const opened of calls) this.open.push(opened)
  }

  finish(): WrittenMessages {
    this.flush(true)
    const [unanswered] = this.open
    if (unanswered !== undefined) throw withoutResult(unanswered)
    if (this.messages.length === 0) this.addNothingSaid()
    const last = this.messages.at(-1)
    const isPrefilled = last?.role === 'assistant'
    if (isPrefilled) this.checkPrefill(last.content)
    return {
      messages: this.messages.map(({ role, content }) => ({ role, content })),
      userTurns: this.messages.filter(({ role }) => role === 'user').length,
      hasThoughts: this.hasThoughts,
      loopLacksThought: !isPrefilled && this.loopBegins === false,
      isPrefilled,
    }
  }

  private addNothingSaid(): void {
    this.options.adjusted.adapted('messages', 'a conversation must begin with a user turn')
    this.messages.push({ role: 'user', content: [textBlock(nothingSaid)] })
  }

  private checkPrefill(content: Block[]): void {
    const { capabilities, adjusted } = this.options
    if (!capabilities.prefill) {
      throw untranslatable('messages', 'the model does not support prefilled responses')
    }
    const last = content.at(-1)
    if (typeof last?.text !== 'string') return
    const text = last.text.trimEnd()
    if (text === last.text) return
    adjusted.adapted('messages', 'a prefilled response cannot end with whitespace')
    content[content.length - 1] = { ...last, text }
  }

  /** The words of an assistant turn, without thoughts at its end, which are not a response. */
  private answer(parts: readonly ConversationPart[]): { blocks: Block[]; calls: UnansweredCall[] } {
    const content = new Blocks()
    const calls: UnansweredCall[] = []
    const used = new Set<string>()
    for (const part of parts) {
      if (part.kind === 'call') {
        const opened = { call: part, id: freeId(part.id, used) }
        calls.push(opened)
        const name = this.options.names.name(part.name, part.namespace, part.form === 'text')
        content.add(callBlock(part, name, opened.id))
      } else this.addPart(part, content)
    }
    this.reportLostBlank(content)
    const blocks = content.list
    while (isThought(blocks.at(-1))) blocks.pop()
    if (blocks.some(isThought)) this.hasThoughts = true
    return { blocks, calls }
  }

  private addPart(part: ConversationPart, content: Blocks): void {
    switch (part.kind) {
      case 'text':
        return content.addText(part.text, this.options.breakpoints.of(part))
      case 'refusal':
        return content.addText(part.text)
      case 'thinking': {
        const thought = this.options.keepsThoughts ? thinkingBlock(part) : null
        if (thought !== null) content.add(thought)
        return
      }
      case 'media':
        throw untranslatable(part.pointer, 'assistant content must be text')
      case 'other':
        return this.options.adjusted.dropped(part.pointer, `${part.type} is not supported by the model`)
      default:
        return
    }
  }

  private reportLostBlank(blocks: Blocks): void {
    if (blocks.lostBlank) this.options.adjusted.adapted('messages', 'a whitespace-only message')
  }

  /** Writes what the user said since the last answer; `isLast`: the model is to answer it. */
  private flush(isLast: boolean): void {
    const { waiting } = this
    this.waiting = []
    if (waiting.length === 0) return
    const lastOfUser = waiting.findLastIndex(({ role }) => role === 'user')
    const results = this.results(waiting)
    const blocks = new Blocks()
    for (const [index, turn] of waiting.entries()) {
      if (turn.role === 'user') for (const part of turn.parts) this.show(part, blocks)
      else if (!this.isInstruction(index, lastOfUser)) this.remind(turn, blocks)
    }
    this.reportLostBlank(blocks)
    const shown = blocks.list
    if (results.length === 0 && shown.length === 0) {
      const asksNothing = this.messages.length > 0 || !this.options.hasInstructions
      if (isLast && asksNothing) throw emptyMessage()
      this.options.adjusted.adapted('messages', 'a user turn cannot be empty')
      shown.push(textBlock(nothingSaid))
    }
    this.messages.push({ role: 'user', content: [...results, ...shown] })
    const instructions = waiting.filter((_, index) => this.isInstruction(index, lastOfUser))
    const texts = this.texts(instructions.flatMap(({ parts }) => parts))
    if (texts.length > 0) this.messages.push({ role: 'system', content: texts })
    if (results.length === 0) this.loopBegins = null
    if (shown.length > 0) this.isNewLoop = true
  }

  /** Instructions are a separate message only after the last user content. */
  private isInstruction(index: number, lastOfUser: number): boolean {
    return this.options.capabilities.midSystem && lastOfUser !== -1 && index > lastOfUser
  }

  private remind({ parts }: ConversationTurn, shown: Blocks): void {
    for (const block of this.texts(parts)) shown.add({ ...block, text: reminder(String(block.text)) })
  }

  /** The text of an instruction; anything else in it is an error, since it can be neither shown nor left out. */
  private texts(parts: readonly ConversationPart[]): Block[] {
    const texts = new Blocks()
    for (const part of parts) {
      if (part.kind === 'text') texts.addText(part.text, this.options.breakpoints.of(part))
      if (part.kind === 'media') throw untranslatable(part.pointer, 'instructions must be text')
      if (part.kind === 'other')
        this.options.adjusted.dropped(part.pointer, `${part.type} is not supported by the model`)
    }
    this.reportLostBlank(texts)
    return texts.list
  }

  private show(part: ConversationPart, shown: Blocks): void {
    const { capabilities, breakpoints, adjusted } = this.options
    if (part.kind === 'text') shown.addText(part.text, breakpoints.of(part))
    if (part.kind === 'media') shown.add(mediaBlock(part, capabilities, breakpoints.of(part)))
    if (part.kind === 'other') adjusted.dropped(part.pointer, `${part.type} is not supported by the model`)
  }

  /** The results in the order of their calls, whatever order they came in; of two calls with one id the first is meant first. */
  private results(turns: readonly ConversationTurn[]): readonly Block[] {
    const found = new Map<UnansweredCall, ResultPart>()
    const results = turns.flatMap(({ parts }) => parts.filter((part) => part.kind === 'result'))
    const byId = Map.groupBy(this.open, ({ call }) => call.id)
    for (const result of results) {
      const opened = byId.get(result.callId)?.shift()
      if (opened === undefined) throw untranslatable(result.pointer, 'a tool result without its tool call')
      found.set(opened, result)
    }
    const blocks = this.open.map((opened) => {
      const result = found.get(opened)
      if (result === undefined) throw withoutResult(opened)
      return resultBlock(result, opened.id, this.options)
    })
    this.open = []
    return blocks
  }
}

function emptyMessage(): Error {
  const why = 'the last message is empty or contains only whitespace, which this model rejects; add some text'
  return new WireError('untranslatable', `messages: ${why}.`, 'messages')
}

function withoutResult({ call }: UnansweredCall): Error {
  return untranslatable(call.pointer, 'a tool call without its result in the next turn')
}

function isThought(block: Block | undefined): boolean {
  return block?.type === 'thinking' || block?.type === 'redacted_thinking'
}

/** Ids need only differ among the calls of one answer; most do, and those of a host that gives none do not. */
function freeId(id: string, used: Set<string>): string {
  const plain = plainId(id, callIdCharactersMax)
  const free = used.has(plain) ? plainId(`${id}_${used.size}`, callIdCharactersMax) : plain
  used.add(free)
  return free
}

interface ResultOptions {
  readonly capabilities: Capabilities
  readonly breakpoints: CacheBreakpoints
  readonly adjusted: AdjustmentList
}

/** A result under the id of its call. */
function resultBlock(result: ResultPart, id: string, options: ResultOptions): Block {
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: resultContent(result, options),
    is_error: result.isError ? true : undefined,
    cache_control: options.breakpoints.of(result),
  }
}

function resultContent(result: ResultPart, { capabilities, adjusted }: ResultOptions): JsonOut | undefined {
  const blocks = new Blocks()
  if (result.json !== null) blocks.addText(result.json)
  for (const part of result.content) {
    if (part.kind === 'text') blocks.addText(part.text)
    else if (capabilities.resultMedia) blocks.add(mediaBlock(part, capabilities))
    else throw untranslatable(part.pointer, 'tool results must be text')
  }
  if (blocks.lostBlank) adjusted.adapted(result.pointer, 'a whitespace-only result becomes empty')
  const [only] = blocks.list
  if (only === undefined) return undefined
  return blocks.list.length === 1 && only.type === 'text' ? only.text : blocks.list
}
