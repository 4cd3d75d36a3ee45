/**
 * Strips our reasoning carriers from a Messages body on its way to Anthropic: call ids become short, and what represents
 * reasoning and citations of other vendors is removed. Claude's own blocks and every other byte stay. Must not read
 * a body without a carrier.
 */
import type { ReadLimits } from '../format.ts'
import type { BytePatch } from '../json/byte-patch.ts'
import { readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import { mayHoldCarrier, plainId, readId, readTag } from '../translation/reasoning-carriers.ts'
import { callIdCharactersMax } from './encode-request-messages.ts'
import { ownVendor } from './encrypted-reasoning.ts'

/** Replaces a response that was only reasoning of another vendor. */
const nothingElse = '{"type":"text","text":"..."}'

/** The fields of a block that hold an opaque value. */
const encryptedFields = ['signature', 'data', 'encrypted_index']
const idFields = ['id', 'tool_use_id']

/** Throws WireError as `readRequest` does; see `UpstreamCodec.stripCarriers`. */
export function stripCarriers(body: Uint8Array, limits: ReadLimits): readonly BytePatch[] {
  if (!mayHoldCarrier(body)) return []
  return readJson(body, limits, (json) => {
    const edits: BytePatch[] = []
    const messages = new View(json, json.root).get('messages')
    for (const message of messages?.isList === true ? messages.items() : []) {
      const content = message.get('content')
      if (content?.isList === true) cutContent(content, edits)
    }
    return edits
  })
}

function cutContent(content: View, edits: BytePatch[]): void {
  const blocks = content.items()
  const isFresh = blocks.map((block) => !isForeign(block, ['thinking', 'redacted_thinking']))
  if (isFresh.includes(false) && !isFresh.includes(true)) {
    edits.push({ start: content.span.start + 1, end: content.span.end - 1, text: nothingElse })
    return
  }
  const inside: BytePatch[] = removals(blocks, isFresh)
  for (const [index, block] of blocks.entries()) if (isFresh[index]) cutBlock(block, inside)
  for (const edit of inside.sort((a, b) => a.start - b.start)) edits.push(edit)
}

function cutBlock(block: View, edits: BytePatch[]): void {
  for (const name of idFields) {
    const id = block.get(name)
    if (id?.isText !== true) continue
    const written = id.text()
    if (readId(written).id !== written)
      edits.push({ ...id.span, text: JSON.stringify(plainId(written, callIdCharactersMax)) })
  }
  for (const name of encryptedFields) restore(block.get(name), edits)
  const citations = block.get('citations')
  if (citations?.isList !== true) return
  const sources = citations.items()
  const isFresh = sources.map((source) => !isForeign(source, ['web_search_result_location']))
  if (isFresh.includes(true)) for (const edit of removals(sources, isFresh)) edits.push(edit)
  else if (sources.length > 0) edits.push({ ...citations.span, text: '[]' })
}

/** Whether the object is of one of the types and its opaque value is ours and not the vendor's. */
function isForeign(value: View, types: readonly string[]): boolean {
  const type = value.get('type')
  if (type?.isText !== true || !types.includes(type.text())) return false
  return encryptedFields.some((name) => {
    const field = value.get(name)
    if (field?.isText !== true) return false
    const tag = readTag(field.text())
    return tag.kind === 'broken' || (tag.kind === 'encrypted' && tag.encrypted.vendor !== ownVendor)
  })
}

/** A value of the vendor's own with a tag is restored without the tag. */
function restore(field: View | undefined, edits: BytePatch[]): void {
  if (field?.isText !== true) return
  const tag = readTag(field.text())
  if (tag.kind === 'encrypted' && tag.encrypted.vendor === ownVendor)
    edits.push({ ...field.span, text: JSON.stringify(tag.encrypted.data) })
}

/** Takes the elements that are not fresh out of a list that keeps others, each run with its comma. */
function removals(elements: readonly View[], isFresh: readonly boolean[]): BytePatch[] {
  const edits: BytePatch[] = []
  let remainingEnd: number | null = null
  for (let index = 0; index < elements.length; ) {
    const first = elements[index]
    if (first === undefined) break
    if (isFresh[index] === true) {
      remainingEnd = first.span.end
      index += 1
      continue
    }
    let last = first
    while (index < elements.length && isFresh[index] !== true) {
      last = elements[index] ?? last
      index += 1
    }
    const next = elements[index]
    if (next !== undefined) edits.push({ start: first.span.start, end: next.span.start, text: '' })
    else if (remainingEnd !== null) edits.push({ start: remainingEnd, end: last.span.end, text: '' })
  }
  return edits
}
