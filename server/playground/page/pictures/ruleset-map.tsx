/** All rules at once: a tile for each file, a square for each rule in the colour of its level. */
import { useId, useMemo, useState } from 'preact/hooks'
import type { Locale, RuleGraphNode } from '#engine'
import { LEVEL_CLASSES } from './level-class.js'
import { type Choosing, Level, Place } from './parts.js'
import { type RulesetMapModel, ruleAt, rulesetMapOf, squareOf, type Tile } from './ruleset-map-model.js'
import { useWidth } from './use-width.js'
import { PICTURE_WORDS, type PictureWords } from './words.js'

export interface RulesetMapProps extends Choosing {
  readonly rules: readonly RuleGraphNode[]
  readonly locale: Locale
}

const DEFAULT_WIDTH = 960
/** Pixels of a letter of a tile's name. */
const LETTER = 6.4

interface Cursor {
  readonly tile: Tile
  readonly index: number
}

export function RulesetMap({ rules, locale, selected, onSelect }: RulesetMapProps) {
  const words = PICTURE_WORDS[locale]
  const described = useId()
  const [element, width] = useWidth<HTMLDivElement>(DEFAULT_WIDTH)
  const map = useMemo(() => rulesetMapOf(rules, width), [rules, width])
  const [pointed, point] = useState<Cursor | null>(null)
  const chosen = selected?.kind === 'rule' ? cursorOf(map, selected.id) : null
  const cursor = pointed ?? chosen
  // The page says more about the chosen rule elsewhere.
  const rule = pointed === null ? undefined : pointed.tile.rules[pointed.index]
  const placeOf = ({ clientX, clientY, currentTarget }: MouseEvent): Cursor | null => {
    const { left, top } = (currentTarget as Element).getBoundingClientRect()
    return ruleAt(map.tiles, clientX - left, clientY - top)
  }
  const choose = (at: Cursor | null): void => {
    if (at !== null) onSelect?.({ kind: 'rule', id: at.tile.rules[at.index].id })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = moved(map, cursor, event.key)
    if (next !== null) point(next)
    else if (event.key === 'Enter' || event.key === ' ') choose(cursor)
    else return
    event.preventDefault()
  }
  return (
    <div class="pic pic-map">
      <p class="pic-line">
        <strong>{words.mapOf(rules.length, map.tiles.length)}</strong>
        <Legend words={words} />
      </p>
      <div
        ref={element}
        class="pic-map-area"
        role="application"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move through the rules
        tabIndex={0}
        aria-label={words.map}
        aria-describedby={described}
        onMouseMove={(event) => point(placeOf(event))}
        onMouseLeave={() => point(null)}
        onClick={(event) => choose(placeOf(event))}
        onKeyDown={onKeyDown}
      >
        <Squares map={map} width={width} />
        {cursor !== null && (
          <svg class="pic-map-cursor" width={width} height={map.height} aria-hidden="true" focusable="false">
            <CursorMark cursor={cursor} />
          </svg>
        )}
      </div>
      <p id={described} class="pic-line pic-map-rule" aria-live="polite">
        {rule !== undefined && (
          <>
            <span class="pic-name">
              {rule.id}
              <Level level={rule.level} words={words} />
            </span>
            <span class="pic-description">{rule.description}</span>
            <Place kind="rules" name={rule.id} filename={rule.filename} line={rule.line} words={words} />
          </>
        )}
      </p>
    </div>
  )
}

/** Not drawn again when only the cursor moves. */
function Squares({ map, width }: { readonly map: RulesetMapModel; readonly width: number }) {
  return useMemo(
    () => (
      <svg width={width} height={map.height} aria-hidden="true" focusable="false">
        {map.tiles.map((tile) => (
          <g key={tile.filename}>
            <rect class="pic-tile" x={tile.x} y={tile.y} width={tile.width} height={tile.height} rx="3" />
            {tile.top > tile.y + 2 && (
              <text class="pic-small" x={tile.x + 4} y={tile.y + 12}>
                {named(tile)}
              </text>
            )}
          </g>
        ))}
        {LEVEL_CLASSES.map((name) => (
          <path key={name} class={`pic-fill-${name} pic-squares`} d={map.paths[name]} />
        ))}
      </svg>
    ),
    [map, width],
  )
}

/** The name as far as it fits, without what all have. */
function named({ filename, width }: Tile): string {
  const name = filename.replace(/\.xml$/, '').replace(/^\d{4}-/, '')
  const fits = Math.floor((width - 8) / LETTER)
  return name.length <= fits ? name : `${name.slice(0, Math.max(1, fits - 1))}…`
}

function CursorMark({ cursor: { tile, index } }: { readonly cursor: Cursor }) {
  const { x, y } = squareOf(tile, index)
  return (
    <>
      <rect class="pic-tile-lit" x={tile.x} y={tile.y} width={tile.width} height={tile.height} rx="3" />
      <rect class="pic-square-lit" x={x - 1.5} y={y - 1.5} width={tile.side + 2} height={tile.side + 2} rx="2" />
    </>
  )
}

function Legend({ words }: { readonly words: PictureWords }) {
  return (
    <span class="pic-legend">
      {LEVEL_CLASSES.map((name) => (
        <span key={name}>
          <svg class="pic-key" width="10" height="10" aria-hidden="true" focusable="false">
            <rect class={`pic-fill-${name} pic-squares`} width="10" height="10" rx="2" />
          </svg>{' '}
          {words.levels[name]}
        </span>
      ))}
    </span>
  )
}

function cursorOf({ tiles }: RulesetMapModel, id: string): Cursor | null {
  for (const tile of tiles) {
    const index = tile.rules.findIndex((rule) => rule.id === id)
    if (index >= 0) return { tile, index }
  }
  return null
}

/** The rule that a key moves to; null: the key moves nothing. */
function moved({ tiles }: RulesetMapModel, cursor: Cursor | null, key: string): Cursor | null {
  if (!key.startsWith('Arrow') || tiles.length === 0) return null
  if (cursor === null) return { tile: tiles[0], index: 0 }
  const { tile, index } = cursor
  const step = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : key === 'ArrowUp' ? -tile.columns : tile.columns
  const next = index + step
  if (next >= 0 && next < tile.rules.length) return { tile, index: next }
  // Past an end of a file the next one follows.
  const other = tiles[(tiles.findIndex(({ filename }) => filename === tile.filename) + Math.sign(step) + tiles.length) % tiles.length]
  return { tile: other, index: step > 0 ? 0 : other.rules.length - 1 }
}
