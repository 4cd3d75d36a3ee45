/** PDFs with a number of pages, as common programs write them: plain objects, or packed into streams. */
import { deflateSync } from 'node:zlib'

type PdfForm = 'open' | 'packed'

/** Each page has distinct text of about `pageBytes` bytes. */
export function pdfOf(pages: number, form: PdfForm = 'open', pageBytes = 1_500): Buffer {
  const ids = Array.from({ length: pages }, (_, page) => 10 + 2 * page)
  const nodes = [
    `1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n`,
    `2 0 obj\n<< /Type /Pages /Kids [${ids.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages} >>\nendobj\n`,
    ...ids.map(
      (id) =>
        `${id} 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${id + 1} 0 R >>\nendobj\n`,
    ),
  ]
  const contents = ids.map((id) => {
    const text = `BT /F1 12 Tf (Page ${id}) Tj ET ${'x'.repeat(pageBytes)}`
    return Buffer.from(`${id + 1} 0 obj\n<< /Length ${text.length} >>\nstream\n${text}\nendstream\nendobj\n`)
  })
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...(form === 'open' ? nodes.map((node) => Buffer.from(node)) : [packed(nodes)]),
    ...contents,
    Buffer.from('trailer\n<< /Root 1 0 R >>\n%%EOF\n'),
  ])
}

function packed(nodes: readonly string[]): Buffer {
  const objects = nodes.map((node) => node.replace(/^\d+ 0 obj\n|endobj\n$/g, '')).join('\n')
  const data = deflateSync(Buffer.from(objects))
  const head = `5 0 obj\n<< /Type /ObjStm /N ${nodes.length} /First 0 /Filter /FlateDecode /Length ${data.length} >>\nstream\n`
  return Buffer.concat([Buffer.from(head), data, Buffer.from('\nendstream\nendobj\n')])
}
