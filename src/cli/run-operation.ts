/**
 * Runs an operation for a command: through the running server, or, when none is running, on the database itself, which it
 * owns for the duration of the command.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { OperationOutput } from '../../contract/operations.ts'
import type { CommandServices } from '../control/control-deps.ts'
import type { ControlReply } from '../control/dispatch.ts'
import { type AdminLimits, callServer, findServer } from '../server/admin-socket.ts'

export type FolderReport = Omit<OperationOutput<'ledger.verify'>, 'drift'> & {
  readonly drift: readonly string[]
}

export type VerifiedFolder =
  | { readonly kind: 'read'; readonly result: FolderReport }
  | { readonly kind: 'rejected'; readonly message: string }

export interface Backup {
  /** Absolute path. */
  readonly folder: string
  /** False where the secret is set by a variable, so that it must be stored elsewhere. */
  readonly hasSecret: boolean
  /** The report on the copy. */
  readonly report: FolderReport
}

export type BackupCommandResult =
  | { readonly kind: 'done'; readonly backup: Backup }
  | { readonly kind: 'rejected'; readonly message: string }

export interface MoveReport {
  /** Host and database. */
  readonly to: string
  /** True where an earlier call had copied everything and was interrupted after it. */
  readonly wasComplete: boolean
  readonly rows: number
  /** The report on the copy. */
  readonly report: FolderReport
}

export type MoveCommandResult =
  | { readonly kind: 'done'; readonly move: MoveReport }
  | { readonly kind: 'rejected'; readonly message: string }

export interface MoveProgress {
  /** Called after each table. */
  readonly onTable: (table: string, rows: number) => void
}

export type CancelResult =
  | { readonly kind: 'done'; readonly to: string }
  | { readonly kind: 'rejected'; readonly message: string }

export interface OperationTarget {
  readonly dataFolder: string
  /** Whether an installation is created in the folder where there is none. */
  readonly mayCreate: boolean
  readonly limits: AdminLimits
  /** Opens the services on the database; called only when no server is running. */
  readonly open: () => Promise<CommandServices>
  /** Verifies the ledger without writing; called only when no server is running. null: its database is not in the folder. */
  readonly verify: (() => Promise<VerifiedFolder>) | null
}

export type OperationOutcome =
  | { readonly kind: 'replied'; readonly by: 'server' | 'command'; readonly reply: ControlReply }
  /** The operation was not run. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** The server's response was lost, so the operation may have run; it must not be retried. */
  | { readonly kind: 'lost'; readonly message: string }

export async function runOperation(
  target: OperationTarget,
  operation: string,
  input: unknown,
): Promise<OperationOutcome> {
  const found = findServer(target.dataFolder)
  if (found.kind === 'unsafe') return { kind: 'rejected', message: found.why }
  if (found.kind === 'named') {
    const call = await callServer(found.server, operation, input, target.limits)
    if (call.kind === 'answered') return { kind: 'replied', by: 'server', reply: call.reply }
    if (call.kind === 'lost') return { kind: 'lost', message: lostReplyMessage(found.server.pid, call.why) }
  }
  if (isMissing(target)) return { kind: 'rejected', message: nothingThere(target.dataFolder) }
  // Opening the database writes to it, but a ledger can be verified on a full disk.
  return operation === 'ledger.verify' && target.verify !== null
    ? await verifyFolder(target.verify)
    : await runOnDatabase(target, operation, input)
}

/** Whether the command would create an installation although it only reads. */
const isMissing = ({ dataFolder, verify, mayCreate }: OperationTarget): boolean =>
  !mayCreate && verify !== null && !existsSync(join(dataFolder, 'tollgate.db'))

const nothingThere = (folder: string): string =>
  `There is no installation in ${folder}. Start a server first, or set TOLLGATE_DATA to the folder of yours.`

async function verifyFolder(verify: NonNullable<OperationTarget['verify']>): Promise<OperationOutcome> {
  const verified = await verify()
  if (verified.kind === 'rejected') return verified
  return { kind: 'replied', by: 'command', reply: { status: 200, body: verified.result } }
}

function lostReplyMessage(pid: number, why: string): string {
  return `The response of the server (process ${pid}) was lost (${why}). The operation may or may not have completed.`
}

async function runOnDatabase(
  target: OperationTarget,
  operation: string,
  input: unknown,
): Promise<OperationOutcome> {
  const opened = await target.open()
  if (opened.kind === 'rejected') return opened
  try {
    // Loaded on demand: not needed when a server is running.
    const { dispatch } = await import('../control/dispatch.ts')
    const reply = await dispatch(opened.control, { kind: 'local' }, operation, input)
    return { kind: 'replied', by: 'command', reply }
  } finally {
    await opened.close()
  }
}
