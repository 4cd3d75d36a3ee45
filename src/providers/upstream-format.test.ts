/** Which format is used upstream, case by case; the models' facts are those of the tables. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClientFormatName, FormatName } from '../wire/format-names.ts'
import { connectorOf } from './registry.ts'
import { type FormatFacts, upstreamFormat } from './upstream-format.ts'

const plain: FormatFacts = { functionTools: false, effort: null, canPassThrough: true }
const tools: FormatFacts = { ...plain, functionTools: true }
const mixed: FormatFacts = { ...plain, canPassThrough: false }

const chat = 'openai-chat'
const responses = 'openai-responses'
const embeddings = 'openai-embeddings'
const both: readonly FormatName[] = [chat, responses]
const all: readonly FormatName[] = [chat, responses, 'anthropic', 'gemini']

type Case = readonly [
  what: string,
  provider: string,
  model: string,
  formats: readonly FormatName[],
  caller: ClientFormatName,
  facts: FormatFacts,
  expect: FormatName | null,
]

const cases: readonly Case[] = [
  ['the same format', 'openai', 'gpt-4o', both, chat, tools, chat],
  ['the same format', 'openai', 'gpt-4o', both, responses, tools, responses],
  ['the same format', 'anthropic', 'claude-opus-5-5', ['anthropic'], 'anthropic', tools, 'anthropic'],
  ['the same format', 'google', 'gemini-2.5-pro', ['gemini'], 'gemini', tools, 'gemini'],
  ['the same format', 'openai', 'gpt-6.1-sol', both, chat, plain, chat],
  ['the same format', 'openai', 'text-embedding-3-small', [embeddings], embeddings, plain, embeddings],
  ['every format', 'sandbox', 'sandbox-echo', all, 'gemini', plain, 'gemini'],
  ['every format', 'sandbox', 'sandbox-echo', all, responses, tools, responses],
  ['tools, no effort', 'openai', 'gpt-5.3', both, chat, tools, chat],
  ['tools and effort', 'openai', 'gpt-5.1', both, chat, { ...tools, effort: 'high' }, chat],
  ['tools, no effort', 'openai', 'gpt-5.4', both, chat, tools, chat],
  ['tools, effort none', 'openai', 'gpt-5.4', both, chat, { ...tools, effort: 'none' }, chat],
  ['tools and effort', 'openai', 'gpt-5.4', both, chat, { ...tools, effort: 'low' }, responses],
  ['tools and effort', 'openai', 'gpt-5.5-2026-04-23', both, chat, { ...tools, effort: 'low' }, responses],
  ['effort alone', 'openai', 'gpt-5.5', both, chat, { ...plain, effort: 'low' }, chat],
  ['tools, no effort', 'openai', 'gpt-5.6-sol', both, chat, tools, responses],
  ['tools, effort none', 'openai', 'gpt-6-sol', both, chat, { ...tools, effort: 'none' }, chat],
  ['tools, no effort', 'openai', 'gpt-6.2-sol', both, chat, tools, responses],
  ['tools, effort none', 'openai', 'gpt-7', both, chat, { ...tools, effort: 'none' }, responses],
  ['tools where only chat is spoken', 'openai', 'gpt-7', [chat], chat, tools, chat],
  ['tools where only chat is spoken', 'openai', 'gpt-7', [chat], 'anthropic', tools, chat],
  ['served by Responses alone', 'openai', 'gpt-5-codex', [responses], chat, plain, responses],
  ['served by Responses alone', 'openai', 'o1-pro', [responses], 'anthropic', plain, responses],
  ['another format, reasons', 'openai', 'gpt-5', both, 'anthropic', plain, responses],
  ['another format, reasons', 'openai', 'gpt-5', both, 'gemini', tools, responses],
  ['another format, does not reason', 'openai', 'gpt-4.1', both, 'anthropic', tools, chat],
  ['another format, does not reason', 'openai', 'gpt-4.1', [responses], 'gemini', tools, responses],
  ['another maker', 'anthropic', 'claude-opus-5-5', ['anthropic'], chat, tools, 'anthropic'],
  ['another maker', 'google', 'gemini-3.8-flash', ['gemini'], responses, tools, 'gemini'],
  ['mixed formats', 'openai', 'gpt-4o', both, chat, mixed, chat],
  ['mixed formats', 'openai', 'gpt-5', both, chat, mixed, responses],
  ['mixed formats', 'anthropic', 'claude-opus-5', ['anthropic'], chat, mixed, 'anthropic'],
  [
    'a conversation with an embedding model',
    'openai',
    'text-embedding-3-small',
    [embeddings],
    chat,
    plain,
    null,
  ],
  ['embeddings of a conversation model', 'openai', 'gpt-4o', both, embeddings, plain, null],
  ['no format at all', 'openai', 'gpt-4o', [], chat, plain, null],
]

for (const [what, provider, model, formats, caller, facts, expect] of cases) {
  test(`${what}: ${caller} ${JSON.stringify(facts)} to ${model} (${formats.join(' ')}) is ${expect}`, () => {
    assert.equal(
      upstreamFormat(connectorOf(provider), { formats, upstreamModel: model }, caller, facts),
      expect,
    )
  })
}
