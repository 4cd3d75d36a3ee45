/** Wall-clock milliseconds as ISO 8601 in UTC, and back. */

export function isoTime(wallMs: number): string {
  return new Date(wallMs).toISOString()
}

export function isoTimeOrNull(wallMs: number | null): string | null {
  return wallMs === null ? null : isoTime(wallMs)
}
