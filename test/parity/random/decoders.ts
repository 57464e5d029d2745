/** Random decoders: roots, children and families in every combination that loads, and sometimes one that does not. */
import type { Item } from './content.js'
import { brokenPattern, osregex, pcre2, type RandomPattern } from './patterns.js'
import type { Random } from './random.js'

export const STATIC_WORDS = [
  'srcip',
  'dstip',
  'srcport',
  'dstport',
  'protocol',
  'action',
  'srcuser',
  'user',
  'dstuser',
  'id',
  'status',
  'url',
  'data',
  'extra_data',
  'system_name',
] as const
export const DYNAMIC_WORDS = ['alpha', 'beta.gamma', 'Delta', 'num', 'x_y'] as const
const TYPES = ['syslog', 'firewall', 'ids', 'web-log', 'squid', 'windows', 'host-information', 'ossec']
const PLUGINS = ['JSON_Decoder', 'JSON_Decoder', 'JSON_Decoder', 'PF_Decoder', 'SymantecWS_Decoder', 'SonicWall_Decoder', 'OSSECAlert_Decoder']
/** Texts that the plugins other than JSON parse. */
export const PLUGIN_TEXTS = [
  'rule 7/(match) pass in on em1: 192.0.2.5.4321 > 198.51.100.9.53:  udp 40',
  '(m) block out on em1: 192.0.2.5 > 192.0.2.6: icmp: ping',
  'pri=4 c=16 m=98 n=1 src=192.0.2.5:4321:X1 dst=198.51.100.9:443:X2 proto=tcp/443',
  'pri=1 c=32 m=97 n=1 src=192.0.2.5:1:X1 dst=198.51.100.9:2: result=200 dstname=h arg=/a',
  '20200309,8153,1=5,11=192.0.2.5,10=eve,3=1,2=1',
  'Alert Level: 5; Rule: 102 - text; Location: web1->/var/log/x; srcip: 192.0.2.7; user: bob;  the log',
]

/** Facts about the decoders for creating rules and events. */
export interface RandomDecoders {
  readonly items: readonly Item[]
  readonly names: readonly string[]
  /** For each path through the decoders: a program name, if one is required, and a log that should take this path. */
  readonly ways: readonly { readonly program: string | null; readonly log: string }[]
}

interface Root {
  readonly name: string
  readonly program: string | null
  readonly sample: string
  readonly hasPrematch: boolean
}

export function makeDecoders(random: Random): RandomDecoders {
  return new DecoderMaker(random).make()
}

class DecoderMaker {
  readonly #random: Random
  readonly #items: Item[] = []
  readonly #names: string[] = []
  #next = 0
  readonly #ways: { program: string | null; log: string }[] = []

  constructor(random: Random) {
    this.#random = random
  }

  make(): RandomDecoders {
    const random = this.#random
    // Wazuh needs a root of each kind.
    this.#add('never-named', ['<program_name>^zq-never$</program_name>'])
    if (!random.mistake(0.03)) this.#add('never-plain', ['<prematch>^zq-never</prematch>'])
    if (random.chance(0.8)) this.#add('json', ['<prematch>^{\\s*"</prematch>', ...this.#jsonOptions(), '<plugin_decoder>JSON_Decoder</plugin_decoder>'])
    const roots = random.times(1, 4, (index) => this.#root(index))
    // A root with the name of another one shares its children.
    for (const root of roots) if (random.chance(0.7) && (root.name !== 'root0' || root === roots[0])) this.#children(root)
    return { items: this.#items, names: this.#names, ways: this.#ways }
  }

  #add(name: string, lines: readonly string[]): void {
    this.#items.push({ open: `<decoder name="${name}">`, lines, close: '</decoder>' })
    this.#names.push(name)
  }

  #pattern(tag: 'prematch' | 'regex', offset: string | null, groups = 0): [line: string, sample: string] {
    const random = this.#random
    const isPcre2 = random.chance(0.35)
    const { source, sample } = random.mistake(0.02) ? brokenPattern(random) : isPcre2 ? pcre2(random, groups) : osregex(random, groups)
    const type = isPcre2 ? ' type="pcre2"' : random.chance(0.1) ? ' type="osregex"' : ''
    return [`<${tag}${type}${offset === null ? '' : ` offset="${offset}"`}>${source}</${tag}>`, sample]
  }

  #order(groups: number): string {
    const random = this.#random
    const words = Array.from({ length: Math.max(1, groups + random.pick([0, 0, 0, 1, -1])) }, () => random.pick(random.chance(0.6) ? STATIC_WORDS : DYNAMIC_WORDS))
    return `<order>${words.join(random.pick([',', ', ']))}</order>`
  }

  #jsonOptions(): string[] {
    const random = this.#random
    return [
      ...random.maybe(0.2, () => `<json_null_field>${random.pick(['string', 'discard', 'empty'])}</json_null_field>`),
      ...random.maybe(0.2, () => `<json_array_structure>${random.pick(['array', 'csv', 'CSV'])}</json_array_structure>`),
    ]
  }

  #extras(hasRegex: boolean): string[] {
    const random = this.#random
    return [
      ...random.maybe(0.2, () => `<type>${random.pick(TYPES)}</type>`),
      ...random.maybe(0.12, () => '<accumulate />'),
      ...random.maybe(hasRegex ? 0.25 : 0, () => `<fts>${random.pick(['name', 'name, user', 'srcip, location', 'id,data', 'extra_data'])}</fts>`),
      ...random.maybe(0.05, () => '<ftscomment>first time</ftscomment>'),
    ]
  }

  #program(): RandomPattern & { line: string } {
    const random = this.#random
    const dialect = random.pick(['osmatch', 'osmatch', 'osregex', 'pcre2'])
    const sample = random.pick(['gated', 'lampd', 'crane', 'svc'])
    const pattern = dialect === 'osmatch' ? random.pick([`^${sample}`, sample, `^${sample}$|^other`]) : random.pick([`^${sample}`, '^(\\w+)', `${sample}$`])
    return { source: pattern, sample, line: `<program_name${dialect === 'osmatch' ? '' : ` type="${dialect}"`}>${pattern}</program_name>` }
  }

  #root(index: number): Root {
    const random = this.#random
    const name = random.chance(0.1) && index > 0 ? 'root0' : `root${index}`
    const program = random.chance(0.5) ? this.#program() : null
    const hasPrematch = program === null || random.chance(0.4)
    const prematch = hasPrematch ? this.#pattern('prematch', null, random.chance(0.1) ? 1 : 0) : null
    const lines = [...(program === null ? [] : [program.line]), ...(prematch === null ? [] : [prematch[0]])]
    let sample = prematch?.[1] ?? ''
    const kind = random.pick(['none', 'none', 'regex', 'regex', 'plugin'])
    if (kind === 'regex') {
      const groups = random.between(1, 3)
      const [line, text] = this.#pattern('regex', hasPrematch && random.chance(0.5) ? 'after_prematch' : null, groups)
      lines.push(line, this.#order(groups))
      sample += ` ${text}`
    } else if (kind === 'plugin') {
      lines.push(...this.#jsonOptions(), `<plugin_decoder${hasPrematch && random.chance(0.4) ? ' offset="after_prematch"' : ''}>${random.pick(PLUGINS)}</plugin_decoder>`)
      sample += random.pick(['{"alpha":"one","srcip":"10.0.0.5"}', ...PLUGIN_TEXTS])
    }
    lines.push(...this.#extras(kind === 'regex'))
    this.#add(name, lines)
    const root = { name, program: program?.sample ?? null, sample, hasPrematch }
    this.#ways.push({ program: root.program, log: sample })
    return root
  }

  #children(root: Root): void {
    const random = this.#random
    const count = random.between(1, 4)
    for (let index = 0; index < count; index++) {
      const name = index === 0 && random.chance(0.3) ? root.name : `c${this.#next++}`
      const family = random.chance(0.35) ? random.between(2, 3) : 1
      let log = root.sample
      for (let member = 0; member < family; member++) {
        const [lines, sample] = this.#child(root, member, family)
        this.#add(name, lines)
        log += sample
      }
      this.#ways.push({ program: root.program, log })
    }
  }

  #child(root: Root, member: number, family: number): [lines: string[], sample: string] {
    const random = this.#random
    const lines = [`<parent>${random.mistake(0.05) ? 'nowhere' : root.name}</parent>`]
    let sample = ''
    // Only the first of a family may have one.
    const hasPrematch = member === 0 ? random.chance(0.6) : random.mistake(0.05)
    if (hasPrematch) {
      const [line, text] = this.#pattern('prematch', random.chance(0.5) ? 'after_parent' : null)
      lines.push(line)
      sample += ` ${text}`
    }
    const mustExtract = family > 1
    const kind = random.chance(0.1) ? 'plugin' : mustExtract || random.chance(0.75) ? 'regex' : 'none'
    if (kind === 'regex') {
      const groups = random.between(1, 3)
      const offsets = [null, 'after_parent', ...(hasPrematch ? ['after_prematch'] : []), ...(member > 0 ? ['after_regex'] : [])]
      const [line, text] = this.#pattern('regex', random.pick(offsets), groups)
      lines.push(line, this.#order(groups))
      sample += ` ${text}`
    } else if (kind === 'plugin') {
      const offsets = ['', ' offset="after_parent"', ...(hasPrematch ? [' offset="after_prematch"'] : [])]
      lines.push(...this.#jsonOptions(), `<plugin_decoder${random.pick(offsets)}>${random.pick(PLUGINS)}</plugin_decoder>`)
      sample += random.pick(['{"alpha":"one","id":"42"}', ...PLUGIN_TEXTS])
    } else if (!hasPrematch) lines.push('<use_own_name>true</use_own_name>')
    lines.push(...random.maybe(0.2, () => `<use_own_name>${random.pick(['true', 'false'])}</use_own_name>`))
    // A later member of a family may have no fts.
    lines.push(...this.#extras(kind === 'regex' && member === 0))
    return [lines, sample]
  }
}
