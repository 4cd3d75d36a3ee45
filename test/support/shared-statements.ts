/** A worker that executes the statements of many connections to PostgreSQL, each with the port that shared-thread.ts has sent. */
import { parentPort } from 'node:worker_threads'
import { type StatementServerSetup, serveStatements } from '../../src/store/postgres/statement-server.ts'

parentPort?.on('message', (setup: StatementServerSetup) => serveStatements(setup))
