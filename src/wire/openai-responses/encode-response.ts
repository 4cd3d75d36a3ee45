/** A whole response as a Responses object. */
import { type JsonOut, jsonText } from '../json/text.ts'
import type {
  CallPart,
  Frame,
  NeutralResponse,
  ResponseCost,
  ResponsePart,
  TextPart,
} from '../translation/neutral.ts'
import {
  annotationOf,
  callItem,
  ItemIds,
  imageItem,
  messageItem,
  reasoningItem,
  refusalContent,
  textContent,
} from './encode-response-items.ts'
import { outcomeOf, refusalText, responseObject } from './encode-response-object.ts'

/** The JSON body, with `usage.cost`. */
export function encodeResponse(answer: NeutralResponse, frame: Frame, tally: ResponseCost): string {
  const output = new OutputWriter(frame, answer)
  for (const part of answer.parts) output.add(part)
  const hasRefusal = answer.parts.some(({ kind }) => kind === 'refusal')
  const refusal = refusalText(answer.finish, hasRefusal)
  if (refusal !== null) output.addContent(refusalContent(refusal))
  output.endMessage()
  const outcome = outcomeOf(answer.finish, hasRefusal || refusal !== null)
  return jsonText(responseObject(frame, outcome, output.items, tally))
}

class OutputWriter {
  readonly items: JsonOut[] = []
  private readonly ids: ItemIds
  private readonly answer: NeutralResponse
  private content: JsonOut[] = []
  private hasLogprobs = false

  constructor(frame: Frame, answer: NeutralResponse) {
    this.ids = new ItemIds(frame)
    this.answer = answer
  }

  add(part: ResponsePart): void {
    if (part.kind === 'text') return this.addText(part)
    if (part.kind === 'refusal') return this.addContent(refusalContent(part.text))
    this.endMessage()
    if (part.kind === 'thinking') {
      if (part.text !== '' || part.encrypted !== null)
        this.items.push(reasoningItem(this.ids.next('rs'), part))
    } else if (part.kind === 'call') this.addCall(part)
    else {
      const item = imageItem(this.ids.next('ig'), part)
      if (item !== null) this.items.push(item)
    }
  }

  addContent(content: JsonOut): void {
    this.content.push(content)
  }

  /** Adjacent texts are parts of one message. */
  endMessage(): void {
    if (this.content.length === 0) return
    this.items.push(messageItem(this.ids.next('msg'), this.content, 'completed'))
    this.content = []
  }

  /** Log probabilities cover the answer as a whole and are written with its first text. */
  private addText({ text, citations }: TextPart): void {
    const annotations = citations.flatMap((citation) => annotationOf(citation, text.length) ?? [])
    if (text === '' && annotations.length === 0) return
    const logprobs = this.hasLogprobs ? null : this.answer.logprobs
    this.hasLogprobs = true
    this.addContent(textContent({ text, annotations, logprobs: logprobs ?? [] }))
  }

  private addCall(call: CallPart): void {
    const isText = call.form === 'text'
    const input = isText || call.input !== '' ? call.input : '{}'
    const id = this.ids.next(isText ? 'ctc' : 'fc')
    const callId = this.ids.callId(call)
    this.items.push(callItem({ id, callId, call, input, status: 'completed' }))
  }
}
