/** Hourly sums and refusals, written with each settlement. */
import type { Migration } from './migration.ts'

export const usage: Migration = { number: 4, name: 'usage', sqlite: [] }
