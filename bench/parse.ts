/**
 * The cost of reading request bodies: milliseconds of CPU time of one thread per megabyte, for bodies that are
 * expensive by design and for an ordinary conversation, in every format and stage by stage.
 * `npm run bench:parse -- [part of a name] [megabytes]`. Other programs do not change the figures.
 */
import { isUtf8 } from 'node:buffer'
import { limitDefaults } from '../src/config/limits-table.ts'
import { readLimits } from '../src/gateway/phases/decode.ts'
import { openai } from '../src/providers/openai.ts'
import { WireError } from '../src/wire/format.ts'
import { clientCodecs, clientFormats, upstreamCodecs } from '../src/wire/formats.ts'
import { translateRequest } from '../src/wire/translation/translate.ts'
import { expensiveBodies, type ParsedFormat, parsedFormats } from '../test/support/expensive-bodies.ts'
import { threadCost } from '../test/support/thread-cost.ts'

const megabyte = 1e6
const bytesPerBody = Number(process.argv[3] ?? 2) * megabyte
const limits = readLimits(limitDefaults)

/** Processor time in milliseconds, and how reading ended. */
function cost(work: () => void): { readonly ms: number; readonly end: string } {
  let end = 'read'
  const ms = threadCost(() => {
    try {
      work()
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      end = error.code
    }
  }, 40)
  return { ms, end }
}

const address = (format: ParsedFormat) => ({
  model: format === 'gemini' ? 'gemini-2.5-flash' : null,
  stream: false,
})

function stages(format: ParsedFormat, bytes: Uint8Array): readonly (readonly [string, () => void])[] {
  const others = parsedFormats.filter((other) => other !== format)
  return [
    ['utf-8', () => isUtf8(bytes)],
    ['facts', () => clientFormats[format].extractRequest(bytes, limits, address(format))],
    ['carriers', () => upstreamCodecs[format].stripCarriers(bytes, limits)],
    ['decode', () => clientCodecs[format].decodeRequest(bytes, limits, address(format))],
    ...others.map(
      (other) =>
        [
          `to ${other}`,
          () =>
            translateRequest(bytes, {
              from: clientCodecs[format],
              to: upstreamCodecs[other],
              toName: other,
              target: { model: 'm', capabilities: openai.capabilities('gpt-4.1') },
              limits,
              address: address(format),
            }),
        ] as const,
    ),
  ]
}

const wanted = process.argv[2] ?? ''
for (const format of parsedFormats) {
  for (const { name, make } of expensiveBodies(format)) {
    if (!`${format} ${name}`.includes(wanted)) continue
    const bytes = Buffer.from(make(bytesPerBody))
    const figures = stages(format, bytes).map(([stage, work]) => {
      const { ms, end } = cost(work)
      return `${stage} ${((ms / bytes.length) * megabyte).toFixed(1)}${end === 'read' ? '' : ` (${end})`}`
    })
    console.log(`${format}, ${name}, ${(bytes.length / megabyte).toFixed(1)} MB: ${figures.join(' | ')}`)
  }
}
