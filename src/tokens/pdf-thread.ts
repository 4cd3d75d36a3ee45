/** The thread that counts the pages of PDFs, one after another. Holds no limit of its own but those it was started with. */
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../base/assert.ts'
import { type PdfLimits, pdfPages } from './pdf-pages.ts'

/** To the thread: a PDF as its base64 text. */
export type PdfMessage = readonly [id: number, base64: Uint8Array]
/** From the thread; undefined where the file does not tell. */
export type PdfReply = readonly [id: number, pages: number | undefined]

const port = parentPort
assert(port !== null, 'PDFs are read in a worker thread')

port.on('message', ([id, base64]: PdfMessage) => {
  const text = Buffer.from(base64.buffer, base64.byteOffset, base64.length).toString('latin1')
  port.postMessage([id, pdfPages(Buffer.from(text, 'base64'), workerData as PdfLimits)] satisfies PdfReply)
})
