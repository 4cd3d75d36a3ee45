/**
 * How the console and the script of the documentation are built and tried. Where operations are on HTTP is written into the bundle as a table, so that the
 * schemas they are described with stay out of it.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { errors } from '../contract/errors.ts'
import { operations } from '../contract/operations.ts'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))

/** A module of data that is made when the console is built. */
function dataModule(moduleName: string, exported: string, data: () => unknown): Plugin {
  return {
    name: moduleName,
    resolveId: (id) => (id === moduleName ? `\0${moduleName}` : undefined),
    load: (id) =>
      id === `\0${moduleName}` ? `export const ${exported} = ${JSON.stringify(data())}` : undefined,
  }
}

/** Name → method, path, what it produces. */
const operationTable = () =>
  Object.fromEntries(
    Object.entries(operations).flatMap(([name, { http, produces }]) =>
      http === null ? [] : [[name, [...http, produces]]],
    ),
  )

/** The code and the title of each error. */
const errorCodes = () => Object.entries(errors).map(([code, { title }]) => [code, title])

/**
 * The module `virtual:system-theme.css`: the dark colors where the system asks for them and no script has set a theme.
 */
function systemTheme(): Plugin {
  const name = 'virtual:system-theme.css'
  return {
    name: 'tollgate-system-theme',
    enforce: 'pre',
    resolveId: (id) => (id === name ? path('docs/client/system-theme.css') : undefined),
    load(id) {
      if (!id.endsWith('docs/client/system-theme.css')) return undefined
      const [, colors] =
        /:root\[data-theme="dark"\] \{([^}]*)\}/.exec(readFileSync(path('src/theme.css'), 'utf8')) ?? []
      if (colors === undefined) throw new Error('src/theme.css has no dark colors')
      return `@media screen and (prefers-color-scheme: dark) { :root:not([data-theme]) {${colors}} }`
    },
  }
}

/** The server that a console under development talks to. */
const server = process.env.TOLLGATE_SERVER ?? 'http://localhost:8080'

export default defineConfig({
  root: path('.'),
  base: '/console/',
  cacheDir: path('../node_modules/.cache/vite'),
  plugins: [
    react(),
    tailwind(),
    dataModule('virtual:operations', 'operations', operationTable),
    dataModule('virtual:error-codes', 'errorCodes', errorCodes),
    systemTheme(),
  ],
  resolve: {
    alias: {
      '@': path('src'),
      // What it does by injecting a style sheet, which the policy of the pages forbids, a class does here.
      'react-remove-scroll': path('src/lib/remove-scroll.tsx'),
    },
  },
  build: {
    outDir: path('dist'),
    emptyOutDir: true,
    target: 'es2023',
    // Fonts and images come from our own origin as files, never as data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    reportCompressedSize: false,
    rolldownOptions: {
      input: [path('index.html'), path('docs/client/main.ts')],
      output: {
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/, priority: 2 },
            { name: 'chart', test: /node_modules[\\/]uplot[\\/]/, priority: 2 },
            // What many pages share comes in few files: a browser asks for six at a time.
            {
              name: 'parts',
              test: /console[\\/]src[\\/](components|lib|layout)[\\/]/,
              minShareCount: 4,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: Object.fromEntries(['/api', '/v1', '/v1beta', '/docs'].map((from) => [from, { target: server }])),
  },
})
