/** The way of an event through header, decoders and rules: the branch that was taken, and beside it what was tried before. */
import type { Locale, LogtestReport, RuleGraphNode } from '#engine'
import { Choice, type Choosing, Level, Mark, Place, shorten, Tag } from './parts.js'
import type { Selection } from './selection.js'
import { type RuleLevel, type Step, type TakenRule, type Way as WayModel, wayOf } from './way-model.js'
import { PICTURE_WORDS, type PictureWords } from './words.js'

export interface WayProps extends Choosing {
  /** An answer with its trace. */
  readonly answer: LogtestReport
  readonly locale: Locale
  /** The rules by id: without them only rules that matched have a level and a description. */
  readonly rules?: ReadonlyMap<string, RuleGraphNode> | null
}

/** Characters of a pattern or a text in a row. */
const ROW_TEXT = 90
/** Rows that are shown at once; a browser lays out thousands of them slowly. */
const ROWS = 200
/** Ticks of the strip of a level. */
const TICKS = 160

interface Scene extends Choosing {
  readonly words: PictureWords
  readonly rules: ReadonlyMap<string, RuleGraphNode> | null
}

export function Way({ answer, locale, rules = null, ...choosing }: WayProps) {
  const words = PICTURE_WORDS[locale]
  const way = wayOf(answer, rules)
  const scene: Scene = { words, rules, ...choosing }
  return (
    <ol class="pic pic-way" aria-label={words.way}>
      <HeaderStage way={way} words={words} />
      <DecoderStage way={way} scene={scene} />
      {way.rules.map((level) => (
        <RuleStage key={level.taken?.step.name ?? 'rest'} level={level} scene={scene} label={words.rule} isTop={true} />
      ))}
    </ol>
  )
}

function HeaderStage({ way, words }: { readonly way: WayModel; readonly words: PictureWords }) {
  return (
    <li class="pic-stage pic-stage-done">
      <p class="pic-line">
        <span class="pic-stage-name">{words.header}</span>
        {way.header.isFound ? <span class="pic-name">{way.header.form}</span> : <span class="pic-quiet pic-description">{words.noHeader}</span>}
      </p>
    </li>
  )
}

function DecoderStage({ way, scene }: { readonly way: WayModel; readonly scene: Scene }) {
  const { rejectedRoots, root, rejectedChildren, child, extractions } = way.decoders
  const { words } = scene
  // The entered child is the first of those that run; without children the root itself runs.
  const runs = child === null ? (root === null ? [] : [{ step: root, extractions }]) : familyOf(child, extractions)
  return (
    <>
      <li class={`pic-stage ${root === null ? 'pic-stage-missed' : 'pic-stage-done'}`}>
        <Tried steps={rejectedRoots} label={words.triedBefore(rejectedRoots.length)} scene={scene} kind="decoder" />
        <p class="pic-line">
          <span class="pic-stage-name">{words.decoder}</span>
          {root === null ? <span class="pic-quiet">{words.noDecoder}</span> : <DecoderName step={root} scene={scene} />}
        </p>
        {child === null && runs.map(({ extractions: own }) => <Extractions key="root" steps={own} words={words} />)}
        {child === null && <Tried steps={rejectedChildren} label={words.childrenTried(rejectedChildren.length)} end={words.nothingMatched} scene={scene} kind="decoder" />}
      </li>
      {child !== null && (
        <li class="pic-stage pic-stage-done pic-below">
          <Tried steps={rejectedChildren} label={words.triedBefore(rejectedChildren.length)} scene={scene} kind="decoder" />
          {runs.map(({ step, extractions: own }) => (
            <div key={`${step.filename}:${step.line}`} class="pic-run">
              <p class="pic-line">
                <DecoderName step={step} scene={scene} />
              </p>
              <Extractions steps={own} words={words} />
            </div>
          ))}
        </li>
      )}
    </>
  )
}

/** The members of a family, each with the expressions that it ran. */
function familyOf(child: Step, extractions: readonly Step[]): { readonly step: Step; readonly extractions: Step[] }[] {
  const members: { readonly step: Step; readonly extractions: Step[] }[] = [{ step: child, extractions: [] }]
  for (const extraction of extractions) {
    const known = members.find(({ step }) => step.line === extraction.line && step.filename === extraction.filename)
    if (known === undefined) members.push({ step: { ...extraction, tag: null }, extractions: [extraction] })
    else known.extractions.push(extraction)
  }
  return members
}

function DecoderName({ step, scene }: { readonly step: Step; readonly scene: Scene }) {
  const { filename, line, name, tag, pattern } = step
  return (
    <>
      <Choice of={decoderOf(step)} {...scene}>
        {name}
      </Choice>
      {tag !== null && pattern !== '' && (
        <span class="pic-because">
          <Tag tag={tag} field={null} negate={false} words={scene.words} /> <code>{shorten(pattern, ROW_TEXT)}</code>
        </span>
      )}
      {filename === null && <span class="pic-quiet">{scene.words.builtIn}</span>}
      <Place kind="decoders" name={name} filename={filename} line={line} {...scene} />
    </>
  )
}

function decoderOf({ name, filename, line }: Step): Selection | null {
  return filename === null || line === null ? null : { kind: 'decoder', name, filename, line }
}

function Extractions({ steps, words }: { readonly steps: readonly Step[]; readonly words: PictureWords }) {
  return (
    <>
      {steps.map((step, index) => {
        const key = `${step.pattern} ${index}`
        if (!step.matched)
          return (
            <p key={key} class="pic-quiet">
              <Mark kind="failed" word={words.notMatched} /> <code>{shorten(step.pattern, ROW_TEXT)}</code> {words.notCaptured}
            </p>
          )
        if (step.captures.length === 0)
          return step.tag === 'plugin_decoder' ? (
            <p key={key} class="pic-quiet">
              {step.pattern}
            </p>
          ) : null
        return (
          <p key={key} class="pic-quiet">
            {words.captured(step.captures.map(({ name }) => name).join(', '))}
          </p>
        )
      })}
    </>
  )
}

interface RuleStageProps {
  readonly level: RuleLevel
  readonly scene: Scene
  readonly label?: string
  readonly isTop?: boolean
}

function RuleStage({ level: { rejected, taken }, scene, label, isTop = false }: RuleStageProps) {
  const { words } = scene
  if (taken === null) {
    return (
      <li class={`pic-stage pic-stage-rest${isTop ? '' : ' pic-below'}`}>
        {isTop && (
          <p class="pic-line">
            <span class="pic-stage-name">{label}</span>
            <span class="pic-quiet">{words.noRule}</span>
          </p>
        )}
        <Tried steps={rejected} label={(isTop ? words.rules : words.childrenTried)(rejected.length)} end={words.nothingMatched} scene={scene} kind="rule" />
      </li>
    )
  }
  return (
    <>
      <li class={`pic-stage ${taken.isLeft ? 'pic-stage-missed' : 'pic-stage-done'}${isTop ? '' : ' pic-below'}${taken.isFinal ? ' pic-stage-final' : ''}`}>
        <Tried steps={rejected} label={words.triedBefore(rejected.length)} scene={scene} kind="rule" />
        <p class="pic-line">
          {label !== undefined && <span class="pic-stage-name">{label}</span>}
          <RuleName taken={taken} scene={scene} />
        </p>
        {taken.isLeft && <p class="pic-quiet">{words.container}</p>}
      </li>
      {taken.below.map((below) => (
        <RuleStage key={below.taken?.step.name ?? 'rest'} level={below} scene={scene} />
      ))}
    </>
  )
}

function RuleName({ taken: { step, record }, scene }: { readonly taken: TakenRule; readonly scene: Scene }) {
  const { words, rules } = scene
  const level = record?.level ?? rules?.get(step.name)?.level
  return (
    <>
      <Choice of={{ kind: 'rule', id: step.name }} {...scene}>
        {step.name}
        {level !== undefined && <Level level={level} words={words} />}
      </Choice>
      <span class="pic-description">{record?.description ?? rules?.get(step.name)?.description}</span>
      <Place kind="rules" name={step.name} filename={step.filename} line={step.line} {...scene} />
    </>
  )
}

interface TriedProps {
  readonly steps: readonly Step[]
  readonly label: string
  /** What came of it. */
  readonly end?: string
  readonly scene: Scene
  readonly kind: 'rule' | 'decoder'
}

/** What was tried without success: a strip of ticks, and its list when it is opened. */
function Tried({ steps, label, end, scene, kind }: TriedProps) {
  if (steps.length === 0) return null
  return (
    <details class="pic-tried">
      <summary>
        <Strip steps={steps} />
        <span>
          {label}
          {end !== undefined && `, ${end}`}
        </span>
      </summary>
      <ul class="pic-rows">
        {steps.slice(0, ROWS).map((step, index) => (
          <TriedRow key={`${step.name} ${index}`} step={step} scene={scene} kind={kind} />
        ))}
        {steps.length > ROWS && <li class="pic-quiet">{scene.words.more(steps.length - ROWS)}</li>}
      </ul>
    </details>
  )
}

/** A tick for each, higher where it came further: past its decoder. */
function Strip({ steps }: { readonly steps: readonly Step[] }) {
  const shown = steps.slice(0, TICKS)
  return (
    <svg class="pic-strip" width={shown.length * 4} height="12" aria-hidden="true" focusable="false">
      <path class="pic-strip-low" d={ticks(shown, (step) => step.tag === 'decoded_as' || step.tag === 'program_name', 8)} />
      <path class="pic-strip-high" d={ticks(shown, (step) => step.tag !== 'decoded_as' && step.tag !== 'program_name', 3)} />
    </svg>
  )
}

function ticks(steps: readonly Step[], fits: (step: Step) => boolean, top: number): string {
  return steps.map((step, index) => (fits(step) ? `M${index * 4 + 1} ${top}V12` : '')).join('')
}

function TriedRow({ step, scene, kind }: { readonly step: Step; readonly scene: Scene; readonly kind: 'rule' | 'decoder' }) {
  const { words, rules } = scene
  const { tag, field, negate, pattern, text, events } = step
  const rule = kind === 'rule' ? rules?.get(step.name) : undefined
  const found =
    events !== null
      ? words.counted(events.counted, events.needed, events.seconds)
      : tag === 'decoded_as' && text !== null
        ? `≠ ${text}`
        : field !== null && text === null
          ? words.absent
          : null
  return (
    <li>
      <Mark kind="failed" word={words.notMatched} />
      <Choice of={kind === 'rule' ? { kind: 'rule', id: step.name } : decoderOf(step)} {...scene}>
        {step.name}
        {rule !== undefined && <Level level={rule.level} words={words} />}
      </Choice>
      <span class="pic-because">
        {tag !== null && <Tag tag={tag} field={field} negate={negate} words={words} />} <code>{shorten(pattern, ROW_TEXT)}</code>
        {found !== null && <span class="pic-found"> {shorten(found, ROW_TEXT)}</span>}
      </span>
    </li>
  )
}
