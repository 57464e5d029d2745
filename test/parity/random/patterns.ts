/** Random patterns in the three dialects, each with a text that it should match: events contain these texts, so that patterns match events. */
import type { Random } from './random.js'

export interface RandomPattern {
  readonly source: string
  readonly sample: string
}

/** Few, so that the same words occur in patterns, events and lists. */
export const WORDS = [
  'gate',
  'lamp',
  'crane',
  'Opened',
  'denied',
  'user',
  'root',
  'alice',
  'bob',
  'x-1',
  '443',
  '22',
  '10.0.0.5',
  '192.0.2.7',
  '2001:db8::5',
  'C:\\tools',
  'ä',
  '50%',
  '(id)',
  'a|b',
  '<x>',
] as const
const DIGITS = ['0', '7', '42', '443', '100001']
const NAMES = ['alice', 'Bob', 'root', 'svc-1', 'a@b']

type Piece = readonly [source: string, sample: string]

export function word(random: Random): string {
  return random.pick(WORDS)
}

function joined(pieces: readonly Piece[]): RandomPattern {
  return { source: pieces.map(([source]) => source).join(''), sample: pieces.map(([, sample]) => sample).join('') }
}

/** Names with values, as people write them: these match in any dialect with captures. */
function tidy(random: Random, groups: number): RandomPattern {
  const names = ['a', 'b', 'id', 'from']
  return joined(
    Array.from({ length: groups }, (_, index): Piece => {
      const [source, sample] = random.pick<Piece>([
        ['(\\S+)', random.pick(['alice', '10.0.0.5', '443', 'C:\\tools'])],
        ['(\\d+)', random.pick(DIGITS)],
        ['(\\w+)', random.pick(['gate', 'root', 'bob'])],
      ])
      return [`${names[index % names.length]}=${source} `, `${names[index % names.length]}=${sample} `]
    }),
  )
}

/** OSRegex: literals are escaped if the dialect has an escape. */
export function osregex(random: Random, groups = 0): RandomPattern {
  if (groups > 0 && random.chance(0.5)) return tidy(random, groups)
  const literal = (): Piece => {
    const text = random.chance(0.5) ? random.pick([' ', '=', ': ', 'id=', ' from ', '-']) : word(random)
    return [text.replace(/[\\()|$<]/g, '\\$&'), text]
  }
  const one = (): Piece =>
    random.pick<() => Piece>([
      literal,
      literal,
      () => ['\\d+', random.pick(DIGITS)],
      () => ['\\d', '7'],
      () => ['\\w+', random.pick(NAMES)],
      () => ['\\w*', random.pick(['', ...NAMES])],
      () => ['\\S+', word(random).replaceAll(' ', '')],
      () => ['\\s', ' '],
      () => ['\\s*', random.pick(['', ' ', '  '])],
      () => ['\\p', random.pick([':', '[', '-', '"'])],
      () => ['\\.+', random.pick(['x y', 'gate', ';'])],
      () => ['\\.*', random.pick(['', 'tail'])],
      () => ['\\D+', 'ab '],
      () => ['\\W', ' '],
      () => ['\\t', '\t'],
    ])()
  const run = (least: number, most: number): Piece[] => random.times(least, most, one)
  const pieces: Piece[] = run(groups > 0 ? 0 : 1, 3)
  for (let group = 0; group < groups; group++) {
    const { source, sample } = joined(run(1, 2))
    pieces.push([`(${source})`, sample], ...(random.chance(0.8) ? [literal()] : []))
  }
  const { source, sample } = joined(pieces)
  const anchored = `${random.chance(0.2) ? '^' : ''}${source}${random.chance(0.15) ? '$' : ''}`
  return { source: random.chance(0.12) ? `${anchored}|${joined(run(1, 2)).source}` : anchored, sample }
}

/** OSMatch: alternatives of plain texts. */
export function osmatch(random: Random): RandomPattern {
  const alternatives = random.times(1, 3, () => word(random).replaceAll('|', ' '))
  const sample = random.pick(alternatives)
  const source = alternatives.map((text) => `${random.chance(0.2) ? '^' : ''}${text}${random.chance(0.15) ? '$' : ''}`).join('|')
  return { source: `${random.chance(0.1) ? '!' : ''}${source}`.replaceAll('<', '\\<'), sample }
}

/** PCRE2, with constructs that V8, RE2 and our own matcher each have to run. */
export function pcre2(random: Random, groups = 0): RandomPattern {
  if (groups > 0 && random.chance(0.4)) return tidy(random, groups)
  const literal = (): Piece => {
    const text = random.chance(0.5) ? random.pick([' ', '=', ': ', 'id=', ' from ']) : word(random)
    return [text.replace(/[\\^$.|?*+()[\]{}<]/g, '\\$&'), text]
  }
  const one = (): Piece =>
    random.pick<() => Piece>([
      literal,
      literal,
      () => ['\\d+', random.pick(DIGITS)],
      () => ['\\d{1,3}', '42'],
      () => ['[a-z]+', 'gate'],
      () => ['[^ ]+', word(random).replaceAll(' ', '')],
      () => ['\\w*', random.pick(['', ...NAMES]).replace(/\W/g, '')],
      () => ['\\s', ' '],
      () => ['.*?', random.pick(['', 'x'])],
      () => ['.+', 'any thing'],
      () => ['(?:gate|lamp)', random.pick(['gate', 'lamp'])],
      () => ['(?:x|y)?', random.pick(['', 'x'])],
      () => ['\\b', ''],
      () => ['(?!root)', ''],
      () => ['(?=.)', ''],
      () => ['[[:alpha:]]+', 'crane'],
      () => ['(?>a+)', 'aa'],
      () => ['\\S++', 'denied'],
    ])()
  const run = (least: number, most: number): Piece[] => random.times(least, most, one)
  const pieces: Piece[] = run(groups > 0 ? 0 : 1, 3)
  for (let group = 0; group < groups; group++) {
    const { source, sample } = joined(run(1, 2))
    const takesPart = random.chance(0.7)
    pieces.push(random.chance(0.3) ? [`(${source})?`, takesPart ? sample : ''] : [`(${source})`, sample], ...(random.chance(0.7) ? [literal()] : []))
  }
  if (groups > 0 && random.chance(0.06)) pieces.push(['\\1', ''])
  const { source, sample } = joined(pieces)
  return { source: `${random.chance(0.15) ? '(?i)' : ''}${random.chance(0.2) ? '^' : ''}${source}${random.chance(0.15) ? '$' : ''}`, sample }
}

/** A pattern that some engines refuse. */
export function brokenPattern(random: Random): RandomPattern {
  return { source: random.pick(['(a', 'a)', '\\q', '(a(b))', '[a', '*', 'a\\', '(?<n']), sample: 'a' }
}
