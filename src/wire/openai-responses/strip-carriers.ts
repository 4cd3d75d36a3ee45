/**
 * Removes our carriers from a Responses body on its way to OpenAI. Nothing else in it changes, and
 * a body without a carrier is not read.
 */
import type { ReadLimits } from '../format.ts'
import type { AdaptedRequest } from '../host-differences.ts'
import type { BytePatch, Span } from '../json/byte-patch.ts'
import { readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import { mayHoldCarrier, plainId, readId, readTag } from '../translation/reasoning-carriers.ts'
import { ownContent } from './encrypted-reasoning.ts'

const callIdCharactersMax = 64

/** Edits in body order; see `UpstreamCodec.stripCarriers`. */
export function stripCarriers(body: Uint8Array, limits: ReadLimits): readonly BytePatch[] {
  if (!mayHoldCarrier(body)) return []
  return readJson(body, limits, (json) => {
    const input = new View(json, json.root).get('input')
    return input?.isList === true ? itemEdits(input.items()) : []
  })
}

/** See `UpstreamCodec.dropReasoning`. */
export function dropReasoning(body: Uint8Array, limits: ReadLimits): AdaptedRequest {
  return readJson(body, limits, (json) => {
    const input = new View(json, json.root).get('input')
    const items = input?.isList === true ? input.items() : []
    const isEncrypted = (item: View) => isReasoning(item) && item.get('encrypted_content')?.isText === true
    return {
      patches: itemEdits(items, (item) => (isEncrypted(item) ? 'cut' : itemEdit(item))),
      adjusted: items.filter(isEncrypted).map(({ pointer }) => ({
        kind: 'dropped',
        field: pointer,
        why: 'encrypted for another credential',
      })),
    }
  })
}

function isReasoning(item: View): boolean {
  const type = item.get('type')
  return type?.isText === true && type.text() === 'reasoning'
}

function itemEdits(items: readonly View[], editOf = itemEdit): readonly BytePatch[] {
  const edits: BytePatch[] = []
  /** The last item that stays, and where those after it begin that do not. */
  let lastRemaining: Span | null = null
  let cut: Span | null = null
  for (const item of items) {
    const edit = editOf(item)
    const { span } = item
    if (edit === 'cut') {
      const start: number = cut?.start ?? lastRemaining?.end ?? span.start
      cut = { start, end: span.end }
      continue
    }
    // Behind an item the comma before goes with what is cut; at the beginning, the one after.
    if (cut !== null)
      edits.push({ start: cut.start, end: lastRemaining === null ? span.start : cut.end, text: '' })
    cut = null
    lastRemaining = span
    if (edit !== null) edits.push(edit)
  }
  if (cut !== null) edits.push({ ...cut, text: '' })
  return edits
}

/** null: nothing of ours is in it. */
function itemEdit(item: View): BytePatch | 'cut' | null {
  if (isReasoning(item)) return reasoningEdit(item)
  const id = item.get('call_id')
  if (id?.isText !== true) return null
  const text = id.text()
  return readId(text).id === text
    ? null
    : { ...id.span, text: JSON.stringify(plainId(text, callIdCharactersMax)) }
}

/** OpenAI's reasoning is restored; any other is useless to it. */
function reasoningEdit(item: View): BytePatch | 'cut' | null {
  const content = item.get('encrypted_content')
  if (content?.isText !== true) return null
  const tag = readTag(content.text())
  if (tag.kind !== 'encrypted') return tag.kind === 'plain' ? null : 'cut'
  const own = ownContent(tag.encrypted)
  return own === null ? 'cut' : { ...content.span, text: JSON.stringify(own.content) }
}
