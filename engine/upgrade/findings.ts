/** What an upgrade of the base can break in content on top of it: the codes of the findings, with their severity and texts. */
import type { Severity } from '../diagnostics/codes.js'
import type { Replacement } from '../diagnostics/fixes.js'
import { type Locale, LOCALES } from '../diagnostics/text.js'
import type { ItemRecord } from '../diff/behaviour-record.js'
import type { BehaviourAnswer, BehaviourEvent } from '../diff/side.js'
import type { FileKind } from '../source/source-file.js'

type Pair = readonly [english: string, portuguese: string]

interface FindingEntry {
  readonly severity: Exclude<Severity, 'success'>
  /** What happens in Wazuh. */
  readonly effect: Pair
  /** What to do. */
  readonly advice: Pair
}

/** Each text may use the parameters of its finding in braces. */
export const UPGRADE_FINDINGS = {
  not_loaded: {
    severity: 'error',
    effect: ['Wazuh would not start: {message}', 'O Wazuh não iniciaria: {message}'],
    advice: ['{hint}', '{hint}'],
  },
  new_diagnostic: {
    severity: 'warning',
    effect: ['This is new with the upgrade: {message}', 'Isto é novo com a atualização: {message}'],
    advice: ['{hint}', '{hint}'],
  },
  parent_gone: {
    severity: 'error',
    effect: [
      'Rule {parent} of <{option}> no longer exists. Wazuh drops rule {rule} if no other parent is left, and ignores the id otherwise.',
      'A regra {parent} de <{option}> não existe mais. O Wazuh descarta a regra {rule} se não resta outro pai; senão ignora o id.',
    ],
    advice: [
      'Name the rule that matches these events now, or copy the old rule into your content.',
      'Indique a regra que agora casa com esses eventos ou copie a regra antiga para o seu conteúdo.',
    ],
  },
  parent_renumbered: {
    severity: 'error',
    effect: [
      'Rule {parent} of <{option}> no longer exists; rule {now} has the same conditions. Wazuh drops rule {rule} if no other parent is left.',
      'A regra {parent} de <{option}> não existe mais; a regra {now} tem as mesmas condições. O Wazuh descarta a regra {rule} se não resta outro pai.',
    ],
    advice: ['Write {now} in <{option}>.', 'Escreva {now} em <{option}>.'],
  },
  parent_moved: {
    severity: 'info',
    effect: [
      'Rule {parent}, which rule {rule} names, was below {before} and is now below {after}.',
      'A regra {parent}, citada pela regra {rule}, ficava sob {before} e agora fica sob {after}.',
    ],
    advice: ['Check that the events of rule {rule} still reach the parent.', 'Verifique se os eventos da regra {rule} ainda chegam ao pai.'],
  },
  decoder_gone: {
    severity: 'error',
    effect: ['The decoder "{decoder}" no longer exists, so Wazuh refuses to start.', 'O decoder "{decoder}" não existe mais, e o Wazuh se recusa a iniciar.'],
    advice: [
      'Name the decoder that reads these logs now, or copy the old one into your content.',
      'Indique o decoder que agora lê esses logs ou copie o antigo para o seu conteúdo.',
    ],
  },
  decoder_renamed: {
    severity: 'error',
    effect: [
      'The decoder "{decoder}" no longer exists, so Wazuh refuses to start. The decoder "{now}" is the same under another name.',
      'O decoder "{decoder}" não existe mais, e o Wazuh se recusa a iniciar. O decoder "{now}" é o mesmo com outro nome.',
    ],
    advice: ['Write "{now}".', 'Escreva "{now}".'],
  },
  decoder_moved: {
    severity: 'info',
    effect: ['The decoder "{decoder}" was below {before} and is now below {after}.', 'O decoder "{decoder}" ficava sob {before} e agora fica sob {after}.'],
    advice: ['Check which name its events are reported by.', 'Verifique com que nome seus eventos são informados.'],
  },
  id_taken: {
    severity: 'error',
    effect: [
      'The new ruleset has a rule {rule} of its own. Wazuh keeps the one that is loaded first, by file name, and drops the other.',
      'O conjunto novo já tem uma regra {rule}. O Wazuh fica com a que carrega primeiro, pelo nome do arquivo, e descarta a outra.',
    ],
    advice: [
      'Give your rule a free id, such as {free}, also where dashboards and responses name it.',
      'Dê à sua regra um id livre, como {free}, também onde painéis e respostas a citam.',
    ],
  },
  overwrite_takes_new: {
    severity: 'error',
    effect: [
      'Rule {rule} says overwrite="yes" and had nothing to overwrite. Now it replaces a new rule of Wazuh: {description}',
      'A regra {rule} diz overwrite="yes" e não tinha o que sobrescrever. Agora ela substitui uma regra nova do Wazuh: {description}',
    ],
    advice: ['Give your rule a free id, such as {free}, and remove overwrite="yes".', 'Dê à sua regra um id livre, como {free}, e remova overwrite="yes".'],
  },
  overwrite_target_gone: {
    severity: 'warning',
    effect: [
      'Rule {rule} no longer exists below, so there is nothing to overwrite. Wazuh warns and loads yours as a new rule, with its own parents only.',
      'A regra {rule} não existe mais na base, e não há o que sobrescrever. O Wazuh avisa e carrega a sua como regra nova, só com os pais dela.',
    ],
    advice: [
      'Remove the rule, or give it conditions and parents of its own without overwrite="yes".',
      'Remova a regra ou dê a ela condições e pais próprios, sem overwrite="yes".',
    ],
  },
  overwrite_behind: {
    severity: 'warning',
    effect: [
      'Your overwrite of rule {rule} takes back what the new ruleset changed: {options}.',
      'A sua sobrescrita da regra {rule} desfaz o que o conjunto novo mudou: {options}.',
    ],
    advice: ['Take over the merged rule, which has your changes and the new ones.', 'Adote a regra mesclada, que tem as suas mudanças e as novas.'],
  },
  overwrite_conflict: {
    severity: 'warning',
    effect: [
      'Your overwrite of rule {rule} and the new ruleset changed the same options differently: {options}. Yours count.',
      'A sua sobrescrita da regra {rule} e o conjunto novo mudaram as mesmas opções de modos diferentes: {options}. Valem as suas.',
    ],
    advice: ['Compare both texts and decide. The proposed rule keeps yours in these options.', 'Compare os dois textos e decida. A regra proposta mantém o seu nessas opções.'],
  },
  decoder_taken: {
    severity: 'warning',
    effect: [
      'The new ruleset has a decoder "{decoder}", too. Both are loaded, the first one that matches takes an event, and children may link to the other.',
      'O conjunto novo também tem um decoder "{decoder}". Os dois são carregados, o primeiro que casa fica com o evento, e filhos podem se ligar ao outro.',
    ],
    advice: ['Rename your decoder, or remove it if the new one reads the same logs.', 'Renomeie o seu decoder ou remova-o se o novo lê os mesmos logs.'],
  },
  group_gone: {
    severity: 'error',
    effect: [
      'No rule has the group "{group}" of <{option}> any more. Wazuh drops rule {rule}, or it never counts an event.',
      'Nenhuma regra tem mais o grupo "{group}" de <{option}>. O Wazuh descarta a regra {rule}, ou ela nunca conta um evento.',
    ],
    advice: ['Name a group that the rules for these events have now.', 'Indique um grupo que as regras desses eventos tenham agora.'],
  },
  group_changed: {
    severity: 'info',
    effect: [
      'Other rules have the group "{group}" of <{option}> now. Gone: {lost}. New: {gained}.',
      'Outras regras têm agora o grupo "{group}" de <{option}>. Saíram: {lost}. Entraram: {gained}.',
    ],
    advice: [
      'Check whether rule {rule} is meant for the events of the new ones, and still gets those of the others.',
      'Verifique se a regra {rule} vale para os eventos das novas e ainda recebe os das outras.',
    ],
  },
  list_gone: {
    severity: 'error',
    effect: ['The list "{list}" is not in the new ruleset. Wazuh drops rule {rule}.', 'A lista "{list}" não está no conjunto novo. O Wazuh descarta a regra {rule}.'],
    advice: ['Keep the list in your content, and register it in ossec.conf.', 'Mantenha a lista no seu conteúdo e registre-a no ossec.conf.'],
  },
  field_gone: {
    severity: 'error',
    effect: [
      'No decoder whose events reach rule {rule} sets the field "{field}" any more. Conditions on it fail, comparisons do not hold, and $({field}) is empty.',
      'Nenhum decoder cujos eventos chegam à regra {rule} define mais o campo "{field}". Condições sobre ele falham, comparações não valem, e $({field}) fica vazio.',
    ],
    advice: [
      'Read a field that the decoder sets now, or add a decoder of your own that sets it.',
      'Leia um campo que o decoder define agora ou adicione um decoder próprio que o defina.',
    ],
  },
  field_renamed: {
    severity: 'error',
    effect: [
      'The decoder "{decoder}" sets the field "{now}" where it set "{field}". Conditions of rule {rule} on the old name fail, and $({field}) is empty.',
      'O decoder "{decoder}" define o campo "{now}" onde definia "{field}". Condições da regra {rule} sobre o nome antigo falham, e $({field}) fica vazio.',
    ],
    advice: ['Write "{now}" for "{field}".', 'Escreva "{now}" em vez de "{field}".'],
  },
  field_partly_renamed: {
    severity: 'info',
    effect: [
      'The decoder "{decoder}" sets the field "{now}" where it set "{field}", which other decoders still set. Rule {rule} reads "{field}".',
      'O decoder "{decoder}" define o campo "{now}" onde definia "{field}", que outros decoders ainda definem. A regra {rule} lê "{field}".',
    ],
    advice: [
      'If rule {rule} is for events of this decoder, write a second rule that reads "{now}".',
      'Se a regra {rule} é para eventos desse decoder, escreva uma segunda regra que leia "{now}".',
    ],
  },
  behaviour: {
    severity: 'warning',
    effect: ['The same event has another answer. Before: {old}. After: {new}.', 'O mesmo evento tem outra resposta. Antes: {old}. Depois: {new}.'],
    advice: [
      'Decide whether the new answer is right. If not, change the conditions or parents of your content.',
      'Decida se a resposta nova é a certa. Se não, mude as condições ou os pais do seu conteúdo.',
    ],
  },
  case_red: {
    severity: 'error',
    effect: ['The case "{case}" passes with the old ruleset and fails with the new one: {reason}', 'O caso "{case}" passa com o conjunto antigo e falha com o novo: {reason}'],
    advice: ['Correct the content; change the expectation only if the new answer is right.', 'Corrija o conteúdo; só mude a expectativa se a resposta nova for a certa.'],
  },
  event_changed: {
    severity: 'warning',
    effect: ['This event has another answer. Before: {old}. After: {new}.', 'Este evento tem outra resposta. Antes: {old}. Depois: {new}.'],
    advice: ['Decide whether the new answer is right for this event.', 'Decida se a resposta nova é a certa para este evento.'],
  },
} as const satisfies Readonly<Record<string, FindingEntry>>

export type UpgradeCode = keyof typeof UPGRADE_FINDINGS

/** An option that both sides of an overwrite have differently from the old rule, or only the new ruleset. Texts are XML; empty: it is absent. */
export interface MergedOption {
  readonly option: string
  readonly before: string
  readonly own: string
  readonly upstream: string
  readonly taken: 'upstream' | 'both' | 'own'
}

/** One thing that breaks, or that a person should check. Plain data. */
export interface UpgradeFinding {
  readonly code: UpgradeCode
  /** `info`: no difference in behaviour is known. */
  readonly severity: Exclude<Severity, 'success'>
  readonly kind: FileKind | 'cases' | 'events'
  /** The name of a file of content as in diagnostics, or the path of a file of cases or events. */
  readonly file: string
  readonly line: number
  readonly item: ItemRecord | null
  readonly effect: string
  readonly advice: string
  /** How each option of an overwrite is merged; empty: the finding is about no overwrite. */
  readonly options: readonly MergedOption[]
  /** The rule as it should be, as XML; null: there is no proposal. */
  readonly proposal: string | null
  /** The changes of a merge in the file. Empty: a person has to decide. */
  readonly edits: readonly Replacement[]
  /** Events of one session that show the finding, and the answers of both rulesets to the last one. */
  readonly witness: { readonly events: readonly BehaviourEvent[] } | null
  readonly old: BehaviourAnswer | null
  readonly new: BehaviourAnswer | null
}

export type FindingParams = Readonly<Record<string, string | number>>

interface FindingPlace {
  readonly kind: UpgradeFinding['kind']
  readonly file: string
  readonly line: number
  readonly item: ItemRecord | null
}

type FindingParts = Partial<Pick<UpgradeFinding, 'severity' | 'options' | 'proposal' | 'edits' | 'witness' | 'old' | 'new'>>

/** Returns a finding with its texts in a language. @param params values for the placeholders of the texts */
export function makeFinding(code: UpgradeCode, place: FindingPlace, params: FindingParams, locale: Locale, parts: FindingParts = {}): UpgradeFinding {
  const entry: FindingEntry = UPGRADE_FINDINGS[code]
  const at = LOCALES.indexOf(locale)
  const say = (pair: Pair): string => pair[at].replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
  return {
    code,
    severity: entry.severity,
    ...place,
    effect: say(entry.effect),
    advice: say(entry.advice),
    options: [],
    proposal: null,
    edits: [],
    witness: null,
    old: null,
    new: null,
    ...parts,
  }
}

const ANSWERS = {
  'en-US': { none: 'no rule', rule: (id: string, level: number) => `rule ${id}, level ${level}`, nothing: 'none', top: 'no rule', root: 'no decoder' },
  'pt-BR': { none: 'nenhuma regra', rule: (id: string, level: number) => `regra ${id}, nível ${level}`, nothing: 'nenhuma', top: 'nenhuma regra', root: 'nenhum decoder' },
} as const satisfies Readonly<Record<Locale, unknown>>

export function answerPhrase(answer: BehaviourAnswer | null, locale: Locale): string {
  const { none, rule } = ANSWERS[locale]
  return answer?.rule_id == null ? none : rule(answer.rule_id, answer.level ?? 0)
}

/** Names as a list, or what stands for none of them. */
export function namesPhrase(names: readonly string[], none: 'nothing' | 'top' | 'root', locale: Locale): string {
  const shown = names.slice(0, NAMES_SHOWN).join(', ')
  if (names.length === 0) return ANSWERS[locale][none]
  return names.length > NAMES_SHOWN ? `${shown}, …` : shown
}

const NAMES_SHOWN = 12
