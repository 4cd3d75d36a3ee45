/** pi, set up as *Connect* says, on all three families: a text turn, and a file read by its own tool. */
import { checks, families, includes, inWorkshop, printedBy, secretWord, versionOf } from './client.js'
import { followed, installedAsShown } from './connect.js'
import { rejectionChecks } from './rejections.js'

const name = '@earendil-works/pi-coding-agent'
const folder = await installedAsShown('pi')

const start = (model, prompt, place, at) =>
  followed('pi', { at, model, place, folder, words: ['-p', prompt] })

const list = {}
for (const model of Object.values(families)) {
  list[`text on ${model}`] = () =>
    inWorkshop(async (place) =>
      includes((await start(model, 'say pomegranate', place)).stdout, 'pomegranate', 'the answer'),
    )
  list[`a tool round trip on ${model}`] = () =>
    inWorkshop(async (place) => {
      const { stdout } = await start(model, `use read ${JSON.stringify({ path: place.file })}`, place)
      includes(stdout, secretWord, 'the answer')
    })
}

Object.assign(
  list,
  rejectionChecks('a text', (at, model) =>
    inWorkshop(async (place) => printedBy(await start(model, 'say pomegranate', place, at))),
  ),
)

await checks(`pi ${versionOf(folder, name)}`, list)
