/**
 * Events that may satisfy what rules want, composed of the patterns of decoders: header, prematch, and the regex whose groups are filled with the wanted values. What
 * comes out is a guess; the engine runs it.
 */
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import type { DecoderTree } from '../decoders/link.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { SUBJECT_DYNAMIC, SUBJECT_HOSTNAME, SUBJECT_LIST_USER, SUBJECT_LOG, SUBJECT_PROGRAM_NAME, SUBJECT_STATIC, SUBJECT_USER, type Subject } from '../rules/condition.js'
import { foldCase } from '../source/byte-string.js'
import { samplesOf } from './sample-text.js'
import { jsonLog } from './compose-json.js'
import { spelled, USERS, usualValue, type WantedText } from './wanted-texts.js'

/** Rounds of one composition: each takes other samples and values. */
const VARIANTS = 4
/** Families of one root that are tried, those first that have what is wanted. */
const FAMILIES_LIMIT = 8
/** Roots that are tried. */
const ROOTS_LIMIT = 12
const TIMESTAMP = 'Nov 23 10:11:12'
const HOST = 'web1'
/** What most programs write after their name. */
const PID = '[2201]: '

/** What a composition has to meet. */
export interface Goal {
  /** Rules from the top of the tree. */
  readonly path: readonly CompiledRule[]
  readonly wanted: readonly WantedText[]
  /** Fields that have another value in each round. */
  readonly varied: ReadonlySet<Subject>
}

/** A composed event, by round: rounds differ in the fields that vary. */
export type Composition = (round: number) => string

/** Yields compositions, the likeliest first. */
export function* compose(tree: DecoderTree, goal: Goal): Generator<Composition> {
  const roots = rootsFor(tree, goal)
  for (let variant = 0; variant < VARIANTS; variant++) {
    for (const root of roots) {
      if (root === null) yield* plainEvents(goal, variant)
      else {
        yield* jsonEvents(root, goal, variant)
        yield* decodedEvents(root, goal, variant)
      }
    }
  }
}

/** The roots that can decode the event; null: no decoder has to. */
function rootsFor({ programRoots, plainRoots }: DecoderTree, { path, wanted }: Goal): readonly (CompiledDecoder | null)[] {
  const all = [...programRoots, ...plainRoots]
  const identity = path.findLast((rule) => rule.identity >= 0)?.identity
  if (identity !== undefined) return all.filter((root) => root.identity === identity || root.children.some((child) => child.identity === identity)).slice(0, ROOTS_LIMIT)
  const { category } = path[0]
  if (category !== 'syslog') return all.filter(({ definition }) => definition.type === category).slice(0, ROOTS_LIMIT)
  const fields = wanted.filter(({ name }) => name !== '')
  const program = wanted.find(({ subject }) => subject === SUBJECT_PROGRAM_NAME)
  const known = (root: CompiledDecoder): number =>
    fields.filter(({ subject }) => [root, ...root.children].some((decoder) => subjectsOf(decoder).some((own) => isSame(own, subject)))).length
  const ranked = all
    .filter(({ programName }) => program === undefined || programName === null || program.values.some((name) => accepts(programName, name)))
    .map((root) => ({ root, score: (isJson(root) ? 0.5 : 0) + known(root) }))
    .filter(({ score }) => score > 0 || program !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ root }) => root)
  return fields.length === 0 ? [null, ...ranked.slice(0, 2)] : [...ranked.slice(0, ROOTS_LIMIT), null]
}

/** Events of which a rule reads the text alone. */
function* plainEvents(goal: Goal, variant: number): Generator<Composition> {
  for (const log of logsWith('', goal, variant)) yield () => withHeader(log, goal, null, variant)
}

function* jsonEvents(root: CompiledDecoder, goal: Goal, variant: number): Generator<Composition> {
  if (!isJson(root)) return
  const prematches = root.prematch === null ? [''] : samplesOf(root.prematch).map(({ text }) => text)
  for (const prematch of prematches.slice(0, 2)) {
    const make = (round: number): string | null => jsonLog(root, prematch, wantedOf(goal), (want) => chosenValue(want, goal, variant, round))
    if (make(0) !== null) yield (round) => withHeader(make(round) ?? '', goal, root, variant)
  }
}

function* decodedEvents(root: CompiledDecoder, goal: Goal, variant: number): Generator<Composition> {
  for (const family of familiesOf(root, goal)) {
    const shapes = joined(root, family, goal, variant, 0).length
    for (let shape = 0; shape < shapes; shape++) {
      const log = (round: number): string => joined(root, family, goal, variant, round)[shape] ?? ''
      const completed = logsWith(log(0), goal, variant).length
      for (let which = 0; which < completed; which++) yield (round) => withHeader(logsWith(log(round), goal, variant)[which] ?? '', goal, root, variant)
    }
  }
}

/** Families of children: those first whose fields and words are wanted. The empty family is the root alone. */
function familiesOf({ children }: CompiledDecoder, { wanted }: Goal): readonly (readonly CompiledDecoder[])[] {
  const families: CompiledDecoder[][] = []
  let isOpen = false
  for (const child of children) {
    if (isOpen) families.at(-1)!.push(child)
    else families.push([child])
    isOpen = child.continues
  }
  const words = wanted.filter(({ subject }) => subject === SUBJECT_LOG).flatMap(({ values }) => values.slice(0, 2))
  const score = (family: readonly CompiledDecoder[]): number => {
    const fields = wanted.filter(({ subject, name }) => name !== '' && family.some((decoder) => subjectsOf(decoder).some((own) => isSame(own, subject)))).length
    const pattern = foldCase(family.map(({ prematch, regex }) => `${prematch?.pattern ?? ''} ${regex?.pattern ?? ''}`).join(' '))
    const shared = words.map((word) =>
      Math.max(
        0,
        ...foldCase(word)
          .split(/[^a-z0-9]+/)
          .map((part) => (part.length > 2 && pattern.includes(part) ? part.length : 0)),
      ),
    )
    return 10 * fields + Math.max(0, ...shared)
  }
  const ranked = families.map((family) => ({ family, score: score(family) })).sort((a, b) => b.score - a.score)
  const useful = ranked.slice(0, FAMILIES_LIMIT).map(({ family }) => family)
  return wanted.some(({ name }) => name !== '') ? [...useful, []] : [[], ...useful]
}

/** The ways to join the parts of a root and a family to one text. */
function joined(root: CompiledDecoder, family: readonly CompiledDecoder[], goal: Goal, variant: number, round: number): string[] {
  const base = partOf(root, goal, variant, round)
  let texts = base.regex === null ? [base.prematch] : unique([base.regex, base.prematch + base.regex, `${base.prematch} ${base.regex}`])
  for (const [place, decoder] of family.entries()) {
    const { prematch, regex } = partOf(decoder, goal, variant, round)
    const own = regex === null ? [prematch] : unique([regex, prematch + regex, `${prematch} ${regex}`])
    // Further members mostly read the same text: what they want and do not find is added at the end.
    if (place > 0 && (regex === null || texts.some((text) => decoder.regex !== null && accepts(decoder.regex, text)))) continue
    texts = unique(texts.flatMap((text) => own.flatMap((part) => (text === '' ? [part] : [...(place === 0 ? [part] : []), text + part, `${text} ${part}`])))).slice(0, 12)
  }
  return texts
}

interface DecoderPart {
  readonly prematch: string
  /** Null: there is none. */
  readonly regex: string | null
}

function partOf(decoder: CompiledDecoder, goal: Goal, variant: number, round: number): DecoderPart {
  const pick = (expression: Expression, fill: (group: number) => string | undefined): string => {
    const filled = spelled(expression, samplesOf(expression, fill)).filter(({ text }) => accepts(expression, text))
    const samples = filled.length > 0 ? filled : spelled(expression, samplesOf(expression))
    return samples.length === 0 ? '' : samples[variant % samples.length].text
  }
  const subjects = subjectsOf(decoder)
  const fill = (group: number): string | undefined => {
    const subject = subjects[group - 1]
    if (subject === undefined) return undefined
    const want = goal.wanted.find((each) => each.name !== '' && isSame(subject, each.subject))
    return want === undefined ? usualValue(decoder.definition.order?.[group - 1]?.name ?? '', 0) : chosenValue(want, goal, variant, round)
  }
  return { prematch: decoder.prematch === null ? '' : pick(decoder.prematch, () => undefined), regex: decoder.regex === null ? null : pick(decoder.regex, fill) }
}

/** The text with what rules want to find in it: as it is, or with their words behind it, or in front. */
function logsWith(log: string, { wanted }: Goal, variant: number): string[] {
  const want = wanted.find(({ subject }) => subject === SUBJECT_LOG)
  if (want === undefined || (log !== '' && want.passes(log))) return [log]
  const values = want.values.length === 0 ? [''] : want.values
  const value = values[variant % values.length]
  if (log === '') return [value]
  return unique([`${log} ${value}`, log + value, `${value} ${log}`, `${log} ${value} `]).filter((text) => want.passes(text) || want.values.length === 0)
}

/** The log behind the header that its program name needs. */
function withHeader(log: string, { wanted }: Goal, root: CompiledDecoder | null, variant: number): string {
  const of = (subject: Subject): WantedText | undefined => wanted.find((want) => want.subject === subject)
  const [program, host] = [of(SUBJECT_PROGRAM_NAME), of(SUBJECT_HOSTNAME)]
  const own = root?.programName ?? null
  const names = [...(program?.values ?? []), ...(own === null ? [] : spelled(own, samplesOf(own)).flatMap(({ text }) => [text, `${text}d`]))]
  const fitting = names.filter((name) => /^[^\s:[\]]+$/.test(name) && (own === null || accepts(own, name)) && (program === undefined || program.passes(name)))
  const name = fitting[variant % Math.max(1, fitting.length)]
  if (name === undefined && host === undefined) return log
  return `${TIMESTAMP} ${host?.values[0] ?? HOST} ${name === undefined ? '' : `${name}${PID}`}${log}`
}

/** What rules want of the fields. */
function wantedOf({ wanted }: Goal): readonly WantedText[] {
  return wanted.filter(({ name, subject }) => name !== '' || subject === SUBJECT_LOG)
}

function chosenValue(want: WantedText, { varied }: Goal, variant: number, round: number): string {
  const { values, name, subject } = want
  if (round > 0 && [...varied].some((each) => isSame(each, subject))) {
    const other = usualValue(name, round)
    return want.passes(other) ? other : (values[round % Math.max(1, values.length)] ?? other)
  }
  return values.length === 0 ? usualValue(name) : values[variant % values.length]
}

/** The fields that the groups of a decoder fill, in their order. */
export function subjectsOf({ definition, orderKeys }: CompiledDecoder): Subject[] {
  return (definition.order ?? []).map(({ staticIndex }, at) => (staticIndex >= 0 ? SUBJECT_STATIC + staticIndex : SUBJECT_DYNAMIC + orderKeys[at]))
}

/** Whether a field of a decoder is the one that a rule tests; rules on the user take either. */
function isSame(own: Subject, wanted: Subject): boolean {
  return own === wanted || ((wanted === SUBJECT_USER || wanted === SUBJECT_LIST_USER) && USERS.includes(own))
}

function isJson({ definition, children }: CompiledDecoder): boolean {
  return [definition, ...children.map((child) => child.definition)].some(({ plugin }) => plugin?.name === 'JSON_Decoder')
}

function accepts(expression: Expression, text: string): boolean {
  return expression.test(text, foldCase(text), 0)
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}
