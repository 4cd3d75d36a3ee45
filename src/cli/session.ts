/**
 * How a command reaches the operations: through the running server, or, when none runs, on the
 * database itself, as its only owner for as long as the command takes.
 */
import { type AdminLimits, callServer, findServer } from '../admin-socket.ts'
import { type ControlReply, dispatch } from '../control/dispatch.ts'
import type { ControlParts } from '../control/parts.ts'

export type OpenedParts =
  | { readonly kind: 'open'; readonly control: ControlParts; close(): Promise<void> }
  | { readonly kind: 'refused'; readonly message: string }

export interface Way {
  readonly dataFolder: string
  readonly limits: AdminLimits
  /** Opens the database and what stands on it; asked only when no server answers. */
  readonly open: () => Promise<OpenedParts>
}

export type Outcome =
  | { readonly kind: 'replied'; readonly by: 'server' | 'command'; readonly reply: ControlReply }
  /** Nothing was done. */
  | { readonly kind: 'refused'; readonly message: string }

/** Rejects when a server's answer was lost: whether the operation took place is then unknown. */
export async function carryOut(way: Way, operation: string, input: unknown): Promise<Outcome> {
  const found = findServer(way.dataFolder)
  if (found.kind === 'unsafe') return { kind: 'refused', message: found.why }
  if (found.kind === 'named') {
    const call = await callServer(found.server, operation, input, way.limits)
    if (call.kind === 'answered') return { kind: 'replied', by: 'server', reply: call.reply }
  }
  return onDatabase(way, operation, input)
}

async function onDatabase(way: Way, operation: string, input: unknown): Promise<Outcome> {
  const opened = await way.open()
  if (opened.kind === 'refused') return opened
  try {
    const reply = await dispatch(opened.control, { kind: 'local' }, operation, input)
    return { kind: 'replied', by: 'command', reply }
  } finally {
    await opened.close()
  }
}
