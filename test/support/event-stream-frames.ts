/** Frames of `application/vnd.amazon.eventstream`, written with the checksum of zlib. */
import { crc32 } from 'node:zlib'

/** A frame with text headers. */
export function frame(headers: Readonly<Record<string, string>>, payload: string | Uint8Array): Buffer {
  const encoded = Object.entries(headers).map(([name, value]) => {
    const [nameBytes, valueBytes] = [Buffer.from(name), Buffer.from(value)]
    const length = Buffer.alloc(2)
    length.writeUInt16BE(valueBytes.length)
    return Buffer.concat([Buffer.from([nameBytes.length]), nameBytes, Buffer.from([7]), length, valueBytes])
  })
  return rawFrame(Buffer.concat(encoded), typeof payload === 'string' ? Buffer.from(payload) : payload)
}

/** A frame with headers as they are. */
export function rawFrame(headers: Uint8Array, payload: Uint8Array): Buffer {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0)
  prelude.writeUInt32BE(headers.length, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  const message = Buffer.concat([prelude, headers, payload])
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(message))
  return Buffer.concat([message, checksum])
}

/** An event of Converse's stream. */
export function converseEvent(type: string, payload: object): Buffer {
  return frame(
    { ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify(payload),
  )
}

/** An exception inside Converse's stream. */
export function converseException(type: string, message: string): Buffer {
  return frame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  )
}
