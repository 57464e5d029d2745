/** The texts of comparisons of behaviour, in each language. */
import type { Effect, Locale } from '#engine'

const ENGLISH = {
  effects: { lost: 'alert lost', gained: 'alert gained', moved: 'another rule', level: 'another level', decoder: 'another decoder', fields: 'other fields' } satisfies Record<
    Effect,
    string
  >,
  columns: ['Effect', 'Item', 'Before', 'After', 'Event'] as readonly string[],
  changes: {
    added: 'added',
    removed: 'removed',
    placement: 'place in the tree',
    order: 'order among its siblings',
    position: 'order',
    counted_by: 'the rules that count it',
    list_entries: 'entries of its lists',
    notation: 'only the notation',
  } as Readonly<Record<string, string>>,
  rule: (id: string) => `Rule ${id}`,
  decoder: (name: string) => `Decoder ${name}`,
  answer: (id: string, level: number) => `rule ${id}, level ${level}`,
  noRule: 'no rule',
  onlyDecoded: (decoder: string | null) => (decoder === null ? 'no rule, no decoder' : `no rule, decoder ${decoder}`),
  later: (seconds: number) => `(${seconds} s later)`,
  likewise: (names: string) => `the same for ${names}`,
  more: (count: number) => `${count} more`,
  lostField: (name: string, renamed: string | null, readers: string) =>
    `${renamed === null ? `the field ${name} is gone` : `the field ${name} is now ${renamed}`}${readers === '' ? '' : `; rules that read ${name}: ${readers}`}`,
  proven: (names: string) => `proven to be without a difference: ${names}`,
  searched: (names: string) => `no difference found by searching: ${names}`,
  unknown: (names: string) => `unknown: ${names}`,
  nothing: 'Nothing is different.',
  summary: (differ: number, proven: number, searched: number, unknown: number) =>
    `${differ} with a difference, ${proven} proven to be without one, ${searched} in which none was found by searching, ${unknown} unknown.`,
  beyond: (count: number) => `${count} more items are touched and were not looked at.`,
  incomplete: 'The time was over before everything was searched: the items that are unknown may differ.',
  expected: (id: string) => `The newest revision gives rule ${id}.`,
  notExpected: (id: string, answer: string) => `The newest revision does not give rule ${id}, but: ${answer}.`,
  always: (count: number) => `It has been so in all ${count} revisions.`,
  since: 'It has been so since:',
  between: (from: string, to: string) => `The revisions between do not load, so it was one of those after ${from}, up to ${to}.`,
  skipped: (count: number, ids: string) => `${count} ${count === 1 ? 'revision was' : 'revisions were'} skipped, because Wazuh would not start with it: ${ids}`,
  before: 'before',
  after: 'after',
  shrunk: (before: number, after: number) => `${after} of ${before} characters. Read the event before you share it: what rules and decoders need is still in it.`,
  notComplete: 'The time was over before the event was as small as it can be.',
}

export type BehaviourWords = typeof ENGLISH

export const BEHAVIOUR_WORDS: Readonly<Record<Locale, BehaviourWords>> = {
  'en-US': ENGLISH,
  'pt-BR': {
    effects: { lost: 'alerta perdido', gained: 'alerta novo', moved: 'outra regra', level: 'outro nível', decoder: 'outro decoder', fields: 'outros campos' },
    columns: ['Efeito', 'Item', 'Antes', 'Depois', 'Evento'],
    changes: {
      added: 'nova',
      removed: 'removida',
      placement: 'lugar na árvore',
      order: 'ordem entre as irmãs',
      position: 'ordem',
      counted_by: 'regras que a contam',
      list_entries: 'entradas das suas listas',
      notation: 'só a notação',
    },
    rule: (id) => `Regra ${id}`,
    decoder: (name) => `Decoder ${name}`,
    answer: (id, level) => `regra ${id}, nível ${level}`,
    noRule: 'nenhuma regra',
    onlyDecoded: (decoder) => (decoder === null ? 'nenhuma regra, nenhum decoder' : `nenhuma regra, decoder ${decoder}`),
    later: (seconds) => `(${seconds} s depois)`,
    likewise: (names) => `o mesmo para ${names}`,
    more: (count) => `mais ${count}`,
    lostField: (name, renamed, readers) =>
      `${renamed === null ? `o campo ${name} não existe mais` : `o campo ${name} agora é ${renamed}`}${readers === '' ? '' : `; regras que leem ${name}: ${readers}`}`,
    proven: (names) => `sem diferença, provado: ${names}`,
    searched: (names) => `nenhuma diferença encontrada na busca: ${names}`,
    unknown: (names) => `desconhecido: ${names}`,
    nothing: 'Nada mudou.',
    summary: (differ, proven, searched, unknown) =>
      `${differ} com diferença, ${proven} sem diferença (provado), ${searched} em que a busca não encontrou nenhuma, ${unknown} ${unknown === 1 ? 'desconhecido' : 'desconhecidos'}.`,
    beyond: (count) => `Mais ${count} itens são afetados e não foram examinados.`,
    incomplete: 'O tempo acabou antes do fim da busca: os itens desconhecidos podem ter diferenças.',
    expected: (id) => `A revisão mais nova dá a regra ${id}.`,
    notExpected: (id, answer) => `A revisão mais nova não dá a regra ${id}, e sim: ${answer}.`,
    always: (count) => `É assim em todas as ${count} revisões.`,
    since: 'É assim desde:',
    between: (from, to) => `As revisões no meio não carregam, portanto foi uma das que vêm depois de ${from}, até ${to}.`,
    skipped: (count, ids) => `${count} ${count === 1 ? 'revisão foi pulada' : 'revisões foram puladas'}, porque o Wazuh não iniciaria com ela: ${ids}`,
    before: 'antes',
    after: 'depois',
    shrunk: (before, after) => `${after} de ${before} caracteres. Leia o evento antes de compartilhar: o que regras e decoders precisam continua nele.`,
    notComplete: 'O tempo acabou antes de o evento ficar o menor possível.',
  },
}
