/** Upstreams that were added in the console, with sealed credentials. */
import type { Migration } from './migration.ts'

export const upstreams: Migration = { number: 7, name: 'upstreams', sqlite: [] }
