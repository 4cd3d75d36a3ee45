/**
 * The processes on one database: each has a slot of the ID space and a lease that it renews. A process that misses it is
 * dead for the others: they remove its slot, after which none of its batches can commit, and close its holds.
 */
import { assert } from '../../base/assert.ts'
import { processSlots } from '../../base/ids.ts'
import type { PostgresConnection, PostgresStatement } from '../../store/postgres/connection.ts'
import { isNoBackgroundHold } from '../sqlite/background-responses.ts'
import { type Orphan, orphanColumns, toOrphan } from '../sqlite/rows.ts'

export interface ProcessSlot {
  readonly process: number
  readonly startedMs: number
}

const statement = (name: string, text: string): PostgresStatement => ({ name, text })

/** Lets one process at a time take a slot. */
const takeTurn = statement('slot_turn', "SELECT pg_advisory_xact_lock(hashtext('tollgate process slots'))")
/** A process that runs is not dead for itself: after an outage of the database it renews its lease. */
const removeDead = statement('remove_dead', 'DELETE FROM process WHERE lease_ends < now() AND id <> $1')
const noProcess = -1n
/** The next slot after the one that was taken last which has no process and no hold. */
const takeSlot = statement(
  'take_slot',
  `INSERT INTO process (id, started_ms, lease_ends)
    SELECT slot, $1::bigint, now() + $2::bigint * interval '1 millisecond'
      FROM generate_series(0, ${processSlots - 1}) AS slot,
        (SELECT coalesce((SELECT last FROM last_process), -1) AS last) AS taken
      WHERE NOT EXISTS (SELECT 1 FROM process p WHERE p.id = slot)
        AND NOT EXISTS (SELECT 1 FROM hold h WHERE h.process = slot)
      ORDER BY (slot - taken.last - 1 + ${processSlots}) % ${processSlots} LIMIT 1
    RETURNING id`,
)
/** The slot again that this process had, unless another one has it now. */
const retake = statement(
  'retake_slot',
  `INSERT INTO process (id, started_ms, lease_ends)
    VALUES ($1::bigint, $2::bigint, now() + $3::bigint * interval '1 millisecond') ON CONFLICT (id) DO NOTHING`,
)
const rememberSlot = statement(
  'remember_slot',
  'INSERT INTO last_process (id, last) VALUES (1, $1) ON CONFLICT (id) DO UPDATE SET last = excluded.last',
)
const addLanes = statement(
  'add_lanes',
  `INSERT INTO committed_batch (process, lane, started_ms, batch)
    SELECT $1::bigint, lane, $2::bigint, 0 FROM generate_series(0, $3::bigint - 1) AS lane`,
)
const renew = statement(
  'renew_lease',
  "UPDATE process SET lease_ends = now() + $3::bigint * interval '1 millisecond' WHERE id = $1 AND started_ms = $2",
)
const leave = statement('leave', 'DELETE FROM process WHERE id = $1 AND started_ms = $2')
const orphans = statement(
  'orphans',
  `SELECT ${orphanColumns} FROM hold WHERE process <> $1
    AND NOT EXISTS (SELECT 1 FROM process p WHERE p.id = hold.process) AND ${isNoBackgroundHold} ORDER BY id LIMIT $2`,
)
const overdue = statement(
  'overdue',
  `SELECT ${orphanColumns} FROM hold WHERE process = $1 AND id < $2 AND ${isNoBackgroundHold} ORDER BY id LIMIT $3`,
)
const begin = statement('begin', 'BEGIN')
const commit = statement('commit', 'COMMIT')
const rollback = statement('rollback', 'ROLLBACK')

interface SlotClaim {
  readonly startedMs: number
  readonly leaseMs: number
  readonly lanes: number
}

/** Takes a slot of its own for every start, so that IDs are unique even where a clock has stepped back. */
export async function claimSlot(
  connection: PostgresConnection,
  { startedMs, leaseMs, lanes }: SlotClaim,
): Promise<ProcessSlot> {
  return inTurn(connection, async () => {
    await connection.run(removeDead, [noProcess])
    const taken = await connection.run(takeSlot, [BigInt(startedMs), BigInt(leaseMs)])
    const slot = taken.rows[0]?.[0]
    assert(typeof slot === 'bigint', 'there are more slots than processes')
    await connection.run(rememberSlot, [slot])
    await connection.run(addLanes, [slot, BigInt(startedMs), BigInt(lanes)])
    return { process: Number(slot), startedMs }
  })
}

/**
 * Takes the slot again after its lease was missed: requests that the others have not closed are this process's again. As a
 * later start, so that no batch from before can commit. Undefined: another process has the slot.
 */
export async function retakeSlot(
  connection: PostgresConnection,
  { process, startedMs: before }: ProcessSlot,
  { startedMs: nowMs, leaseMs, lanes }: SlotClaim,
): Promise<ProcessSlot | undefined> {
  const startedMs = Math.max(nowMs, before + 1)
  return inTurn(connection, async () => {
    const values = [BigInt(process), BigInt(startedMs), BigInt(leaseMs)]
    if ((await connection.run(retake, values)).count !== 1) return undefined
    await connection.run(addLanes, [BigInt(process), BigInt(startedMs), BigInt(lanes)])
    return { process, startedMs }
  })
}

/** Runs `work` while no other process changes slots. */
async function inTurn<Result>(connection: PostgresConnection, work: () => Promise<Result>): Promise<Result> {
  try {
    await connection.run(begin)
    await connection.run(takeTurn)
    const result = await work()
    await connection.run(commit)
    return result
  } catch (error) {
    // Where the connection is gone, the server rolls back itself.
    await connection.run(rollback).catch(() => {})
    throw error
  }
}

/** False: the others take this process for dead. */
export async function renewLease(
  connection: PostgresConnection,
  slot: ProcessSlot,
  leaseMs: number,
): Promise<boolean> {
  const values = [BigInt(slot.process), BigInt(slot.startedMs), BigInt(leaseMs)]
  return (await connection.run(renew, values)).count === 1
}

/** Gives the slot back, so that other processes close its open requests without waiting for the lease to end. */
export async function leaveSlot(connection: PostgresConnection, slot: ProcessSlot): Promise<void> {
  await connection.run(leave, [BigInt(slot.process), BigInt(slot.startedMs)])
}

/** Holds of other processes than this one that are dead. */
export async function findOrphans(
  connection: PostgresConnection,
  process: number,
  limit: number,
): Promise<readonly Orphan[]> {
  await connection.run(removeDead, [BigInt(process)])
  return (await connection.run(orphans, [BigInt(process), BigInt(limit)])).rows.map(toOrphan)
}

/** Holds of this process that are older than the ID `before`. */
export async function findOverdue(
  connection: PostgresConnection,
  { process, before, limit }: { readonly process: number; readonly before: bigint; readonly limit: number },
): Promise<readonly Orphan[]> {
  const values = [BigInt(process), before, BigInt(limit)]
  return (await connection.run(overdue, values)).rows.map(toOrphan)
}
