/** The texts of the audit. */
import type { Locale } from '../diagnostics/text.js'

/** Each text completes "It fires only if …". */
export interface ConditionWords {
  readonly counts: (count: number, source: string, seconds: number, same: string, different: string) => string
  readonly rule: (id: number) => string
  readonly group: (name: string) => string
  readonly memory: string
  readonly firstTime: string
  readonly changed: string
  readonly list: (path: string, field: string) => string
  readonly clock: (tag: string, value: string) => string
  readonly location: (value: string) => string
  readonly ignore: (seconds: number) => string
  readonly listEntry: string
  readonly managerModule: string
  readonly clockOrManager: string
}

export const CONDITION_WORDS: Readonly<Record<Locale, ConditionWords>> = {
  'en-US': {
    counts: (count, source, seconds, same, different) =>
      `${source} fired ${count === 1 ? 'once' : `${count} times`} in the ${seconds} s before it${same === '' ? '' : `, with the same ${same}`}${different === '' ? '' : `, with another ${different}`}`,
    rule: (id) => `rule ${id}`,
    group: (name) => `a rule of group ${name}`,
    memory: 'a rule with the <if_matched_regex> in its log',
    firstTime: 'the fields of <fts> have these values for the first time',
    changed: 'the log differs from the one before it (check_diff)',
    list: (path, field) => `list ${path} has an entry for ${field}`,
    clock: (tag, value) => `the clock of the manager agrees with <${tag}>${value}</${tag}>`,
    location: (value) => `the event comes from ${value} (<location>)`,
    ignore: (seconds) => `it did not fire in the ${seconds} s before ("ignore")`,
    listEntry: 'the list gets an entry that passes the other conditions',
    managerModule: 'a module of the manager makes the event',
    clockOrManager: 'the time, or the name of the manager, keeps rules before it from the event',
  },
  'pt-BR': {
    counts: (count, source, seconds, same, different) =>
      `${source} disparou ${count === 1 ? 'uma vez' : `${count} vezes`} nos ${seconds} s anteriores${same === '' ? '' : `, com o mesmo ${same}`}${different === '' ? '' : `, com outro ${different}`}`,
    rule: (id) => `a regra ${id}`,
    group: (name) => `uma regra do grupo ${name}`,
    memory: 'uma regra com o <if_matched_regex> no log',
    firstTime: 'os campos de <fts> têm estes valores pela primeira vez',
    changed: 'o log difere do anterior (check_diff)',
    list: (path, field) => `a lista ${path} tem uma entrada para ${field}`,
    clock: (tag, value) => `o relógio do manager concorda com <${tag}>${value}</${tag}>`,
    location: (value) => `o evento vem de ${value} (<location>)`,
    ignore: (seconds) => `ela não disparou nos ${seconds} s anteriores ("ignore")`,
    listEntry: 'a lista recebe uma entrada que passa nas outras condições',
    managerModule: 'um módulo do manager cria o evento',
    clockOrManager: 'a hora, ou o nome do manager, afasta do evento as regras antes dela',
  },
}
