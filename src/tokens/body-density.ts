/**
 * Whether reading a JSON body would probably take more than a bounded amount of work, judged from samples of its bytes. A
 * guess, which saves an attempt: its caller must bound the work itself. Must not read the whole body.
 */

const samples = 64
const sampleBytes = 64

/** The quarters of one value that each byte shows: two quotes are a name or a text, and four escapes cost as much. */
const quarters = new Uint8Array(256)
quarters['"'.charCodeAt(0)] = 2
quarters['\\'.charCodeAt(0)] = 1
quarters['{'.charCodeAt(0)] = 4
quarters['['.charCodeAt(0)] = 4

/** `workMax`: values, and a quarter of the escapes, in the whole body. */
export function isDense(bytes: Uint8Array, workMax: number): boolean {
  if (bytes.length < samples * sampleBytes) return false
  const stride = Math.floor(bytes.length / samples)
  let found = 0
  for (let start = 0; start + sampleBytes <= bytes.length; start += stride)
    for (let at = start; at < start + sampleBytes; at += 1) found += quarters[bytes[at]!]!
  return found * (stride / sampleBytes) > 4 * workMax
}
