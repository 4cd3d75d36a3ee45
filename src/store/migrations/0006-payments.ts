/** Top-ups, saved methods, codes and what accounts want of billing. */
import type { Migration } from './migration.ts'

export const payments: Migration = { number: 6, name: 'payments', sqlite: [] }
