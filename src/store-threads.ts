/** Where the entries of the program's store threads are, in a checkout (.ts) and in the published package (.js). */
import { ledgerThreads } from './ledger/threads.ts'

const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

export const storeThreads = {
  writer: ledgerThreads.writer,
  reader: new URL(`./reader-thread.${ending}`, import.meta.url),
} as const
