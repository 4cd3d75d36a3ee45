/**
 * How the console is built and tried. Where operations are on HTTP is written into the bundle as a table, so that the
 * schemas they are described with stay out of it.
 */
import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { operations } from '../contract/operations.ts'

const moduleName = 'virtual:operations'

/** The module `virtual:operations`: name → method, path, what it produces. */
function operationTable(): Plugin {
  return {
    name: 'tollgate-operations',
    resolveId: (id) => (id === moduleName ? `\0${moduleName}` : undefined),
    load(id) {
      if (id !== `\0${moduleName}`) return undefined
      const rows = Object.entries(operations).flatMap(([name, { http, produces }]) =>
        http === null ? [] : [[name, [...http, produces]]],
      )
      return `export const operations = ${JSON.stringify(Object.fromEntries(rows))}`
    },
  }
}

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
/** The server that a console under development talks to. */
const server = process.env.TOLLGATE_SERVER ?? 'http://localhost:8080'

export default defineConfig({
  root: path('.'),
  base: '/console/',
  cacheDir: path('../node_modules/.cache/vite'),
  plugins: [react(), tailwind(), operationTable()],
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
