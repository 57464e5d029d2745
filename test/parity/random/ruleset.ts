/** Random content of one seed: files, in one or more layers, and sessions of events that are built from the texts in the files. */
import type { FileScope, LogFormat } from '#engine'
import type { Block, Item, RandomContent, RandomEvent, RandomFile, RandomSession } from './content.js'
import { DYNAMIC_WORDS, makeDecoders, PLUGIN_TEXTS, type RandomDecoders, STATIC_WORDS } from './decoders.js'
import { word } from './patterns.js'
import { Random } from './random.js'
import { FIRST_ID, LISTS, makeRules, makeTemplates, type RandomRules } from './rules.js'

/** Share of the contents that have mistakes. */
const MISTAKES = 0.3
const START = 1_700_000_000
/** Seconds between two events. */
const PAUSES = [0, 0, 0, 0, 1, 1, 1, 5, 5, 10, 30, 60, 61, 120, 360, 1000]
/** Rarely the pause is so long that everything is forgotten. */
const LONG_PAUSE = 100_000
const LOCATIONS = ['stdin', 'stdin', 'stdin', '/var/log/gate.log', '[001] (web1) any->/var/log/gate.log', '[002] (web2) 192.0.2.9->/var/log/gate.log', '[003 broken']
const HEADERS = [
  (program: string): string => `Jan  5 10:11:12 host1 ${program}[12]: `,
  (program: string): string => `Jan  5 10:11:12 host1 ${program}: `,
  (program: string): string => `2024-01-05T10:11:12.123456+00:00 host2 ${program}: `,
  (program: string): string => `2024 Jan 05 10:11:12 host3 ${program}: `,
]
const EVENTCHANNEL =
  "<Event xmlns='x'><System><Provider Name='P'/><EventID>42</EventID><Level>4</Level><Keywords>0x80</Keywords><Computer>C1</Computer></System><EventData><Data Name='alpha'>gate</Data><Data>lamp</Data></EventData></Event>"

export function makeContent(seed: number): RandomContent {
  const random = new Random(seed, MISTAKES)
  const decoders = makeDecoders(random)
  const rules = makeRules(random, [...decoders.names, 'windows_eventchannel'])
  const files = [...decoderFiles(random, decoders), ...listFiles(random, rules), ...ruleFiles(random, rules)]
  return {
    files: inLayers(random, files),
    sessions: random.times(1, random.chance(0.3) ? 2 : 1, () => makeSession(random, decoders, rules)),
    explained: random.times(1, 2, () => String(random.chance(0.8) ? random.pick(rules.ids) : random.pick([1, FIRST_ID, 999]))),
    isThorough: random.chance(0.2),
  }
}

/** Cuts a list into that many runs, some of which may be empty. */
function cut<T>(random: Random, list: readonly T[], count: number): T[][] {
  const cuts = Array.from({ length: count - 1 }, () => random.between(0, list.length)).sort((a, b) => a - b)
  return [0, ...cuts].map((from, index) => list.slice(from, cuts[index] ?? list.length))
}

/** Returns names that mostly load in the order in which they are returned. */
function fileNames(random: Random, count: number, own: string): string[] {
  const names = ['0010-first.xml', '0200-b.xml', '0200-b.xml', own, 'z-last.xml'].slice(0, Math.max(count, 1))
  return !random.mistake(0.4) ? names : names.map(() => random.pick(names))
}

const SCOPES: readonly FileScope[] = ['default', 'custom', 'adhoc']

function scopeOf(random: Random, index: number): FileScope {
  return random.chance(0.7) ? SCOPES[Math.min(index, 2)] : random.pick(SCOPES)
}

function decoderFiles(random: Random, { items }: RandomDecoders): RandomFile[] {
  const parts = cut<Item>(random, items, random.between(1, 3)).filter((part) => part.length > 0 || random.mistake(0.1))
  const names = fileNames(random, parts.length, 'local_decoder.xml')
  return parts.map((part, index) => ({ kind: 'decoders', scope: scopeOf(random, index), filename: names[index], layer: 0, blocks: [{ open: '', items: part, close: '' }] }))
}

function ruleFiles(random: Random, { blocks }: RandomRules): RandomFile[] {
  const parts = cut<Block>(random, blocks, random.between(1, 4)).filter((part) => part.length > 0)
  const names = fileNames(random, parts.length, 'local_rules.xml')
  return [
    { kind: 'rules', scope: 'default', filename: '0001-templates.xml', layer: 0, blocks: [makeTemplates(random)] },
    ...parts.map((part, index): RandomFile => {
      const variable: Block[] = random.maybe(0.03, () => ({ open: '<var name="GATE">gate</var>\n', items: [], close: '' }))
      return { kind: 'rules', scope: scopeOf(random, index), filename: names[index], layer: 0, blocks: [...variable, ...part] }
    }),
  ]
}

function listFiles(random: Random, { values }: RandomRules): RandomFile[] {
  const key = (): string => random.pick([word(random), '10.0.', '192.0.2.', 'alice', ...(values.length > 0 ? [random.pick(values)] : [])]).replace(/[\n:]/g, '')
  return LISTS.filter(() => random.chance(0.93)).map((filename, index) => ({
    kind: 'lists',
    scope: scopeOf(random, index),
    filename,
    layer: 0,
    blocks: [{ open: '', items: random.times(1, 6, () => ({ open: key(), lines: [`:${random.pick(['', 'one', word(random)])}`], close: '' })), close: '' }],
  }))
}

/** Puts the files that load last into layers; rarely any file. */
function inLayers(random: Random, files: readonly RandomFile[]): RandomFile[] {
  if (random.chance(0.2)) return files.map((file) => ({ ...file, layer: random.pick([0, 0, 1, 2]) }))
  return (['decoders', 'lists', 'rules'] as const).flatMap((kind) => {
    // Stable, by bytes, in load order.
    const ordered = files.filter((file) => file.kind === kind).sort((a, b) => (a.filename < b.filename ? -1 : a.filename > b.filename ? 1 : 0))
    const [first, second] = [random.between(1, ordered.length), random.between(1, ordered.length)].sort((a, b) => a - b)
    return ordered.map((file, index): RandomFile => ({ ...file, layer: index < first ? 0 : index < second ? 1 : 2 }))
  })
}

function makeSession(random: Random, decoders: RandomDecoders, rules: RandomRules): RandomSession {
  const pool = random.times(2, 5, () => makeEvent(random, decoders, rules))
  let now = START + random.between(0, 700_000)
  // Composites need the same event repeatedly.
  const events = random
    .times(2, 6, () => random.pick(pool))
    .flatMap((event) =>
      random.times(1, 5, (): RandomEvent => {
        now += random.chance(0.03) ? LONG_PAUSE : random.pick(PAUSES)
        return { ...event, now }
      }),
    )
  return { events, restoredAt: random.between(1, events.length) }
}

function makeEvent(random: Random, decoders: RandomDecoders, rules: RandomRules): Omit<RandomEvent, 'now'> {
  const location = random.pick(LOCATIONS)
  if (random.chance(0.04)) return { event: JSON.stringify({ Event: EVENTCHANNEL, Message: 'm' }), log_format: random.pick(['eventchannel', 'auto']), location }
  const log_format: LogFormat = random.chance(0.15) ? 'auto' : 'syslog'
  const way = random.pick(decoders.ways)
  const body = random.chance(0.2) ? json(random, rules) : text(random, way.log, rules)
  const program = way.program ?? (random.chance(0.2) ? random.pick(['gated', 'other']) : null)
  const event = `${program === null ? '' : random.pick(HEADERS)(program)}${body}`
  return { event: random.chance(0.1) ? mutate(random, event) : event, log_format, location }
}

/** Returns texts that decoders look for, then texts that rules look for. */
function text(random: Random, log: string, { logs }: RandomRules): string {
  const wanted = random.times(0, 2, () => (logs.length > 0 && random.chance(0.7) ? random.pick(logs) : word(random)))
  return random.chance(0.1) ? wanted.join(' ') : [log, ...wanted].join(random.pick([' ', ' ', '']))
}

function json(random: Random, { values }: RandomRules): string {
  const value = (): string => {
    const plain = values.length > 0 && random.chance(0.6) ? random.pick(values) : word(random)
    return random.pick([
      JSON.stringify(plain),
      JSON.stringify(plain),
      JSON.stringify(plain),
      String(random.between(-3, 5000)),
      'null',
      'true',
      '1.5',
      `[1, ${JSON.stringify(plain)}, {}]`,
      `{"x": ${JSON.stringify(plain)}}`,
    ])
  }
  const member = (): string => {
    const name = random.pick<string>([...STATIC_WORDS, ...DYNAMIC_WORDS, 'systemname', 'beta'])
    return name.includes('.') && random.chance(0.7)
      ? `${JSON.stringify(name.split('.')[0])}: {${JSON.stringify(name.split('.')[1])}: ${value()}}`
      : `${JSON.stringify(name)}: ${value()}`
  }
  return `{${random.times(1, 6, member).join(', ')}}`
}

/** Changes some bytes. */
function mutate(random: Random, event: string): string {
  const at = random.between(0, event.length)
  return random.pick([
    `${event.slice(0, at)}${event.slice(at + random.between(1, 4))}`,
    `${event.slice(0, at)}${random.pick([' ', '"', '\\', 'é', '\t', '}', '\\u12', PLUGIN_TEXTS[0]])}${event.slice(at)}`,
    event.slice(0, at),
    ` ${event}`,
  ])
}
