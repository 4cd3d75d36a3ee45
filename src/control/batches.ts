/** Reads long lists in batches, so that other requests are served in between. */

/** Yields at most `rowsMax` rows, the latest first. `read` gets the ID that the next rows are older than; null: none. */
export async function* readBatches<Row extends { readonly id: bigint }>(
  { rowsMax, batchRows }: { readonly rowsMax: number; readonly batchRows: number },
  read: (range: { readonly limit: number; readonly before: bigint | null }) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[], void> {
  let before: bigint | null = null
  for (let left = rowsMax; left > 0; ) {
    const limit = Math.min(batchRows, left)
    const rows: readonly Row[] = await read({ limit, before })
    yield rows
    if (rows.length < limit) return
    left -= rows.length
    before = rows.at(-1)?.id ?? null
  }
}
