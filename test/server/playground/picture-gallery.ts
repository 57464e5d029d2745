/**
 * Writes the gallery of the pictures to a folder, and screenshots of it where there is a Chromium: `node dist/test/server/playground/picture-gallery.js FOLDER`.
 * It is for eyes; `pictures.test.ts` asserts what the pictures say.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { Browser, findChromium } from '../../support/chromium.js'
import { attackMatrix } from '../../../engine/index.js'
import { answer, EVENTS, GRAPH, inspection, inspectionAfter, misses, sequence } from './picture-fixtures.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const SIZES = [1440, 900, 390]
const THEMES = ['light', 'dark']

const BURST = [0, 12, 30, 41, 70, 71, 71].map((at) => [at, EVENTS.refused] as const)
/** A ruleset of the size of Wazuh's own. */
const MANY = Array.from({ length: 5 }, (_, copy) =>
  GRAPH.map((rule) => ({ ...rule, id: `${rule.id}${copy}`, filename: `${rule.filename.replace('.xml', '')}-${copy}.xml`, links: [] })),
)
  .flat()
  .slice(0, 4500)

const FIXTURES = {
  tactics: attackMatrix(),
  many: MANY,
  tested: GRAPH.filter((_, index) => index % 3 === 0).map(({ id }) => id),
  sequences: {
    waiting: sequence(BURST.slice(0, 3)),
    fired: sequence([...BURST, [300, EVENTS.opened]]),
    one: sequence(BURST.slice(0, 1)),
  },
  answers: Object.fromEntries(Object.entries(EVENTS).map(([name, event]) => [name, answer(event)])),
  rules: GRAPH,
  inspections: [
    { name: 'near', inspection: null, misses: misses(EVENTS.sshdTypo) },
    { name: 'typo', inspection: inspection(EVENTS.sshdTypo, { kind: 'rule', id: '5710' }), misses: misses(EVENTS.sshdTypo) },
    { name: 'decoder', inspection: inspection(EVENTS.sshdTypo, { kind: 'decoder', name: 'sshd-invalid-user' }), misses: null },
    { name: 'other-decoder', inspection: inspection(EVENTS.sshdTypo, { kind: 'decoder', name: 'harborlock-refused' }), misses: null },
    { name: 'field', inspection: inspection(EVENTS.refused, { kind: 'rule', id: '120004' }), misses: null },
    { name: 'negated', inspection: inspection(EVENTS.refused, { kind: 'rule', id: '120005' }), misses: null },
    { name: 'emoji', inspection: inspection(EVENTS.opened, { kind: 'rule', id: '120006' }), misses: misses(EVENTS.opened) },
    {
      name: 'counting',
      inspection: inspectionAfter(
        [
          [0, EVENTS.refused],
          [10, EVENTS.refused],
        ],
        20,
        EVENTS.refused,
        { kind: 'rule', id: '120003' },
      ),
      misses: null,
    },
    { name: 'met', inspection: inspection(EVENTS.sshd, { kind: 'rule', id: '5710' }), misses: misses(EVENTS.sshd) },
  ],
}
export type Fixtures = typeof FIXTURES

async function writeGallery(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await build({
    absWorkingDir: ROOT,
    entryPoints: { gallery: 'test/server/playground/gallery/gallery.tsx', pictures: 'server/playground/page/pictures/pictures.css' },
    outdir: folder,
    bundle: true,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  })
  for (const locale of ['en-US', 'pt-BR']) writeFileSync(join(folder, `${locale}.html`), page(locale))
}

function page(locale: string): string {
  const data = JSON.stringify(FIXTURES).replaceAll('<', '\\u003c')
  return `<!doctype html><html lang="${locale}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Pictures</title><link rel="stylesheet" href="pictures.css">
<style>body { margin: 0; background: var(--pic-paper); font-family: system-ui, sans-serif } .shot { max-width: 60rem; padding: 1rem } h2 { font: 600 .8rem system-ui; color: var(--pic-quiet) }
.shot > .pic + .pic { margin-top: 1.5rem }</style>
<body><script>globalThis.locale = '${locale}'; globalThis.fixtures = ${data}</script><script src="gallery.js"></script></body></html>`
}

async function shoot(folder: string): Promise<void> {
  const browser = await Browser.start()
  try {
    for (const width of SIZES) {
      const tab = await browser.open({ width, height: 900, hasScripts: true })
      await tab.goto(pathToFileURL(join(folder, `${width === 900 ? 'pt-BR' : 'en-US'}.html`)).href)
      for (const theme of THEMES) {
        await tab.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
        for (const name of await tab.evaluate<string[]>(`[...document.querySelectorAll('.shot')].map(({ id }) => id)`)) {
          writeFileSync(join(folder, `${name}-${width}-${theme}.png`), await tab.screenshot(`#${name}`))
        }
      }
      for (const complaint of tab.complaints) console.error(complaint)
    }
  } finally {
    await browser.close()
  }
}

const [folder] = process.argv.slice(2)
if (folder === undefined) {
  console.error('usage: picture-gallery.js FOLDER')
  process.exitCode = 2
} else {
  await writeGallery(folder)
  if (findChromium() !== null) await shoot(folder)
}
