/** The texts of the language server, in each language. Those of options and diagnostics are the engine's. */
import type { Locale } from '#engine'

export interface Words {
  readonly level: string
  readonly rule: string
  readonly decoder: string
  readonly parent: string
  readonly fields: string
  readonly groups: string
  readonly parents: string
  readonly file: string
  readonly example: string
  readonly values: string
  readonly required: string
  readonly list: (keys: number) => string
  readonly groupOf: (rules: number) => string
  readonly extractedBy: (decoders: string) => string
  readonly staticField: string
  readonly noEffect: string
  readonly freeId: string
  readonly cases: (count: number) => string
  readonly casesPass: (passed: number, count: number) => string
  readonly firesOn: (event: string) => string
  readonly children: (count: number) => string
  readonly replaceWith: (text: string) => string
  readonly insert: (text: string) => string
  readonly remove: (text: string) => string
  readonly change: (count: number) => string
  readonly override: (id: string) => string
  readonly fixAll: string
  readonly stockId: (id: string) => string
  readonly notRenamed: string
  readonly idTaken: (id: string) => string
  readonly idInvalid: string
  readonly nameInvalid: string
  readonly and: (count: number) => string
}

export const WORDS: Readonly<Record<Locale, Words>> = {
  'en-US': {
    level: 'level',
    rule: 'rule',
    decoder: 'decoder',
    parent: 'parent',
    fields: 'Fields',
    groups: 'Groups',
    parents: 'Parents',
    file: 'File',
    example: 'Example',
    values: 'Values',
    required: 'required',
    list: (keys) => (keys === 1 ? 'list with 1 key' : `list with ${keys} keys`),
    groupOf: (rules) => (rules === 1 ? 'group, named by 1 rule or <group>' : `group, named by ${rules} rules and <group>s`),
    extractedBy: (decoders) => `Field, extracted by ${decoders}.`,
    staticField: 'Static field: decoders fill it, and rules have an element for it.',
    noEffect: 'Wazuh reads it without effect.',
    freeId: 'the next free id',
    cases: (count) => (count === 1 ? 'runs 1 case' : `runs ${count} cases`),
    casesPass: (passed, count) => (passed === count ? (count === 1 ? '1 case passes' : `${count} cases pass`) : `${passed} of ${count} cases pass`),
    firesOn: (event) => `fires on ${event}`,
    children: (count) => (count === 1 ? '1 child' : `${count} children`),
    replaceWith: (text) => `Replace with ${text}`,
    insert: (text) => `Insert ${text}`,
    remove: (text) => `Remove ${text}`,
    change: (count) => `Correct ${count} places`,
    override: (id) => `Override rule ${id}`,
    fixAll: 'Apply all sure corrections',
    stockId: (id) => `${id} is defined in the base ruleset, so it can't be renamed`,
    notRenamed: 'only ids of rules, names of decoders and groups can be renamed',
    idTaken: (id) => `rule ${id} exists already`,
    idInvalid: 'an id is a number of one to six digits',
    nameInvalid: 'a name must not be empty, and can have no quote, bracket, comma or line break',
    and: (count) => `and ${count} more`,
  },
  'pt-BR': {
    level: 'nível',
    rule: 'regra',
    decoder: 'decoder',
    parent: 'pai',
    fields: 'Campos',
    groups: 'Grupos',
    parents: 'Pais',
    file: 'Arquivo',
    example: 'Exemplo',
    values: 'Valores',
    required: 'obrigatório',
    list: (keys) => (keys === 1 ? 'lista com 1 chave' : `lista com ${keys} chaves`),
    groupOf: (rules) => (rules === 1 ? 'grupo, citado por 1 regra ou <group>' : `grupo, citado por ${rules} regras e <group>s`),
    extractedBy: (decoders) => `Campo, extraído por ${decoders}.`,
    staticField: 'Campo estático: decoders o preenchem, e regras têm um elemento para ele.',
    noEffect: 'O Wazuh o lê sem efeito.',
    freeId: 'o próximo id livre',
    cases: (count) => (count === 1 ? 'roda 1 caso' : `roda ${count} casos`),
    casesPass: (passed, count) => (passed === count ? (count === 1 ? '1 caso passa' : `${count} casos passam`) : `${passed} de ${count} casos passam`),
    firesOn: (event) => `dispara com ${event}`,
    children: (count) => (count === 1 ? '1 filha' : `${count} filhas`),
    replaceWith: (text) => `Substituir por ${text}`,
    insert: (text) => `Inserir ${text}`,
    remove: (text) => `Remover ${text}`,
    change: (count) => `Corrigir ${count} lugares`,
    override: (id) => `Sobrescrever a regra ${id}`,
    fixAll: 'Aplicar todas as correções seguras',
    stockId: (id) => `${id} é definido no conjunto de base, por isso não pode ser renomeado`,
    notRenamed: 'só ids de regras, nomes de decoders e grupos podem ser renomeados',
    idTaken: (id) => `a regra ${id} já existe`,
    idInvalid: 'um id é um número de um a seis dígitos',
    nameInvalid: 'um nome não pode ser vazio nem ter aspas, sinais de menor ou maior, vírgulas ou quebras de linha',
    and: (count) => `e mais ${count}`,
  },
}
