/** The entry of a thread that executes statements on PostgreSQL for a thread that waits for them. */
import { workerData } from 'node:worker_threads'
import { type StatementServerSetup, serveStatements } from '../store/postgres/statement-server.ts'

serveStatements(workerData as StatementServerSetup)
