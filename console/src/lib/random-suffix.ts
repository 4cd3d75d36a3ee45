/** Makes a proposed name unique: 64 random bits in hex. `crypto.randomUUID` does not exist on pages without TLS. */
export function randomSuffix(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
