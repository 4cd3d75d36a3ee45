/** How the sealed thoughts of each maker are written in the fields that chat clients echo, and read from them. A table. */
import type { Maker } from '../neutral.ts'

export interface SealForm {
  /** The type of an entry with readable text, and the field that has it. */
  readonly type: 'reasoning.text' | 'reasoning.summary'
  readonly field: 'text' | 'summary'
  /** An empty thought of this maker is one that was never readable. */
  readonly hidesEmpty: boolean
  /** The maker tells thoughts that it withholds (redacted) from those that are empty. */
  readonly redacts: boolean
  /** The maker's compatible address has a field for it on calls. */
  readonly onCalls: boolean
}

export const sealForms: Readonly<Record<Maker, SealForm>> = {
  anthropic: { type: 'reasoning.text', field: 'text', hidesEmpty: false, redacts: true, onCalls: false },
  openai: { type: 'reasoning.summary', field: 'summary', hidesEmpty: true, redacts: false, onCalls: false },
  google: { type: 'reasoning.text', field: 'text', hidesEmpty: false, redacts: false, onCalls: true },
}
