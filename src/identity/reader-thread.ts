/** The entry of the thread that reads the identity database: statements, and no read of its own. */
import { runReader } from '../store/sqlite/reader.ts'

runReader({ operations: () => ({}) })
