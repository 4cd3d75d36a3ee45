/** Where the entry files of the program's threads are, in the sources (.ts) and in a bundle (.js). */
import { extname } from 'node:path'

const entry = (name: string): URL => new URL(`./${name}-thread${extname(import.meta.url)}`, import.meta.url)

export const postgresThreads = {
  writer: entry('postgres-writer'),
  reader: entry('postgres-reader'),
  statements: entry('statement').href,
}

export const threadEntries = {
  writer: entry('writer'),
  reader: entry('reader'),
  dataPlane: entry('serving'),
  identity: entry('identity'),
  counter: entry('count'),
  pdfs: entry('pdf'),
  bodies: entry('body'),
}
