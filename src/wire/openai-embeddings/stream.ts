/** Embeddings never stream, and a request that asks for it is refused: watching one would be a mistake in this program. */
import type { StreamWatch } from '../codec.ts'

export function watchStream(): StreamWatch {
  throw new RangeError('embeddings have no streams')
}
