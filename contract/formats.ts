/** The wire formats of upstreams: one row each. Lists of formats, their types and their labels are made from this table. */
interface FormatRow {
  readonly label: string
  /** `conversation`: requests can be translated. Other formats are passed through. */
  readonly purpose: 'conversation' | 'embeddings'
  /** No client speaks it. */
  readonly upstreamOnly?: true
}

const formats = {
  'openai-chat': { label: 'Chat Completions', purpose: 'conversation' },
  'openai-responses': { label: 'Responses', purpose: 'conversation' },
  'openai-embeddings': { label: 'Embeddings', purpose: 'embeddings' },
  anthropic: { label: 'Messages (Anthropic)', purpose: 'conversation' },
  gemini: { label: 'Gemini', purpose: 'conversation' },
  'gemini-embeddings': { label: 'Gemini embeddings', purpose: 'embeddings' },
  'bedrock-converse': { label: 'Converse', purpose: 'conversation', upstreamOnly: true },
} as const satisfies Readonly<Record<string, FormatRow>>

export type FormatName = keyof typeof formats

/** The names of formats with a property. */
export type FormatWith<Row> = {
  [Name in FormatName]: (typeof formats)[Name] extends Row ? Name : never
}[FormatName]

/** The values of every list of formats. */
export const formatNames = Object.keys(formats) as [FormatName, ...FormatName[]]

/** For menus. */
export const formatLabels = Object.fromEntries(
  formatNames.map((name) => [name, formats[name].label]),
) as Readonly<Record<FormatName, string>>

export function formatLabel(name: string): string {
  return Object.hasOwn(formats, name) ? formats[name as FormatName].label : name
}

/** Whether requests in the format hold a conversation. */
export function isConversationFormat(name: string): boolean {
  return Object.hasOwn(formats, name) && formats[name as FormatName].purpose === 'conversation'
}
