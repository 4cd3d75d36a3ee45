/** How much memory work on a body takes in addition to the body, from measurements with the worst bodies. */
import type { BodyWork } from './body-work.ts'

/**
 * Bytes for each byte of text: a text outside Latin-1 has two bytes a character, and it is there once as it was read, once as
 * it is written, and once more while it is joined.
 */
const factors: Readonly<Record<keyof BodyWork, number>> = {
  facts: 0,
  stripCarriers: 0,
  dropReasoning: 0,
  adapt: 0,
  countRequest: 0,
  load: 4,
  translate: 8,
  countTranslated: 12,
  countEdited: 12,
}
/** As many values as a body may have take this much, however short they are. */
const valuesBytes = 32 * 1024 * 1024
const bytesPerValueByte = 24

export function memoryNeeded(name: keyof BodyWork, bodyBytes: number): number {
  return factors[name] * bodyBytes + Math.min(valuesBytes, bytesPerValueByte * bodyBytes)
}
