/** Where the entries of the identity database's threads are, in a checkout (.ts) and in the published package (.js). */
const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

export const identityThreads = {
  writer: new URL(`./writer-thread.${ending}`, import.meta.url),
  reader: new URL(`./reader-thread.${ending}`, import.meta.url),
  core: new URL(`./core-thread.${ending}`, import.meta.url),
} as const
