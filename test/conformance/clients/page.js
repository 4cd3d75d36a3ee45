/** The code for libraries on the page docs/clients.md, unchanged: what it sets up responds in each of its ways. */
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { checks, families, includes, installed, inWorkshop, key, origin, run, write } from './client.js'

const page = readFileSync(new URL('../../../docs/clients.md', import.meta.url), 'utf8')

/** The first code below a heading, for this gateway and model. */
function codeBelow(heading, model) {
  const [, code] = /```ts\n(.*?)```/s.exec(page.split(`\n## ${heading}\n`)[1] ?? '') ?? []
  if (code === undefined) throw new Error(`no code below ${heading}`)
  return code.replaceAll('http://127.0.0.1:8080', origin).replaceAll('NAME', model)
}

/** Expressions that ask the objects that the code makes, by the names that it gives them. */
const sections = {
  'Official libraries': {
    packages: ['openai', '@anthropic-ai/sdk', '@google/genai'],
    asked: {
      openai: (model, say) =>
        `(await openai.chat.completions.create({ model: '${model}', messages: [{ role: 'user', content: '${say}' }] })).choices[0].message.content`,
      anthropic: (model, say) =>
        `(await anthropic.messages.create({ model: '${model}', max_tokens: 2000, messages: [{ role: 'user', content: '${say}' }] })).content.map(({ text }) => text).join('')`,
      google: (model, say) =>
        `(await google.models.generateContent({ model: '${model}', contents: '${say}' })).text`,
    },
  },
  'Vercel AI SDK': {
    packages: [
      'ai',
      '@ai-sdk/openai',
      '@ai-sdk/openai-compatible',
      '@ai-sdk/anthropic',
      '@ai-sdk/google',
      'zod',
    ],
    begins: "import { generateText } from 'ai'\n",
    asked: Object.fromEntries(
      ['openai', 'compatible', 'anthropic', 'google'].map((name) => [
        name,
        (model, say) => `(await generateText({ model: ${name}('${model}'), prompt: '${say}' })).text`,
      ]),
    ),
  },
  LangChain: {
    packages: ['@langchain/openai', '@langchain/anthropic', '@langchain/core'],
    asked: {
      openai: (_model, say) => `(await openai.invoke('${say}')).text`,
      anthropic: (_model, say) => `(await anthropic.invoke('${say}')).text`,
    },
  },
}

const list = {}
for (const [heading, { packages, begins = '', asked }] of Object.entries(sections)) {
  for (const [name, asks] of Object.entries(asked)) {
    for (const model of Object.values(families)) {
      list[`${heading}: ${name} on ${model}`] = () =>
        inWorkshop(async ({ home, folder: cwd }) => {
          const folder = await installed(`page-${heading.toLowerCase().replaceAll(' ', '-')}`, packages)
          symlinkSync(join(folder, 'node_modules'), join(cwd, 'node_modules'))
          const text = `${begins}${codeBelow(heading, model)}\nconsole.log(${asks(model, 'say quince')})\n`
          write(join(cwd, 'ask.mjs'), text)
          const { stdout } = await run('node', ['ask.mjs'], { cwd, env: { HOME: home, TOLLGATE_KEY: key } })
          includes(stdout, 'quince', 'the answer')
        })
    }
  }
}
await checks('docs/clients.md', list)
