/** A request's format was stored as its dialect; names of the API are those of the columns. */
import type { Migration } from './migration.ts'

const renamed = (table: string): string => `ALTER TABLE ${table} RENAME COLUMN dialect TO format`

export const renamedFormats = ['hold', 'receipt'].map(renamed)

export const format: Migration = { number: 9, name: 'format', statements: renamedFormats }
