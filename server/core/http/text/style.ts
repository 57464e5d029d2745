/** The style that a page contains, because it may load nothing. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Markup } from './html.js'

export interface PageStyle {
  /** The `style` element. */
  readonly element: Markup
  /** The source in `style-src` that allows this style alone. */
  readonly source: string
}

/** Reads a style sheet that lies beside the module of its page, once. */
export function readStyle(sheet: URL): PageStyle {
  const style = readFileSync(sheet, 'utf8')
  return { element: new Markup(`<style>${style}</style>`), source: `'sha256-${createHash('sha256').update(style).digest('base64')}'` }
}
