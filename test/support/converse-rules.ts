/** Requests that Converse rejects: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, 2026-11. */
import { isLoose, type Loose } from './answer-gist.ts'

const bodyMembers = ['messages', 'system', 'toolConfig', 'inferenceConfig', 'additionalModelRequestFields']
const inferenceMembers = ['maxTokens', 'temperature', 'topP', 'stopSequences']
const blockMembers = ['text', 'image', 'document', 'toolUse', 'toolResult', 'cachePoint']
const cachePointsMax = 4
const toolName = /^[\w-]{1,64}$/

/** The first mistake; '' where there is none. */
export function converseMistake(body: Readonly<Record<string, unknown>>): string {
  const unknown = Object.keys(body).find((name) => !bodyMembers.includes(name))
  if (unknown !== undefined) return `extraneous key [${unknown}] is not permitted`
  const { inferenceConfig = {} } = body
  const setting = Object.keys(inferenceConfig as object).find((name) => !inferenceMembers.includes(name))
  if (setting !== undefined) return `extraneous key [inferenceConfig.${setting}] is not permitted`
  const messages = listIn(body, 'messages')
  if (messages.length === 0) return 'A conversation must start with a user message.'
  for (const [at, { role }] of messages.entries()) {
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) return 'A conversation must alternate between roles.'
  }
  const blocks = messages.flatMap((message) => listIn(message, 'content'))
  if (messages.some((message) => listIn(message, 'content').length === 0))
    return 'The content field is empty.'
  const points = [...listIn(body, 'system'), ...blocks].filter((block) => 'cachePoint' in block)
  if (points.length > cachePointsMax) return 'You invoked an unsupported number of cache checkpoints.'
  if (messages.some((message) => 'cachePoint' in (listIn(message, 'content')[0] ?? {})))
    return 'A cache checkpoint must follow content.'
  const usesTools = blocks.some((block) => 'toolUse' in block || 'toolResult' in block)
  if (usesTools && !isLoose(body['toolConfig']))
    return 'The toolConfig field must be defined when using toolUse.'
  return (
    [...listIn(body, 'system'), ...blocks].map(blockMistake).find((mistake) => mistake !== '') ??
    toolMistake(body) ??
    resultMistake(messages)
  )
}

function listIn(value: Loose, name: string): readonly Loose[] {
  const found = value[name]
  return Array.isArray(found) ? found.filter(isLoose) : []
}

function blockMistake(block: Loose): string {
  const names = Object.keys(block)
  if (names.length !== 1 || !blockMembers.includes(names[0] ?? '')) return `not one block: ${names.join()}`
  const { text, toolUse } = block
  if (typeof text === 'string' && text.trim() === '')
    return 'The text field in the ContentBlock object is blank.'
  if (isLoose(toolUse) && !isLoose(toolUse['input']))
    return 'The format of the value at toolUse.input is invalid.'
  return ''
}

function toolMistake(body: Loose): string | undefined {
  const { toolConfig } = body
  if (!isLoose(toolConfig)) return undefined
  const specs = listIn(toolConfig, 'tools').map(({ toolSpec }) => toolSpec)
  if (specs.length === 0) return 'toolConfig.tools must have a length of at least 1.'
  const isWrong = (spec: unknown) =>
    !isLoose(spec) ||
    !toolName.test(String(spec['name'])) ||
    !isLoose(spec['inputSchema']) ||
    spec['description'] === ''
  return specs.some(isWrong) ? 'toolSpec is invalid.' : undefined
}

/** The results of one message are those of the calls of the message before it. */
function resultMistake(messages: readonly Loose[]): string {
  const idsIn = (message: Loose | undefined, kind: 'toolUse' | 'toolResult') =>
    message === undefined
      ? []
      : listIn(message, 'content').flatMap((block) => {
          const found = block[kind]
          return isLoose(found) ? [String(found['toolUseId'])] : []
        })
  for (const [at, message] of messages.entries()) {
    const calls = idsIn(messages[at - 1], 'toolUse')
    if (idsIn(message, 'toolResult').sort().join() !== calls.sort().join()) {
      return 'Expected toolResult blocks for the toolUse blocks of the previous turn.'
    }
  }
  return ''
}
