/** Random rules: every tag and attribute, with parents that mostly exist, and sometimes a mistake. */
import type { Block, Item } from './content.js'
import { DYNAMIC_WORDS, STATIC_WORDS } from './decoders.js'
import { brokenPattern, osmatch, osregex, pcre2, type RandomPattern, word } from './patterns.js'
import type { Random } from './random.js'

export const CATEGORIES = ['syslog', 'firewall', 'ids', 'web-log', 'squid', 'windows', 'ossec'] as const
export const LISTS = ['etc/lists/l0', 'etc/lists/l1'] as const
const GROUPS = ['auth', 'auth_failed', 'g', 'gate,', 'lamp_on', 'pci_dss_1.1', 'x y']
const PATTERN_TAGS = [
  'match',
  'match',
  'match',
  'regex',
  'regex',
  'program_name',
  'hostname',
  'location',
  'user',
  'id',
  'status',
  'url',
  'data',
  'extra_data',
  'protocol',
  'system_name',
  'srcport',
  'dstport',
  'action',
  'srcgeoip',
]
const COMPARED = [
  'srcip',
  'dstip',
  'srcport',
  'dstport',
  'user',
  'protocol',
  'action',
  'id',
  'url',
  'data',
  'extra_data',
  'status',
  'system_name',
  'location',
  'srcuser',
  'srcgeoip',
]
const ADDRESSES = ['10.0.0.5', '10.0.0.0/8', '192.0.2.0/255.255.255.0', '!192.0.2.7', '0.0.0.0/0', 'any', '2001:db8::/32', '::1', '::ffff:10.0.0.5', '64:ff9b::/96']
const TIMES = ['6 am - 6 pm', '18:00-8:30', '!9:00 - 17:00', '0:00-23:59', '7:00 -', '-', '06:5 - 7:00', '12 am - 12 pm']
const WEEKDAYS = ['monday', 'weekdays', 'weekends', 'tue, wed', 'SUNDAY']
const LOOKUPS = ['match_key', 'not_match_key', 'match_key_value', 'address_match_key', 'not_address_match_key', 'address_match_key_value']
const COMPILED = ['check_id_size', 'comp_srcuser_dstuser', 'comp_mswin_targetuser_calleruser_diff', 'is_simple_http_request', 'is_valid_crawler']
const OPTIONS = ['alert_by_email', 'no_email_alert', 'log_alert', 'no_log', 'no_ar', 'no_full_log', 'no_counter']
const DESCRIPTIONS = [
  'plain',
  'from $(srcip) by $(dstuser)',
  '$(alpha) $(beta.gamma) $(nothing)',
  'open $(srcip',
  '$(hostname) $(program_name) $(location)',
  'two\nlines',
  'ä $(DELTA)',
]
/** Whole tags that Wazuh refuses, drops the rule for, or ignores. */
const ODD = [
  '<nothing>x</nothing>',
  '<srcip>10.0.0.</srcip>',
  '<time>25:00-1</time>',
  '<weekday>someday</weekday>',
  '<options>loud</options>',
  '<field name="srcip">x</field>',
  '<list field="srcip">etc/lists/none</list>',
  '<decoded_as>no-such</decoded_as>',
  '<same_agent />',
  '<if_level>x</if_level>',
  '<mitre></mitre>',
  '<info type="odd">i</info>',
  '<if_matched_sid>1,2</if_matched_sid>',
]

function element(tag: string, content: string, attributes = ''): string {
  return `<${tag}${attributes}>${content}</${tag}>`
}

/** First id of the rules that are not templates. */
export const FIRST_ID = 100

/** Creates the templates of the categories: a rule needs one of its category. */
export function makeTemplates(random: Random): Block {
  const items = CATEGORIES.flatMap((category, index) =>
    random.maybe(index === 0 ? 0.99 : 0.8, (): Item => {
      const noalert = random.chance(0.85) ? ' noalert="1"' : ''
      return {
        open: `<rule id="${index + 1}" level="${random.chance(0.8) ? 0 : random.between(1, 5)}"${noalert}>`,
        lines: [`<category>${category}</category>`, '<description>template</description>'],
        close: '</rule>',
      }
    }),
  )
  return {
    open: '<group name="templates,">\n',
    items: items.length > 0 ? items : [{ open: '<rule id="1" level="0">', lines: ['<description>t</description>'], close: '</rule>' }],
    close: '</group>\n',
  }
}

export interface RandomRules {
  readonly blocks: readonly Block[]
  readonly ids: readonly number[]
  /** Texts that patterns on the log look for, and values that those on fields look for. */
  readonly logs: readonly string[]
  readonly values: readonly string[]
}

/** @param decoders names that `decoded_as` may use */
export function makeRules(random: Random, decoders: readonly string[]): RandomRules {
  return new RuleMaker(random, decoders).make()
}

class RuleMaker {
  readonly #random: Random
  readonly #decoders: readonly string[]
  readonly #ids: number[] = []
  readonly #groups: string[] = []
  readonly #logs: string[] = []
  readonly #values: string[] = []
  #next = FIRST_ID
  /** Id of the rule that is being created. */
  #current = FIRST_ID

  constructor(random: Random, decoders: readonly string[]) {
    this.#random = random
    this.#decoders = decoders
  }

  make(): RandomRules {
    const random = this.#random
    const blocks = random.times(2, 7, (index): Block => {
      const names = random.times(1, 2, () => this.#nameGroup())
      const items = random.times(index === 3 && random.mistake(0.3) ? 0 : 1, 6, () => this.#rule())
      return { open: `<group name="${names.join(',')}">\n`, items, close: '</group>\n' }
    })
    return { blocks, ids: this.#ids, logs: this.#logs, values: this.#values }
  }

  #rule(): Item {
    const random = this.#random
    const known = this.#ids.length > 0
    const repeated = known && random.chance(0.07)
    const id = repeated ? random.pick(this.#ids) : random.mistake(0.03) ? random.between(1, 9) : this.#next++
    this.#current = id
    const overwrite = repeated ? (!random.mistake(0.5) ? ' overwrite="yes"' : random.pick(['', ' overwrite="no"'])) : random.mistake(0.05) ? ' overwrite="yes"' : ''
    const matched = known && random.chance(0.25)
    const attributes = [
      `id="${random.chance(0.03) ? '0' : ''}${id}"`,
      ` level="${this.#level()}"`,
      overwrite,
      ...random.maybe(matched ? 0.8 : random.mistake(0.01) ? 1 : 0, () => ` frequency="${random.pick([2, 2, 3, 3, 3, 4])}"`),
      ...random.maybe(matched ? 0.8 : 0.03, () => ` timeframe="${random.pick([1, 10, 60, 120, 100_000])}"`),
      ...random.maybe(0.08, () => ` ignore="${random.pick([1, 60, 600])}"`),
      ...random.maybe(0.04, () => ` maxsize="${random.pick([1, 20, 99_999])}"`),
      ...random.maybe(0.1, () => ` noalert="${random.pick(['1', '1', '0', 'x'])}"`),
      ...random.maybe(0.03, () => ' accuracy="0"'),
    ]
    const lines = [
      ...(matched ? this.#correlation() : []),
      ...this.#parents(matched),
      ...random.times(0, matched ? 1 : 3, () => this.#condition()),
      ...random.wrong(0.03, () => random.pick(ODD)),
      `<description>${random.pick(DESCRIPTIONS)}</description>`,
      ...this.#metadata(),
    ]
    if (!repeated) this.#ids.push(id)
    return { open: `<rule ${attributes.join('')}>`, lines, close: '</rule>' }
  }

  #level(): string {
    const random = this.#random
    return random.mistake(0.03) ? random.pick(['17', '', '4294967299', 'x', '003']) : String(random.chance(0.12) ? 0 : random.between(1, 16))
  }

  /** Returns an id that mostly exists already. */
  #id(): number {
    const random = this.#random
    return random.mistake(0.1) ? random.pick([999, this.#next, this.#next + 3]) : random.chance(0.15) ? random.between(1, 7) : random.pick(this.#ids)
  }

  #nameGroup(): string {
    const name = this.#random.pick(GROUPS)
    this.#groups.push(name)
    return name
  }

  /** Returns a group that an earlier rule mostly has. */
  #group(): string {
    const random = this.#random
    return (random.mistake(0.2) ? random.pick(GROUPS) : random.pick(this.#groups)).replace(',', '')
  }

  #parents(matched: boolean): string[] {
    const random = this.#random
    if (this.#ids.length === 0 || random.chance(matched ? 0.6 : 0.35)) return random.maybe(0.1, () => `<category>${random.pick(CATEGORIES)}</category>`)
    return random.pick<() => string[]>([
      () => [`<if_sid>${this.#id()}</if_sid>`],
      () => [`<if_sid>${this.#id()}</if_sid>`],
      () => [`<if_sid>${this.#id()}</if_sid>`],
      () => [
        `<if_sid>${random.times(2, 3, () => (random.chance(0.06) ? this.#current : this.#id())).join(random.pick([', ', ' ', ',']))}${random.chance(0.05) ? ',' : ''}</if_sid>`,
      ],
      () => [`<if_group>${this.#group()}${random.chance(0.2) ? '|^auth' : ''}</if_group>`],
      () => (random.chance(0.3) ? [`<if_level>${random.between(1, 16)}</if_level>`] : [`<if_sid>${this.#id()}</if_sid>`]),
    ])()
  }

  #correlation(): string[] {
    const random = this.#random
    const counted = random.pick<() => string>([
      () => `<if_matched_sid>${this.#id()}</if_matched_sid>`,
      () => `<if_matched_sid>${this.#id()}</if_matched_sid>`,
      () => `<if_matched_group>${this.#group()}</if_matched_group>`,
      () => `<if_matched_regex>${random.chance(0.5) ? random.pick(['\\.', 'gate', '^\\w+', '\\d+']) : osregex(random).source}</if_matched_regex>`,
    ])()
    const compared = random.times(0, random.chance(0.5) ? 0 : 2, () => {
      if (random.chance(0.3)) return element(random.pick(['same_field', 'different_field', 'not_same_field']), random.pick(DYNAMIC_WORDS))
      return `<${random.pick(['same', 'same', 'different'])}_${random.pick(COMPARED)} />`
    })
    return [counted, ...compared, ...random.maybe(0.2, () => '<global_frequency />'), ...random.maybe(0.06, () => '<check_diff />')]
  }

  #pattern(groups = 0): RandomPattern & { type: string } {
    const random = this.#random
    const negate = random.chance(0.12) ? ` negate="${random.pick(['yes', 'yes', 'no', 'x'])}"` : ''
    if (random.mistake(0.01)) return { ...brokenPattern(random), type: ' type="pcre2"' }
    const dialect = random.pick(['default', 'default', 'default', 'osmatch', 'osregex', 'pcre2'])
    // The default depends on the tag, so the text is valid in both.
    if (dialect === 'default') {
      const text = word(random).replace(/[\\()|$<>+*]/g, '.')
      return { source: random.chance(0.3) ? `^${text}` : text, sample: text, type: negate }
    }
    const pattern = dialect === 'osmatch' ? osmatch(random) : dialect === 'osregex' ? osregex(random, groups) : pcre2(random, groups)
    return { ...pattern, type: `${negate} type="${dialect}"` }
  }

  #condition(): string {
    const random = this.#random
    return random.pick<() => string>([
      () => this.#patternTag(),
      () => this.#patternTag(),
      () => this.#patternTag(),
      () => this.#field(),
      () => this.#field(),
      () => `<decoded_as>${random.pick(this.#decoders)}</decoded_as>`,
      () => element(random.pick(['srcip', 'dstip']), random.pick(ADDRESSES), random.chance(0.15) ? ' negate="yes"' : ''),
      () => this.#rare(),
    ])()
  }

  #patternTag(): string {
    const random = this.#random
    const tag = random.pick(PATTERN_TAGS)
    const { source, sample, type } = this.#pattern()
    if (tag === 'match' || tag === 'regex') this.#logs.push(sample)
    else this.#values.push(sample)
    return element(tag, source, type)
  }

  #field(): string {
    const random = this.#random
    const { source, sample, type } = this.#pattern()
    this.#values.push(sample)
    const name = random.pick(DYNAMIC_WORDS)
    return `<field name="${random.chance(0.2) ? name.toUpperCase() : name}"${type}>${source}</field>`
  }

  #rare(): string {
    const random = this.#random
    return random.pick<() => string>([
      () => `<time>${random.pick(TIMES)}</time>`,
      () => `<weekday>${random.pick(WEEKDAYS)}</weekday>`,
      () => `<compiled_rule>${random.pick(COMPILED)}</compiled_rule>`,
      () => '<if_fts />',
      () => '<check_diff />',
      () => this.#list(),
      () => this.#list(),
      () => this.#list(),
    ])()
  }

  #list(): string {
    const random = this.#random
    const check = random.chance(0.4) ? ` check_value="${osmatch(random).source.replace(/[<>"]/g, '')}"` : ''
    return `<list field="${random.pick([...STATIC_WORDS, ...DYNAMIC_WORDS, 'hostname', 'program_name'])}" lookup="${random.pick(LOOKUPS)}"${check}>${random.pick(LISTS)}</list>`
  }

  #metadata(): string[] {
    const random = this.#random
    return [
      ...random.maybe(0.5, () => `<group>${random.times(1, 3, () => this.#nameGroup()).join(',')},</group>`),
      ...random.maybe(0.15, () => '<mitre><id>T1110</id><id>T1078.001</id></mitre>'),
      ...random.maybe(0.2, () => `<options>${random.pick(OPTIONS)}</options>`),
      ...random.maybe(0.06, () => '<info type="link">https://example.com/</info>'),
      ...random.maybe(0.03, () => '<ignore>srcip, id</ignore>'),
      ...random.maybe(0.03, () => '<!-- a comment -->'),
    ]
  }
}
