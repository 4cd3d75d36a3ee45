/** Who made a key, what took its place, and keys of the control plane. */
import type { Migration } from './migration.ts'

export const keys: Migration = { number: 5, name: 'keys', sqlite: [] }
