/** The entry of the thread that reads a replica of PostgreSQL: the reads of usage, and only while the replica is current. */
import { whileCurrent } from '../ledger/postgres/current-reads.ts'
import { openReplicaForReading } from '../store/postgres/threads.ts'
import { runReader } from '../store/sqlite/reader.ts'
import { usageReads } from '../usage/reads.ts'

runReader({ operations: (database) => whileCurrent(database, usageReads(database)) }, openReplicaForReading)
