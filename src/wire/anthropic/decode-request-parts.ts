/**
 * Blocks of a Messages conversation as parts: text, media, reasoning, calls and results; every other block
 * is named. Removes our reasoning carriers. Must not parse the input of calls.
 */

import type { View } from '../json/view.ts'
import type {
  CacheLifetime,
  CallPart,
  Citation,
  ConversationPart,
  EncryptedReasoning,
  MediaPart,
  MediaSource,
  ResultPart,
  TextPart,
  ThinkingPart,
} from '../translation/neutral.ts'
import {
  isUnencrypted,
  missingThoughts,
  type ReadTag,
  readId,
  readTag,
} from '../translation/reasoning-carriers.ts'
import { textPart } from '../translation/turns.ts'
import type { MessagesFieldList } from './decode-request-fields.ts'
import { ownVendor } from './encrypted-reasoning.ts'

const inMessages = 'messages[].content[]'
const pdf = 'application/pdf'

export class BlockDecoder {
  private readonly fields: MessagesFieldList

  constructor(fields: MessagesFieldList) {
    this.fields = fields
  }

  /** Content is a string, blocks, or one block. */
  content(content: View | undefined): readonly ConversationPart[] {
    if (content === undefined) return []
    if (content.isText) return [textPart(content.text())]
    const parts: ConversationPart[] = []
    for (const block of content.isList ? content.items() : [content]) this.add(parts, block)
    return parts
  }

  /** A text block, or a string in its place; `cacheName` names its cache field. */
  text(block: View, cacheName = `${inMessages}.cache_control`): TextPart {
    if (block.isText) return textPart(block.text())
    const text = block.get('text')
    if (text === undefined) throw block.invalid('a block of text')
    return {
      kind: 'text',
      text: text.text(),
      cache: this.cache(block, cacheName),
      citations: citationsOf(block.get('citations')),
    }
  }

  private add(parts: ConversationPart[], block: View): void {
    const type = block.get('type')?.text() ?? ''
    switch (type) {
      case 'text':
        parts.push(this.text(block))
        return
      case 'image':
      case 'document':
      case 'search_result':
        for (const part of this.shown(block, type)) parts.push(part)
        return
      case 'thinking':
      case 'redacted_thinking':
        for (const part of thoughts(block, type)) parts.push(part)
        return
      case 'tool_use':
        addCall(parts, block)
        return
      case 'tool_result':
        this.addResult(parts, block)
        return
      case 'compaction':
        return addSummary(parts, block)
      case 'tool_addition':
        // The tool itself is among the tools; that it is there says nothing.
        return
      default:
        parts.push({ kind: 'other', type, pointer: block.pointer })
    }
  }

  /** Media and search results that a user or a tool shows besides text. */
  private shown(
    block: View,
    type: 'image' | 'document' | 'search_result',
  ): readonly (TextPart | MediaPart)[] {
    const cache = this.cache(block, `${inMessages}.cache_control`)
    const citations = block.get('citations')
    if (citations?.get('enabled')?.kind === 'true')
      this.fields.note(`${inMessages}.citations`, citations.pointer)
    if (type === 'search_result') return [{ ...searchResult(block), cache }]
    const source = block.get('source')
    if (source === undefined) throw block.invalid('a block with a source')
    if (type === 'image') return [media(block, 'image', sourceOf(source, ''), cache)]
    const context = block.get('context')
    if (context !== undefined) this.fields.note(`${inMessages}.context`, context.pointer)
    const before = context === undefined ? [] : [textPart(context.text())]
    return [...before, ...this.document(block, source, cache)]
  }

  private document(
    block: View,
    source: View,
    cache: CacheLifetime | null,
  ): readonly (TextPart | MediaPart)[] {
    const content = source.get('content')
    if (content === undefined) return [media(block, 'document', sourceOf(source, pdf), cache)]
    const parts = this.content(content).filter((part) => part.kind === 'text' || part.kind === 'media')
    const texts = parts.filter((part) => part.kind === 'text')
    // Pictures among the text keep their place only where each piece goes for itself.
    if (texts.length < parts.length) return parts
    const text = texts.map((part) => part.text).join('\n\n')
    return [media(block, 'document', { kind: 'text', text }, cache)]
  }

  private addResult(parts: ConversationPart[], block: View): void {
    const content = block.get('content')
    const shown: (TextPart | MediaPart)[] = []
    const others: ConversationPart[] = []
    if (content?.isText === true) shown.push(textPart(content.text()))
    else for (const inner of content?.items() ?? []) this.addShown(shown, others, inner)
    const id = block.get('tool_use_id')
    if (id === undefined) throw block.invalid('a result with a tool_use_id')
    const result: ResultPart = {
      kind: 'result',
      callId: readId(id.text()).id,
      name: null,
      content: shown,
      json: null,
      isError: block.get('is_error')?.flag() ?? false,
      cache: this.cache(block, `${inMessages}.cache_control`),
      pointer: block.pointer,
    }
    parts.push(result)
    for (const other of others) parts.push(other)
  }

  private addShown(shown: (TextPart | MediaPart)[], others: ConversationPart[], block: View): void {
    const type = block.get('type')?.text() ?? ''
    switch (type) {
      case 'text':
        shown.push(this.text(block))
        return
      case 'image':
      case 'document':
      case 'search_result':
        for (const part of this.shown(block, type)) shown.push(part)
        return
      case 'tool_reference':
        shown.push(textPart(`Tool: ${block.get('tool_name')?.text() ?? ''}`))
        return
      default:
        others.push({ kind: 'other', type, pointer: block.pointer })
    }
  }

  private cache(block: View, name: string): CacheLifetime | null {
    return cacheOf(block, name, this.fields)
  }
}

/** The lifetime that a block or a tool is marked with; five minutes where the mark names none. */
export function cacheOf(block: View, name: string, fields: MessagesFieldList): CacheLifetime | null {
  const mark = block.get('cache_control')
  if (mark === undefined) return null
  fields.note(name, mark.pointer)
  return mark.get('ttl')?.text() === '1h' ? '1h' : '5m'
}

function media(
  block: View,
  medium: 'image' | 'document',
  source: MediaSource,
  cache: CacheLifetime | null,
): MediaPart {
  const title = block.get('title')?.text() ?? null
  return { kind: 'media', medium, source, title, detail: null, cache, pointer: block.pointer }
}

function sourceOf(source: View, urlType: string): MediaSource {
  const url = source.get('url')
  if (url !== undefined) return { kind: 'url', mediaType: urlType === '' ? null : urlType, url: url.text() }
  const content = source.get('data')
  if (content === undefined) throw source.invalid('a source with content or a URL')
  if (source.get('type')?.text() === 'text') return { kind: 'text', text: content.text() }
  const mediaType = source.get('media_type')?.text().toLowerCase() ?? ''
  return { kind: 'base64', mediaType, data: content.text().replace(/\s+/g, '') }
}

/** Title, address and text of something that a search found. */
function searchResult(block: View): TextPart {
  const content = block.get('content')?.items() ?? []
  const texts = content.map((part) => part.get('text')?.text() ?? '')
  const head = [block.get('title')?.text(), block.get('source')?.text()].filter((line) => line !== undefined)
  return textPart([...head, '', ...texts].join('\n'))
}

export function citationsOf(list: View | undefined): readonly Citation[] {
  if (list === undefined || !list.isList) return []
  return list.items().map((one) => {
    const textOf = (name: string) => {
      const value = one.get(name)
      return value?.isText === true ? value.text() : null
    }
    return {
      url: textOf('url') ?? textOf('source'),
      title: textOf('title') ?? textOf('document_title'),
      quoted: textOf('cited_text'),
    }
  })
}

/** A thought with its encrypted value; dropped if our carrier came back damaged. */
function thoughts(block: View, type: 'thinking' | 'redacted_thinking'): readonly ThinkingPart[] {
  const isRedacted = type === 'redacted_thinking'
  const text = block.get('thinking')?.text() ?? ''
  const written = block.get(isRedacted ? 'data' : 'signature')?.text() ?? ''
  const tag = readTag(written)
  if (tag.kind === 'broken') return []
  const encrypted = encryptedOf(tag, written)
  return [{ kind: 'thinking', text, redacted: isRedacted && encrypted?.vendor === ownVendor, encrypted }]
}

function encryptedOf(tag: ReadTag, written: string): EncryptedReasoning | null {
  if (tag.kind === 'encrypted') return isUnencrypted(tag.encrypted) ? null : tag.encrypted
  return written === '' ? null : { vendor: ownVendor, data: written }
}

/** The ID alone says how a call was signed: some clients join blocks of reasoning. */
function addCall(parts: ConversationPart[], block: View): void {
  const { id, carrier } = readId(block.get('id')?.text() ?? '')
  for (const thought of missingThoughts(parts, carrier?.thoughts ?? [])) parts.push(thought)
  const call: CallPart = {
    kind: 'call',
    id,
    name: block.get('name')?.text() ?? '',
    namespace: null,
    form: 'json',
    input: block.get('input')?.written ?? '',
    encrypted: carrier?.encrypted ?? null,
    pointer: block.pointer,
  }
  parts.push(call)
}

/** A summary replaces all that came before it. */
function addSummary(parts: ConversationPart[], block: View): void {
  const content = block.get('content')
  if (content?.isText === true) parts.push(textPart(content.text()))
  else parts.push({ kind: 'other', type: 'compaction', pointer: block.pointer })
}
