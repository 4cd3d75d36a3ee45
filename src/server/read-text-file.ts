/** Reads a file that a command names, bounded, from a path or a `file:` URL. */
import { open } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

/** Never rejects. */
export async function readTextFile(
  path: string,
  bytesMax: number,
): Promise<string | 'too_large' | 'unreadable'> {
  try {
    const file = await open(path.startsWith('file:') ? fileURLToPath(path) : path)
    try {
      const found = await file.stat()
      if (!found.isFile()) return 'unreadable'
      if (found.size > bytesMax) return 'too_large'
      const { buffer, bytesRead } = await file.read(Buffer.alloc(found.size), 0, found.size, 0)
      return buffer.toString('utf8', 0, bytesRead)
    } finally {
      await file.close()
    }
  } catch {
    // Absent, closed to this user, or no path at all: the command says that it cannot be read.
    return 'unreadable'
  }
}
