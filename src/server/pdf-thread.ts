/** The entry of the thread that counts the pages of PDFs, one after another. */
import { serveThread, threadStart } from '../threads/serve-thread.ts'
import { type PdfLimits, pdfPagesOfBase64 } from '../tokens/pdf-pages.ts'

const limits = threadStart.setup as PdfLimits
serveThread({ handlers: { pages: (base64: Uint8Array) => pdfPagesOfBase64(base64, limits) } })
