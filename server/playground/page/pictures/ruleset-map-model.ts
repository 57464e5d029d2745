/** A map of all rules: a tile for each file, with a square for each rule. */
import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'
import type { RuleGraphNode } from '#engine'
import { LEVEL_CLASSES, type LevelClass, levelClass } from './level-class.js'

export interface Tile {
  readonly filename: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Where the squares begin, below the name if there is one. */
  readonly top: number
  readonly side: number
  readonly columns: number
  /** The highest level first. */
  readonly rules: readonly RuleGraphNode[]
}

export interface RulesetMapModel {
  readonly tiles: readonly Tile[]
  readonly height: number
  /** All squares of a class as one path, so that thousands of rules are five elements. */
  readonly paths: Readonly<Record<LevelClass, string>>
}

/** Square pixels of a rule; within them the map is as high as this part of its width. */
const AREA = { least: 150, most: 500 }
const RATIO = 0.4
const NAME = 15
const GAP = 3
/** A tile without this room has no name. */
const NAMED = { width: 64, height: 34 }
const SIDE = { least: 2, most: 24 }
const HEIGHT = { least: 160, most: 1200 }

export function rulesetMapOf(rules: readonly RuleGraphNode[], width: number): RulesetMapModel {
  const files = new Map<string, RuleGraphNode[]>()
  for (const rule of rules) {
    const known = files.get(rule.filename)
    if (known === undefined) files.set(rule.filename, [rule])
    else known.push(rule)
  }
  const area = Math.min(AREA.most, Math.max(AREA.least, (width * width * RATIO) / Math.max(1, rules.length)))
  const height = Math.min(HEIGHT.most, Math.max(HEIGHT.least, Math.round((rules.length * area) / width)))
  interface Entry {
    readonly filename: string
    readonly rules: readonly RuleGraphNode[]
    readonly entries: readonly Entry[]
  }
  const entries = Array.from(files, ([filename, own]): Entry => ({ filename, rules: own.sort((a, b) => b.level - a.level || Number(a.id) - Number(b.id)), entries: [] }))
  const root = hierarchy<Entry>({ filename: '', rules: [], entries }, (entry) => entry.entries)
    .sum((entry) => entry.rules.length + (entry.rules.length === 0 ? 0 : 4))
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0))
  const laid = treemap<Entry>().tile(treemapSquarify.ratio(1.3)).size([width, height]).paddingInner(GAP).round(true)(root)
  const tiles = (laid.children ?? []).map(({ data, x0, y0, x1, y1 }) => tileOf(data.filename, data.rules, x0, y0, x1 - x0, y1 - y0))
  return { tiles, height, paths: pathsOf(tiles) }
}

function tileOf(filename: string, rules: readonly RuleGraphNode[], x: number, y: number, width: number, height: number): Tile {
  const isNamed = width >= NAMED.width && height >= NAMED.height
  const top = y + (isNamed ? NAME : 0) + 2
  const inside = { width: width - 4, height: height - (isNamed ? NAME : 0) - 4 }
  let side: number = SIDE.most
  while (side > SIDE.least && Math.floor(inside.width / side) * Math.floor(inside.height / side) < rules.length) side -= 0.5
  return { filename, x, y, width, height, top, side, columns: Math.max(1, Math.floor(inside.width / side)), rules }
}

function pathsOf(tiles: readonly Tile[]): Readonly<Record<LevelClass, string>> {
  const paths = Object.fromEntries(LEVEL_CLASSES.map((name) => [name, ''])) as Record<LevelClass, string>
  for (const tile of tiles) {
    const side = Math.max(1, tile.side - 1)
    for (const [index, { level }] of tile.rules.entries()) {
      const { x, y } = squareOf(tile, index)
      paths[levelClass(level)] += `M${x} ${y}h${side}v${side}h-${side}z`
    }
  }
  return paths
}

export function squareOf({ x, top, side, columns }: Tile, index: number): { readonly x: number; readonly y: number } {
  return { x: x + 2 + (index % columns) * side, y: top + Math.floor(index / columns) * side }
}

/** The rule at a point; null: none. */
export function ruleAt(tiles: readonly Tile[], x: number, y: number): { readonly tile: Tile; readonly index: number } | null {
  const tile = tiles.find((one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height)
  if (tile === undefined) return null
  const column = Math.floor((x - tile.x - 2) / tile.side)
  const row = Math.floor((y - tile.top) / tile.side)
  const index = row * tile.columns + column
  return column < 0 || column >= tile.columns || row < 0 || index >= tile.rules.length ? null : { tile, index }
}
