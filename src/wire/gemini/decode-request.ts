/**
 * A Gemini request → a conversation in the neutral form. Accepts both spellings of every name. Every field that
 * has a row in the policy table, and every unknown one, is recorded with its position.
 */

import type { UrlFields } from '../client-routes.ts'
import { type ReadLimits, WireError } from '../format.ts'
import { readJson } from '../json/json.ts'
import { View } from '../json/view.ts'
import type { Conversation } from '../translation/neutral.ts'
import { ContentReader } from './decode-request-contents.ts'
import { requestFields } from './decode-request-fields.ts'
import {
  readFormat,
  readLogprobs,
  readReasoning,
  readSampling,
  readStops,
  readToolChoice,
  readTools,
} from './decode-request-settings.ts'
import { list, member } from './extract-request-fields.ts'

/** In `Asked.echo`: the caller does not show thoughts. Written by this format for itself. */
export const hidesThoughts = 'hidesThoughts'

/** Throws WireError; see `ClientCodec.decodeRequest`. */
export function decodeRequest(body: Uint8Array, limits: ReadLimits, address: UrlFields): Conversation {
  const { model } = address
  if (model === null) throw new WireError('missing_field', 'The path must contain the model.', 'model')
  return readJson(body, limits, (json) =>
    conversationOf(new View(json, json.root), { model, stream: address.stream }, limits.integerMax),
  )
}

function conversationOf(
  body: View,
  address: { readonly model: string; readonly stream: boolean },
  integerMax: number,
): Conversation {
  const contents = body.get('contents')
  if (contents === undefined) throw body.invalid('an object with contents')
  if (list(contents).length === 0) throw contents.invalid('an array of at least one content')
  const reader = new ContentReader()
  const turns = [...reader.instruction(member(body, 'systemInstruction')), ...reader.turns(contents)]
  const { tools, providerTools } = readTools(body.get('tools'))
  const config = member(body, 'generationConfig')
  const reasoning = readReasoning(config, integerMax)
  const logprobs = readLogprobs(config)
  return {
    ...address,
    turns,
    tools,
    providerTools,
    toolChoice: readToolChoice(member(body, 'toolConfig')),
    parallelCalls: null,
    outputLimit: member(config, 'maxOutputTokens')?.integer(1, integerMax) ?? null,
    sampling: readSampling(config),
    stops: readStops(config),
    reasoning,
    format: readFormat(config),
    verbosity: null,
    user: null,
    cacheKey: null,
    logprobs,
    fields: [...requestFields(body), ...reader.fields],
    responseOptions: {
      includeUsage: true,
      echo: reasoning.summaries === true ? [] : [[hidesThoughts, true]],
      tools: tools.map(({ name, namespace, form }) => ({ name, namespace, form })),
      logprobs: logprobs !== null,
    },
  }
}
