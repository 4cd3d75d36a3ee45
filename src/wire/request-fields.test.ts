/** Files that a request references: what is read of them in the four formats. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wireFormats } from '../../test/support/wire-formats.ts'
import { limitDefaults } from '../config/config.ts'
import { readLimits } from '../gateway/phases/decode.ts'
import { WireError } from './format.ts'
import type { ConversationFormat } from './format-names.ts'

const read = (format: ConversationFormat, body: object) =>
  wireFormats[format].extractRequest(
    Buffer.from(JSON.stringify({ model: 'm', ...body })),
    readLimits(limitDefaults),
    {
      model: format === 'gemini' ? 'm' : null,
      stream: false,
    },
  )
const chat = (...content: object[]) => ({ messages: [{ role: 'user', content }] })
const messages = (...content: object[]) => ({ max_tokens: 1, ...chat(...content) })
const responses = (...content: object[]) => ({ input: [{ role: 'user', content }] })
const gemini = (...parts: object[]) => ({ contents: [{ role: 'user', parts }] })
const filesUrl = 'https://generativelanguage.googleapis.com/v1beta/files/'

const cases: readonly (readonly [
  format: ConversationFormat,
  what: string,
  body: (id: string) => object,
  pointer: string,
  kind: string | null,
])[] = [
  [
    'openai-chat',
    'file',
    (file_id) => chat({ type: 'file', file: { file_id } }),
    'messages[0].content[0].file.file_id',
    'document',
  ],
  [
    'openai-responses',
    'file',
    (file_id) => responses({ type: 'input_file', file_id }),
    'input[0].content[0].file_id',
    'document',
  ],
  [
    'openai-responses',
    'image',
    (file_id) => responses({ type: 'input_image', file_id }),
    'input[0].content[0].file_id',
    'image',
  ],
  [
    'openai-responses',
    'screenshot',
    (file_id) => ({
      input: [{ type: 'computer_call_output', output: { type: 'computer_screenshot', file_id } }],
    }),
    'input[0].output.file_id',
    'image',
  ],
  [
    'openai-responses',
    'file in a container',
    (id) => ({
      input: 'a',
      tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: [id] } }],
    }),
    'tools[0].container.file_ids[0]',
    null,
  ],
  [
    'openai-responses',
    'mask',
    (file_id) => ({ input: 'a', tools: [{ type: 'image_generation', input_image_mask: { file_id } }] }),
    'tools[0].input_image_mask.file_id',
    null,
  ],
  [
    'anthropic',
    'image',
    (file_id) => messages({ type: 'image', source: { type: 'file', file_id } }),
    'messages[0].content[0].source.file_id',
    'image',
  ],
  [
    'anthropic',
    'document in a result',
    (file_id) =>
      messages({ type: 'tool_result', content: [{ type: 'document', source: { type: 'file', file_id } }] }),
    'messages[0].content[0].content[0].source.file_id',
    'document',
  ],
  [
    'anthropic',
    'file in a container',
    (file_id) => messages({ type: 'container_upload', file_id }),
    'messages[0].content[0].file_id',
    'document',
  ],
  [
    'gemini',
    'file',
    (id) => gemini({ fileData: { mimeType: 'video/mp4', fileUri: filesUrl + id } }),
    'contents[0].parts[0].fileData.fileUri',
    'video',
  ],
  [
    'gemini',
    'file by its name',
    (id) => gemini({ file_data: { file_uri: `files/${id}` } }),
    'contents[0].parts[0].file_data.file_uri',
    'document',
  ],
]

for (const [format, what, body, pointer, kind] of cases) {
  test(`${format}: a named ${what} is a reference, and media where the model reads it`, () => {
    const { references, media } = read(format, body('file-1'))
    assert.deepEqual(references, [{ id: 'file-1', kind: 'file', pointer }])
    assert.deepEqual(
      media.map((one) => [one.kind, one.fileId, one.span]),
      kind === null ? [] : [[kind, 'file-1', null]],
    )
  })
  test(`${format}: an id that cannot be one of a file is refused: ${what}`, () => {
    for (const id of ['', '../x', 'a b', 'x'.repeat(201)])
      assert.throws(
        () => read(format, body(id)),
        (error) => error instanceof WireError && error.code === 'reference_not_owned',
        id,
      )
  })
}

test('a file may be named in every turn, and many files at most 64', () => {
  const part = (id: string) => ({ type: 'file', file: { file_id: id } })
  const again = read('openai-chat', chat(part('a'), part('b'), part('a')))
  assert.deepEqual([again.references?.length, again.media.length], [2, 3])
  const many = (count: number) => chat(...Array.from({ length: count }, (_, at) => part(`f${at}`)))
  assert.equal(read('openai-chat', many(64)).references?.length, 64)
  assert.throws(() => read('openai-chat', many(65)), { code: 'invalid_value' })
})
