/** Bundles the components of the pictures, which browsers get as a bundle too, and loads them here. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type * as CapturesModel from '../../../server/playground/page/pictures/captures-model.js'
import type * as ExcerptModel from '../../../server/playground/page/pictures/excerpt.js'
import type * as JsonModel from '../../../server/playground/page/pictures/json-spans.js'
import type * as RuleGraphModel from '../../../server/playground/page/pictures/rule-graph-model.js'
import type * as RulesetMapModel from '../../../server/playground/page/pictures/ruleset-map-model.js'
import type * as TimeLineModel from '../../../server/playground/page/pictures/time-line-model.js'
import type * as WayModel from '../../../server/playground/page/pictures/way-model.js'
import type { AttackTactic, Inspection, Locale, LogtestReport, NearMiss, RuleGraphNode, StageTimes } from '../../../engine/index.js'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))

type Models = typeof CapturesModel & typeof ExcerptModel & typeof JsonModel & typeof RuleGraphModel & typeof RulesetMapModel & typeof TimeLineModel & typeof WayModel

/** What the pictures draw, and the pictures as HTML without script. */
export interface StaticPictures extends Models {
  way(answer: LogtestReport, rules: ReadonlyMap<string, RuleGraphNode> | null, locale: Locale): string
  whyNot(inspection: Inspection | null, nearMisses: readonly NearMiss[] | null, locale: Locale): string
  capturedFields(answer: LogtestReport, locale: Locale): string
  timeLine(events: readonly TimeLineModel.TimedEvent[], rules: ReadonlyMap<string, RuleGraphNode>, locale: Locale): string
  costs(times: StageTimes, answer: LogtestReport | null, locale: Locale): string
  ruleGraph(rules: readonly RuleGraphNode[], focus: RuleGraphModel.GraphFocus, locale: Locale): string
  rulesetMap(rules: readonly RuleGraphNode[], locale: Locale): string
  attackMatrixOf(tactics: readonly AttackTactic[], rules: readonly RuleGraphNode[], tested: ReadonlySet<string> | null, locale: Locale): string
}

export async function loadPictures(): Promise<StaticPictures> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['test/server/playground/gallery/static.tsx'],
    write: false,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  })
  const folder = mkdtempSync(join(tmpdir(), 'pictures-'))
  try {
    const file = join(folder, 'pictures.mjs')
    writeFileSync(file, outputFiles[0].contents)
    return (await import(pathToFileURL(file).href)) as StaticPictures
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What a reader sees of markup: its text, without signs that only repeat a word for those who do not see it. */
export function textOf(html: string): string {
  return html
    .replace(/<(span|svg)[^>]*aria-hidden="true"[^>]*>.*?<\/\1>/gs, '')
    .replace(/<(?:li|p|dt|dd|h4|summary|div|tr|td|th)\b/g, '\n$&')
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
