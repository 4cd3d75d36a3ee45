/** The providers whose formats an upstream can speak, as they are offered in forms. */
export const providers = {
  openai: 'OpenAI, or a host that speaks its formats',
  anthropic: 'Anthropic, or a host that speaks its format',
  google: 'Google, or a host that speaks its format',
} as const

/** A provider's bare name. */
export const providerName = (id: string): string =>
  isProvider(id) ? (providers[id].split(',')[0] ?? id) : id

export const isProvider = (name: string): name is keyof typeof providers => Object.hasOwn(providers, name)
