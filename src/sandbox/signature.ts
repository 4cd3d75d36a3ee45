/**
 * The signature that the sandbox puts under thinking and demands back unchanged: a mark and a hash of
 * the shown text. It proves that nobody altered the block; it is no secret.
 */
import { createHash } from 'node:crypto'

const mark = 'sandbox-thinking:'

export function signThinking(shownText: string): string {
  const hash = createHash('sha256').update(shownText).digest()
  return Buffer.concat([Buffer.from(mark), hash]).toString('base64')
}
