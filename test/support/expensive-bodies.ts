/** Request bodies of a given length that are expensive to read, in each conversation format. */
import type { ConversationFormat } from '../../src/wire/format-names.ts'

export type ParsedFormat = ConversationFormat
export const parsedFormats: readonly ParsedFormat[] = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
]

interface ExpensiveBody {
  readonly name: string
  /** A body of about this many bytes. */
  readonly make: (bytes: number) => string
}

/** Parts of a body in each format: the repeated part, its place, and the rest. */
interface Parts {
  readonly head: string
  readonly turn: (text: string) => string
  readonly turns: (list: string) => string
  readonly tool: (index: number) => string
  /** The tools of a request, as the member that holds them. */
  readonly tools: (list: string) => string
  /** A turn of parts. */
  readonly parted: (list: string) => string
  readonly picture: string
  readonly hostedTool: string
  /** A setting that is a list, as the member that holds it. */
  readonly setting: (list: string) => string
  readonly settingItem: (index: number) => string
}

const schema = '{"type":"object","properties":{"a":{"type":"string"}}}'

const formats: Readonly<Record<ParsedFormat, Parts>> = {
  'openai-chat': {
    head: '"model":"m"',
    turn: (text) => `{"role":"user","content":${text}}`,
    turns: (list) => `"messages":[${list}]`,
    tool: (index) => `{"type":"function","function":{"name":"f${index}","parameters":${schema}}}`,
    tools: (list) => `"tools":[${list}]`,
    parted: (list) => `{"role":"user","content":[${list}]}`,
    picture: '{"type":"image_url","image_url":{"url":"data:,a"}}',
    hostedTool: '{"type":"web_search"}',
    setting: (list) => `"modalities":[${list}]`,
    settingItem: () => '"a"',
  },
  'openai-responses': {
    head: '"model":"m","store":false',
    turn: (text) => `{"role":"user","content":${text}}`,
    turns: (list) => `"input":[${list}]`,
    tool: (index) => `{"type":"function","name":"f${index}","parameters":${schema}}`,
    tools: (list) => `"tools":[${list}]`,
    parted: (list) => `{"role":"user","content":[${list}]}`,
    picture: '{"type":"input_image","image_url":"data:,a"}',
    hostedTool: '{"type":"web_search"}',
    setting: (list) => `"include":[${list}]`,
    settingItem: () => '"a"',
  },
  anthropic: {
    head: '"model":"m","max_tokens":5',
    turn: (text) => `{"role":"user","content":${text}}`,
    turns: (list) => `"messages":[${list}]`,
    tool: (index) => `{"name":"f${index}","input_schema":${schema}}`,
    tools: (list) => `"tools":[${list}]`,
    parted: (list) => `{"role":"user","content":[${list}]}`,
    picture: '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}',
    hostedTool: '{"type":"web_search_20250305","name":"web_search"}',
    setting: (list) => `"context_management":{"edits":[${list}]}`,
    settingItem: (index) => `{"type":"x${index}"}`,
  },
  gemini: {
    head: '"labels":{}',
    turn: (text) => `{"role":"user","parts":[{"text":${text}}]}`,
    turns: (list) => `"contents":[${list}]`,
    tool: (index) => `{"name":"f${index}","parameters":${schema}}`,
    tools: (list) => `"tools":[{"functionDeclarations":[${list}]}]`,
    parted: (list) => `{"role":"user","parts":[${list}]}`,
    picture: '{"inlineData":{"mimeType":"image/png","data":"aGk="}}',
    hostedTool: '{"googleSearch":{}}',
    setting: (list) => `"generationConfig":{"responseModalities":[${list}]}`,
    settingItem: () => '"TEXT"',
  },
}

/** Enough pieces for about `bytes` bytes together. */
function filled(bytes: number, piece: (index: number) => string): string {
  const pieces: string[] = []
  for (let length = 0, index = 0; length < bytes; index += 1) {
    const next = piece(index)
    pieces.push(next)
    length += next.length + 1
  }
  return pieces.join(',')
}

const prose = JSON.stringify(
  'As they say, all that glitters is not gold; "a café" has its price. '.repeat(12),
)

type Shape = (parts: Parts, bytes: number) => string

const hello = '"hello"'
const body = ({ head }: Parts, ...members: readonly string[]): string => `{${[head, ...members].join(',')}}`
const one = (parts: Parts, text: string): string => parts.turns(parts.turn(text))

/** By name: the location of the bytes. */
const shapes: Readonly<Record<string, Shape>> = {
  'an ordinary conversation': (parts, bytes) =>
    body(parts, parts.turns(filled(bytes, () => parts.turn(prose)))),
  'distinct field names': (parts, bytes) =>
    body(
      parts,
      one(parts, hello),
      filled(bytes, (index) => `"n${index}":1`),
    ),
  'tiny messages': (parts, bytes) => body(parts, parts.turns(filled(bytes, () => parts.turn('"a"')))),
  'empty messages': (parts, bytes) => body(parts, parts.turns(filled(bytes, () => '{}'))),
  'empty parts': (parts, bytes) => body(parts, one(parts, `[${filled(bytes, () => '{}')}]`)),
  'escaped names': (parts, bytes) =>
    body(parts, parts.turns(filled(bytes, () => '{"\\u0061b":1,"\\u0063":2}'))),
  'names outside ascii': (parts, bytes) => body(parts, parts.turns(filled(bytes, () => '{"é":1}'))),
  'names that look alike': (parts, bytes) =>
    body(
      parts,
      parts.turns(filled(bytes, () => `{${filled(200, (index) => `"n_${'_'.repeat(index)}${index}":1`)}}`)),
    ),
  'unicode escapes': (parts, bytes) => body(parts, one(parts, `"${'\\u0041'.repeat(bytes / 6)}"`)),
  'short escapes': (parts, bytes) => body(parts, one(parts, `"${'\\n'.repeat(bytes / 2)}"`)),
  'nested arrays': (parts, bytes) =>
    body(parts, one(parts, hello), `"x":[${filled(bytes, () => '['.repeat(50) + ']'.repeat(50))}]`),
  'many tools': (parts, bytes) => body(parts, one(parts, hello), parts.tools(filled(bytes, parts.tool))),
  'hosted tools': (parts, bytes) =>
    body(parts, one(parts, hello), `"tools":[${filled(bytes, () => parts.hostedTool)}]`),
  pictures: (parts, bytes) => body(parts, parts.turns(parts.parted(filled(bytes, () => parts.picture)))),
  'a long list in a setting': (parts, bytes) =>
    body(parts, one(parts, hello), parts.setting(filled(bytes, parts.settingItem))),
  'a tool of many names': (parts, bytes) =>
    body(
      parts,
      one(parts, hello),
      parts.tools(
        parts.tool(0).replace('"a":{"type":"string"}', () => filled(bytes, (index) => `"p${index}":{}`)),
      ),
    ),
  'many small strings': (parts, bytes) =>
    body(parts, one(parts, hello), `"stop":[${filled(bytes, () => '"ab"')}]`),
  'many small numbers': (parts, bytes) => body(parts, one(parts, hello), `"x":[${filled(bytes, () => '1')}]`),
  'a huge number': (parts, bytes) => body(parts, one(parts, hello), `"temperature":${'9'.repeat(bytes)}`),
  'names of a message': (parts, bytes) =>
    body(
      parts,
      parts.turns(parts.turn(hello).replace('{', () => `{${filled(bytes, (index) => `"n${index}":1`)},`)),
    ),
  'a long name': (parts, bytes) => body(parts, one(parts, hello), `"${'\\u0061'.repeat(bytes / 6)}":1`),
  'white space': (parts, bytes) => body(parts, one(parts, hello), `"x":${' '.repeat(bytes)}1`),
}

/** All of them in one format. */
export function expensiveBodies(format: ParsedFormat): readonly ExpensiveBody[] {
  return Object.entries(shapes).map(([name, shape]) => ({
    name,
    make: (bytes: number) => shape(formats[format], bytes),
  }))
}
