/** Files that accounts keep at providers, as the ledger records them. Values only. */

export interface NewFile {
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly provider: string
  readonly upstream: string
  readonly bytes: number
  /** When its place is free again although the upload never ended; null: when another process starts. */
  readonly expiresMs: number | null
  readonly nowMs: number
}

/** The provider's description of a file. */
export interface FileFacts {
  readonly fileId: string
  readonly bytes: number | null
  readonly purpose: string | null
  readonly expiresMs: number | null
  /** The provider's file object as JSON text. */
  readonly object: string
}

export interface FileRow extends Omit<NewFile, 'nowMs' | 'expiresMs'> {
  readonly fileId: string
  readonly object: string
}

/** An upload that was begun and not finished. */
export type UnfinishedFile = Pick<FileRow, 'id' | 'account' | 'provider' | 'upstream' | 'bytes'>

export interface FileQuery {
  readonly account: bigint
  readonly provider: string
  readonly nowMs: number
  /** The provider's id after which the page begins; null: at the beginning. */
  readonly after: string | null
  readonly order: 'asc' | 'desc'
  readonly purpose: string | null
  readonly limit: number
}

export interface FileLimits {
  readonly filesPerAccountMax: number
  readonly fileBytesPerAccountMax: number
}

export interface ProviderFiles extends FileDeletions {
  /**
   * Takes the place of a file that is to be uploaded; `full`: the account has as much as it may. Throws where the account
   * is suspended, so that no upload begins after its files were marked for deletion.
   */
  reserve(file: NewFile, limits: FileLimits): Promise<'reserved' | 'full'>
  /** Records that the provider has it. False, and nothing written: the upstream gave this id to another file before. */
  finish(id: bigint, facts: FileFacts): Promise<boolean>
  /** Updates the provider's description of the file. */
  update(id: bigint, facts: FileFacts): Promise<void>
  remove(id: bigint): Promise<void>
  /** The account's own files among these ids; all others are not there. */
  find(
    owner: Pick<FileQuery, 'account' | 'provider' | 'nowMs'>,
    fileIds: readonly string[],
  ): Promise<readonly FileRow[]>
  /** Reads one page, plus one more file if another page follows. */
  page(query: FileQuery): Promise<readonly FileRow[]>
  /** An upload that is under way; undefined: it ended, expired or never began. */
  unfinished(id: bigint, nowMs: number): Promise<UnfinishedFile | undefined>
  /** Removes what earlier processes began and did not finish, and returns it. */
  removeUnfinished(): Promise<readonly UnfinishedFile[]>
}

/** The upstream that stores a file. */
export interface FilePlace {
  readonly provider: string
  readonly upstream: string
}

export interface PendingDeletions extends FilePlace {
  /** Uploads that are still under way are among them. */
  readonly files: number
  /** When the earliest of these deletions was requested. */
  readonly sinceMs: number
}

export interface FileToDelete {
  readonly id: bigint
  readonly fileId: string
}

export interface FileDeletions {
  /**
   * Marks all files of a suspended account for deletion at their providers; an upload that is under way is deleted when
   * it ends. The rows stay until they are removed.
   */
  deleteAll(account: bigint, nowMs: number): Promise<void>
  pendingDeletions(): Promise<readonly PendingDeletions[]>
  /** Marked files that their provider has, after this row and in the order of the rows. */
  toDelete(place: FilePlace, afterId: bigint, limit: number): Promise<readonly FileToDelete[]>
  /** Calls `listener` when there is something to delete. */
  onDeletable(listener: () => void): void
}
