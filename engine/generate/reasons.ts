/** The texts of the reasons why a rule has no witness. */
import type { Locale, Localized } from '../diagnostics/text.js'
import type { Expression } from '../expressions/expression.js'
import type { ConditionTest } from '../rules/condition.js'
import { fromByteString } from '../source/byte-string.js'
import type { CannotFireCode, Conflict, ConflictPart } from './cannot-fire.js'

/** Characters of a pattern that are shown. */
const PATTERN_CHARACTERS = 100
/** Parts of a conflict that are named. */
const PARTS_SHOWN = 6
/** Characters of the event that another rule takes. */
const EVENT_CHARACTERS = 400

export type UnknownCode = 'not_found' | 'search_limit' | 'time_limit' | 'not_repeatable'

/** Why a rule does not fire, or is not known to. */
export interface WitnessReason {
  readonly code: CannotFireCode | UnknownCode
  readonly text: string
}

const UNKNOWN: Readonly<Record<UnknownCode, Localized>> = {
  not_found: {
    'en-US': 'No event was found that fires it, and no proof that none does.',
    'pt-BR': 'Não se achou evento que a dispare nem prova de que nenhum dispara.',
  },
  search_limit: {
    'en-US': 'The search ended at its limit of steps.',
    'pt-BR': 'A busca terminou no limite de passos.',
  },
  time_limit: { 'en-US': 'The time was over before it was tried.', 'pt-BR': 'O tempo acabou antes de ela ser tentada.' },
  not_repeatable: {
    'en-US': 'The events that fire it do so only at some times or with some name of the manager, because of rules before it.',
    'pt-BR': 'Os eventos que a disparam só o fazem em certas horas ou com certo nome do manager, por causa de regras antes dela.',
  },
}

interface Words {
  readonly codes: Readonly<Record<CannotFireCode, (parts: string, names: readonly string[]) => string>>
  readonly ofRule: (condition: string, id: number) => string
  readonly taker: (condition: string | null, id: number, isChild: boolean) => string
  readonly decoder: (name: string, isOther: boolean) => string
  readonly rule: (id: number) => string
  readonly event: (id: number, event: string) => string
}

const WORDS: Readonly<Record<Locale, Words>> = {
  'en-US': {
    codes: {
      noalert: () => 'It has noalert="1", so it is never the final rule.',
      decoder_of_manager: (_, [name]) => `Only a module of the manager makes events of decoder "${name}"; no log is decoded by it.`,
      decoders_exclude: (parts) => `The rules on its path want two decoders: ${parts}.`,
      decoder_of_other_type: (_, [name, rule]) => `Decoder "${name}" makes events of another category than those of ${rule}, below which it is.`,
      decoder_never_chosen: (parts) => `Every event that it wants goes to a decoder that is tried earlier: ${parts}.`,
      field_never_decoded: (_, [name]) => `No decoder whose events reach it sets "${name}".`,
      fts_never: (_, [rule]) => `${rule} has <if_fts>, and no decoder whose events reach it has <fts>.`,
      conditions_exclude: (parts) => `No text passes all of these: ${parts}.`,
      list_excludes: (parts, [path]) => `No key of ${path} passes the other conditions on the field: ${parts}.`,
      sibling_always_first: (parts) => `Another rule always takes its events first: ${parts}.`,
      child_always_matches: (parts) => `Whenever it matches, a rule below it matches, too: ${parts}.`,
      source_not_loaded: (_, [rule]) => `What ${rule} counts is not loaded before it.`,
      source_never_stored: (_, [rule, ...sources]) => `What ${rule} counts is never stored: ${sources.join(', ')} cannot fire, or has level 0.`,
      source_ignored: (_, [rule, source]) => `${rule} wants more events than ${source} stores in that time, because of its "ignore".`,
      other_counts_first: (_, [rule, other]) => `${other} fires at fewer of the events that ${rule} counts, and they are then not counted again.`,
      level_zero_counts_nothing: (_, [rule]) => `${rule} counts events and has level 0; such a rule never fires.`,
    },
    ofRule: (condition, id) => `${condition} of rule ${id}`,
    taker: (condition, id, isChild) => (condition === null ? `rule ${id}` : `${condition} of rule ${id}, which is tried ${isChild ? 'below it' : 'first'}`),
    decoder: (name, isOther) => (isOther ? `decoder "${name}", which is tried earlier` : `decoder "${name}"`),
    rule: (id) => `rule ${id}`,
    event: (id, event) => ` Rule ${id} takes, for instance: ${event}`,
  },
  'pt-BR': {
    codes: {
      noalert: () => 'Tem noalert="1", então nunca é a regra final.',
      decoder_of_manager: (_, [name]) => `Só um módulo do manager cria eventos do decoder "${name}"; nenhum log é decodificado por ele.`,
      decoders_exclude: (parts) => `As regras no caminho querem dois decoders: ${parts}.`,
      decoder_of_other_type: (_, [name, rule]) => `O decoder "${name}" cria eventos de outra categoria que a da ${rule}, sob a qual ela está.`,
      decoder_never_chosen: (parts) => `Todo evento que ela quer vai para um decoder testado antes: ${parts}.`,
      field_never_decoded: (_, [name]) => `Nenhum decoder cujos eventos chegam a ela define "${name}".`,
      fts_never: (_, [rule]) => `A ${rule} tem <if_fts>, e nenhum decoder cujos eventos chegam a ela tem <fts>.`,
      conditions_exclude: (parts) => `Nenhum texto passa em todas estas: ${parts}.`,
      list_excludes: (parts, [path]) => `Nenhuma chave de ${path} passa nas outras condições sobre o campo: ${parts}.`,
      sibling_always_first: (parts) => `Outra regra sempre fica antes com os eventos dela: ${parts}.`,
      child_always_matches: (parts) => `Sempre que ela casa, uma regra abaixo dela casa também: ${parts}.`,
      source_not_loaded: (_, [rule]) => `O que a ${rule} conta não é carregado antes dela.`,
      source_never_stored: (_, [rule, ...sources]) => `O que a ${rule} conta nunca é guardado: ${sources.join(', ')} não dispara ou tem level 0.`,
      source_ignored: (_, [rule, source]) => `A ${rule} quer mais eventos do que a ${source} guarda nesse tempo, por causa do "ignore" dela.`,
      other_counts_first: (_, [rule, other]) => `A ${other} dispara com menos dos eventos que a ${rule} conta, e eles não são contados outra vez.`,
      level_zero_counts_nothing: (_, [rule]) => `A ${rule} conta eventos e tem level 0; uma regra assim nunca dispara.`,
    },
    ofRule: (condition, id) => `${condition} da regra ${id}`,
    taker: (condition, id, isChild) => (condition === null ? `regra ${id}` : `${condition} da regra ${id}, testada ${isChild ? 'abaixo dela' : 'antes'}`),
    decoder: (name, isOther) => (isOther ? `decoder "${name}", testado antes` : `decoder "${name}"`),
    rule: (id) => `regra ${id}`,
    event: (id, event) => ` A regra ${id} fica, por exemplo, com: ${event}`,
  },
}

export function unknownReason(code: UnknownCode, locale: Locale): WitnessReason {
  return { code, text: UNKNOWN[code][locale] }
}

/** @param eventOf an event of a rule that takes the events of another; null: none is known */
export function describeConflict({ code, parts }: Conflict, locale: Locale, eventOf: (id: number) => string | null): WitnessReason {
  const words = WORDS[locale]
  const names = parts.map((part) => nameOf(part, words))
  const shown = [...new Set(names)]
  const listed = shown.length > PARTS_SHOWN ? [...shown.slice(0, PARTS_SHOWN), `+${shown.length - PARTS_SHOWN}`] : shown
  const ofList = code === 'list_excludes' ? listed.slice(1) : listed
  const [taker] = parts.filter((part) => part.kind === 'taker')
  const event = taker?.kind === 'taker' ? eventOf(taker.rule.id) : null
  const text = words.codes[code](ofList.join('; '), names)
  const shownEvent = event === null || event.length > EVENT_CHARACTERS || taker?.kind !== 'taker' ? '' : words.event(taker.rule.id, event)
  return { code, text: `${text.slice(0, 1).toUpperCase()}${text.slice(1)}${shownEvent}` }
}

/** The conditions of a proof as a list. */
export function listParts(parts: readonly ConflictPart[], locale: Locale): string {
  return [...new Set(parts.map((part) => nameOf(part, WORDS[locale])))].slice(0, PARTS_SHOWN).join('; ')
}

function nameOf(part: ConflictPart, words: Words): string {
  switch (part.kind) {
    case 'condition':
      return words.ofRule(conditionText(part.condition), part.rule.id)
    case 'taker':
      return words.taker(part.condition === null ? null : conditionText(part.condition), part.rule.id, part.isChild)
    case 'decoder':
      return words.decoder(fromByteString(part.decoder.definition.name), part.isOther)
    case 'name':
      return part.name
    case 'rule':
      return words.rule(part.rule.id)
  }
}

function conditionText({ option: { name }, field, test }: { readonly option: { readonly name: string }; readonly field: string | null; readonly test: ConditionTest }): string {
  const open = field === null ? name : `${name} name="${fromByteString(field)}"`
  const text = test.kind === 'pattern' ? patternText(test.expression) : test.kind === 'exact' ? fromByteString(test.text) : null
  const negated = test.kind !== 'event' && test.negate ? ' negate="yes"' : ''
  if (text === null) return `<${open}${negated}>`
  return `<${open}${negated}>${text.length > PATTERN_CHARACTERS ? `${text.slice(0, PATTERN_CHARACTERS)}…` : text}</${name}>`
}

function patternText({ pattern }: Expression): string {
  return fromByteString(pattern).replaceAll(/\s*\n\s*/g, ' ')
}
