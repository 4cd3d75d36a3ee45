/**
 * Text that arrives in pieces and is needed whole. Pieces of a few letters are joined as they arrive, since
 * each separately takes many times the memory of its letters. Its text must not be requested after every piece.
 */

/** Characters that are joined into one string. */
const blockCharacters = 1_024

export class GatheredText {
  characters = 0
  private blocks: string[] = []
  private pieces: string[] = []
  private pieceCharacters = 0

  add(text: string): void {
    if (text === '') return
    this.characters += text.length
    this.pieces.push(text)
    this.pieceCharacters += text.length
    if (this.pieceCharacters < blockCharacters) return
    this.blocks.push(this.pieces.join(''))
    this.pieces = []
    this.pieceCharacters = 0
  }

  get text(): string {
    return this.blocks.join('') + this.pieces.join('')
  }
}
