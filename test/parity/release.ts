/**
 * Two releases of a ruleset, derived from one by edits of the kinds that releases make, and own content of which each edit breaks something known. Everything is chosen from
 * a seed; each edit has a file of rules of its own, and files without an edit get own rules that no edit concerns.
 */
import type { CompiledRule, CompiledRuleset, FileKind, SourceFile, UpgradeCode } from '#engine'
import { fromByteString } from '#engine'
import type { Random } from './random/random.js'

/** What a planted edit must make `guard` say. */
export interface Planted {
  readonly edit: string
  /** The own rule or decoder that it breaks, as in findings. */
  readonly item: string
  /** Any of them will do: where no event is found, there may be a proof. */
  readonly codes: readonly string[]
  /** Whether `--write` repairs it. */
  readonly mergeable: boolean
  /** What the advice must name. */
  readonly advice: RegExp
}

export interface Releases {
  readonly old: readonly SourceFile[]
  readonly now: readonly SourceFile[]
  /** As `now`, with a decoder under another name: own content that names it does not load there, so that nothing could be said about behaviour. */
  readonly renamed: readonly SourceFile[]
  readonly own: OwnContent
  /** Own content for `renamed`. */
  readonly ownOfDecoder: OwnContent
}

export interface OwnContent {
  readonly files: readonly SourceFile[]
  readonly planted: readonly Planted[]
}

const RULE = /<rule [\s\S]*?<\/rule>/g
/** Wazuh's own rules end below 100,000. */
const FIRST_OWN_ID = 110_000
/** Own rules that no edit concerns. */
const BYSTANDERS = 16
const BYSTANDER_FILES = 4
/** An own tag for events that the recorded ruleset has no word for. */
const WORD = 'zebracrossing'

interface Candidate {
  readonly rule: CompiledRule
  readonly file: SourceFile
  /** The rule as XML. */
  readonly xml: string
}

/** @param isWhole whether files that nothing is planted in are kept: they take most of the time */
export function makeReleases(random: Random, ruleset: CompiledRuleset, files: readonly SourceFile[], isWhole: boolean): Releases {
  return new ReleaseMaker(random, ruleset, files, isWhole).make()
}

class ReleaseMaker {
  readonly #old = new Map<SourceFile, string>()
  readonly #new = new Map<SourceFile, string>()
  readonly #used = new Set<SourceFile>()
  readonly #rules: string[] = []
  readonly #planted: Planted[] = []
  readonly #candidates: Candidate[]
  #ownId = FIRST_OWN_ID
  #movedId: number

  constructor(
    readonly random: Random,
    readonly ruleset: CompiledRuleset,
    readonly files: readonly SourceFile[],
    readonly isWhole: boolean,
  ) {
    for (const file of files) {
      this.#old.set(file, file.content)
      this.#new.set(file, file.content)
    }
    this.#candidates = this.#leaves()
    this.#movedId = 1 + Math.max(...ruleset.rules.inOrder().flatMap(({ id }) => (id < FIRST_OWN_ID ? [id] : [])))
  }

  make(): Releases {
    this.#ruleGone()
    this.#overwrittenRuleGone()
    this.#ruleNew()
    this.#overwriteWithoutTarget()
    this.#renumbered()
    this.#levelChanged()
    this.#bothChangedTheLevel()
    this.#textOfOverwritten()
    this.#textChanged()
    this.#siblingNew()
    this.#fieldRenamed()
    this.#groupGone()
    this.#bystanders()
    const own = { files: [ownFile('rules', `<group name="own,">\n${this.#rules.join('\n')}\n</group>\n`)], planted: [...this.#planted] }
    const before = new Map(this.#new)
    const ownOfDecoder = this.#decoderRenamed()
    const kept = this.isWhole ? null : this.#neededFiles()
    const written = (contents: ReadonlyMap<SourceFile, string>): SourceFile[] =>
      [...contents].flatMap(([file, content]) => (kept?.has(file) === false ? [] : [{ ...file, content }]))
    return { old: written(this.#old), now: written(before), renamed: written(this.#new), own, ownOfDecoder }
  }

  /** Files of rules with an edit or a bystander, those that they name, and the decoders of all these. */
  #neededFiles(): ReadonlySet<SourceFile> {
    const rules = new Set(this.#used)
    for (const { rule } of this.ruleset.rules.top) if (rule.definition.category !== null) rules.add(this.#fileOf(rule))
    // Files are added while the sets are walked.
    for (const { content } of rules)
      for (const id of [...content.matchAll(/<if_(?:matched_)?sid>([^<]*)</g)].flatMap(([, ids]) => ids.match(/\d+/g) ?? [])) {
        const rule = this.ruleset.rules.find(Number(id))
        if (rule !== undefined) rules.add(this.#fileOf(rule))
      }
    const decoders = new Set<SourceFile>()
    const add = (name: string): void => {
      for (const file of this.files) if (file.kind === 'decoders' && file.content.includes(`<decoder name="${name}"`)) decoders.add(file)
    }
    for (const { content } of rules) for (const [, name] of content.matchAll(/<decoded_as>([^<]*)</g)) add(name)
    for (const { content } of decoders) for (const [, name] of content.matchAll(/<parent>([^<]*)</g)) add(name)
    return new Set([...rules, ...decoders, ...this.files.filter(({ kind }) => kind === 'lists')])
  }

  // The edits

  #ruleGone(): void {
    const { rule, file, xml } = this.#take()
    this.#replace(this.#new, file, xml, '')
    this.#own('a rule is gone', 'parent_gone', false, /Name the rule that matches these events now/, (id) => child(id, rule.id))
  }

  #overwrittenRuleGone(): void {
    const { rule, file, xml } = this.#take()
    this.#replace(this.#new, file, xml, '')
    this.#overwrite('an overwritten rule is gone', 'overwrite_target_gone', false, /Remove the rule/, rule.id, relabelled(xml))
  }

  #ruleNew(): void {
    const { rule, file, xml } = this.#take()
    this.#replace(this.#old, file, xml, '')
    this.#plant('a rule is new, with an id of mine', String(rule.id), 'id_taken', false, /free id, such as \d{6}/)
    this.#rules.push(child(rule.id, parentOf(this.ruleset, rule)))
  }

  #overwriteWithoutTarget(): void {
    const { rule, file, xml } = this.#take()
    this.#replace(this.#old, file, xml, '')
    this.#overwrite('a rule is new that I overwrite', 'overwrite_takes_new', false, /remove overwrite/, rule.id, child(rule.id, parentOf(this.ruleset, rule)))
  }

  #renumbered(): void {
    const { rule, file, xml } = this.#take(({ rule: { conditions } }) => conditions.length > 1)
    const id = this.#movedId++
    this.#replace(this.#new, file, xml, xml.replace(/\bid="\d+"/, `id="${id}"`))
    this.#own('a rule has another id', 'parent_renumbered', true, new RegExp(`Write ${id} in <if_sid>`), (own) => child(own, rule.id))
  }

  #levelChanged(): void {
    const { rule, file, xml } = this.#take(({ rule: { level } }) => level > 0)
    this.#replace(this.#new, file, xml, withLevel(xml, rule.level + 1))
    this.#overwrite('the level of a rule that I overwrite', 'overwrite_behind', true, /Take over the merged rule/, rule.id, relabelled(xml))
  }

  #bothChangedTheLevel(): void {
    const { rule, file, xml } = this.#take(({ rule: { level } }) => level > 0)
    this.#replace(this.#new, file, xml, withLevel(xml, rule.level + 1))
    this.#overwrite('a level that I changed too', 'overwrite_conflict', false, /Compare both texts and decide/, rule.id, relabelled(withLevel(xml, rule.level + 2)))
  }

  #textOfOverwritten(): void {
    const { rule, file, xml } = this.#take(({ xml: text }) => WITH_TEXT.test(text))
    this.#replace(this.#new, file, xml, xml.replace(WITH_TEXT, `$1$2|${WORD}$3`))
    this.#overwrite('the text of a rule that I overwrite', 'overwrite_behind', true, /Take over the merged rule/, rule.id, relabelled(xml))
  }

  #textChanged(): void {
    const { rule, file, xml } = this.#take(({ xml: text }) => WITH_TEXT.test(text))
    this.#replace(this.#new, file, xml, xml.replace(WITH_TEXT, '$1another text$3'))
    this.#own('a rule has another text', 'behaviour', false, /Decide whether the new answer is right/, (id) => child(id, rule.id))
  }

  #siblingNew(): void {
    const { rule, file, xml } = this.#take(({ xml: text }) => WITH_TEXT.test(text))
    const parent = parentOf(this.ruleset, rule)
    const taker = `<rule id="${this.#movedId++}" level="15"><if_sid>${parent}</if_sid><match>${WORD}</match><description>New in this release.</description></rule>`
    this.#replace(this.#new, file, xml, `${xml}\n${taker}`)
    this.#own('a new rule takes my events', ['behaviour', 'new_diagnostic'], false, /./, (id) => child(id, parent))
  }

  #decoderRenamed(): OwnContent {
    const names = this.#decoderNames((decoders) => decoders.length === 1 && decoders[0].parent === null && this.#readers(decoders[0].name).length > 0)
    const name = this.random.pick(names)
    const [rule] = this.#readers(name)
    for (const reader of this.#readers(name)) this.#used.add(this.#fileOf(reader))
    const [text, other] = [fromByteString(name), `${fromByteString(name)}-daemon`]
    for (const file of this.files)
      this.#new.set(
        file,
        (this.#new.get(file) ?? '')
          .replaceAll(`<decoder name="${text}">`, `<decoder name="${other}">`)
          .replaceAll(`<parent>${text}</parent>`, `<parent>${other}</parent>`)
          .replaceAll(`<decoded_as>${text}</decoded_as>`, `<decoded_as>${other}</decoded_as>`),
      )
    const planted = { codes: ['decoder_renamed'], mergeable: true, advice: new RegExp(`Write "${other}"`) } as const
    const id = this.#ownId++
    // Both files have one name.
    const files = [
      ownFile('rules', `<group name="own,">\n${child(id, parentOf(this.ruleset, rule), `<decoded_as>${text}</decoded_as>`)}\n</group>\n`),
      ownFile('decoders', `<decoder name="own-decoder"><parent>${text}</parent><regex>${WORD}=(\\S+)</regex><order>own.word</order></decoder>\n`),
    ]
    return {
      files,
      planted: [
        { edit: 'a decoder has another name', item: String(id), ...planted },
        { edit: 'the parent of my decoder has another name', item: 'own-decoder', ...planted },
      ],
    }
  }

  #fieldRenamed(): void {
    // A field that one decoder sets, and that some rules of one file read.
    const setters = new Map<string, number>()
    for (const { order } of this.ruleset.decoders.definitions)
      for (const { name: field, staticIndex } of order ?? []) {
        if (staticIndex >= 0) continue
        setters.set(field, 1 + (setters.get(field) ?? 0))
      }
    const choices = [...setters].flatMap(([field, count]) => {
      const text = fromByteString(field)
      const readers = this.#candidates.filter(({ xml, file }) => !this.#used.has(file) && xml.includes(`<field name="${text}">`))
      return count === 1 && readers.length > 0 && new Set(readers.map(({ file }) => file)).size === 1 ? [{ text, readers }] : []
    })
    const { text, readers } = this.random.pick(choices)
    const { rule, file } = this.random.pick(readers)
    this.#used.add(file)
    const now = `${text}_name`
    const word = new RegExp(`(?<![\\w.-])${text.replaceAll('.', '\\.')}(?![\\w.-])`, 'g')
    for (const each of this.files) {
      const renamed =
        each.kind === 'decoders'
          ? each.content.replaceAll(/<order>[^<]*<\/order>/g, (order) => order.replaceAll(word, now))
          : each === file
            ? each.content.replaceAll(`<field name="${text}"`, `<field name="${now}"`).replaceAll(`$(${text})`, `$(${now})`)
            : null
      if (renamed !== null && renamed !== each.content) this.#new.set(each, renamed)
    }
    const parent = parentOf(this.ruleset, rule)
    this.#own('a field has another name', 'field_renamed', true, new RegExp(`Write "${now}" for "${text}"`, 'i'), (id) => child(id, parent, `<field name="${text}">\\.+</field>`))
  }

  #groupGone(): void {
    const { file, xml } = this.#take(({ rule }) => this.#ownGroup(rule) !== null)
    const group = this.#ownGroup(this.#ruleOf(xml)) ?? ''
    this.#replace(this.#new, file, xml, xml.replaceAll(new RegExp(`(?<=[>,])${group},?(?=[<,\\w])`, 'g'), ''))
    this.#own('a rule left its group', 'group_gone', false, /Name a group that the rules for these events have now/, (id) => child(id, null, `<if_group>${group}</if_group>`))
  }

  #bystanders(): void {
    const files = new Set(this.random.times(BYSTANDER_FILES, BYSTANDER_FILES, () => this.#pick(({ file }) => !this.#used.has(file)).file))
    for (const file of files) this.#used.add(file)
    for (let count = 0; count < BYSTANDERS; count++) {
      const { rule } = this.#pick(({ file }) => files.has(file))
      const id = this.#ownId++
      this.#rules.push(
        this.random.pick([
          () => child(id, rule.id),
          () =>
            child(id, rule.id, `<if_matched_sid>${rule.id}</if_matched_sid>`)
              .replace('level="9"', 'level="9" frequency="3" timeframe="60"')
              .replace(/<if_sid>\d+<\/if_sid>/, ''),
          () => child(id, parentOf(this.ruleset, rule)),
        ])(),
      )
    }
  }

  // Own content

  #plant(edit: string, item: string, code: UpgradeCode | readonly UpgradeCode[], mergeable: boolean, advice: RegExp): void {
    this.#planted.push({ edit, item, codes: [code].flat(), mergeable, advice })
  }

  #own(edit: string, code: UpgradeCode | readonly UpgradeCode[], mergeable: boolean, advice: RegExp, xml: (id: number) => string): void {
    const id = this.#ownId++
    this.#rules.push(xml(id))
    this.#plant(edit, String(id), code, mergeable, advice)
  }

  #overwrite(edit: string, code: UpgradeCode | readonly UpgradeCode[], mergeable: boolean, advice: RegExp, id: number, xml: string): void {
    this.#rules.push(xml.replace('<rule ', '<rule overwrite="yes" '))
    this.#plant(edit, String(id), code, mergeable, advice)
  }

  // The stock rules

  /** Rules that alert, have conditions of their own and one place, and that nothing names. */
  #leaves(): Candidate[] {
    const { rules } = this.ruleset
    const named = new Set(this.files.flatMap(({ content }) => [...content.matchAll(/<if_(?:matched_)?sid>([^<]*)</g)]).flatMap(([, ids]) => ids.match(/\d+/g) ?? []))
    return this.files.flatMap((file) =>
      (file.kind === 'rules' ? (file.content.match(RULE) ?? []) : []).flatMap((xml): Candidate[] => {
        const rule = this.#ruleOf(xml)
        if (rule === undefined || rule.definition.source.filename !== file.filename || named.has(String(rule.id)) || rule.search !== null || rule.definition.overwrite) return []
        const [place, ...others] = rules.placements(rule.id)
        const isPlain = /<if_sid>\s*\d+\s*<\/if_sid>/.test(xml) && !xml.includes('<!--') && !/\$\w/.test(xml.replaceAll(/\$\(/g, ''))
        return isPlain && others.length === 0 && place?.children.length === 0 && rule.conditions.length > 0 && !rule.definition.noalert ? [{ rule, file, xml }] : []
      }),
    )
  }

  #ruleOf(xml: string): CompiledRule | undefined {
    return this.ruleset.rules.find(Number(/\bid="(\d+)"/.exec(xml)?.[1]))
  }

  #pick(fits: (candidate: Candidate) => boolean): Candidate {
    return this.random.pick(this.#candidates.filter(fits))
  }

  /** A rule of a file without another edit. */
  #take(fits: (candidate: Candidate) => boolean = () => true): Candidate {
    const taken = this.#pick((candidate) => !this.#used.has(candidate.file) && fits(candidate))
    this.#used.add(taken.file)
    return taken
  }

  #replace(side: Map<SourceFile, string>, file: SourceFile, xml: string, by: string): void {
    side.set(
      file,
      (side.get(file) ?? '').replace(xml, () => by),
    )
  }

  /** A group that no other rule has. */
  #ownGroup(rule: CompiledRule | undefined): string | null {
    const words = [...(rule?.definition.element.children ?? [])].filter(({ name }) => name === 'group').flatMap(({ content }) => content.split(','))
    for (const word of words) if (/^\w{4,}$/.test(word) && this.ruleset.rules.inOrder().filter(({ groupText }) => groupText.includes(word.toLowerCase())).length === 1) return word
    return null
  }

  /** Rules at the top of what a decoder's events come to. */
  #readers(name: string): CompiledRule[] {
    return this.ruleset.rules.inOrder().filter(({ definition }) => definition.decodedAs?.name === name)
  }

  #fileOf({ definition: { source } }: CompiledRule): SourceFile {
    const found = this.files.find(({ kind, filename }) => kind === 'rules' && filename === source.filename)
    if (found === undefined) throw new Error(`no file ${source.filename}`)
    return found
  }

  #decoderNames(fits: (decoders: CompiledRuleset['decoders']['definitions']) => boolean): string[] {
    const { definitions } = this.ruleset.decoders
    return [...new Set(definitions.map(({ name }) => name))].filter((name) => fits(definitions.filter((definition) => definition.name === name)))
  }
}

const WITH_TEXT = /(<match>)([\w ]+)(<\/match>)/

function child(id: number, parent: number | null, condition = `<match>${WORD}</match>`): string {
  const above = parent === null ? '' : `<if_sid>${parent}</if_sid>`
  return `<rule id="${id}" level="9">${above}${condition}<description>Own rule ${id}.</description></rule>`
}

function parentOf({ rules }: CompiledRuleset, { id }: CompiledRule): number {
  const [place] = rules.placements(id)
  return rules.parentOf(place)?.rule.id ?? id
}

function withLevel(xml: string, level: number): string {
  return xml.replace(/\blevel="\d+"/, `level="${level}"`)
}

function relabelled(xml: string): string {
  return xml.replace(/<description>[^<]*/, '<description>Mine')
}

function ownFile(kind: FileKind, content: string): SourceFile {
  return { kind, scope: 'custom', filename: 'zz-own.xml', content }
}
