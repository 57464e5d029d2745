/** Which part of a rule or decoder failed: its conditions in order, and for the one that failed the text and the character where it stopped. */
import type { InspectedCondition, InspectedItem, Inspection, Locale, NearMiss } from '#engine'
import { type Excerpt, characterNumber, excerptAround } from './excerpt.js'
import { Choice, type Choosing, Level, Mark, Place, shorten, Tag } from './parts.js'
import type { Selection } from './selection.js'
import { PICTURE_WORDS, type PictureWords } from './words.js'

export interface WhyNotProps extends Choosing {
  /** The rule or decoder that is explained; null: only the near misses are shown. */
  readonly inspection: Inspection | null
  /** What came nearest without matching; null: unknown. */
  readonly nearMisses?: readonly NearMiss[] | null
  readonly locale: Locale
}

/** Characters of a pattern whose condition holds or was not reached. */
const PATTERN_SHOWN = 96
const VALUE_SHOWN = 80
const EXPECTED_SHOWN = 40
/** A pattern up to this length is shown whole where it stopped. */
const WHOLE_PATTERN = 96
const PATTERN_BEFORE = 48

export function WhyNot({ inspection, nearMisses = null, locale, ...choosing }: WhyNotProps) {
  const words = PICTURE_WORDS[locale]
  return (
    <div class="pic pic-why">
      {nearMisses !== null && <NearMisses misses={nearMisses} words={words} choosing={choosing} />}
      {inspection !== null && <Inspected inspection={inspection} words={words} choosing={choosing} />}
    </div>
  )
}

function NearMisses({ misses, words, choosing }: { readonly misses: readonly NearMiss[]; readonly words: PictureWords; readonly choosing: Choosing }) {
  return (
    <div class="pic-near">
      <p class="pic-title">{words.nearest}</p>
      {misses.length === 0 ? (
        <p class="pic-quiet">{words.nearestNone}</p>
      ) : (
        <ul class="pic-rows">
          {misses.map((miss) => (
            <li key={`${miss.kind} ${miss.name} ${miss.filename}:${miss.line}`}>
              <Meter met={miss.met} of={miss.of} />
              <Choice of={targetOf(miss)} {...choosing}>
                {miss.name}
                {miss.level !== null && <Level level={miss.level} words={words} />}
              </Choice>
              <span class="pic-because">
                {[
                  ...(miss.met > 0 || miss.of === 1 ? [words.conditionsHold(miss.met, miss.of)] : []),
                  ...(miss.matched_part === '' ? [] : [words.matchesUpTo(shorten(miss.matched_part, VALUE_SHOWN))]),
                ].join(', ')}
              </span>
              <span class="pic-description">{miss.description}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function targetOf({ kind, name, filename, line }: NearMiss): Selection {
  return kind === 'rule' ? { kind, id: name } : { kind, name, filename, line }
}

/** A dot for each condition, filled where it holds. */
function Meter({ met, of }: { readonly met: number; readonly of: number }) {
  return (
    <span class="pic-meter" aria-hidden="true">
      {Array.from({ length: Math.min(of, 6) }, (_, index) => (
        <span key={index} class={index < met ? 'pic-dot pic-dot-met' : 'pic-dot'} />
      ))}
    </span>
  )
}

function Inspected({ inspection, words, choosing }: { readonly inspection: Inspection; readonly words: PictureWords; readonly choosing: Choosing }) {
  const { kind, name, path, taken_by: taker } = inspection
  const last = path.at(-1)
  if (last === undefined)
    return (
      <p class="pic-verdict">
        {kind === 'rule' ? words.rule : words.decoder} {name}: {words.notLoaded}
      </p>
    )
  const failing = path.find(({ state }) => state === 'failed')
  // In a family of decoders the first one may fail, and then the last one is not reached.
  const state = failing?.name === name ? 'failed' : last.state
  return (
    <div>
      <p class="pic-verdict">
        <Mark kind={state} word={words.itemStates[state]} /> <strong>{words.verdict(kind, name, state)}.</strong>
        {failing !== undefined && failing.name !== name && ` ${words.failsAt(failing.name)}`}
        {taker !== null && ` ${words.takenBy(kind, taker)}`}
      </p>
      <ol class="pic-path">
        {path.map((item) => (
          <Item key={`${item.name} ${item.filename}:${item.line}`} item={item} kind={kind} words={words} choosing={choosing} />
        ))}
      </ol>
    </div>
  )
}

interface ItemProps {
  readonly item: InspectedItem
  readonly kind: Inspection['kind']
  readonly words: PictureWords
  readonly choosing: Choosing
}

function Item({ item, kind, words, choosing }: ItemProps) {
  const { name, filename, line, level, state, conditions } = item
  const target: Selection = kind === 'rule' ? { kind, id: name } : { kind, name, filename, line }
  return (
    <li class={`pic-item pic-item-${state}`}>
      <p class="pic-line">
        <Mark kind={state} word={words.itemStates[state]} />
        <Choice of={target} {...choosing}>
          {name}
          {level !== null && <Level level={level} words={words} />}
        </Choice>
        <Place kind={kind === 'rule' ? 'rules' : 'decoders'} name={name} filename={filename} line={line} words={words} {...choosing} />
      </p>
      {conditions.length === 0 ? (
        <p class="pic-quiet">{words.noConditions}</p>
      ) : (
        <ul class="pic-conditions">
          {conditions.map((condition, index) => (
            <Condition key={`${condition.tag} ${index}`} condition={condition} words={words} />
          ))}
        </ul>
      )}
    </li>
  )
}

function Condition({ condition, words }: { readonly condition: InspectedCondition; readonly words: PictureWords }) {
  const { tag, field, negate, pattern, state, holds } = condition
  // Where it stopped, the pattern is shown in two parts.
  const isSplit = state === 'failed' && condition.stopped_at !== null
  return (
    <li class={`pic-condition pic-condition-${state}`}>
      <p class="pic-line">
        <Mark kind={state} word={words.states[state]} />
        <Tag tag={tag} field={field} negate={negate} words={words} />
        {!isSplit && pattern !== '' && <code>{shorten(pattern, PATTERN_SHOWN)}</code>}
        <span class="pic-quiet">
          {words.states[state]}
          {state === 'skipped' && holds !== null && `, ${holds ? words.wouldHold : words.wouldFail}`}
        </span>
      </p>
      {state === 'met' && <Met condition={condition} />}
      {state === 'failed' && <Failed condition={condition} words={words} />}
    </li>
  )
}

/** The text of a condition that holds, with the part that matched. */
function Met({ condition: { text, match } }: { readonly condition: InspectedCondition }) {
  if (text === null || match === null) return null
  const { isCutBefore, isCutAfter, before, at, after } = excerptAround(text, match.from, 24, Math.max(48, match.to - match.from))
  const inside = text.slice(match.from, match.to)
  const rest = (at + after).slice(inside.length)
  return (
    <p class="pic-text">
      {isCutBefore && '…'}
      {before}
      <mark class="pic-matched">{inside}</mark>
      {rest}
      {isCutAfter && '…'}
    </p>
  )
}

function Failed({ condition, words }: { readonly condition: InspectedCondition; readonly words: PictureWords }) {
  const { tag, field, pattern, negate, text, stopped_at: stop, match, events, is_absent: isAbsent } = condition
  if (events !== null) return <Missing events={events} words={words} />
  if (tag === 'if_fts') return <p class="pic-reason">{words.known}</p>
  if (tag === 'check_diff') return <p class="pic-reason">{words.unchanged}</p>
  if (tag === 'program_name' && pattern === '' && text !== null) return <p class="pic-reason">{words.noProgramDecoder(shorten(text, VALUE_SHOWN))}</p>
  if (isAbsent) return <p class="pic-reason">{words.absentField(field ?? tag)}</p>
  if (text === null) return null
  if (tag === 'list') return <p class="pic-reason">{words.notInList(shorten(text, VALUE_SHOWN))}</p>
  if (tag === 'decoded_as' || tag === 'category') return <p class="pic-reason">{words.isOther(shorten(text, VALUE_SHOWN))}</p>
  if (negate) {
    return (
      <>
        {match === null ? <p class="pic-text">{shorten(text, PATTERN_SHOWN)}</p> : <Met condition={condition} />}
        <p class="pic-reason">{words.matchesThough}</p>
      </>
    )
  }
  if (stop === null) {
    return (
      <>
        <p class="pic-text">{shorten(text, PATTERN_SHOWN)}</p>
        <p class="pic-reason">{words.noPart}</p>
      </>
    )
  }
  return <Stopped condition={condition} text={text} stop={stop} words={words} />
}

interface StoppedProps {
  readonly condition: InspectedCondition
  readonly text: string
  readonly stop: NonNullable<InspectedCondition['stopped_at']>
  readonly words: PictureWords
}

/** Pattern and text, both with the place where matching stopped. */
function Stopped({ condition: { pattern, text_offset: offset }, text, stop, words }: StoppedProps) {
  const { text_offset: at, pattern_offset: patternAt, expected, matched_part: matched } = stop
  const excerpt = excerptAround(text, at)
  return (
    <div class="pic-stop">
      <dl>
        <div>
          <dt>{words.pattern}</dt>
          <dd class="pic-text">
            <SplitPattern pattern={pattern} at={patternAt} />
          </dd>
        </div>
        <div>
          <dt>{words.text}</dt>
          <dd class="pic-text">
            {(offset > 0 || excerpt.isCutBefore) && '…'}
            <MatchedBefore excerpt={excerpt} matched={matched} />
            <span class="pic-caret">{excerpt.at === '' ? ' ' : excerpt.at}</span>
            {excerpt.after}
            {excerpt.isCutAfter && '…'}
          </dd>
        </div>
      </dl>
      <p class="pic-reason">
        {words.stop(characterNumber(text, at))}: {words.expected}{' '}
        <code class="pic-expected">{expected === '$' || expected === '' ? words.nothingMore : withVisibleEnds(shorten(expected, EXPECTED_SHOWN))}</code>, {words.found}{' '}
        <code class="pic-found-text">{excerpt.at === '' ? words.endOfText : withVisibleEnds(excerpt.at)}</code>.
      </p>
    </div>
  )
}

/** Blanks at the ends would not be seen. */
function withVisibleEnds(text: string): string {
  return text.replace(/^ +| +$/g, (blanks) => '␣'.repeat(blanks.length))
}

/** The part of the excerpt that matched ends where the caret is. */
function MatchedBefore({ excerpt: { before }, matched }: { readonly excerpt: Excerpt; readonly matched: string }) {
  const from = Math.max(0, before.length - matched.length)
  return (
    <>
      {before.slice(0, from)}
      <mark class="pic-matched">{before.slice(from)}</mark>
    </>
  )
}

function SplitPattern({ pattern, at }: { readonly pattern: string; readonly at: number }) {
  const from = pattern.length <= WHOLE_PATTERN ? 0 : alternativeStart(pattern, at)
  const end = pattern.length <= WHOLE_PATTERN ? pattern.length : Math.min(pattern.length, at + EXPECTED_SHOWN)
  return (
    <>
      {from > 0 && '…'}
      <mark class="pic-matched">{pattern.slice(from, at)}</mark>
      <span class="pic-unmatched">{pattern.slice(at, end)}</span>
      {end < pattern.length && '…'}
    </>
  )
}

/** The alternative of a long pattern that came furthest, if it begins near. */
function alternativeStart(pattern: string, at: number): number {
  const bar = pattern.lastIndexOf('|', at - 1)
  return Math.max(0, at - PATTERN_BEFORE, bar + 1)
}

/** How many of the needed events there were, as a row of boxes. */
function Missing({ events: { counted, needed, timeframe }, words }: { readonly events: NonNullable<InspectedCondition['events']>; readonly words: PictureWords }) {
  const shown = Math.min(needed, 24)
  const filled = needed === 0 ? 0 : Math.round(((counted ?? 0) / needed) * shown)
  return (
    <p class="pic-reason pic-missing">
      <span class="pic-meter" aria-hidden="true">
        {Array.from({ length: shown }, (_, index) => (
          <span key={index} class={index < filled ? 'pic-dot pic-dot-met' : 'pic-dot'} />
        ))}
      </span>
      {words.missingEvents(counted, needed, words.duration(timeframe))}
    </p>
  )
}
