/** The entry of the thread that writes the identity database: statements, and no operation of its own. */
import { runWriter } from '../store/sqlite/writer.ts'
import { identityMigrations } from './migrations/index.ts'

const nothingShared = { flush: () => {}, forget: () => {} }

runWriter(() => ({ operations: {}, memory: nothingShared }), identityMigrations)
