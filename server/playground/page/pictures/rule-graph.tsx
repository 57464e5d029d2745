/** The graph around a rule, or of a file or group: parents to the left, children to the right. Where there is no room, and for printers, it is a list. */
import { hierarchy, type HierarchyPointNode, tree } from 'd3-hierarchy'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Locale, RuleGraphNode } from '#engine'
import { levelClass } from './level-class.js'
import { Choice, type Choosing, Level, shorten } from './parts.js'
import { columnsOf, type GraphFocus, type GraphNode, type GraphPart, RuleIndex, type Surroundings, surroundingsOf, treesOf } from './rule-graph-model.js'
import { isSame } from './selection.js'
import { useWidth } from './use-width.js'
import { PICTURE_WORDS, type PictureWords } from './words.js'

export interface RuleGraphProps extends Choosing {
  readonly rules: readonly RuleGraphNode[]
  readonly focus: GraphFocus
  readonly locale: Locale
}

/** Size of a rule, and of the room in which edges have their names. */
const NODE = { width: 152, height: 42, gap: 12 }
const EDGE = 96
const MARGIN = 8
/** For the number of rules that are not drawn. */
const MORE = 32
/** Below this width it is a list. */
const WIDE = 620
const DEFAULT_WIDTH = 960
/** Characters that fit into a rule. */
const DESCRIPTION = 21

export function RuleGraph({ rules, focus, locale, selected, onSelect }: RuleGraphProps) {
  const words = PICTURE_WORDS[locale]
  const index = useMemo(() => new RuleIndex(rules), [rules])
  const [element, width] = useWidth<HTMLDivElement>(DEFAULT_WIDTH)
  const choosing: Choosing = { selected, onSelect }
  return (
    <div ref={element} class="pic pic-graph">
      {focus.kind === 'rule' ? (
        <RuleSurroundings surroundings={fitting(index, focus.id, width)} id={focus.id} isWide={width >= WIDE} words={words} choosing={choosing} />
      ) : (
        <PartGraph index={index} part={focus} words={words} choosing={choosing} />
      )}
    </div>
  )
}

/** With the children of children where they fit. */
function fitting(index: RuleIndex, id: string, width: number): Surroundings | null {
  const deep = surroundingsOf(index, id, 2)
  return deep === null || columnsOf(deep) * (NODE.width + EDGE) <= width + EDGE ? deep : surroundingsOf(index, id, 1)
}

interface SurroundingsProps {
  readonly surroundings: Surroundings | null
  readonly id: string
  readonly isWide: boolean
  readonly words: PictureWords
  readonly choosing: Choosing
}

function RuleSurroundings({ surroundings, id, isWide, words, choosing }: SurroundingsProps) {
  if (surroundings === null) return <p class="pic-quiet">{words.unknownRule(id)}</p>
  const { middle } = surroundings
  return (
    <>
      {middle.overwrites !== null && <p class="pic-quiet">{words.overwrites(`${middle.overwrites.filename}:${middle.overwrites.line}`)}</p>}
      {isWide ? <Drawn surroundings={surroundings} words={words} choosing={choosing} /> : <Listed surroundings={surroundings} words={words} choosing={choosing} />}
    </>
  )
}

interface Placed {
  readonly node: GraphNode
  readonly x: number
  readonly y: number
}

interface Edge {
  /** The end that is farther from the middle. */
  readonly outer: Placed
  readonly inner: Placed
  /** Whether the edge before it has another name. */
  readonly isNamed: boolean
}

/** Lays out a tree. @param direction -1: to the left */
function layOut(root: GraphNode, direction: 1 | -1): { readonly nodes: readonly Placed[]; readonly edges: readonly Edge[] } {
  const laid = tree<GraphNode>()
    .nodeSize([NODE.height + NODE.gap, NODE.width + EDGE])
    .separation((a, b) => (a.parent === b.parent ? 1 : 1.2))(hierarchy(root, ({ children }) => children))
  const placed = new Map<HierarchyPointNode<GraphNode>, Placed>()
  for (const node of laid.descendants()) placed.set(node, { node: node.data, x: node.y * direction, y: node.x })
  const edges = laid.descendants().flatMap((node): Edge[] => {
    if (node.parent === null) return []
    const siblings = node.parent.children ?? []
    const before = siblings[siblings.indexOf(node) - 1]
    return [{ outer: placed.get(node) as Placed, inner: placed.get(node.parent) as Placed, isNamed: before?.data.kind !== node.data.kind }]
  })
  return { nodes: [...placed.values()], edges }
}

function Drawn({ surroundings: { middle, above, below }, words, choosing }: { readonly surroundings: Surroundings; readonly words: PictureWords; readonly choosing: Choosing }) {
  const box = useRef<HTMLDivElement>(null)
  const left = layOut(above, -1)
  const right = layOut(below, 1)
  const nodes = [...left.nodes, ...right.nodes.slice(1)]
  const edges = [...left.edges, ...right.edges]
  const xs = nodes.map(({ x }) => x)
  const ys = nodes.map(({ y }) => y)
  const [x0, y0] = [Math.min(...xs) - MARGIN, Math.min(...ys) - NODE.height / 2 - MARGIN]
  // Where not all fits, the middle is what is seen first.
  useLayoutEffect(() => {
    const { current } = box
    if (current !== null) current.scrollLeft = NODE.width / 2 - x0 - current.clientWidth / 2
  }, [middle, x0])
  const rightMargin = right.nodes.some(({ node }) => node.more > 0) ? MORE : MARGIN
  const [w, h] = [Math.max(...xs) + NODE.width + rightMargin - x0, Math.max(...ys) + NODE.height / 2 + MARGIN * 2 - y0]
  return (
    // biome-ignore lint/a11y/useSemanticElements: it is no part of a form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
    <div ref={box} class="pic-scroll" role="group" aria-label={words.graph(middle.id)} tabIndex={0}>
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: the group has the name, and the rules in it have theirs */}
      <svg class="pic-tree" width={w} height={h} viewBox={`${x0} ${y0} ${w} ${h}`}>
        {edges.map(({ outer, inner, isNamed }) => (
          <EdgePath key={`${outer.x} ${outer.y}`} outer={outer} inner={inner} isNamed={isNamed} words={words} />
        ))}
        {nodes.map(({ node, x, y }) => (
          <RuleBox key={`${x} ${y}`} node={node} x={x} y={y} isMiddle={node.rule === middle} words={words} choosing={choosing} />
        ))}
        {below.more > 0 && (
          <text class="pic-small" x={NODE.width + EDGE} y={Math.max(...right.nodes.map(({ y }) => y)) + NODE.height / 2 + MARGIN}>
            {words.more(below.more)}
          </text>
        )}
        {above.more > 0 && (
          <text class="pic-small" x={-EDGE} y={Math.max(...left.nodes.map(({ y }) => y)) + NODE.height / 2 + MARGIN} text-anchor="end">
            {words.more(above.more)}
          </text>
        )}
      </svg>
    </div>
  )
}

function EdgePath({ outer, inner, isNamed, words }: Edge & { readonly words: PictureWords }) {
  const kind = outer.node.kind ?? 'if_sid'
  const isLeft = outer.x < inner.x
  const from = isLeft ? outer.x + NODE.width : inner.x + NODE.width
  const to = isLeft ? inner.x : outer.x
  const [y1, y2] = isLeft ? [outer.y, inner.y] : [inner.y, outer.y]
  const middle = (from + to) / 2
  return (
    <>
      <path
        class={`pic-edge pic-edge-${kind.startsWith('if_matched_') ? 'counts' : kind === 'category' ? 'weak' : 'plain'}`}
        d={`M${from} ${y1}C${middle} ${y1} ${middle} ${y2} ${to} ${y2}`}
      />
      {isNamed && (
        <text class="pic-edge-name" x={isLeft ? from + 4 : to - 4} y={(isLeft ? y1 : y2) - 5} text-anchor={isLeft ? 'start' : 'end'}>
          {words.linkKinds[kind]}
        </text>
      )}
    </>
  )
}

interface BoxProps extends Placed {
  readonly isMiddle: boolean
  readonly words: PictureWords
  readonly choosing: Choosing
}

function RuleBox(props: BoxProps) {
  const { node, x, y, isMiddle, choosing } = props
  const { rule } = node
  const { selected, onSelect } = choosing
  const at = `translate(${x} ${y - NODE.height / 2})`
  const kind = isMiddle ? 'pic-box pic-box-middle' : 'pic-box'
  if (onSelect === undefined) {
    return (
      <g class={kind} transform={at}>
        <BoxContent {...props} />
      </g>
    )
  }
  const selection = { kind: 'rule', id: rule.id } as const
  return (
    // biome-ignore lint/a11y/useSemanticElements: SVG has no buttons
    <g
      class={`${kind} pic-box-choice`}
      transform={at}
      role="button"
      // Attributes of SVG are case-sensitive.
      tabindex={0}
      aria-pressed={isSame(selected, selection)}
      onClick={() => onSelect(selection)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onSelect(selection)
      }}
    >
      <BoxContent {...props} />
    </g>
  )
}

function BoxContent({ node: { rule, more }, isMiddle, words }: BoxProps) {
  return (
    <>
      <rect width={NODE.width} height={NODE.height} rx="8">
        <title>{`${rule.description} (${rule.filename}:${rule.line})`}</title>
      </rect>
      <text class="pic-box-id" x="10" y="17">
        {rule.id}
      </text>
      <g class={`pic-fill-${levelClass(rule.level)}`} transform={`translate(${NODE.width - 16} 13)`}>
        <circle r="9" />
        <text y="3.5" text-anchor="middle">
          {rule.level}
        </text>
      </g>
      <text class="pic-small" x="10" y="33">
        {rule.counts === null ? shorten(rule.description, DESCRIPTION) : `${rule.counts.events}× / ${words.duration(rule.counts.seconds)}`}
      </text>
      {!isMiddle && more > 0 && <text class="pic-small" x={NODE.width + 6} y={NODE.height / 2 + 4}>{`+${more}`}</text>}
    </>
  )
}

function Listed({ surroundings: { middle, above, below }, words, choosing }: { readonly surroundings: Surroundings; readonly words: PictureWords; readonly choosing: Choosing }) {
  return (
    <>
      <NodeList title={words.parents} nodes={above.children} more={above.more} words={words} choosing={choosing} />
      <ul class="pic-branches pic-branches-middle">
        <Branch node={{ ...below, children: [] }} words={words} choosing={choosing} />
      </ul>
      <NodeList title={words.children} nodes={below.children} more={below.more} words={words} choosing={choosing} />
      <span class="pic-unseen">{middle.description}</span>
    </>
  )
}

interface NodeListProps {
  readonly title: string
  readonly nodes: readonly GraphNode[]
  readonly more: number
  readonly words: PictureWords
  readonly choosing: Choosing
}

function NodeList({ title, nodes, more, words, choosing }: NodeListProps) {
  if (nodes.length === 0) return null
  return (
    <>
      <p class="pic-title">{title}</p>
      <ul class="pic-branches">
        {nodes.map((node) => (
          <Branch key={node.rule.id} node={node} words={words} choosing={choosing} />
        ))}
        {more > 0 && <li class="pic-quiet">{words.more(more)}</li>}
      </ul>
    </>
  )
}

function Branch({ node: { rule, kind, children }, words, choosing }: { readonly node: GraphNode; readonly words: PictureWords; readonly choosing: Choosing }) {
  return (
    <li>
      <p class="pic-line">
        <Choice of={{ kind: 'rule', id: rule.id }} {...choosing}>
          {rule.id}
          <Level level={rule.level} words={words} />
        </Choice>
        {kind !== null && <span class="pic-tag">{words.linkKinds[kind]}</span>}
        <span class="pic-description">{rule.description}</span>
      </p>
      {children.length > 0 && (
        <ul class="pic-branches">
          {children.map((child) => (
            <Branch key={child.rule.id} node={child} words={words} choosing={choosing} />
          ))}
        </ul>
      )}
    </li>
  )
}

/** A list of trees at each width: the rules of a file are below each other in the editor, too. */
function PartGraph({ index, part, words, choosing }: { readonly index: RuleIndex; readonly part: GraphPart; readonly words: PictureWords; readonly choosing: Choosing }) {
  const { trees, more } = useMemo(() => treesOf(index, part), [index, part])
  if (trees.length === 0) return <p class="pic-quiet">{words.withoutRules(part.kind)}</p>
  return (
    <ul class="pic-branches pic-branches-part" aria-label={words.graph(part.kind === 'file' ? part.filename : part.name)}>
      {trees.map((root) => (
        <Branch key={root.rule.id} node={root} words={words} choosing={choosing} />
      ))}
      {more > 0 && <li class="pic-quiet">{words.more(more)}</li>}
    </ul>
  )
}
