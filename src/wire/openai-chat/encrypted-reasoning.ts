/** How the encrypted reasoning of each vendor is written in the fields that chat clients echo, and read from them. A table. */
import type { Vendor } from '../translation/neutral.ts'

export interface EncryptedForm {
  /** The type of an entry with readable text, and the field that has it. */
  readonly type: 'reasoning.text' | 'reasoning.summary'
  readonly field: 'text' | 'summary'
  /** An empty thought of this vendor is one that was never readable. */
  readonly hidesEmpty: boolean
  /** The vendor tells thoughts that it withholds (redacted) from those that are empty. */
  readonly redacts: boolean
  /** The vendor's compatible address has a field for it on calls. */
  readonly onCalls: boolean
}

export const encryptedForms: Readonly<Record<Vendor, EncryptedForm>> = {
  anthropic: { type: 'reasoning.text', field: 'text', hidesEmpty: false, redacts: true, onCalls: false },
  openai: { type: 'reasoning.summary', field: 'summary', hidesEmpty: true, redacts: false, onCalls: false },
  google: { type: 'reasoning.text', field: 'text', hidesEmpty: false, redacts: false, onCalls: true },
}
