/**
 * How a command reaches the operations: through the running server, or, when none runs, on the
 * database itself, as its only owner for as long as the command takes.
 */
import type { OperationOutput } from '../../contract/operations.ts'
import type { CommandServices } from '../control/control-deps.ts'
import type { ControlReply } from '../control/dispatch.ts'
import { type AdminLimits, callServer, findServer } from '../server/admin-socket.ts'

type FolderReport = Omit<OperationOutput<'ledger.verify'>, 'drift'> & { readonly drift: readonly string[] }

export type VerifiedFolder =
  | { readonly kind: 'read'; readonly result: FolderReport }
  | { readonly kind: 'refused'; readonly message: string }

export interface OperationTarget {
  readonly dataFolder: string
  readonly limits: AdminLimits
  /** Opens the database and what stands on it; asked only when no server answers. */
  readonly open: () => Promise<CommandServices>
  /** Verifies the ledger of the data folder without writing to it; asked only when no server answers. */
  readonly verify: () => Promise<VerifiedFolder>
}

export type OperationOutcome =
  | { readonly kind: 'replied'; readonly by: 'server' | 'command'; readonly reply: ControlReply }
  /** Nothing was done. */
  | { readonly kind: 'refused'; readonly message: string }
  /** A server took it and its answer did not arrive: it is not tried a second time. */
  | { readonly kind: 'lost'; readonly message: string }

export async function runOperation(
  target: OperationTarget,
  operation: string,
  input: unknown,
): Promise<OperationOutcome> {
  const found = findServer(target.dataFolder)
  if (found.kind === 'unsafe') return { kind: 'refused', message: found.why }
  if (found.kind === 'named') {
    const call = await callServer(found.server, operation, input, target.limits)
    if (call.kind === 'answered') return { kind: 'replied', by: 'server', reply: call.reply }
    if (call.kind === 'lost') return { kind: 'lost', message: lostReplyMessage(found.server.pid, call.why) }
  }
  // Opening the database writes to it, and a ledger can be verified on a full disk.
  return operation === 'ledger.verify'
    ? await verifyFolder(target)
    : await runOnDatabase(target, operation, input)
}

async function verifyFolder(target: OperationTarget): Promise<OperationOutcome> {
  const verified = await target.verify()
  if (verified.kind === 'refused') return verified
  return { kind: 'replied', by: 'command', reply: { status: 200, body: verified.result } }
}

function lostReplyMessage(pid: number, why: string): string {
  return `The answer of the server (process ${pid}) was lost (${why}): whether the operation took place is not known.`
}

async function runOnDatabase(
  target: OperationTarget,
  operation: string,
  input: unknown,
): Promise<OperationOutcome> {
  const opened = await target.open()
  if (opened.kind === 'refused') return opened
  try {
    // All operations and their parts: a running server spares a command loading them.
    const { dispatch } = await import('../control/dispatch.ts')
    const reply = await dispatch(opened.control, { kind: 'local' }, operation, input)
    return { kind: 'replied', by: 'command', reply }
  } finally {
    await opened.close()
  }
}
