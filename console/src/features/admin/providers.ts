/** The providers whose formats an upstream can speak. */
export const providers = { openai: 'OpenAI', anthropic: 'Anthropic', google: 'Google' } as const

export const isProvider = (name: string): name is keyof typeof providers => Object.hasOwn(providers, name)

/** The name of a provider as it is shown; its id if it is not in the table. */
export const providerName = (id: string): string => (isProvider(id) ? providers[id] : id)
