/**
 * Blocks of one message in order. The API rejects a text block that is empty or only white space, so white
 * space is joined to a text of the same message: the one before it, else the one after it. Must not change
 * any other text.
 */
import type { CacheControl } from './encode-request-cache.ts'
import { type Block, isBlank, textBlock } from './encode-request-parts.ts'

export class Blocks {
  readonly list: Block[] = []
  /** Where the last text block is; -1: there is none. */
  private lastText = -1
  /** White space that waits for the first text. */
  private blank = ''

  /** White space was given and there is no text that it could be joined to. */
  get lostBlank(): boolean {
    return this.blank !== ''
  }

  add(block: Block): void {
    if (block.type === 'text') this.lastText = this.list.length
    this.list.push(block)
  }

  addText(text: string, mark?: CacheControl): void {
    if (!isBlank(text)) {
      this.add(textBlock(this.blank + text, mark))
      this.blank = ''
      return
    }
    const before = this.list[this.lastText]
    if (before === undefined) this.blank += text
    else if (typeof before.text === 'string') {
      this.list[this.lastText] = textBlock(before.text + text, mark ?? markOf(before))
    }
  }
}

function markOf({ cache_control: mark }: Block): CacheControl | undefined {
  return mark as CacheControl | undefined
}
